-- What changes with the use of a code, apart from what was configured: one small row for each code that was used. No index
-- names any of these columns but the key, so that a change stays on its page; the pages are filled to 70% for that.
create table voucher_states (
  project_id        text not null,
  voucher_id        text not null,
  -- The template that a code keeps from its first redemption on, where none is in its own row.
  template_version  integer,
  -- When it was used last; the later of this and its own `updated_at` is shown.
  updated_at        timestamptz,
  redeemed_quantity bigint not null default 0 check (redeemed_quantity >= 0),
  -- How often in the periods that hold now, and with which API key.
  uses              jsonb,
  -- Credits or points, as the ledger has them. Null: nothing was moved yet, and it holds what its settings say.
  account           jsonb check ((account->>'available')::bigint >= 0 or (account->>'allows_negative')::boolean),
  -- Of a loyalty card: in which tier of its campaign it is.
  tier              jsonb,
  primary key (project_id, voucher_id)
) with (fillfactor = 70);

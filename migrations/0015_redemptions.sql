-- Redemptions, their rollbacks, and the ledger of credits and points.

-- One row for each attempt on a code or a tier, one more for a stack as a whole, and one for each rollback.
create table redemptions (
  project_id    text not null references projects,
  id            text not null,
  object        text not null check (object in ('redemption', 'redemption_rollback')),
  result        text not null check (result in ('SUCCESS', 'FAILURE')),
  status        text not null check (status in ('SUCCEEDED', 'FAILED', 'ROLLED_BACK')),
  -- The redemption of the stack that it is a part of.
  parent_id     text,
  -- Of a rollback: what was rolled back.
  redemption_id text,
  -- Null: a failure that concerns no redeemable.
  related_object_type text check (related_object_type in ('voucher', 'promotion_tier', 'redemption')),
  related_object_id text,
  campaign_id   text,
  campaign_name text,
  voucher_code  text,
  customer_id   text,
  tracking_id   text,
  order_id      text,
  -- Credits or points; negative in a rollback.
  amount        bigint,
  failure_code  text,
  failure_message text,
  reason        text,
  metadata      jsonb not null,
  channel       jsonb not null,
  -- The order as it was after this step.
  order_shown   jsonb,
  -- What the engine needs to undo it, and to show it.
  effect        jsonb,
  created_at    timestamptz not null,
  primary key (project_id, id)
);
create index redemptions_by_age on redemptions (project_id, created_at, id);
-- The few among the many.
create index redemptions_failed_or_undone on redemptions (project_id, created_at, id)
  where result = 'FAILURE' or object = 'redemption_rollback';
create index redemptions_by_customer on redemptions (project_id, customer_id, created_at) where customer_id is not null;
create index redemptions_by_redeemable on redemptions (project_id, related_object_id, created_at)
  where related_object_id is not null;
create index redemptions_by_campaign on redemptions (project_id, campaign_id, created_at) where campaign_id is not null;
create index redemptions_by_parent on redemptions (project_id, parent_id) where parent_id is not null;
create index redemptions_by_redemption on redemptions (project_id, redemption_id) where redemption_id is not null;

-- How many rows of redemptions there are of each kind, so that a list knows its total without counting a million. Each
-- batch adds rows and locks none; a job adds them together. Under `deleted` stand redemptions of codes that were deleted:
-- they are kept, and no list shows them.
create table redemption_tallies (
  project_id  text not null references projects,
  id          text not null,
  object      text not null,
  result      text not null,
  campaign_id text not null default '',
  count       bigint not null,
  primary key (project_id, id)
);

-- Units that were discounted of products whose number is limited.
create table unit_counters (
  project_id  text not null references projects,
  subject_id  text not null,
  -- Empty: of all customers.
  customer_id text not null,
  name        text not null,
  units       bigint not null default 0 check (units >= 0),
  primary key (project_id, subject_id, customer_id, name)
);
create index unit_counters_by_customer on unit_counters (project_id, customer_id) where customer_id <> '';

-- One ledger for credits and points. The account of a card is a part of the card's row, and locked with it.

-- What is left of each earning, spent first to expire first.
create table ledger_lots (
  project_id text not null,
  id         text not null,
  account_id text not null,
  pot        text not null check (pot in ('available', 'pending')),
  amount     bigint not null check (amount > 0),
  remaining  bigint not null check (remaining >= 0 and remaining <= amount),
  expires_at timestamptz,
  activates_at timestamptz,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create index ledger_lots_by_account on ledger_lots (project_id, account_id) where remaining > 0;
create index ledger_lots_by_expiry on ledger_lots (project_id, expires_at) where remaining > 0;

-- Only added, never changed.
create table ledger_entries (
  project_id text not null,
  id         text not null,
  account_id text not null,
  pot        text not null check (pot in ('available', 'pending')),
  kind       text not null,
  amount     bigint not null,
  -- What the pot held after it, and what was received by then, less what was subtracted.
  balance    bigint not null,
  total      bigint not null,
  campaign_id text,
  redemption_id text,
  rollback_id text,
  order_id   text,
  source_id  text,
  source     text,
  reason     text,
  -- The lots it touched: [[lot id, amount], …].
  lots       jsonb not null,
  details    jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (project_id, id)
);
create index ledger_entries_by_account on ledger_entries (project_id, account_id, id);
create index ledger_entries_by_campaign on ledger_entries (project_id, campaign_id, id) where campaign_id is not null;

-- Who was given which codes, and who was refused.
create table publications (
  project_id  text not null references projects,
  id          text not null,
  customer_id text,
  tracking_id text,
  campaign_id text,
  campaign_name text,
  voucher_ids jsonb not null,
  voucher_code text,
  voucher_type text,
  is_referral_code boolean not null default false,
  channel     text not null,
  source_id   text,
  result      text not null check (result in ('SUCCESS', 'FAILURE')),
  failure_code text,
  failure_message text,
  metadata    jsonb not null default '{}',
  created_at  timestamptz not null,
  primary key (project_id, id)
);
create index publications_by_age on publications (project_id, created_at, id);
create index publications_by_customer on publications (project_id, customer_id, campaign_id) where customer_id is not null;
create unique index publications_unique_source_id on publications (project_id, source_id) where source_id is not null and result = 'SUCCESS';
create index publications_by_code on publications (project_id, voucher_code) where voucher_code is not null;

-- Codes of a campaign that can still be given to somebody.
create index vouchers_unpublished on vouchers (project_id, campaign_id, id)
  where campaign_id is not null and deleted_at is null and active and published_count = 0 and redeemed_quantity = 0;

-- What a redemption was decided on. Configuration that many share is kept once, by the hash of its text.
create table receipts (
  project_id  text not null references projects,
  redemption_id text not null,
  customer_id text,
  -- Of somebody who is no customer yet.
  tracking_id text,
  -- Null: the customer was erased, and the receipt with them. Kept as it was written, to the byte.
  receipt     json,
  created_at  timestamptz not null,
  primary key (project_id, redemption_id)
);
create index receipts_by_customer on receipts (project_id, customer_id) where customer_id is not null;
create index receipts_by_tracking_id on receipts (project_id, tracking_id) where tracking_id is not null;
create table config_fragments (
  project_id text not null references projects,
  hash       text not null,
  body       json not null,
  primary key (project_id, hash)
);

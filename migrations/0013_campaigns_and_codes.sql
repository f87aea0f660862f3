-- Campaigns, their codes, promotion tiers and stacks; and what a validation reads and keeps.

-- What marketers configure. How many codes there are and how far their generation is stands in `campaign_codes`: this
-- row is in the catalog, and a progress bar must not make every process read it again.
create table campaigns (
  project_id    text not null references projects,
  id            text not null,
  name          text not null,
  description   text,
  campaign_type text not null,
  type          text not null check (type in ('AUTO_UPDATE', 'STATIC', 'STANDALONE')),
  -- Null: a promotion has no codes.
  voucher_type  text check (voucher_type in ('DISCOUNT_VOUCHER', 'GIFT_VOUCHER', 'LOYALTY_CARD')),
  code_config   jsonb,
  -- The newest of `voucher_templates`, which its codes follow.
  voucher_version integer not null default 1,
  active        boolean not null default true,
  protected     boolean not null default false,
  auto_join     boolean not null default false,
  join_once     boolean not null default false,
  use_voucher_metadata_schema boolean not null default true,
  category_id   text,
  activity_duration_after_publishing text,
  referral_program jsonb,
  loyalty_tiers_expiration jsonb,
  created_at    timestamptz not null,
  updated_at    timestamptz,
  deleted_at    timestamptz,
  primary key (project_id, id),
  constraint campaigns_unique_name unique (project_id, name)
);
create index campaigns_by_age on campaigns (project_id, created_at, id) where deleted_at is null;

-- What a campaign gives its codes: value, quantity, dates, windows, metadata. Every version stays, because a code that
-- was published or redeemed keeps the one it had.
create table voucher_templates (
  project_id  text not null,
  campaign_id text not null,
  version     integer not null,
  settings    jsonb not null,
  primary key (project_id, campaign_id, version),
  foreign key (project_id, campaign_id) references campaigns
);

create table campaign_codes (
  project_id  text not null,
  campaign_id text not null,
  vouchers_count bigint not null default 0 check (vouchers_count >= 0),
  creation_status text not null,
  vouchers_generation_status text not null,
  primary key (project_id, campaign_id),
  foreign key (project_id, campaign_id) references campaigns
);

create table promotion_tiers (
  project_id  text not null,
  id          text not null,
  campaign_id text not null,
  name        text not null,
  banner      text,
  action      jsonb not null,
  hierarchy   integer not null,
  active      boolean not null default true,
  category_id text,
  start_date  timestamptz,
  expiration_date timestamptz,
  validity_timeframe jsonb,
  validity_day_of_week jsonb,
  validity_hours jsonb,
  metadata    jsonb not null default '{}',
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id),
  foreign key (project_id, campaign_id) references campaigns
);
create index promotion_tiers_by_campaign on promotion_tiers (project_id, campaign_id);

create table promotion_stacks (
  project_id  text not null,
  id          text not null,
  campaign_id text not null,
  name        text not null,
  tiers       jsonb not null,
  category_id text,
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id),
  foreign key (project_id, campaign_id) references campaigns
);
create index promotion_stacks_by_campaign on promotion_stacks (project_id, campaign_id);

-- Codes. A code of a campaign has no settings of its own until somebody gives it some: so a million codes are a million
-- small rows, and a campaign changes in one. Foreign keys to the campaign would be a million checks of one row.
create table vouchers (
  project_id      text not null,
  id              text not null,
  code            text not null,
  code_folded     text not null,
  campaign_id     text,
  -- The template that a published or redeemed code keeps; null follows the newest.
  template_version integer,
  type            text not null check (type in ('DISCOUNT_VOUCHER', 'GIFT_VOUCHER', 'LOYALTY_CARD')),
  -- Null: those of the template.
  settings        jsonb check (settings is not null or campaign_id is not null),
  category_id     text,
  active          boolean not null default true,
  additional_info text,
  redeemed_quantity bigint not null default 0 check (redeemed_quantity >= 0),
  -- How often in the periods that hold now, and with which API key.
  uses            jsonb,
  -- Credits or points, as the ledger has them. Null: nothing was moved yet, and it holds what its settings say.
  account         jsonb check ((account->>'available')::bigint >= 0 or (account->>'allows_negative')::boolean),
  published_count bigint not null default 0,
  holder_id       text,
  referrer_id     text,
  created_at      timestamptz not null,
  updated_at      timestamptz,
  deleted_at      timestamptz,
  primary key (project_id, id),
  constraint vouchers_unique_code unique (project_id, code_folded)
);
create index vouchers_by_age on vouchers (project_id, created_at, id) where deleted_at is null;
create index vouchers_by_campaign on vouchers (project_id, campaign_id, created_at) where campaign_id is not null;
create index vouchers_alone on vouchers (project_id, created_at) where campaign_id is null and deleted_at is null;
create index vouchers_by_holder on vouchers (project_id, holder_id) where holder_id is not null;
create index vouchers_by_referrer on vouchers (project_id, referrer_id) where referrer_id is not null;

-- `created_at` of whatever can be redeemed is unique in a project, to the microsecond: a qualification pages by it.
create table redeemable_stamps (
  project_id text primary key references projects,
  last_at    timestamptz not null
);

-- Whose wallet a code is in.
create table redeemable_holders (
  project_id  text not null,
  id          text not null,
  voucher_id  text not null,
  campaign_id text,
  customer_id text not null,
  holder_role text not null check (holder_role in ('OWNER', 'REFERRER', 'REFEREE')),
  metadata    jsonb not null default '{}',
  created_at  timestamptz not null,
  primary key (project_id, id),
  constraint redeemable_holders_unique_holder unique (project_id, voucher_id, customer_id, holder_role),
  foreign key (project_id, voucher_id) references vouchers
);
create index redeemable_holders_by_customer on redeemable_holders (project_id, customer_id, id);

-- A row to lock, so that two requests of one session come one after the other.
create table sessions (
  project_id text not null references projects,
  key        text not null,
  until      timestamptz not null,
  primary key (project_id, key)
);
create index sessions_by_end on sessions (project_id, until);

-- What a validation holds back for its caller, until it is redeemed, released or over.
create table session_locks (
  project_id    text not null references projects,
  redeemable_id text not null,
  session_key   text not null,
  quantity      bigint not null,
  credits       bigint not null default 0,
  points        bigint not null default 0,
  expires_at    timestamptz not null,
  primary key (project_id, redeemable_id, session_key)
);
create index session_locks_by_key on session_locks (project_id, session_key);
create index session_locks_by_expiry on session_locks (project_id, expires_at);

-- What a validation promised, for 30 days.
create table validations (
  project_id  text not null references projects,
  id          text not null,
  customer_id text,
  valid       boolean not null,
  promise     jsonb not null,
  created_at  timestamptz not null,
  primary key (project_id, id)
);
create index validations_by_age on validations (project_id, created_at);
create index validations_by_customer on validations (project_id, customer_id) where customer_id is not null;

-- How often, and for how much, in all and in each period of the project's zone.
create table counters (
  project_id   text not null references projects,
  subject_kind text not null,
  subject_id   text not null,
  period_kind  text not null check (period_kind in ('total', 'day', 'week', 'month')),
  period_start date not null,
  redemptions  bigint not null default 0 check (redemptions >= 0),
  order_amount bigint not null default 0,
  discount_amount bigint not null default 0,
  gift_amount  bigint not null default 0,
  primary key (project_id, subject_kind, subject_id, period_kind, period_start)
);

-- Long work, and how far it is. `work` is what a worker needs to go on after a crash.
create table async_actions (
  project_id  text not null references projects,
  id          text not null,
  type        text not null,
  status      text not null check (status in ('ENQUEUED', 'IN_PROGRESS', 'DONE', 'FAILED')),
  operation_status text not null check (operation_status in ('SUCCESS', 'FAILED', 'UNKNOWN')),
  request_id  text not null,
  progress    integer not null default 0 check (progress between 0 and 100),
  processing_time bigint not null default 0,
  work        jsonb not null,
  result      jsonb,
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id)
);
create index async_actions_by_age on async_actions (project_id, created_at);
create index async_actions_to_do on async_actions (project_id, id) where status in ('ENQUEUED', 'IN_PROGRESS');

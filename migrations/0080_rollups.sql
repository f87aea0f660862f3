-- Figures by hour and day, so that a chart of a year reads 365 rows and no redemption. A follower writes them behind the requests
-- (`src/jobs/count-rollups.ts`, ADR 0048).

-- How far a project is counted. The number of the transaction is the follower's place in the feed of events; null: it has to begin.
-- Older rows are counted backwards: all redemptions since `redemptions_from` and all points since `entries_from` are in.
create table rollup_positions (
  project_id       text not null references projects,
  cluster          text not null,
  transaction_id   bigint,
  -- As `at time zone` takes it, and how many minutes behind the hour of UTC its hours begin.
  zone             text not null,
  zone_minutes     integer not null,
  -- False: rows of an earlier count have to go first.
  is_cleared       boolean not null default false,
  redemptions_from timestamptz not null default 'infinity',
  entries_from     text not null default '~',
  primary key (project_id)
);

-- Redemptions whose event was erased with its customer before it was counted.
create table rollup_waiting (
  project_id    text not null references projects,
  redemption_id text not null,
  primary key (project_id, redemption_id)
);

create table rollup_hours (
  project_id    text not null references projects,
  subject       text not null check (subject in ('project', 'campaign', 'tier', 'segment', 'channel')),
  subject_id    text not null,
  hour          timestamptz not null,
  redemptions   bigint not null,
  rollbacks     bigint not null,
  discount      bigint not null,
  gift_credits  bigint not null,
  points_issued bigint not null,
  points_spent  bigint not null,
  revenue       bigint not null,
  orders        bigint not null,
  refusals      bigint not null,
  primary key (project_id, subject, subject_id, hour)
);

-- The days of the project's time zone.
create table rollup_days (
  project_id    text not null references projects,
  subject       text not null check (subject in ('project', 'campaign', 'tier', 'code', 'segment', 'channel')),
  subject_id    text not null,
  day           date not null,
  redemptions   bigint not null,
  rollbacks     bigint not null,
  discount      bigint not null,
  gift_credits  bigint not null,
  points_issued bigint not null,
  points_spent  bigint not null,
  revenue       bigint not null,
  orders        bigint not null,
  refusals      bigint not null,
  unique_customers bigint not null,
  primary key (project_id, subject, subject_id, day)
);
create index rollup_days_by_day on rollup_days (project_id, subject, day);

-- Who redeemed something of a campaign on a day; an empty campaign stands for the whole project. One customer of 64 is in the
-- sample, always the same ones: it estimates how many different customers a long period had.
create table rollup_customers (
  project_id  text not null references projects,
  campaign_id text not null,
  day         date not null,
  customer_id text not null,
  is_sampled  boolean not null,
  primary key (project_id, campaign_id, day, customer_id)
);
create index rollup_customers_by_customer on rollup_customers (project_id, customer_id);
create index rollup_customers_sampled on rollup_customers (project_id, campaign_id, day, customer_id) where is_sampled;

-- The segments that a customer was in when they redeemed, of those that rules in use name.
create table redemption_segments (
  project_id    text not null references projects,
  redemption_id text not null,
  segment_ids   text[] not null,
  primary key (project_id, redemption_id)
);

-- Entries of points are followed as events are, by the number of the transaction. Those of credits have neither: a gift card writes
-- nothing more than before. Rows that are there get no number, and are counted backwards.
alter table ledger_entries add column is_points boolean, add column transaction_id bigint;
alter table ledger_entries alter column transaction_id set default pg_current_xact_id()::text::bigint;
create index ledger_entries_by_transaction on ledger_entries using brin (project_id, transaction_id)
  with (pages_per_range = 32, autosummarize = on);

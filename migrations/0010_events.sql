-- What happened, written with the change: one row for each command and subject. Activity lists read it by subject, and
-- what the outside world is told is derived from it. A payload names customers by id only.
create table events (
  project_id   text not null references projects,
  id           text not null,
  kind         text not null,
  -- The request that caused it.
  group_id     text not null,
  customer_id  text,
  voucher_id   text,
  campaign_id  text,
  payload      jsonb not null default '{}',
  created_at   timestamptz not null,
  delivered_at timestamptz,
  primary key (project_id, id)
);
create index events_by_customer on events (project_id, customer_id, id) where customer_id is not null;
create index events_by_voucher on events (project_id, voucher_id, id) where voucher_id is not null;
create index events_by_campaign on events (project_id, campaign_id, id) where campaign_id is not null;
create index events_undelivered on events (project_id, id) where delivered_at is null;

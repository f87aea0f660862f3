-- How points are earned and what they are spent on. A deleted one is kept for what happened with it; nothing shows it.

create table loyalty_earning_rules (
  project_id     text not null references projects,
  id             text not null,
  name           text not null,
  status         text not null check (status in ('DRAFT', 'ACTIVE', 'INACTIVE', 'DELETED')),
  trigger        jsonb not null,
  earnings       jsonb not null,
  error          jsonb,
  validity_hours jsonb not null,
  start_date     timestamptz,
  end_date       timestamptz,
  trigger_limits jsonb not null,
  metadata       jsonb not null default '{}',
  created_at     timestamptz not null,
  updated_at     timestamptz,
  primary key (project_id, id)
);

create table loyalty_benefits (
  project_id     text not null references projects,
  id             text not null,
  name           text not null,
  type           text not null check (type in ('POINTS', 'POINTS_PROPORTIONAL', 'MATERIAL', 'DIGITAL')),
  status         text not null check (status in ('DRAFT', 'ACTIVE', 'DELETED')),
  -- What is given, under the name of the field that shows it.
  config         jsonb not null,
  -- What is left. Null: unlimited. It changes with every one that is given, so it is not in the catalog.
  stock_quantity bigint check (stock_quantity >= 0),
  created_at     timestamptz not null,
  updated_at     timestamptz,
  primary key (project_id, id)
);
-- The name of a deleted one is free again.
create unique index loyalty_benefits_unique_name on loyalty_benefits (project_id, name) where status <> 'DELETED';

create table loyalty_rewards (
  project_id      text not null references projects,
  id              text not null,
  name            text not null,
  type            text not null check (type in ('MATERIAL', 'DIGITAL')),
  status          text not null check (status in ('DRAFT', 'ACTIVE', 'INACTIVE', 'DELETED')),
  material        jsonb,
  digital         jsonb,
  refunds         jsonb not null,
  costs           jsonb not null,
  purchase_limits jsonb not null,
  validity_hours  jsonb not null,
  start_date      timestamptz,
  end_date        timestamptz,
  metadata        jsonb not null default '{}',
  created_at      timestamptz not null,
  updated_at      timestamptz,
  primary key (project_id, id),
  check ((type = 'MATERIAL') = (material is not null) and (type = 'DIGITAL') = (digital is not null))
);

-- What a loyalty program is made of: the definitions of its cards, and its tiers. A deleted one is kept for what happened
-- with it; nothing shows it.

create table loyalty_card_definitions (
  project_id        text not null references projects,
  id                text not null,
  name              text not null,
  type              text not null check (type = 'INDIVIDUAL'),
  status            text not null check (status in ('DRAFT', 'ACTIVE', 'INACTIVE', 'DELETED')),
  code_config       jsonb not null,
  points_expiration jsonb not null,
  pending_points    jsonb not null,
  earning_limits    jsonb not null,
  spending_limits   jsonb not null,
  refunds           jsonb not null,
  balance_settings  jsonb not null,
  pay_with_points   jsonb not null,
  metadata          jsonb not null default '{}',
  created_at        timestamptz not null,
  updated_at        timestamptz,
  primary key (project_id, id)
);

create table loyalty_tier_structures (
  project_id         text not null references projects,
  id                 text not null,
  name               text not null,
  type               text not null check (type in ('POINT_BALANCE', 'POINT_EARNED')),
  card_definition_id text not null,
  point_earned       jsonb,
  expiration         jsonb,
  downgrade          jsonb,
  status             text not null check (status in ('DRAFT', 'ACTIVE', 'INACTIVE', 'DELETED')),
  metadata           jsonb not null default '{}',
  created_at         timestamptz not null,
  updated_at         timestamptz,
  primary key (project_id, id),
  check ((type = 'POINT_EARNED') = (point_earned is not null))
);

-- `deleted_at` and not a status: a tier has that of its structure.
create table loyalty_tiers (
  project_id          text not null references projects,
  id                  text not null,
  tier_structure_id   text not null,
  name                text not null,
  qualification_rules jsonb not null,
  downgrade           jsonb not null,
  points_expiration   jsonb,
  metadata            jsonb not null default '{}',
  created_at          timestamptz not null,
  updated_at          timestamptz,
  deleted_at          timestamptz,
  primary key (project_id, id)
);
create index loyalty_tiers_by_structure on loyalty_tiers (project_id, tier_structure_id) where deleted_at is null;

-- What an event happened to, where that has a list of activities. On old rows nothing is filled in: none is of loyalty.
alter table events add column subject_id text;
create index events_by_subject on events (project_id, subject_id, created_at, id) where subject_id is not null;

-- What the points of loyalty cards are given for, and in which campaigns.

create table rewards (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  type       text not null check (type in ('CAMPAIGN', 'COIN', 'MATERIAL')),
  parameters jsonb not null,
  -- What is left; null: unlimited. Both change with every redemption, so they are not in the catalog.
  stock      bigint check (stock >= 0),
  redeemed   bigint not null default 0 check (redeemed >= 0),
  attributes jsonb not null default '{}',
  metadata   jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id)
);

create table reward_assignments (
  project_id  text not null,
  id          text not null,
  reward_id   text not null,
  campaign_id text not null,
  -- What it costs; null: the customer says how many points to pay with.
  parameters  jsonb,
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id),
  constraint reward_assignments_unique_reward_id unique (project_id, campaign_id, reward_id),
  foreign key (project_id, reward_id) references rewards,
  foreign key (project_id, campaign_id) references campaigns
);
create index reward_assignments_by_reward on reward_assignments (project_id, reward_id);

-- Loyalty programs of v1 are campaigns: how their members earn points, and the tiers that points lead to.

create table campaign_earning_rules (
  project_id  text not null,
  id          text not null,
  campaign_id text not null,
  active      boolean not null default true,
  event       text not null,
  loyalty     jsonb not null,
  segment_id  text,
  custom_event_schema_id text,
  -- A tier of any campaign, or __ANY__.
  loyalty_tier_id text,
  validation_rule_id text,
  banner      text,
  start_date  timestamptz,
  expiration_date timestamptz,
  validity_timeframe jsonb,
  validity_day_of_week jsonb,
  validity_hours jsonb,
  pending_points jsonb,
  -- Null: the points expire as those of the campaign do.
  expiration_rules jsonb,
  metadata    jsonb not null default '{}',
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id),
  foreign key (project_id, campaign_id) references campaigns
);
create index campaign_earning_rules_by_campaign on campaign_earning_rules (project_id, campaign_id);

create table campaign_tiers (
  project_id  text not null,
  id          text not null,
  campaign_id text not null,
  name        text not null,
  -- Both ends belong to the tier. Null: it has no end.
  points_from bigint not null,
  points_to   bigint check (points_to >= points_from),
  -- How the points of rules, and the prices of rewards by the ids of their assignments, change for who is in the tier.
  earning_rules jsonb not null default '{}',
  rewards     jsonb not null default '{}',
  metadata    jsonb not null default '{}',
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id),
  foreign key (project_id, campaign_id) references campaigns
);
create index campaign_tiers_by_campaign on campaign_tiers (project_id, campaign_id);

-- Validations and redemptions that were refused, for 30 days: written behind the answers, masked as the request log is.
create table refusals (
  project_id    text not null,
  id            text not null,
  -- By the clock of the project.
  created_at    timestamptz not null,
  request_id    text not null,
  -- validation, redemption
  kind          text not null,
  operation     text not null,
  status        integer not null,
  reason        text not null,
  message       text not null,
  redemption_id text,
  key_kind      text not null,
  key_id        text not null,
  channel       text,
  codes         text[] not null,
  customers     text[] not null,
  -- What was refused in the request, each with its reason and what decided.
  redeemables   json not null,
  -- What the details have, compressed.
  bytes         integer not null,
  -- The request, the answer and the trace: JSON, deflated.
  details       bytea not null,
  primary key (project_id, id)
);
create index refusals_by_time on refusals (project_id, created_at, id);
create index refusals_by_request on refusals (project_id, request_id text_pattern_ops);

-- By what a refusal is found. Only hashes, as in the request log: a name that is an e-mail address is found, and not shown.
create table refusal_names (
  project_id text not null,
  -- code, customer, campaign, reason
  kind       text not null,
  hash       text not null,
  created_at timestamptz not null,
  refusal_id text not null,
  primary key (project_id, kind, hash, created_at, refusal_id)
);
create index refusal_names_by_refusal on refusal_names (project_id, refusal_id);

-- How many redeemables were refused in an hour, by reason and campaign, and of how many the refusal was kept. Each batch adds rows,
-- which a job adds together.
create table refusal_counts (
  project_id  text not null,
  id          text not null,
  hour        timestamptz not null,
  -- Empty: of no campaign.
  campaign_id text not null,
  reason      text not null,
  count       bigint not null,
  kept        bigint not null,
  primary key (project_id, id)
);
create index refusal_counts_by_hour on refusal_counts (project_id, hour, campaign_id, reason);

-- What the refusals of a project take, and how many were kept in the last minute that had one.
create table refusal_usage (
  project_id text not null,
  bytes      bigint not null,
  minute     timestamptz not null,
  in_minute  integer not null,
  primary key (project_id)
);

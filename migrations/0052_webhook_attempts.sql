-- What became of each attempt to deliver something: kept for thirty days.
create table webhook_attempts (
  project_id  text not null references projects,
  delivery_id text not null,
  number      integer not null,
  webhook_id  text not null,
  target_url  text not null,
  headers     jsonb not null,
  status_code integer,
  error       text,
  answer      text not null,
  latency_ms  integer not null,
  created_at  timestamptz not null,
  primary key (project_id, delivery_id, number)
);
create index webhook_attempts_by_time on webhook_attempts (project_id, created_at);

-- Which process sends for a webhook, and until when nobody else does.
create table webhook_senders (
  project_id text not null references projects,
  webhook_id text not null,
  sender     text not null,
  until      timestamptz not null,
  primary key (project_id, webhook_id)
);

-- The secret that webhooks were signed with before, and until when it is good.
create table webhook_secrets (
  project_id text not null references projects,
  previous   text not null,
  until      timestamptz not null,
  primary key (project_id)
);

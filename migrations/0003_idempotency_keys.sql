-- The answer is null only inside the transaction that claimed the key. `project_id` is '' for callers of the
-- management operations, which belong to no project.
create table idempotency_keys (
  project_id text not null,
  caller_id  text not null,
  key        text not null,
  input_hash text not null,
  status     integer,
  body       text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (project_id, caller_id, key)
);
create index idempotency_keys_expired on idempotency_keys (project_id, expires_at);

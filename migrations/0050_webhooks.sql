-- Where a project wants to be told what happens.
create table webhooks (
  project_id text not null references projects,
  id         text not null,
  target_url text not null,
  events     text[] not null,
  headers    jsonb not null default '{}',
  active     boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id)
);

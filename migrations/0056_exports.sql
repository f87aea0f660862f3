create table exports (
  project_id      text not null references projects,
  id              text not null,
  exported_object text not null,
  status          text not null check (status in ('SCHEDULED', 'IN_PROGRESS', 'DONE', 'ERROR')),
  channel         text not null,
  -- As it was asked for, and what was made of it when it was: columns, order, format.
  parameters      json not null,
  plan            jsonb not null,
  -- The last row that is in the file: who goes on begins behind it.
  last_row        jsonb,
  rows            bigint not null default 0,
  -- From how many moments its rows are.
  snapshots       integer not null default 0,
  failures        integer not null default 0,
  error           text,
  created_at      timestamptz not null,
  updated_at      timestamptz,
  primary key (project_id, id)
);
create index exports_by_age on exports (project_id, created_at, id);
create index exports_to_do on exports (project_id, id) where status in ('SCHEDULED', 'IN_PROGRESS');

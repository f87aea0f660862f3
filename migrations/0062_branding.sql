-- Who the shop is, for what is sent in its name. A project has one.
create table branding (
  project_id text not null references projects,
  id         text not null,
  brand      jsonb not null,
  address    jsonb not null,
  contact    jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id),
  constraint branding_unique_project_id unique (project_id)
);

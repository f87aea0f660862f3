-- What a project says about its metadata and events, and how its redeemables combine.

create table metadata_schemas (
  project_id         text not null references projects,
  id                 text not null,
  related_object     text not null,
  properties         jsonb not null,
  allow_defined_only boolean not null,
  created_at         timestamptz not null,
  updated_at         timestamptz,
  primary key (project_id, id),
  constraint metadata_schemas_unique_related_object unique (project_id, related_object)
);

create table custom_event_schemas (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  schema     jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id),
  constraint custom_event_schemas_unique_name unique (project_id, name)
);

-- At most one set for each project; while there is none, the defaults hold.
create table stacking_rules (
  project_id text not null references projects,
  id         text not null,
  rules      jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint stacking_rules_unique_project primary key (project_id),
  constraint stacking_rules_unique_id unique (project_id, id)
);

-- Which configured object changed at which revision of `projects.catalog_revision`.
create table catalog_changes (
  project_id text not null references projects,
  revision   bigint not null,
  kind       text not null,
  id         text not null,
  primary key (project_id, revision, kind, id)
);

create table categories (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  hierarchy  bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id),
  constraint categories_unique_name unique (project_id, name)
);

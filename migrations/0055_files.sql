-- Files that were uploaded or made for somebody, in chunks: any machine can go on with one, or serve it.
create table files (
  project_id   text not null references projects,
  id           text not null,
  kind         text not null check (kind in ('upload', 'report', 'export')),
  name         text not null,
  content_type text not null,
  -- Whether it may tell of customers: then erasing one ends it.
  is_personal  boolean not null,
  is_complete  boolean not null default false,
  bytes        bigint not null default 0,
  chunks       integer not null default 0,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  primary key (project_id, id)
);
create index files_by_expiry on files (project_id, expires_at);

create table file_chunks (
  project_id text not null,
  file_id    text not null,
  number     integer not null,
  content    bytea not null check (octet_length(content) between 1 and 262144),
  primary key (project_id, file_id, number),
  foreign key (project_id, file_id) references files
);
-- A chunk is written once and read as it is: trying to compress it takes longer than writing it.
alter table file_chunks alter column content set storage external;

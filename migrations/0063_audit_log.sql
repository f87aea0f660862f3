-- Who changed which configured object, and the object as it was afterwards. An entry is a version: what was before is the
-- entry of the object with the number before. What belongs to no project is under the empty id, so there is no foreign key.
create table audit_log (
  project_id text not null,
  id         text not null,
  kind       text not null,
  object_id  text not null,
  -- 1, 2, 3 … of one object.
  number     bigint not null,
  -- Null: how an object was when the log began.
  action     text check (action in ('CREATED', 'UPDATED', 'DELETED')),
  -- SHA-256 of the content; null: it was deleted.
  hash       text,
  -- Null: deleted, or as the first version of the object with the same hash.
  body       jsonb,
  actor_type text not null,
  actor_id   text not null,
  -- The operation of the interface, or the command.
  operation  text not null,
  request_id text,
  created_at timestamptz not null,
  primary key (project_id, id),
  constraint audit_log_unique_number unique (project_id, kind, object_id, number)
);

-- What was asked and answered, for a few days: written behind the answers, without secrets, e-mail addresses and phone numbers.
-- Operations of no project are under the empty id, so there is no foreign key.
create table request_log (
  project_id    text not null,
  -- The id that the answer had in `X-Request-Id`.
  id            text not null,
  -- When the request came, by the clock of the server.
  created_at    timestamptz not null,
  method        text not null,
  -- The path as the interface has it, and as it was called.
  route         text not null,
  url           text not null,
  operation     text not null,
  status        integer not null,
  error_key     text,
  duration_ms   double precision not null,
  key_kind      text not null,
  key_id        text not null,
  channel       text,
  codes         text[] not null,
  customers     text[] not null,
  request_body  text,
  response_body text,
  primary key (project_id, id)
);
create index request_log_by_time on request_log (project_id, created_at, id);
create index request_log_refused on request_log (project_id, created_at, id) where status >= 400;
create index request_log_by_route on request_log (project_id, route, created_at);
create index request_log_by_key on request_log (project_id, key_id, created_at);

-- By which codes and customers a request is found. Only hashes: a name that is an e-mail address is found, and not shown.
create table request_log_names (
  project_id text not null,
  -- code, customer; erased: a customer who is gone, until no request that was under way can be written any more.
  kind       text not null,
  hash       text not null,
  request_id text not null,
  created_at timestamptz not null,
  primary key (project_id, kind, hash, request_id)
);
create index request_log_names_by_request on request_log_names (project_id, request_id);

-- One row for each live access token. The row decides, the JWT is only its format.
create table oauth_tokens (
  project_id text not null references projects,
  id         text not null,
  key_id     text not null,
  signing_key_id text not null references signing_keys,
  scope      text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (project_id, id)
);
create index oauth_tokens_by_age on oauth_tokens (project_id, created_at);

-- Who is signed in: read with every request of a browser, never cached. A directory table, as `users` is. The token in the cookie
-- is stored as its hash only; the token against forged requests is derived from it and stored nowhere.
create table user_sessions (
  -- SHA-256 of the token.
  token_hash   text primary key,
  user_id      text not null references users on delete cascade,
  created_at   timestamptz not null,
  -- Noted in batches, up to half a minute late.
  last_used_at timestamptz not null,
  ends_at      timestamptz not null
);
create index user_sessions_by_user on user_sessions (user_id);
create index user_sessions_by_end on user_sessions (ends_at);

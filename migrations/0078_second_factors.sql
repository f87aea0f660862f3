-- The second factor of a user: what their authenticator app has (RFC 6238). Directory tables, as `users` is.
create table user_totp (
  user_id      text primary key references users on delete cascade,
  -- Base32, encrypted where the installation has a key.
  secret       text not null,
  -- Null: it was shown, and nobody has sent a code of it yet. Until then no code is asked for.
  confirmed_at timestamptz,
  -- The last step of 30 seconds whose code was used: a code works once.
  last_step    bigint not null
);

-- What opens a session in place of a code, once each.
create table user_recovery_codes (
  user_id   text not null references users on delete cascade,
  -- SHA-256 of the code, which has 80 random bits.
  code_hash text not null,
  primary key (user_id, code_hash)
);

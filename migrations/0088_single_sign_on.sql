-- Whom the provider of single sign-on calls what: an account there belongs to one user here. Directory tables, as `users` is.
create table user_identities (
  issuer     text not null,
  -- What the provider never gives to somebody else; an e-mail address may be.
  subject    text not null,
  user_id    text not null references users on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index user_identities_by_user on user_identities (user_id);

-- Somebody who is at the provider, or came back and has to show a password or a code. Each row ends after minutes.
create table single_sign_ons (
  -- SHA-256 of the token in the cookie. What is sent to the provider is made from the token and stored nowhere.
  token_hash text primary key,
  -- The page to open then.
  return_to  text not null,
  ends_at    timestamptz not null,
  -- Who they are at the provider; null: they have not come back yet.
  identity   jsonb
);
create index single_sign_ons_by_end on single_sign_ons (ends_at);

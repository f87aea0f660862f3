-- Directory tables: with `migrations` and the job schema the only ones that do not lead with project_id.

create table projects (
  id                     text primary key,
  name                   text not null,
  description            text not null default '',
  timezone               text not null,
  currency               text not null,
  dial_code              text,
  webhook_version        text not null default 'v2024-01-01',
  -- Normalised origins (scheme, lower-case host, port where it is not the default one) or '*'.
  client_trusted_domains text[] not null default '{}',
  client_redeem_enabled  boolean not null default false,
  client_publish_enabled boolean not null default false,
  client_list_vouchers_enabled   boolean not null default false,
  client_create_customer_enabled boolean not null default false,
  client_loyalty_events_enabled  boolean not null default false,
  client_set_voucher_expiration_date_enabled boolean not null default false,
  webhooks_callout_notifications jsonb not null,
  api_usage_notifications        jsonb not null,
  default_code_config    jsonb not null,
  limits                 jsonb,
  cluster_id             text not null,
  case_sensitive_codes   boolean not null,
  api_version            text not null default 'v2018-08-01',
  is_sandbox             boolean not null,
  webhook_token          text not null,
  -- Signs what the project hands out without storing it: tracking ids, cursors.
  secret                 text not null,
  features               text[] not null,
  -- Raised by every configuration write, as the last statement of its transaction.
  catalog_revision       bigint not null default 0,
  created_at             timestamptz not null,
  updated_at             timestamptz,
  -- A deleted project is gone for every reader at once; a job removes its rows.
  deleted_at             timestamptz
);

-- Credentials. Secrets are stored as their SHA-256; a management key belongs to no project.
create table keys (
  kind                 text not null check (kind in ('app', 'client', 'management')),
  id                   text not null,
  project_id           text references projects,
  name                 text not null,
  secret_hash          text not null,
  -- While a key is rotated, the old secret works until then.
  previous_secret_hash text,
  previous_until       timestamptz,
  created_at           timestamptz not null,
  last_used_at         timestamptz,
  disabled_at          timestamptz,
  primary key (kind, id),
  check ((project_id is null) = (kind = 'management')),
  check ((previous_secret_hash is null) = (previous_until is null))
);
create index keys_by_project on keys (project_id);

-- The newest key signs access tokens; older ones are kept while their tokens live.
create table signing_keys (
  id         text primary key,
  secret     text not null,
  created_at timestamptz not null
);

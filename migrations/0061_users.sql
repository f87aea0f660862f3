-- Who may sign in, and with which role. Users and roles belong to the whole installation, as keys do: these are directory
-- tables, and no statement on the rows of a project reads them.

create table roles (
  id          text primary key,
  name        text not null,
  -- `<resource>.<action>`; the built-in roles are a table in the code.
  permissions text[] not null,
  created_at  timestamptz not null,
  updated_at  timestamptz,
  constraint roles_unique_name unique (name)
);

create table users (
  id               text primary key,
  -- The e-mail address in lower case: one person has one account, however the address is written.
  login            text not null,
  email            text not null,
  first_name       text not null,
  last_name        text not null,
  is_owner         boolean not null,
  -- argon2id, with its parameters and its salt (PHC format). Null: invited, and not here yet.
  password_hash    text,
  -- SHA-256 of the token in the link. Null once it was used.
  invitation_hash  text,
  invitation_until timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz,
  constraint users_unique_login unique (login),
  constraint users_unique_invitation_hash unique (invitation_hash),
  check ((invitation_hash is null) = (invitation_until is null))
);

-- The role of a user in a project: a built-in one by its name, or the id of a row of `roles`.
create table user_projects (
  user_id    text not null references users on delete cascade,
  project_id text not null references projects on delete cascade,
  role       text not null,
  primary key (user_id, project_id)
);
create index user_projects_by_project on user_projects (project_id);
create index user_projects_by_role on user_projects (role);

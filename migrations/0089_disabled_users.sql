-- Somebody who may not sign in for now. They keep their roles. Null: they may.
alter table users add column disabled_at timestamptz;

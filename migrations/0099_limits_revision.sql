-- The newest revision that brought a rule that limits how often something is used. Whoever decided with an older one decides again.
alter table tenants add column limits_revision bigint not null default 0;

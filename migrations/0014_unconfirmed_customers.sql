-- Somebody who is known by a tracking id only, until there is a customer with the source id behind it.
create table unconfirmed_customers (
  project_id  text not null references projects,
  tracking_id text not null,
  id          text not null,
  created_at  timestamptz not null,
  primary key (project_id, tracking_id)
);
create index unconfirmed_customers_by_age on unconfirmed_customers (project_id, created_at);

-- Whose validation it is until then.
alter table validations add column tracking_id text;
create index validations_by_tracking_id on validations (project_id, tracking_id) where tracking_id is not null;

-- `created_at` of customers is unique in a project, to the microsecond: their list pages by it.
create table customer_stamps (
  project_id text primary key references projects,
  last_at    timestamptz not null
);
insert into customer_stamps (project_id, last_at) select project_id, max(created_at) from customers group by project_id;

-- One row a project, in the place where the rows of the project are. A database that is spread over several machines by
-- project sends a statement to the machine of its project when the statement reads this row. It carries the revision of the
-- catalog: that moves with every configuration write, and moves one machine only.
create table tenants (
  project_id       text primary key references projects,
  catalog_revision bigint not null default 0
);
insert into tenants (project_id, catalog_revision) select id, catalog_revision from projects;
alter table projects drop column catalog_revision;

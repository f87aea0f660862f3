-- Rules, and what they are assigned to. Those of vouchers are read with the voucher, all others are in the catalog.

create table validation_rules (
  project_id   text not null references projects,
  id           text not null,
  name         text not null,
  rules        jsonb not null,
  bundle_rules jsonb,
  applicable_to jsonb not null,
  error        jsonb,
  type         text not null,
  context_type text not null,
  created_at   timestamptz not null,
  updated_at   timestamptz,
  primary key (project_id, id)
);

create table validation_rule_assignments (
  project_id          text not null,
  id                  text not null,
  rule_id             text not null,
  related_object_type text not null,
  related_object_id   text not null,
  created_at          timestamptz not null,
  primary key (project_id, id),
  constraint validation_rule_assignments_unique_related_object unique (project_id, related_object_id, rule_id),
  foreign key (project_id, rule_id) references validation_rules
);
create index validation_rule_assignments_by_rule on validation_rule_assignments (project_id, rule_id);

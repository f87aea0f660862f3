-- Whom a delivery names beside its customer and its holder: who redeemed, who referred, who was given something. It goes with
-- each of them. Few deliveries name more than two, so the index is small.
alter table webhook_deliveries add column people text[];
update webhook_deliveries d set people = n.people
from (
  select project_id, id, array(select distinct m[1] from regexp_matches(body, '"(cust_[0-9A-Za-z]+)"', 'g') m) as people
  from webhook_deliveries) n
where d.project_id = n.project_id and d.id = n.id and n.people <> '{}';
create index webhook_deliveries_by_people on webhook_deliveries using gin (people) where people is not null;

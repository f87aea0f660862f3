-- Nothing lists events by their campaign; each redemption added an entry.
drop index events_by_campaign;

-- Orders without an id of the shop's own need none in the index either.
alter table orders drop constraint orders_unique_source_id;
create unique index orders_unique_source_id on orders (project_id, source_id) where source_id is not null;

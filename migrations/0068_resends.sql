-- How often somebody asked to have it sent again: an attempt that was under way meanwhile says nothing about the new one.
alter table webhook_deliveries add column resends integer not null default 0;

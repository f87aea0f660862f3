-- How many attempts a delivery had when it was last sent again by hand: its retries are counted from there.
alter table webhook_deliveries add column resent_after integer not null default 0;

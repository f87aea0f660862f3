-- What requests write by the thousand. That the project exists was asked with the credentials of the request; a foreign
-- key would ask once more for every row, and lock the row of the project each time.
alter table customers drop constraint customers_project_id_fkey;
alter table orders drop constraint orders_project_id_fkey;
alter table events drop constraint events_project_id_fkey;
alter table validations drop constraint validations_project_id_fkey;
alter table validation_tallies drop constraint validation_tallies_project_id_fkey;
alter table unconfirmed_customers drop constraint unconfirmed_customers_project_id_fkey;
alter table counters drop constraint counters_project_id_fkey;
alter table unit_counters drop constraint unit_counters_project_id_fkey;
alter table redemptions drop constraint redemptions_project_id_fkey;
alter table redemption_tallies drop constraint redemption_tallies_project_id_fkey;
alter table publications drop constraint publications_project_id_fkey;
alter table receipts drop constraint receipts_project_id_fkey;
alter table config_fragments drop constraint config_fragments_project_id_fkey;

-- A validation is kept once: what is told of it in the activity of its customer is read from here. Without a group, it is
-- not told. The promise is only ever taken as a whole, so it stays text.
alter table validations
  add column group_id text,
  add column campaign_id text,
  alter column promise type json;

-- Kept for a day: packing an answer costs more than the space that it takes until then.
alter table idempotency_keys alter column body set storage external;

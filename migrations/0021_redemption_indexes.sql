-- Lists of redemptions in the order of their codes, tracking ids and customers, without sorting a million of them.
create index redemptions_by_code on redemptions (project_id, voucher_code, id);
create index redemptions_by_tracking_id on redemptions (project_id, tracking_id, id);
-- Guests as well: the list in the order of customers holds them.
drop index redemptions_by_customer;
create index redemptions_by_customer on redemptions (project_id, customer_id, created_at);

-- A publication of several codes is found by each of them.
create index publications_by_voucher on publications using gin (voucher_ids);

-- How often a code had been redeemed before it was imported: so much of `redeemed_quantity` has no redemptions here.
alter table voucher_states add column imported_quantity bigint not null default 0 check (imported_quantity >= 0);

-- A redemption shows its order as it is now where `order_shown` is null: whoever changes the order copies it into those that
-- show it so. Until now null was nothing to show, which is false from here on.
update redemptions set order_shown = 'false' where order_shown is null and order_id is not null;

-- The receipt of a redemption: what its row and its order do not tell. Null: there is none; false: it was erased.
alter table redemptions add column receipt json;

-- An answer that can be made again from rows is kept as what these do not tell, with the length and the hash of its body.
alter table idempotency_keys
  add column made_of json,
  add column bytes   integer,
  add column sha256  bytea;

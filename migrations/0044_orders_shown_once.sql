-- A redemption shows its order as it is now where `order_shown` is null: whoever changes the order copies it into those that
-- show it so. Until now null was nothing to show, which is false from here on.
update redemptions set order_shown = 'false' where order_shown is null and order_id is not null;

-- The receipt of a redemption: what its row and its order do not tell. Null: there is none; false: it was erased.
alter table redemptions add column receipt json;

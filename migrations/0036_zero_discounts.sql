-- How many discounts on the order as a whole came to nothing, and how many of the last request: amounts of 0 that are shown.
-- Null in most rows, which takes no room. Those of lines are in the items.
alter table orders add column zero_discounts integer, add column applied_zero_discounts integer;

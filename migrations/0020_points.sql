-- Lots of points: the buckets in which clients see them, the order that earned them, and settings of their own for when they
-- expire.
alter table ledger_lots
  add column bucket_id text,
  -- The last day on which it can be spent, or the day on which what waits becomes available: YYYY-MM-DD of the project's zone.
  add column bucket_date text,
  add column bucket_type text,
  add column order_id text,
  add column expiration jsonb;
-- What an order earned, when it is cancelled.
create index ledger_lots_by_order on ledger_lots (project_id, order_id) where order_id is not null;
create index ledger_lots_by_bucket on ledger_lots (project_id, bucket_id) where bucket_id is not null;

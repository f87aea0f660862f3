-- The feed of events is in the order of the transactions that wrote them: no row ever appears before one that was read. Rows that
-- are there already get the number of this transaction. The index holds a summary of every 32 pages, so a redemption adds nothing
-- to it.
alter table events
  add column transaction_id bigint not null default pg_current_xact_id()::text::bigint;
create index events_by_transaction on events using brin (project_id, transaction_id, created_at)
  with (pages_per_range = 32, autosummarize = on);

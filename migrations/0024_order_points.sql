-- The points that paid an order, when it is cancelled.
create index ledger_entries_by_order on ledger_entries (project_id, order_id)
  where order_id is not null and kind = 'order_spend';

-- Written with every event; that the project exists was asked with the credentials of the request.
alter table earning_outcomes drop constraint earning_outcomes_project_id_fkey;
alter table earning_causes drop constraint earning_causes_project_id_fkey;
alter table loyalty_transactions drop constraint loyalty_transactions_project_id_fkey;

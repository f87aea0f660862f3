-- Points on codes of the type LOYALTY_CARD: they expire, wait, and lead to tiers as those of loyalty cards do.

-- In which tier of its campaign a card is, and when time alone changes the card next; null: never.
alter table vouchers add column tier jsonb, add column due_at timestamptz;
create index vouchers_due on vouchers (project_id, due_at) where due_at is not null;

-- What is told of points that wait as an entry of their own.
alter table ledger_lots add column details jsonb;
create index ledger_lots_waiting on ledger_lots (project_id, id) where pot = 'pending' and remaining > 0;

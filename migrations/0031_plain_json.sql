-- What is written with every redemption and read back as a whole stays the text it is: taking it apart costs more than
-- all the indexes of its row. What is asked about by its fields stays jsonb.
alter table orders
  alter column items drop default,
  alter column items type json using items::text::json,
  alter column items set default '[]',
  alter column redemptions drop default,
  alter column redemptions type json using redemptions::text::json,
  alter column redemptions set default '{}',
  -- Customers are locked before their orders are written, and with one who is erased their orders go. A foreign key would
  -- read and lock the customer once more for every order. Referrers are not locked, and few orders have one.
  drop constraint orders_project_id_customer_id_fkey;
alter table redemptions
  alter column channel type json using channel::text::json,
  alter column order_shown type json using order_shown::text::json,
  alter column effect type json using effect::text::json;
alter table events
  alter column payload drop default,
  alter column payload type json using payload::text::json,
  alter column payload set default '{}';

-- An index that begins with the project is taken for looking up a key as long as the database knows nothing of the
-- table, and that reads all keys of the project. The condition, which always holds, keeps it for what asks about the time.
drop index idempotency_keys_expired;
create index idempotency_keys_expired on idempotency_keys (project_id, expires_at) where expires_at is not null;

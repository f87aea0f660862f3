-- What webhooks are sent, written with the change that it tells of. A delivery holds the text of its body: it shows
-- things as they were at the time of the event, and a retry sends the same text.
create table webhook_deliveries (
  project_id       text not null references projects,
  id               text not null,
  webhook_id       text not null,
  event_id         text not null,
  type             text not null,
  -- What the event happened to. First attempts keep the order of its numbers.
  object_id        text not null,
  number           bigint not null,
  -- Whose personal data the body holds: it goes with the customer.
  customer_id      text,
  holder_id        text,
  body             text not null,
  status           text not null,
  attempts         integer not null,
  first_attempt_at timestamptz,
  -- When it is sent next, by the clock of the server; null: not any more.
  due_at           timestamptz,
  created_at       timestamptz not null,
  primary key (project_id, id)
);
-- A body is read whole, once: compressing it would cost more than it saves.
alter table webhook_deliveries alter column body set storage external;
-- First attempts have no time yet; they are due since the epoch, and go out in the order of their numbers.
create index webhook_deliveries_due on webhook_deliveries (project_id, webhook_id, due_at, number) where due_at is not null;
create index webhook_deliveries_by_object on webhook_deliveries (project_id, object_id, number);
create index webhook_deliveries_by_webhook on webhook_deliveries (project_id, webhook_id, created_at, id);
create index webhook_deliveries_by_customer on webhook_deliveries (project_id, customer_id) where customer_id is not null;
create index webhook_deliveries_by_holder on webhook_deliveries (project_id, holder_id) where holder_id is not null;
create index webhook_deliveries_by_time on webhook_deliveries (project_id, created_at);

-- Customers, the orders they place and the segments they are in.

create table customers (
  project_id  text not null references projects,
  id          text not null,
  source_id   text,
  -- HMAC of the source id: what `tracking_id` shows, found again by this column.
  tracking_id text,
  name        text,
  description text,
  email       text,
  phone       text,
  birthdate   text,
  birthday    text,
  address     jsonb,
  metadata    jsonb not null default '{}',
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id),
  constraint customers_unique_source_id unique (project_id, source_id)
);
create index customers_by_age on customers (project_id, created_at, id);
create index customers_by_tracking_id on customers (project_id, tracking_id) where tracking_id is not null;
create index customers_by_email on customers (project_id, lower(email)) where email is not null;

create table orders (
  project_id      text not null references projects,
  id              text not null,
  source_id       text,
  status          text not null check (status in ('CREATED', 'PAID', 'CANCELED', 'FULFILLED')),
  customer_id     text,
  referrer_id     text,
  amount          bigint,
  initial_amount  bigint,
  -- Discounts of the order as a whole; those of its items are in the items.
  discount_amount bigint not null default 0,
  items_discount_amount bigint not null default 0,
  applied_discount_amount bigint not null default 0,
  items_applied_discount_amount bigint not null default 0,
  items           jsonb not null default '[]',
  metadata        jsonb not null default '{}',
  -- Redemption id → what was redeemed on this order.
  redemptions     jsonb not null default '{}',
  created_at      timestamptz not null,
  updated_at      timestamptz,
  primary key (project_id, id),
  constraint orders_unique_source_id unique (project_id, source_id),
  foreign key (project_id, customer_id) references customers,
  foreign key (project_id, referrer_id) references customers,
  check (amount >= 0 and discount_amount >= 0 and items_discount_amount >= 0)
);
create index orders_by_age on orders (project_id, created_at, id);
create index orders_by_customer on orders (project_id, customer_id, created_at) where customer_id is not null;
create index orders_by_referrer on orders (project_id, referrer_id) where referrer_id is not null;

create table segments (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  type       text not null check (type in ('static', 'passive', 'auto-update')),
  filter     jsonb,
  initial_sync_status text not null check (initial_sync_status in ('IN_PROGRESS', 'DONE')),
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id)
);

-- The members of static segments, and who was last known to be in the auto-update ones.
create table segment_members (
  project_id  text not null,
  segment_id  text not null,
  customer_id text not null,
  entered_at  timestamptz not null,
  primary key (project_id, segment_id, customer_id),
  foreign key (project_id, segment_id) references segments,
  foreign key (project_id, customer_id) references customers
);
create index segment_members_by_customer on segment_members (project_id, customer_id);

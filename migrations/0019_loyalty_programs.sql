-- Loyalty programs: what is assigned to them, their members with their cards, and what happened to those.

create table loyalty_programs (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  -- A deleted one is kept for its transactions; nothing shows it.
  status     text not null check (status in ('DRAFT', 'ACTIVE', 'INACTIVE', 'DELETED')),
  start_date timestamptz,
  end_date   timestamptz,
  validity_hours jsonb not null,
  metadata   jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id)
);

-- Components belong to the project; a program uses them.
create table loyalty_assignments (
  project_id   text not null,
  program_id   text not null,
  kind         text not null check (kind in ('card_definition', 'earning_rule', 'tier_structure', 'reward')),
  component_id text not null,
  -- Of a reward: what is left of it. Null: unlimited.
  stock_quantity bigint check (stock_quantity >= 0),
  redeemed     bigint not null default 0 check (redeemed >= 0),
  created_at   timestamptz not null,
  updated_at   timestamptz,
  primary key (project_id, program_id, component_id),
  foreign key (project_id, program_id) references loyalty_programs
);
create index loyalty_assignments_by_component on loyalty_assignments (project_id, component_id);

-- A foreign key to the program would be a lock of one row for every enrolment.
create table loyalty_members (
  project_id  text not null references projects,
  id          text not null,
  program_id  text not null,
  -- Null: the customer was erased.
  customer_id text,
  status      text not null check (status in ('ACTIVE', 'INACTIVE', 'DELETED')),
  metadata    jsonb not null default '{}',
  -- When rules and rewards were last used, and how often in the periods that hold now. Locked with the member.
  uses        jsonb not null default '{}',
  created_at  timestamptz not null,
  updated_at  timestamptz,
  primary key (project_id, id),
  check (customer_id is not null or status = 'DELETED')
);
-- Who was deleted can come back.
create unique index loyalty_members_unique_customer_id on loyalty_members (project_id, program_id, customer_id)
  where status <> 'DELETED';
create index loyalty_members_by_customer on loyalty_members (project_id, customer_id) where customer_id is not null;
create index loyalty_members_by_age on loyalty_members (project_id, program_id, created_at, id) where status <> 'DELETED';

-- Who is still to be enrolled by an async action, in parts of a turn each: a part goes with the turn that does it.
create table loyalty_enrolments (
  project_id text not null references projects,
  async_action_id text not null,
  part       integer not null,
  entries    jsonb not null,
  primary key (project_id, async_action_id, part)
);

create table loyalty_cards (
  project_id  text not null,
  id          text not null,
  program_id  text not null,
  member_id   text not null,
  card_definition_id text not null,
  code        text not null,
  code_folded text not null,
  -- What it holds, and what went in and out of it over its whole life. Its lots and entries are in the ledger.
  account     jsonb not null
    check ((account->'sums'->>'available')::bigint >= 0 or (account->'sums'->>'allows_negative')::boolean),
  -- Null: no tier structure watches it.
  tier        jsonb,
  -- When time alone changes it next: points expire or become available, a tier ends. Null: never.
  due_at      timestamptz,
  created_at  timestamptz not null,
  updated_at  timestamptz,
  deleted_at  timestamptz,
  primary key (project_id, id),
  constraint loyalty_cards_unique_code unique (project_id, code_folded),
  constraint loyalty_cards_unique_card_definition_id unique (project_id, member_id, card_definition_id),
  foreign key (project_id, member_id) references loyalty_members
);
create index loyalty_cards_due on loyalty_cards (project_id, due_at) where due_at is not null;

-- Purchases of rewards, payments of orders, benefits that were given, moves between tiers. Points that moved with them are
-- entries of the ledger.
create table loyalty_transactions (
  project_id text not null references projects,
  id         text not null,
  kind       text not null check (kind in ('reward', 'order', 'benefit', 'tier')),
  program_id text not null,
  member_id  text not null,
  card_id    text,
  card_definition_id text,
  type       text not null,
  -- The reward, order, benefit or tier.
  subject_id text,
  status     text not null check (status in ('PENDING', 'PROCESSING', 'APPROVED', 'REJECTED', 'REFUNDED')),
  details    jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id)
);
create index loyalty_transactions_by_member on loyalty_transactions (project_id, member_id, kind, created_at, id);
create index loyalty_transactions_by_program on loyalty_transactions (project_id, program_id, kind, created_at);
-- What was paid for an order.
create index loyalty_transactions_by_order on loyalty_transactions (project_id, subject_id) where kind = 'order';

-- What a rule decided for a member and an event. Reports read it by the local day.
create table earning_outcomes (
  project_id text not null references projects,
  id         text not null,
  program_id text not null,
  member_id  text not null,
  earning_rule_id text not null,
  earning_item_id text,
  card_definition_id text,
  -- 'success', or why nothing was earned.
  outcome    text not null,
  points     bigint not null default 0,
  pending_points bigint not null default 0,
  local_date date not null,
  cause      text not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create index earning_outcomes_by_day on earning_outcomes (project_id, program_id, local_date);
create index earning_outcomes_by_member on earning_outcomes (project_id, member_id, earning_rule_id, local_date);

-- Each cause earns once, however often it is told.
create table earning_causes (
  project_id text not null references projects,
  kind       text not null,
  id         text not null,
  created_at timestamptz not null,
  primary key (project_id, kind, id)
);

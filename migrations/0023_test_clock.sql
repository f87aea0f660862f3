-- How far the time of a project is ahead of the server's. Only the test clock of a sandbox project moves it.
alter table projects add column clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0);

-- Tiers that have to be looked at though nothing was due: a program became active, or members entered or left a segment.
-- Rows are only added and taken away, so that nobody who writes a customer waits for a card.
create table loyalty_reviews (
  project_id text not null references projects,
  id         text not null default gen_random_uuid()::text,
  program_id text not null,
  -- Null: all members of the program, those of them whose cards come after this one.
  member_id  text,
  after_card_id text not null default '',
  primary key (project_id, id)
);

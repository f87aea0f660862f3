-- What an async action is still to do, in parts of a turn each: a part goes with the turn that does it.
create table async_action_parts (
  project_id text not null references projects,
  async_action_id text not null,
  part       integer not null,
  entries    json not null,
  primary key (project_id, async_action_id, part)
);

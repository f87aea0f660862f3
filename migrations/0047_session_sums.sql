-- What all sessions together hold of a code, those included that are over and not removed yet. A request reads this row
-- instead of a lock for each session; see docs/adr/0038-session-locks-are-sums.md.
create table session_sums (
  project_id    text not null references projects,
  redeemable_id text not null,
  quantity      bigint not null,
  credits       bigint not null,
  points        bigint not null,
  primary key (project_id, redeemable_id)
);
-- One row changes with every validation of a popular code. None of its columns is in an index, so there is room for HOT.
alter table session_sums set (fillfactor = 50);

insert into session_sums
select project_id, redeemable_id, sum(quantity), sum(credits), sum(points) from session_locks group by 1, 2;

-- Locks are found by their session, and by a code those that are over.
alter table session_locks drop constraint session_locks_pkey;
alter table session_locks add primary key (project_id, session_key, redeemable_id);
drop index session_locks_by_key;
create index session_locks_by_code on session_locks (project_id, redeemable_id, expires_at);

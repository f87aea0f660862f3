-- How often keys called and addresses guessed, of all machines together (LAUREL_RATE_LIMIT_SHARED, ADR 0060). A directory table: an
-- address belongs to no project. Unlogged: after a crash counting begins anew, as it does in a process that is started again.
create unlogged table limit_counts (
  -- SHA-256 of what is counted and of whom: no address stands here.
  name    text primary key,
  used    bigint not null,
  ends_at timestamptz not null
);

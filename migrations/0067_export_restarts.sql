-- How often it was begun anew because somebody was erased meanwhile.
alter table exports add column restarts integer not null default 0;

-- The log is read from its newest entry on, by the clock of the project.
create index concurrently audit_log_by_time on audit_log (project_id, created_at, id) where action is not null;

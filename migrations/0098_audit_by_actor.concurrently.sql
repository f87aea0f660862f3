-- What one person or one key changed, from the newest entry on.
create index concurrently audit_log_by_actor on audit_log (project_id, actor_id, created_at, id) where action is not null;

-- How every key is when it is logged for the first time, as 0064 does for what was logged before.
set local time zone 'UTC';
insert into audit_log (project_id, id, kind, object_id, number, action, hash, body, actor_type, actor_id, operation, created_at)
select '', 'aud_000000000000' || substr(md5('key ' || id), 1, 12), 'key', id, 1, null,
  encode(sha256(convert_to(body::text, 'UTF8')), 'hex'), body, 'migration', 'migration', 'migration', now()
from (
    select t.kind || '/' || t.id as id, to_jsonb(t) - '{secret_hash,previous_secret_hash,last_used_at}'::text[] as body from keys t
) found;

-- A test is sent once, also to a webhook that is off, and says nothing about the webhook.
alter table webhook_deliveries add column is_test boolean not null default false;
create index webhook_deliveries_tests on webhook_deliveries (project_id, webhook_id) where is_test and due_at is not null;

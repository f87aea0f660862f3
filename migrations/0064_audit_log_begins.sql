-- How every configured object is when the log begins: the version before the first change. Moments are written in UTC, as
-- the connections of Laurel have them.
set local time zone 'UTC';
insert into audit_log (project_id, id, kind, object_id, number, action, hash, body, actor_type, actor_id, operation, created_at)
select project_id, 'aud_000000000000' || substr(md5(kind || ' ' || id), 1, 12), kind, id, 1, null,
  encode(sha256(convert_to(body::text, 'UTF8')), 'hex'), body, 'migration', 'migration', 'migration', now()
from (
    select t.project_id, 'branding' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from branding t
    union all
    select t.project_id, 'campaign_earning_rule' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from campaign_earning_rules t
    union all
    select t.project_id, 'campaign_reward' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at,stock,redeemed}'::text[] as body from rewards t
    union all
    select t.project_id, 'campaign_template' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from campaign_templates t
    union all
    select t.project_id, 'campaign_tier' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from campaign_tiers t
    union all
    select t.project_id, 'category' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from categories t
    union all
    select t.project_id, 'custom_event_schema' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from custom_event_schemas t
    union all
    select t.project_id, 'metadata_schema' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from metadata_schemas t
    union all
    select t.project_id, 'product_collection' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from product_collections t
    union all
    select t.project_id, 'promotion_stack' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from promotion_stacks t
    union all
    select t.project_id, 'promotion_tier' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from promotion_tiers t
    union all
    select t.project_id, 'reward_assignment' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from reward_assignments t
    union all
    select t.project_id, 'segment' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at,initial_sync_status,recalculated_at,recalculated_after}'::text[] as body from segments t
    union all
    select t.project_id, 'stacking_rules' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from stacking_rules t
    union all
    select t.project_id, 'validation_rule' as kind, t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] as body from validation_rules t
    union all
    select t.project_id, 'benefit', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at,stock_quantity}'::text[] from loyalty_benefits t where t.status <> 'DELETED'
    union all
    select t.project_id, 'card_definition', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] from loyalty_card_definitions t where t.status <> 'DELETED'
    union all
    select t.project_id, 'earning_rule', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] from loyalty_earning_rules t where t.status <> 'DELETED'
    union all
    select t.project_id, 'program', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] from loyalty_programs t where t.status <> 'DELETED'
    union all
    select t.project_id, 'reward', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] from loyalty_rewards t where t.status <> 'DELETED'
    union all
    select t.project_id, 'tier_structure', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] from loyalty_tier_structures t where t.status <> 'DELETED'
    union all
    select t.project_id, 'campaign', t.id, (to_jsonb(t) - '{project_id,updated_at,deleted_at,voucher_version}'::text[]) || jsonb_build_object('voucher', v.settings)
    from campaigns t left join voucher_templates v
      on v.project_id = t.project_id and v.campaign_id = t.id and v.version = t.voucher_version
    where t.deleted_at is null
    union all
    select t.project_id, 'program_assignment', t.program_id || '/' || t.component_id,
      to_jsonb(t) - '{project_id,updated_at,deleted_at,stock_quantity,redeemed}'::text[] from loyalty_assignments t
    union all
    select t.project_id, 'tier', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] from loyalty_tiers t where t.deleted_at is null
    union all
    select t.project_id, 'validation_rule_assignment', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[] from validation_rule_assignments t
    where t.related_object_type <> 'voucher'
    union all
    select t.project_id, 'webhook', t.id, (to_jsonb(t) - '{project_id,updated_at,deleted_at}'::text[]) || jsonb_build_object('headers', array(
      select k from jsonb_object_keys(t.headers) k order by k)) from webhooks t
    union all
    select '', 'project', t.id, to_jsonb(t) - '{project_id,updated_at,deleted_at,secret,webhook_token,clock_offset_ms}'::text[] from projects t where t.deleted_at is null
) found;

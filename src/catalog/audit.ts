import type { Db, Fragment, Tx } from "../db/db.ts";
import { tenantOf } from "../db/records.ts";
import type { ConfigKind, NewId } from "../request.ts";

/** What belongs to no project is logged under the empty id, as idempotency keys of management callers are. */
export const INSTALLATION = "";

export type ConfigChange = { project_id: string; kind: ConfigKind; id: string };
/** The version that a change made. One that left an object as it was made none. */
export type RecordedVersion = ConfigChange & { number: number };
export type Actor = { type: "server_key" | "client_key" | "management_key" | "user" | "cli" | "engine"; id: string };
/** Who calls, as the log names them. */
export const ACTOR_TYPES: Readonly<Record<"app" | "client" | "management" | "session" | "none", Actor["type"]>> = {
  app: "server_key",
  client: "client_key",
  management: "management_key",
  session: "user",
  none: "user",
};
/** Who changed something, with which operation, and when by the server's clock. */
export type AuditOrigin = {
  actor: Actor;
  operation: string;
  request_id: string | null;
  created_at: string;
  newId: NewId;
};

type Objects = (db: Db, projectId: string, ids: readonly string[]) => Fragment;

/** In no version: the tenant, and when it was saved. Saving a thing as it is makes no version. */
const NEVER = ["project_id", "updated_at", "deleted_at"];

/** The rows of a plain table as versions show them. `without` names what use changes: counters, stock, progress. */
const plain =
  (table: string, without: readonly string[] = []): Objects =>
  (db, projectId, ids) =>
    db`
    select t.id, to_jsonb(t) - ${[...NEVER, ...without]}::text[] as body
    from ${db(table)} t where t.project_id = ${projectId} and t.id = any(${ids})`;

/** The same where a row that is DELETED stays for what happened with it. */
const withStatus =
  (table: string, without: readonly string[] = []): Objects =>
  (db, projectId, ids) =>
    db`
    select t.id, to_jsonb(t) - ${[...NEVER, ...without]}::text[] as body
    from ${db(table)} t where t.project_id = ${projectId} and t.id = any(${ids}) and t.status <> 'DELETED'`;

/** What a version of each kind holds. None holds personal data of customers, and none a secret. */
const OBJECTS: Readonly<Record<ConfigKind, Objects>> = {
  benefit: withStatus("loyalty_benefits", ["stock_quantity"]),
  branding: plain("branding"),
  // With what it gives its codes. One that is in the bin is gone.
  campaign: (db, projectId, ids) => db`
    select t.id, (to_jsonb(t) - ${[...NEVER, "voucher_version"]}::text[]) || jsonb_build_object('voucher', v.settings) as body
    from campaigns t left join voucher_templates v
      on v.project_id = ${projectId} and v.campaign_id = t.id and v.version = t.voucher_version
    where t.project_id = ${projectId} and t.id = any(${ids}) and t.deleted_at is null`,
  campaign_earning_rule: plain("campaign_earning_rules"),
  campaign_reward: plain("rewards", ["stock", "redeemed"]),
  campaign_template: plain("campaign_templates"),
  campaign_tier: plain("campaign_tiers"),
  card_definition: withStatus("loyalty_card_definitions"),
  category: plain("categories"),
  custom_event_schema: plain("custom_event_schemas"),
  earning_rule: withStatus("loyalty_earning_rules"),
  // Under its kind and id: ids are unique within a kind only. A change of its secret shows as another `previous_until`.
  key: (db, _, ids) => db`
    select t.kind || '/' || t.id as id,
      to_jsonb(t) - '{secret_hash,previous_secret_hash,last_used_at}'::text[] as body
    from keys t where t.id = any(${ids.map((id) => id.replace(/^\w+\//, ""))}) and t.kind || '/' || t.id = any(${ids})`,
  metadata_schema: plain("metadata_schemas"),
  product_collection: plain("product_collections"),
  program: withStatus("loyalty_programs"),
  program_assignment: (db, projectId, ids) => db`
    select t.program_id || '/' || t.component_id as id,
      to_jsonb(t) - ${[...NEVER, "stock_quantity", "redeemed"]}::text[] as body
    from loyalty_assignments t
    where t.project_id = ${projectId} and t.program_id || '/' || t.component_id = any(${ids})`,
  // Its settings, without what signs for it.
  project: (db, _, ids) => db`
    select t.id, to_jsonb(t) - ${[...NEVER, "secret", "webhook_token", "clock_offset_ms"]}::text[] as body
    from projects t where t.id = any(${ids}) and t.deleted_at is null`,
  promotion_stack: plain("promotion_stacks"),
  promotion_tier: plain("promotion_tiers"),
  reward: withStatus("loyalty_rewards"),
  reward_assignment: plain("reward_assignments"),
  role: (db, _, ids) => db`
    select t.id, to_jsonb(t) - ${[...NEVER]}::text[] as body from roles t where t.id = any(${ids})`,
  segment: plain("segments", ["initial_sync_status", "recalculated_at", "recalculated_after"]),
  stacking_rules: plain("stacking_rules"),
  tier: (db, projectId, ids) => db`
    select t.id, to_jsonb(t) - ${[...NEVER]}::text[] as body
    from loyalty_tiers t where t.project_id = ${projectId} and t.id = any(${ids}) and t.deleted_at is null`,
  tier_structure: withStatus("loyalty_tier_structures"),
  // What they may do and where; no name and no address, so that a user who is deleted leaves none here.
  user: (db, _, ids) => db`
    select t.id, jsonb_build_object('id', t.id, 'is_owner', t.is_owner,
      'status', case when t.disabled_at is not null then 'DISABLED' when t.password_hash is null and not exists (select from user_identities i where i.user_id = t.id)
        then 'INVITED' else 'ACTIVE' end,
      'invitation_until', t.invitation_until,
      'projects', coalesce((select jsonb_object_agg(m.project_id, m.role) from user_projects m where m.user_id = t.id), '{}'))
      || case when exists (select from user_totp f where f.user_id = t.id and f.confirmed_at is not null)
        then '{"has_totp": true}'::jsonb else '{}' end
      || case when exists (select from user_identities i where i.user_id = t.id)
        then '{"has_identity": true}'::jsonb else '{}' end as body
    from users t where t.id = any(${ids})`,
  validation_rule: plain("validation_rules"),
  validation_rule_assignment: plain("validation_rule_assignments"),
  // The names of its headers: their values may hold a password of the receiver. That one was changed shows in a digest, which
  // nobody can guess values with who does not have the secret of the project.
  webhook: (db, projectId, ids) => db`
    select t.id, (to_jsonb(t) - ${[...NEVER]}::text[])
      || jsonb_build_object('headers', array(select k from jsonb_object_keys(t.headers) k order by k))
      || case when t.headers = '{}' then '{}' else jsonb_build_object('headers_digest', encode(sha256(convert_to(p.secret ||
        encode(sha256(convert_to(p.secret || t.headers::text, 'UTF8')), 'hex'), 'UTF8')), 'hex')) end as body
    from webhooks t join projects p on p.id = t.project_id
    where t.project_id = ${projectId} and t.id = any(${ids})`,
  // That it was changed, under the id of its project; the secret is in no version.
  webhook_secret: (db, projectId, ids) => db`
    select t.project_id as id, jsonb_build_object('id', t.project_id, 'previous_until', t.until) as body
    from webhook_secrets t where t.project_id = ${projectId} and t.project_id = any(${ids})`,
};

/** A key as versions name it. */
export const keyChange = (kind: string, id: string) => ({ kind: "key" as const, id: `${kind}/${id}` });

/** The objects of several kinds as they are now, each with the hash of its content. */
function objectsNow(db: Db, projectId: string, changes: readonly ConfigChange[]): Fragment {
  const parts = [...Map.groupBy(changes, ({ kind }) => kind)].map(([kind, all], n) => {
    const ids = all.map(({ id }) => id);
    return db`${n > 0 ? db`union all` : db``}
      select ${kind}::text as kind, o.id, o.body from (${OBJECTS[kind](db, projectId, ids)}) o`;
  });
  return db`(select kind, id, body, encode(sha256(convert_to(body::text, 'UTF8')), 'hex') as hash from (${parts}) found)`;
}

/**
 * Logs what a write changed, in one statement at its end: each object that differs from its last version is stored as the
 * next one. A content that the object had before is not stored again. Whoever changes an object holds its row or that of
 * the project, so the numbers of one object are given one after the other.
 */
export async function recordVersions(
  tx: Tx,
  origin: AuditOrigin,
  changes: readonly ConfigChange[],
): Promise<RecordedVersion[]> {
  const { actor, operation, request_id, created_at, newId } = origin;
  const recorded: RecordedVersion[] = [];
  for (const [projectId, all] of Map.groupBy(changes, ({ project_id }) => project_id)) {
    const own = [...new Map(all.map((change) => [`${change.kind} ${change.id}`, change])).values()];
    const rows = await tx<RecordedVersion[]>`
      insert into audit_log as a (project_id, id, kind, object_id, number, action, hash, body,
        actor_type, actor_id, operation, request_id, created_at)
      select p.project_id, x.entry_id, x.kind, x.id, coalesce(l.number, 0) + 1,
        case when n.hash is null then 'DELETED' when l.hash is null then 'CREATED' else 'UPDATED' end, n.hash,
        case when exists (select 1 from audit_log e where e.project_id = ${projectId} and e.kind = x.kind
          and e.object_id = x.id and e.hash = n.hash) then null else n.body end,
        ${actor.type}, ${actor.id}, ${operation}, ${request_id}, ${created_at}::timestamptz
      from ${tenantOf(tx, projectId)}
      cross join unnest(${own.map(({ kind }) => kind as string)}::text[], ${own.map(({ id }) => id)}::text[],
        ${own.map(() => newId("aud"))}::text[]) as x (kind, id, entry_id)
      left join lateral (select e.number, e.hash from audit_log e where e.project_id = ${projectId}
        and e.kind = x.kind and e.object_id = x.id order by e.number desc limit 1) l on true
      left join ${objectsNow(tx, projectId, own)} n on n.kind = x.kind and n.id = x.id
      where l.number is null or l.hash is distinct from n.hash
      returning a.project_id, a.kind, a.object_id as id, a.number`;
    recorded.push(...rows);
  }
  return recorded;
}

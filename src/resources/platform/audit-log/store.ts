import { notFound } from "../../../core/errors.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import type { AuditEntry, AuditEntryRead, AuditList, AuditQuery } from "./schema.ts";

type AuditRow = Pick<AuditEntry, "id" | "kind" | "object_id" | "action" | "operation" | "request_id" | "created_at"> & {
  number: number;
  actor_type: AuditEntry["actor"]["type"];
  actor_id: string;
  actor_name: string | null;
};

const PAGE_LIMIT = 10;
const OBJECT = "audit_entry";

const view = ({ number, actor_type, actor_id, actor_name, ...row }: AuditRow): AuditEntry => ({
  ...row,
  version_before: row.action === "CREATED" ? null : number - 1,
  version_after: row.action === "DELETED" ? null : number,
  actor: { type: actor_type, id: actor_id, name: actor_name },
  object: OBJECT,
});

/** Users and keys are on every machine, so their names are read with the entries of a project. */
const actorName = (db: Db) => db`
  case when e.actor_type = 'user' then
    (select coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.email) from users u where u.id = e.actor_id)
  else (select k.name from keys k where k.id = e.actor_id and k.kind = case e.actor_type
    when 'server_key' then 'app' when 'client_key' then 'client' when 'management_key' then 'management' end)
  end`;
const columns = (db: Db) =>
  db`e.id, e.kind, e.object_id, e.action, e.number, e.actor_type, e.actor_id, ${actorName(db)} as actor_name, e.operation, e.request_id, e.created_at`;

const placeOf = (db: Db, projectId: string, id: string) =>
  db`(select l.created_at, l.id from audit_log l where l.project_id = ${projectId} and l.id = ${id})`;

const FILTERS = ["kind", "object_id", "actor_type", "actor_id", "operation"] as const;

/** The newest first, by the clock of the project: a sandbox may have moved it, so ids alone do not tell. How objects were when the log began is nobody's doing and not listed. */
export async function listAuditEntries(
  db: Db,
  projectId: string,
  { limit = PAGE_LIMIT, starting_after_id: last, created_at, now, ...query }: AuditQuery & { now: string },
): Promise<AuditList> {
  if (last !== undefined) await getAuditEntry(db, projectId, last);
  const wanted = FILTERS.flatMap((name) => (query[name] === undefined ? [] : [db`and ${db(name)} = ${query[name]}`]));
  const entries = db<AuditRow[]>`
    select ${columns(db)} from audit_log e
    where project_id = ${projectId} and action is not null ${last === undefined ? db`` : db`and (e.created_at, e.id) < ${placeOf(db, projectId, last)}`}
      ${wanted.length > 0 ? wanted : db``} and ${whereOf(db, created_at ? { created_at } : {}, { fields: {}, now })}
    order by e.created_at desc, e.id desc limit ${limit + 1}`;
  const { rows, has_more } = await firstRows(entries, limit);
  const data = rows.map(view);
  const next = has_more ? { more_starting_after: data.at(-1)!.id } : {};
  return { object: "list", data_ref: "data", data, has_more, ...next };
}

/** With the object before and after. A content that the object had earlier stands in the first version that had it. */
export async function getAuditEntry(db: Db, projectId: string, id: string): Promise<AuditEntryRead> {
  const contentOf = (hash: "after" | "before") => db`
    (select v.body from audit_log v where v.project_id = ${projectId} and v.kind = e.kind and v.object_id = e.object_id
      and v.body is not null and v.hash = ${hash === "after" ? db`e.hash` : db`b.hash`} limit 1)`;
  const [row] = await db<(AuditRow & Pick<AuditEntryRead, "before" | "after">)[]>`
    select ${columns(db)}, ${contentOf("before")} as before, ${contentOf("after")} as after
    from audit_log e left join audit_log b
      on b.project_id = ${projectId} and b.kind = e.kind and b.object_id = e.object_id and b.number = e.number - 1
    where e.project_id = ${projectId} and e.id = ${id} and e.action is not null`;
  if (!row) throw notFound(OBJECT, id);
  const { before, after, ...shown } = row;
  return { ...view(shown), before, after };
}

import { createHash } from "node:crypto";
import { foldCode } from "../../../core/codes/code.ts";
import { notFound } from "../../../core/errors.ts";
import type { RequestRow } from "../../../core/rows/request.ts";
import { transaction } from "../../../db/batches/commit.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db, Fragment, Pool, Tx } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import { tenantOf, textsOf } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";
import type { LoggedRequest, LoggedRequestRead, RequestList, RequestQuery } from "./schema.ts";

const PAGE_LIMIT = 10;
const OBJECT = "logged_request";

type NameKind = keyof RequestRow["names"];

/** A name is found by this, and cannot be read from it. */
const hashOf = (name: string): string => createHash("sha256").update(name).digest("hex");

/**
 * Writes requests of a project and the names that they are found by. No id comes twice: looking out for that would cost a quarter of
 * what the database writes for a name.
 */
export async function insertRequests(pool: Pool, projectId: string, rows: readonly RequestRow[]): Promise<void> {
  await transaction(pool, async (tx) => {
    await together([
      // A crash of the server may lose the last of it; nobody waits for the disk.
      tx`select set_config('synchronous_commit', 'off', true)`,
      insertEntries(tx, projectId, rows),
      insertNames(tx, projectId, rows),
    ]);
  });
}

function insertEntries(tx: Tx, projectId: string, rows: readonly RequestRow[]) {
  const short = rows.map(({ names: _, request_body, response_body, ...row }) => row);
  return tx`
    insert into request_log (project_id, id, created_at, method, route, url, operation, status, error_key, duration_ms,
      key_kind, key_id, channel, codes, customers, request_body, response_body)
    select p.project_id, x.id, x.created_at, x.method, x.route, x.url, x.operation, x.status, x.error_key, x.duration_ms,
      x.key_kind, x.key_id, x.channel, x.codes, x.customers, nullif(x.request_body, ''), nullif(x.response_body, '')
    from ${tenantOf(tx, projectId)} cross join rows from (
      json_to_recordset(${JSON.stringify(short)}::text::json) as (id text, created_at timestamptz, method text, route text,
        url text, operation text, status int, error_key text, duration_ms double precision, key_kind text, key_id text,
        channel text, codes text[], customers text[]),
      ${textsOf(
        tx,
        rows.map(({ request_body }) => request_body ?? ""),
      )},
      ${textsOf(
        tx,
        rows.map(({ response_body }) => response_body ?? ""),
      )}) as x (id, created_at, method, route, url, operation, status, error_key, duration_ms, key_kind, key_id, channel,
        codes, customers, request_body, response_body)`.execute();
}

function insertNames(tx: Tx, projectId: string, rows: readonly RequestRow[]) {
  const all = rows.flatMap(({ id, created_at, names }) =>
    (Object.keys(names) as NameKind[]).flatMap((kind) =>
      [...new Set(names[kind])].map((name) => ({ kind, hash: hashOf(name), request_id: id, created_at })),
    ),
  );
  if (all.length === 0) return null;
  return tx`
    insert into request_log_names (project_id, kind, hash, request_id, created_at)
    select p.project_id, x.kind, x.hash, x.request_id, x.created_at from ${tenantOf(tx, projectId)} cross join unnest(
      ${all.map(({ kind }) => kind)}::text[], ${all.map(({ hash }) => hash)}::text[],
      ${all.map(({ request_id }) => request_id)}::text[], ${all.map(({ created_at }) => created_at)}::timestamptz[])
      as x (kind, hash, request_id, created_at)`.execute();
}

const KEY_TYPES = { app: "server_key", client: "client_key", management: "management_key", session: "user" } as const;

type ListedRow = Omit<RequestRow, "names" | "request_body" | "response_body">;

const view = ({ key_kind, key_id, ...row }: ListedRow): LoggedRequest => ({
  ...row,
  key: { type: KEY_TYPES[key_kind], id: key_id },
  object: OBJECT,
});

const columns = (db: Db) =>
  db`id, created_at, method, route, url, operation, status, error_key, duration_ms, key_kind, key_id, channel, codes, customers`;

const FILTERS = {
  request_id: "id",
  method: "method",
  route: "route",
  error_key: "error_key",
  key_id: "key_id",
} as const;

/** The requests that name something. */
const naming = (db: Db, projectId: string, kind: NameKind, name: string): Fragment => db`
  id in (select request_id from request_log_names
    where project_id = ${projectId} and kind = ${kind} and hash = ${hashOf(name)})`;

function statusIn(db: Db, status: string): Fragment {
  if (!status.endsWith("xx")) return db`status = ${Number(status)}`;
  const from = Number(status[0]) * 100;
  // Said twice, so that the index of refused requests fits.
  return from >= 400
    ? db`status >= 400 and status between ${from} and ${from + 99}`
    : db`status between ${from} and ${from + 99}`;
}

export type RequestLogOwner = { id: string; case_sensitive_codes: boolean };

/** The newest first. */
export async function listRequests(
  db: Db,
  { id: projectId, case_sensitive_codes }: RequestLogOwner,
  {
    limit = PAGE_LIMIT,
    starting_after_id,
    created_at,
    status,
    code,
    customer,
    now,
    ...query
  }: RequestQuery & {
    now: string;
  },
): Promise<RequestList> {
  const last = starting_after_id === undefined ? null : await getRequest(db, projectId, starting_after_id);
  const equal = (Object.keys(FILTERS) as (keyof typeof FILTERS)[]).flatMap((name) =>
    query[name] === undefined ? [] : [db`and ${db(FILTERS[name])} = ${query[name]}`],
  );
  const wanted = [
    ...equal,
    ...(last ? [db`and (created_at, id) < (${last.created_at}, ${last.id})`] : []),
    ...(status === undefined ? [] : [db`and ${statusIn(db, status)}`]),
    ...(code === undefined ? [] : [db`and ${naming(db, projectId, "code", foldCode(code, case_sensitive_codes))}`]),
    ...(customer === undefined ? [] : [db`and ${naming(db, projectId, "customer", customer)}`]),
  ];
  const found = db<ListedRow[]>`
    select ${columns(db)} from request_log
    where project_id = ${projectId} ${wanted.length > 0 ? wanted : db``}
      and ${whereOf(db, created_at ? { created_at } : {}, { fields: {}, now })}
    order by created_at desc, id desc limit ${limit + 1}`;
  const { rows, has_more } = await firstRows(found, limit);
  const data = rows.map(view);
  const next = has_more ? { more_starting_after: data.at(-1)!.id } : {};
  return { object: "list", data_ref: "data", data, has_more, ...next };
}

export async function getRequest(db: Db, projectId: string, id: string): Promise<LoggedRequestRead> {
  const [row] = await db<(ListedRow & Pick<RequestRow, "request_body" | "response_body">)[]>`
    select ${columns(db)}, request_body, response_body from request_log
    where project_id = ${projectId} and id = ${id}`;
  if (!row) throw notFound(OBJECT, id);
  const { request_body, response_body, ...listed } = row;
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return { ...view(listed), request_body: parsed(request_body), response_body: parsed(response_body) };
}

/** Removes requests of erased customers that were written after them, and notes of those who were erased long ago. */
export const removeErasedRequests = (pool: Pool, projectId: string, before: string): Promise<void> =>
  transaction(pool, async (tx) => {
    const rows = await tx<{ request_id: string }[]>`
      select distinct n.request_id from request_log_names e join request_log_names n
        on n.project_id = ${projectId} and n.kind in ('customer', 'code') and n.hash = e.hash
      where e.project_id = ${projectId} and e.kind = 'erased'`;
    await removeRequests(
      tx,
      projectId,
      rows.map(({ request_id }) => request_id),
    );
    await tx`
      delete from request_log_names where project_id = ${projectId} and kind = 'erased' and created_at < ${before}`;
  });

async function removeRequests(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
  await tx`delete from request_log_names where project_id = ${projectId} and request_id = any(${ids})`;
  await tx`delete from request_log where project_id = ${projectId} and id = any(${ids})`;
}

/** Removes requests that are too old, so many at once, and returns how many there were. */
export const removeOldRequests = (pool: Pool, projectId: string, before: string, limit: number): Promise<number> =>
  transaction(pool, async (tx) => {
    const rows = await tx<{ id: string }[]>`
      select id from request_log where project_id = ${projectId} and created_at < ${before}
      order by created_at, id limit ${limit}`;
    const ids = rows.map(({ id }) => id);
    await removeRequests(tx, projectId, ids);
    return ids.length;
  });

import { notFound } from "../../../core/errors.ts";
import { toInstant } from "../../../core/filters/filter.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { AsyncAction, AsyncActionQuery, ListedAsyncAction } from "./schema.ts";

export type AsyncActionType = AsyncAction["type"];

export type AsyncActionRow = {
  project_id: string;
  id: string;
  type: AsyncActionType;
  status: "ENQUEUED" | "IN_PROGRESS" | "DONE" | "FAILED";
  operation_status: "SUCCESS" | "FAILED" | "UNKNOWN";
  request_id: string;
  progress: number;
  processing_time: number;
  /** What is to be done, and where it stands: a worker goes on from here after a crash. */
  work: Record<string, unknown>;
  /** Of an action under way: what it told so far of entries that failed. */
  result: Record<string, unknown> | null;
  created_at: string;
  updated_at: string | null;
};

type Enqueued = Pick<AsyncActionRow, "project_id" | "id" | "type" | "request_id" | "work" | "created_at">;

/** In the transaction that causes it; `jobs/run-async-actions.ts` finds it there. */
export async function enqueueAsyncAction(db: Db, action: Enqueued): Promise<void> {
  const row = { ...action, status: "ENQUEUED", operation_status: "UNKNOWN" };
  await db`insert into async_actions ${db(row as never)}`;
}

const PAGE_LIMIT = 10;

const LISTED = [
  "id",
  "type",
  "status",
  "operation_status",
  "request_id",
  "progress",
  "created_at",
  "updated_at",
] as const;
type ListedRow = Pick<AsyncActionRow, (typeof LISTED)[number]>;

/** Newest first. What is to be done and how it ended may be large, and is not shown in a list. */
export async function listAsyncActions(
  db: Db,
  projectId: string,
  { limit = PAGE_LIMIT, end_date }: AsyncActionQuery,
): Promise<{ rows: ListedRow[]; has_more: boolean }> {
  const before = end_date === undefined ? db`true` : db`created_at < ${toInstant(end_date)}`;
  const found = await db<ListedRow[]>`
    select ${db(LISTED)} from async_actions where project_id = ${projectId} and ${before}
    order by created_at desc, id desc limit ${limit + 1}`;
  return { rows: found.slice(0, limit), has_more: found.length > limit };
}

export async function getAsyncAction(db: Db, projectId: string, id: string): Promise<AsyncActionRow> {
  const [row] = await db<AsyncActionRow[]>`
    select * from async_actions where project_id = ${projectId} and id = ${id}`;
  if (!row) throw notFound("async_action", id);
  return row;
}

const absolute = (result: AsyncActionRow["result"], publicUrl: string) =>
  Array.isArray(result?.reports)
    ? { ...result, reports: result.reports.map((path: string) => `${publicUrl}${path}`) }
    : result;

export const view = ({ project_id: _, work: __, result, ...row }: AsyncActionRow, publicUrl: string): AsyncAction => ({
  ...row,
  result: row.operation_status === "UNKNOWN" ? null : absolute(result, publicUrl),
  object: "async_action",
});

export const listedView = (row: ListedRow): ListedAsyncAction => ({ ...row, object: "async_action" });

/** How far a turn of work came. `end` stands when nothing is left to do. */
export type ActionStep = {
  work: Record<string, unknown>;
  progress: number;
  /** What the result will tell of entries that failed so far, where there is more of it: it is large, and not written each time. */
  told?: Record<string, unknown>;
  end?: {
    operation_status: "SUCCESS" | "FAILED";
    message: string;
    done_count: number;
    /** How many entries of a batch failed, and the first of them. */
    failed_count?: number;
    failed?: readonly Record<string, unknown>[];
    /** Where files that say more are downloaded, and until when; and the first errors, for who downloads none. */
    reports?: readonly string[];
    reports_available_till?: string;
    errors?: readonly Record<string, unknown>[];
  };
};

export type ActionToDo = Pick<AsyncActionRow, "project_id" | "id"> & { clock_offset_ms: number };

/**
 * What is to be done in all projects: of each project at most `share`, those that waited longest for a turn. First comes one of
 * each project, then another of each: nobody waits for all that one of them has to do.
 */
export const listActionsToDo = (db: Db, share: number) =>
  db<ActionToDo[]>`
    select project_id, id, clock_offset_ms from (
      select *, row_number() over (partition by project_id order by waits_since, id) as turn from (
        select a.project_id, a.id, p.clock_offset_ms,
          coalesce(a.updated_at, a.created_at) - p.clock_offset_ms * interval '1 millisecond' as waits_since,
          -- Imports of orders come one after the other: each sees what the one before it left.
          a.type <> 'ORDERS.IMPORT'
            or row_number() over (partition by a.project_id, a.type order by a.created_at, a.id) = 1 as is_free
        from async_actions a join projects p on p.id = a.project_id
        where a.status in ('ENQUEUED', 'IN_PROGRESS') and p.deleted_at is null) as waiting
      where is_free) as turns
    where turn <= ${share} order by turn, waits_since, id`;

/**
 * Takes an action for as long as the transaction lasts: undefined when it is done or another worker has it. The lock of
 * a worker that died goes with its connection.
 */
export async function takeAction(tx: Tx, projectId: string, id: string): Promise<AsyncActionRow | undefined> {
  // Without an end of the connection (a machine without power) the server would wait for its rows for hours.
  await tx`
    select set_config('tcp_keepalives_idle', '10', true), set_config('tcp_keepalives_interval', '5', true),
      set_config('tcp_keepalives_count', '3', true)`;
  const [row] = await tx<AsyncActionRow[]>`
    select * from async_actions
    where project_id = ${projectId} and id = ${id} and status in ('ENQUEUED', 'IN_PROGRESS')
    order by id for no key update skip locked`;
  return row;
}

/**
 * Waits for the turns that are under way with customers, and lets no other begin until the transaction ends: none of them has read
 * somebody who is erased meanwhile.
 */
export async function holdTurnsOfCustomers(tx: Tx, projectId: string): Promise<void> {
  await tx`
    select id from async_actions
    where project_id = ${projectId} and status in ('ENQUEUED', 'IN_PROGRESS')
      and (type like 'CUSTOMERS.%' or type in ('ORDERS.IMPORT', 'PROGRAM.MEMBERS_CREATE'))
    order by id for no key update`;
}

export async function saveStep(
  tx: Tx,
  { project_id, id, processing_time }: AsyncActionRow,
  { work, progress, told, end }: ActionStep,
  { now, tookMs }: { now: string; tookMs: number },
): Promise<void> {
  const status = end === undefined ? "IN_PROGRESS" : end.operation_status === "SUCCESS" ? "DONE" : "FAILED";
  const { operation_status, ...result } = end ?? {};
  const ended = end ? { operation_status, result } : told && { result: told };
  const row = { status, work, progress, processing_time: processing_time + tookMs, updated_at: now, ...ended };
  await tx`update async_actions set ${tx(row as never)} where project_id = ${project_id} and id = ${id}`;
}

/** Whether codes are still to be generated for the campaign by another action than this one. */
export async function hasOtherGeneration(
  tx: Tx,
  { project_id, id }: AsyncActionRow,
  campaignId: string,
): Promise<boolean> {
  const rows = await tx`
    select 1 from async_actions where project_id = ${project_id} and id <> ${id}
      and status in ('ENQUEUED', 'IN_PROGRESS') and type = 'CAMPAIGN.VOUCHERS_GENERATE'
      and work->>'campaign_id' = ${campaignId} limit 1`;
  return rows.length > 0;
}

/** Of actions that ended long ago nobody asks any more what they could not do, entry by entry. How many there were stays. */
export const emptyOldFailures = (db: Db, projectId: string, before: string, limit: number) => db`
  update async_actions
  set result = result || (
    select jsonb_object_agg(list, '[]'::jsonb) from unnest(array['failed', 'errors']) as l (list) where result ? list)
  where project_id = ${projectId} and id in (
    select id from async_actions
    where project_id = ${projectId} and status in ('DONE', 'FAILED') and updated_at < ${before}
      and (result -> 'failed' <> '[]' or result -> 'errors' <> '[]') limit ${limit})`;

import { notFound } from "../../../core/errors.ts";
import { type FilterFields, toInstant } from "../../../core/filters/filter.ts";
import { StartOver } from "../../../db/batches/commit.ts";
import { crudStore, pageSql } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import { compareTexts } from "../../../db/records.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { Segment, type SegmentQuery } from "./schema.ts";

export type SegmentRow = Omit<Segment, "object"> & {
  project_id: string;
  /** When its members were last worked out for everybody. */
  recalculated_at: string | null;
  /** The customer up to whom they are worked out for its next moment. */
  recalculated_after: string;
};
export type SegmentMember = { segment_id: string; customer_id: string };

const LIMIT = 10;
const FIELDS: FilterFields = { id: "string", name: "string", type: "enum", created_at: "date" };

export const segments = crudStore<SegmentRow>({
  table: "segments",
  object: "segment",
  columns: columnsOf(Segment),
  sortable: ["created_at"],
});

export const view = ({ project_id: _, recalculated_at: __, recalculated_after: ___, ...row }: SegmentRow): Segment => ({
  ...row,
  object: "segment",
});

export async function listSegments(db: Db, projectId: string, query: SegmentQuery & { now: string }) {
  const { ids, start_date, end_date, starting_after, limit = LIMIT, order = "-created_at" } = query;
  const where = db`${whereOf(db, query, { fields: FIELDS, now: query.now })}
    and ${ids === undefined ? db`true` : db`id = any(${ids})`}
    and ${start_date === undefined ? db`true` : db`created_at >= ${toInstant(start_date)}`}
    and ${end_date === undefined ? db`true` : db`created_at <= ${toInstant(end_date)}`}`;
  const falls = order.startsWith("-");
  const after = starting_after === undefined ? null : toInstant(starting_after);
  const follows = after === null ? db`true` : falls ? db`created_at < ${after}` : db`created_at > ${after}`;
  const [rows, counts] = await Promise.all([
    db<SegmentRow[]>`
      select * from segments where project_id = ${projectId} and ${where} and ${follows}
      ${pageSql(db, { ...query, limit, order }, ["created_at"])}`,
    db<{ total: number }[]>`select count(*) as total from segments where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** How many members are stored for a segment. */
export async function countSegmentMembers(db: Db, projectId: string, segmentId: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from segment_members where project_id = ${projectId} and segment_id = ${segmentId}`;
  return row!.count;
}

/** Locks the segment, so that nobody changes or deletes it meanwhile. */
export async function lockSegment(tx: Tx, projectId: string, id: string): Promise<SegmentRow> {
  const [row] = await tx<SegmentRow[]>`
    select * from segments where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound("segment", id);
  return row;
}

/** How many segments have a filter. Those who would add one wait for each other, so that their number has a limit. */
export async function countFilterSegments(tx: Tx, projectId: string): Promise<number> {
  await tx`
    select id from segments where project_id = ${projectId} and type <> 'static' order by id for no key update`;
  const [row] = await tx<[{ count: number }]>`
    select count(*) from segments where project_id = ${projectId} and type <> 'static'`;
  return row.count;
}

/** The segments whose members are kept as customers change. */
export const loadAutoUpdateSegments = (db: Db, projectId: string): PromiseLike<SegmentRow[]> => db<SegmentRow[]>`
  select * from segments where project_id = ${projectId} and type = 'auto-update' order by id`;

/** The stored members of these segments. */
export const loadMembers = (
  db: Db,
  projectId: string,
  { segmentIds, customerIds }: { segmentIds: readonly string[]; customerIds: readonly string[] },
): PromiseLike<SegmentMember[]> => db<SegmentMember[]>`
  select segment_id, customer_id from segment_members
  where project_id = ${projectId} and customer_id = any(${customerIds}) and segment_id = any(${segmentIds})`;

const isReferenceGone = (error: unknown) => (error as { code?: string }).code === "23503";

export type Entering = SegmentMember & { entered_at: string };

/**
 * Adds members and returns those that are new. A segment or customer that does not exist is passed over; one that is
 * deleted at this moment makes the transaction start over, and is passed over then.
 */
export async function addMembers(tx: Tx, projectId: string, members: readonly Entering[]): Promise<SegmentMember[]> {
  if (members.length === 0) return [];
  return tx<SegmentMember[]>`
    insert into segment_members (project_id, segment_id, customer_id, entered_at)
    select s.project_id, s.id, c.id, x.entered_at
    from unnest(${members.map((m) => m.segment_id)}::text[], ${members.map((m) => m.customer_id)}::text[],
      ${members.map((m) => m.entered_at)}::timestamptz[]) as x (segment_id, customer_id, entered_at)
    join segments s on s.project_id = ${projectId} and s.id = x.segment_id
    join customers c on c.project_id = ${projectId} and c.id = x.customer_id
    order by s.id, c.id on conflict do nothing returning segment_id, customer_id`.catch((error) => {
    throw isReferenceGone(error) ? new StartOver("a segment or a customer was deleted meanwhile") : error;
  });
}

/** Removes members and returns those that were there, in the order in which they are added. */
export async function removeSegmentMembers(
  tx: Tx,
  projectId: string,
  members: readonly SegmentMember[],
): Promise<SegmentMember[]> {
  if (members.length === 0) return [];
  const removed = await tx<SegmentMember[]>`
    delete from segment_members m
    using unnest(${members.map((m) => m.segment_id)}::text[], ${members.map((m) => m.customer_id)}::text[])
      as x (segment_id, customer_id)
    where m.project_id = ${projectId} and m.segment_id = x.segment_id and m.customer_id = x.customer_id
    returning m.segment_id, m.customer_id`;
  return removed.toSorted(
    (a, b) => compareTexts(a.segment_id, b.segment_id) || compareTexts(a.customer_id, b.customer_id),
  );
}

/** Deletes a segment with all its members. */
export async function removeSegment(tx: Tx, projectId: string, id: string): Promise<void> {
  await lockSegment(tx, projectId, id);
  await tx`delete from segment_members where project_id = ${projectId} and segment_id = ${id}`;
  // One who was added at this moment holds the segment; then it all starts over.
  await segments.remove(tx, projectId, id).catch((error) => {
    throw isReferenceGone(error) ? new StartOver("a member was added meanwhile") : error;
  });
}

/** Segments whose members follow the customers, locked: one worker at a time works them out for all. */
export const lockAutoUpdateSegments = (tx: Tx, projectId: string): PromiseLike<SegmentRow[]> => tx<SegmentRow[]>`
  select * from segments where project_id = ${projectId} and type = 'auto-update' order by id for no key update`;

export const loadFilterSegments = (db: Db, projectId: string): PromiseLike<SegmentRow[]> => db<SegmentRow[]>`
  select * from segments where project_id = ${projectId} and type <> 'static' order by id`;

/**
 * Says up to which customer the members were worked out for a moment, or for everybody (null), and returns those segments
 * whose first time that was. They are locked.
 */
export async function finishRecalculation(
  tx: Tx,
  projectId: string,
  { ids, now, until }: { ids: readonly string[]; now: string; until: string | null },
): Promise<string[]> {
  if (until !== null) {
    await tx`
      update segments set recalculated_after = ${until} where project_id = ${projectId} and id = any(${ids})`;
    return [];
  }
  const first = await tx<{ id: string }[]>`
    select id from segments
    where project_id = ${projectId} and id = any(${ids}) and initial_sync_status = 'IN_PROGRESS'
    order by id for no key update`;
  await tx`
    update segments set initial_sync_status = 'DONE', recalculated_at = ${now}, recalculated_after = ''
    where project_id = ${projectId} and id = any(${ids})`;
  return first.map(({ id }) => id);
}

import type { RefusalBatch, RefusalCount, RefusalNames } from "../../../core/rows/refusal.ts";
import { transaction } from "../../../db/batches/commit.ts";
import type { Db, Pool, Tx } from "../../../db/db.ts";
import { insertOf } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";
import { hashOf } from "./store.ts";

const PER_MINUTE = 1_000;
const BYTES_MAX = 1_073_741_824;
/** What waited longer is counted only: whoever was erased meanwhile must not come back. */
const LATE_MS = 30_000;
const BATCH = 5_000;

export type RefusalLimits = { perMinute?: number; bytesMax?: number };
type Usage = { bytes: number; in_minute: number; is_this_minute: boolean; is_stored: boolean };

/** Stores a batch: all of it is counted, and as many refusals as there is room for are kept. Stored twice, it is what it was. */
export async function saveRefusals(
  tx: Tx,
  projectId: string,
  batch: RefusalBatch,
  { now, perMinute = PER_MINUTE, bytesMax = BYTES_MAX }: RefusalLimits & { now: string },
): Promise<void> {
  const minute = `${batch.at.slice(0, 16)}:00.000Z`;
  const [, , rows] = await together([
    // A crash of the server may lose the last of it; nobody waits for the disk.
    tx`select set_config('synchronous_commit', 'off', true)`,
    tx`insert into refusal_usage (project_id, bytes, minute, in_minute) values (${projectId}, 0, ${minute}, 0)
      on conflict (project_id) do nothing`,
    tx<Usage[]>`
      select bytes, in_minute, minute = ${minute} as is_this_minute from refusal_usage
      where project_id = ${projectId} order by project_id for no key update`,
  ]);
  const usage = rows[0]!;
  const stored = await tx`select 1 from refusal_counts where project_id = ${projectId} and id = ${`${batch.id} 0`}`;
  if (stored.length > 0) return;
  const isLate = Date.parse(now) - Date.parse(batch.at) > LATE_MS;
  const inMinute = usage.is_this_minute ? usage.in_minute : 0;
  const room = isLate ? 0 : Math.max(0, perMinute - inMinute);
  let bytes = usage.bytes;
  const kept = batch.refusals.slice(0, room).filter(({ row }) => {
    if (bytes + row.bytes > bytesMax) return false;
    bytes += row.bytes;
    return true;
  });
  await together([
    tx`insert into refusal_counts ${insertOf(tx, "refusal_counts", projectId, countsOf(batch, kept))}`,
    ...insertKept(tx, projectId, kept),
    tx`
      update refusal_usage set bytes = ${bytes}, minute = ${minute}, in_minute = ${inMinute + kept.length}
      where project_id = ${projectId}`,
  ]);
}

function insertKept(tx: Tx, projectId: string, kept: RefusalBatch["refusals"]) {
  if (kept.length === 0) return [];
  const names = kept.flatMap(({ row: { id: refusal_id, created_at }, names }) =>
    (Object.keys(names) as (keyof RefusalNames)[]).flatMap((kind) =>
      names[kind].map((name) => ({ kind, hash: hashOf(name), created_at, refusal_id })),
    ),
  );
  const rows = kept.map(({ row }) => row);
  return [
    tx`insert into refusals ${insertOf(tx, "refusals", projectId, rows)} on conflict do nothing`,
    // There is a reason always.
    tx`insert into refusal_names ${insertOf(tx, "refusal_names", projectId, names)} on conflict do nothing`,
  ];
}

const countKey = ({ hour, campaign_id, reason }: RefusalCount): string => JSON.stringify([hour, campaign_id, reason]);

function countsOf({ id, counts }: RefusalBatch, kept: RefusalBatch["refusals"]) {
  const keptOf = new Map<string, number>();
  for (const one of kept.flatMap(({ counted }) => counted))
    keptOf.set(countKey(one), (keptOf.get(countKey(one)) ?? 0) + one.count);
  return counts.map((one, n) => ({ id: `${id} ${n}`, ...one, kept: keptOf.get(countKey(one)) ?? 0 }));
}

async function removeRefusals(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx`delete from refusal_names where project_id = ${projectId} and refusal_id = any(${ids})`;
  const rows = await tx<{ bytes: number }[]>`
    delete from refusals where project_id = ${projectId} and id = any(${ids}) returning bytes`;
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  await tx`update refusal_usage set bytes = bytes - ${bytes}::bigint where project_id = ${projectId}`;
}

/** Whoever changes what is kept of a project takes turns: the usage must sum up. */
const lockUsage = (tx: Tx, projectId: string) =>
  tx`select 1 from refusal_usage where project_id = ${projectId} order by project_id for no key update`;

/** Removes refusals that are too old, so many at once, and returns how many there were. */
export const removeOldRefusals = (pool: Pool, projectId: string, before: string, limit = BATCH): Promise<number> =>
  transaction(pool, async (tx) => {
    await lockUsage(tx, projectId);
    const rows = await tx<{ id: string }[]>`
      select id from refusals where project_id = ${projectId} and created_at < ${before} order by created_at, id limit ${limit}`;
    await removeRefusals(
      tx,
      projectId,
      rows.map(({ id }) => id),
    );
    return rows.length;
  });

/** Removes the refusals that name one of these. */
async function removeRefusalsNaming(tx: Tx, projectId: string, hashes: readonly string[]): Promise<void> {
  await lockUsage(tx, projectId);
  const rows = await tx<{ refusal_id: string }[]>`
    select distinct refusal_id from refusal_names
    where project_id = ${projectId} and kind in ('code', 'customer') and hash = any(${hashes})`;
  await removeRefusals(
    tx,
    projectId,
    rows.map(({ refusal_id }) => refusal_id),
  );
}

/** Removes refusals of erased customers that were written after them. The notes of who was erased are those of the request log. */
export const removeErasedRefusals = (pool: Pool, projectId: string): Promise<void> =>
  transaction(pool, async (tx) => {
    const rows = await tx<{ hash: string }[]>`
      select hash from request_log_names where project_id = ${projectId} and kind = 'erased'`;
    if (rows.length === 0) return;
    await removeRefusalsNaming(
      tx,
      projectId,
      rows.map(({ hash }) => hash),
    );
  });

export type RefusalCountKind = { hour: string; campaign_id: string; reason: string };

/** What there is more than one row of, in hours that are over: a batch that is stored again finds its rows. */
export const loadScatteredRefusalCounts = (db: Db, projectId: string, before: string) =>
  db<RefusalCountKind[]>`
    select hour, campaign_id, reason from refusal_counts where project_id = ${projectId} and hour < ${before}
    group by hour, campaign_id, reason having count(*) > 1 order by hour, campaign_id, reason`;

/** Makes one row of many; whether there may be more. Rows that somebody else adds together are left to them. */
export async function addRefusalCountsTogether(
  tx: Tx,
  projectId: string,
  { hour, campaign_id, reason }: RefusalCountKind,
): Promise<boolean> {
  const rows = await tx<{ id: string; count: number; kept: number }[]>`
    select id, count, kept from refusal_counts
    where project_id = ${projectId} and hour = ${hour} and campaign_id = ${campaign_id} and reason = ${reason}
    order by id limit ${BATCH} for no key update skip locked`;
  const [first, ...others] = rows;
  if (!first || others.length === 0) return false;
  const sum = (field: "count" | "kept") => rows.reduce((all, row) => all + row[field], 0);
  await tx`delete from refusal_counts where project_id = ${projectId} and id = any(${others.map(({ id }) => id)})`;
  await tx`
    update refusal_counts set count = ${sum("count")}, kept = ${sum("kept")}
    where project_id = ${projectId} and id = ${first.id}`;
  return rows.length === BATCH;
}

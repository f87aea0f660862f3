import { ApiError } from "../../../core/errors.ts";
import type { Change } from "../../../core/loyalty/card/card.ts";
import type { EntryRow, LotRow } from "../../../core/rows/ledger.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db, IdList, Tx } from "../../../db/db.ts";
import { type FieldSql, whereOf } from "../../../db/filters.ts";
import { insertOf, tenantOf } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";
import type { LedgerTransactionQuery } from "./schema.ts";

const COLUMNS = [
  ...["id", "account_id", "pot", "amount", "remaining", "expires_at", "activates_at", "created_at"],
  ...["bucket_id", "bucket_date", "bucket_type", "order_id", "expiration", "details"],
];

/** The lots of these accounts that something is left of. The row of the card, which holds the account, is locked. */
// One account after the other: asked for together, the planner would rather read all lots of the project as long as the
// database has no statistics.
export const loadLots = (db: Db, projectId: string, accountIds: IdList) =>
  db<LotRow[]>`
    select l.* from unnest((select ${accountIds}::text[])) as x (account_id)
      cross join lateral (
        select ${db(COLUMNS)} from ledger_lots t
        where t.project_id = ${projectId} and t.account_id = x.account_id and remaining > 0 offset 0) l
    order by l.id`;

/** Lots by their ids, also those that nothing is left of: what a refund goes back to. */
export const lotsById = (db: Db, projectId: string, ids: IdList) =>
  db<LotRow[]>`
    select ${db(COLUMNS)} from ledger_lots where project_id = ${projectId} and id = any(${ids}) order by id`;

/** Everything that orders earned, on any card, also what is spent by now. */
export const lotsOfOrders = (db: Db, projectId: string, orderIds: readonly string[]) =>
  db<LotRow[]>`
    select ${db(COLUMNS)} from ledger_lots where project_id = ${projectId} and order_id = any(${orderIds}) order by id`;

/** How much of these lots has expired. */
export const expiredOf = (db: Db, projectId: string, lots: readonly LotRow[]) =>
  db<{ lot_id: string; points: number }[]>`
    select x.lot->>0 as lot_id, (-sum((x.lot->>1)::bigint))::bigint as points
    from ledger_entries e cross join lateral jsonb_array_elements(e.lots) as x (lot)
    where e.project_id = ${projectId} and e.account_id = any(${[...new Set(lots.map((lot) => lot.account_id))]})
      and e.kind in ('expiration', 'manual_expiration') and x.lot->>0 = any(${lots.map(({ id }) => id)})
    group by 1`;

/** Which of these lots were taken back with their orders. */
export const returnedLots = async (db: Db, projectId: string, lots: readonly LotRow[]): Promise<string[]> => {
  const rows = await db<{ lot_id: string }[]>`
    select x.lot_id from ledger_entries e
    cross join lateral jsonb_array_elements_text(e.details->'returned_lots') as x (lot_id)
    where e.project_id = ${projectId} and e.account_id = any(${[...new Set(lots.map((lot) => lot.account_id))]})
      and e.kind = 'taken_back' and e.order_id = any(${[...new Set(lots.map((lot) => lot.order_id!))]})`;
  return rows.map(({ lot_id }) => lot_id);
};

/** The lots that are shown as one bucket, also those that nothing is left of. */
export const lotsOfBucket = (
  db: Db,
  projectId: string,
  { accountId, bucketId }: { accountId: string; bucketId: string },
) =>
  db<LotRow[]>`
    select ${db(COLUMNS)} from ledger_lots
    where project_id = ${projectId} and bucket_id = ${bucketId} and account_id = ${accountId} order by id`;

/** Lots as they are now: new ones are made, of the others what is left and when it is lost is set. */
export async function saveLots(tx: Tx, projectId: string, lots: readonly LotRow[]): Promise<void> {
  if (lots.length === 0) return;
  await tx`
    insert into ledger_lots (project_id, id, account_id, pot, amount, remaining, expires_at, activates_at, created_at,
      bucket_id, bucket_date, bucket_type, order_id, expiration, details)
    select p.project_id, x.* from ${tenantOf(tx, projectId)} cross join unnest(
      ${lots.map((l) => l.id)}::text[], ${lots.map((l) => l.account_id)}::text[],
      ${lots.map((l) => l.pot as string)}::text[], ${lots.map((l) => l.amount)}::bigint[],
      ${lots.map((l) => l.remaining)}::bigint[], ${lots.map((l) => l.expires_at)}::timestamptz[],
      ${lots.map((l) => l.activates_at)}::timestamptz[], ${lots.map((l) => l.created_at)}::timestamptz[],
      ${lots.map((l) => l.bucket_id)}::text[], ${lots.map((l) => l.bucket_date)}::text[],
      ${lots.map((l) => l.bucket_type)}::text[], ${lots.map((l) => l.order_id)}::text[],
      ${lots.map((l) => (l.expiration === null ? null : JSON.stringify(l.expiration)))}::text[]::jsonb[],
      ${lots.map((l) => (l.details === null ? null : JSON.stringify(l.details)))}::text[]::jsonb[]) as x
    on conflict (project_id, id) do update set amount = excluded.amount, remaining = excluded.remaining, pot = excluded.pot,
      expires_at = excluded.expires_at, bucket_id = excluded.bucket_id, bucket_date = excluded.bucket_date`;
}

/** Entries by their ids. */
export const entriesById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<EntryRow[]>`select * from ledger_entries where project_id = ${projectId} and id = any(${ids})`;

/** Entries of points. They have the number of their transaction, which the rollups follow (ADR 0048). */
export const insertPoints = (tx: Tx, projectId: string, entries: readonly EntryRow[]): Promise<void> =>
  insertEntries(
    tx,
    projectId,
    entries.map((entry) => ({ ...entry, is_points: true })),
  );

/** Entries of credits. Redemptions tell of them, so nothing more is written. */
export const insertCredits = (tx: Tx, projectId: string, entries: readonly EntryRow[]): Promise<void> =>
  insertEntries(
    tx,
    projectId,
    entries.map((entry) => ({ ...entry, transaction_id: null })),
  );

async function insertEntries(tx: Tx, projectId: string, entries: readonly object[]): Promise<void> {
  if (entries.length === 0) return;
  await tx`insert into ledger_entries ${insertOf(tx, "ledger_entries", projectId, entries)}`;
}

const NO_CAUSE = { campaign_id: null, redemption_id: null, rollback_id: null, source_id: null, source: null };

/** The lots and entries of changes of loyalty cards. Their rows are locked; what they hold is saved with them. */
export async function saveMoves(tx: Tx, projectId: string, changes: readonly Change[]): Promise<void> {
  const lots = changes.flatMap(({ card, lots: own }) => own.map((lot) => ({ ...lot, account_id: card.id })));
  const entries = changes.flatMap(({ entries: own }) => own.map((entry): EntryRow => ({ ...NO_CAUSE, ...entry })));
  await together([saveLots(tx, projectId, lots), insertPoints(tx, projectId, entries)]);
}

const LIMIT = 10;
const FIELDS = { id: "string", voucher_id: "string", created_at: "date" } as const;
const SQL: FieldSql = { voucher_id: (db) => db`account_id` };

/**
 * The entries of a card or of all cards of a campaign that clients are told of, newest first unless another order is
 * asked for. With what a card began is none, and what waits is told when it is there. Ids grow with time.
 */
export async function listEntries(
  db: Db,
  projectId: string,
  of: { voucherId: string } | { campaignId: string },
  query: LedgerTransactionQuery & { now: string },
): Promise<{ rows: EntryRow[]; has_more: boolean }> {
  const { limit = LIMIT, order = "-id", starting_after_id: last, filters, now } = query;
  const falls = order === "-id";
  const own = "voucherId" in of ? db`account_id = ${of.voucherId}` : db`campaign_id = ${of.campaignId}`;
  if (last !== undefined) {
    const found = await db`select 1 from ledger_entries where project_id = ${projectId} and ${own} and id = ${last}`;
    if (found.length === 0)
      throw new ApiError("invalid_query_params", { details: `Property .starting_after_id names no entry: ${last}` });
  }
  const after = last === undefined ? db`true` : falls ? db`id < ${last}` : db`id > ${last}`;
  const entries = db<EntryRow[]>`
    select * from ledger_entries
    where project_id = ${projectId} and ${own} and ${after} and kind <> 'opening' and pot = 'available'
      and ${whereOf(db, filters ? { filters } : {}, { fields: FIELDS, sql: SQL, now })}
    order by id ${falls ? db`desc` : db`asc`} limit ${limit + 1}`;
  return firstRows(entries, limit);
}

/** What last happened to a lot; null: nothing did since it was made. */
export async function endOfLot(
  db: Db,
  projectId: string,
  { accountId, lotId }: { accountId: string; lotId: string },
): Promise<string | null> {
  const [row] = await db<{ kind: string }[]>`
    select kind from ledger_entries
    where project_id = ${projectId} and account_id = ${accountId} and lots @> ${JSON.stringify([[lotId]])}::text::jsonb
    order by id desc limit 1`;
  return row?.kind ?? null;
}

/** A lot that waits on a code, with who has the code. */
export type WaitingRow = LotRow & { campaign_id: string; holder_id: string | null };

/** The points that wait on a code, or on all codes of a campaign, newest first unless another order is asked for. */
export async function listWaiting(
  db: Db,
  projectId: string,
  of: { voucherId: string } | { campaignId: string },
  { limit = LIMIT, order = "-id", after, now }: { limit?: number; order?: string; after?: string; now: string },
): Promise<{ rows: WaitingRow[]; has_more: boolean }> {
  const falls = order === "-id";
  const own = "voucherId" in of ? db`v.id = ${of.voucherId}` : db`v.campaign_id = ${of.campaignId}`;
  const later = after === undefined ? db`true` : falls ? db`l.id < ${after}` : db`l.id > ${after}`;
  const waiting = db<WaitingRow[]>`
    select l.*, v.campaign_id, v.holder_id from ledger_lots l
    join vouchers v on v.project_id = l.project_id and v.id = l.account_id and v.deleted_at is null
    where l.project_id = ${projectId} and l.pot = 'pending' and l.remaining > 0 and l.activates_at > ${now}
      and ${own} and ${later}
    order by l.id ${falls ? db`desc` : db`asc`} limit ${limit + 1}`;
  return firstRows(waiting, limit);
}

/** What can be spent until one day, as one. Also what is spent by now, until that day has passed. */
export type PointsOfDay = { id: string; date: string | null; points: number; created_at: string };

export const listPointsByDay = (db: Db, projectId: string, { accountId, now }: { accountId: string; now: string }) =>
  db<PointsOfDay[]>`
    select min(id) as id, bucket_date as date, sum(remaining)::bigint as points, min(created_at) as created_at
    from ledger_lots
    where project_id = ${projectId} and account_id = ${accountId} and pot = 'available'
      and (expires_at is null or expires_at > ${now})
    group by bucket_date order by bucket_date nulls last`;

import { ApiError } from "../../core/errors.ts";
import type { Entry, Lot } from "../../core/ledger/account.ts";
import type { Change } from "../../core/loyalty/card.ts";
import type { Db, Tx } from "../../db/db.ts";
import { type FieldSql, whereOf } from "../../db/filters.ts";
import { recordsOf } from "../../db/records.ts";
import type { TransactionQuery } from "./schema.ts";

/** An entry with what caused it. */
export type EntryRow = Entry & {
  id: string;
  campaign_id: string | null;
  redemption_id: string | null;
  rollback_id: string | null;
  order_id: string | null;
  source_id: string | null;
  source: string | null;
  reason: string | null;
  details: Readonly<Record<string, unknown>>;
  created_at: string;
};
export type LotRow = Lot & { account_id: string };

const COLUMNS = [
  ...["id", "account_id", "pot", "amount", "remaining", "expires_at", "activates_at", "created_at"],
  ...["bucket_id", "bucket_date", "bucket_type", "order_id", "expiration"],
];

/** The lots of these accounts that something is left of. The row of the card, which holds the account, is locked. */
export const loadLots = (db: Db, projectId: string, accountIds: readonly string[]) =>
  db<LotRow[]>`
    select ${db(COLUMNS)} from ledger_lots
    where project_id = ${projectId} and account_id = any(${accountIds}) and remaining > 0 order by id`;

/** Lots by their ids, also those that nothing is left of: what a refund goes back to. */
export const lotsById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<LotRow[]>`
    select ${db(COLUMNS)} from ledger_lots where project_id = ${projectId} and id = any(${ids}) order by id`;

/** Everything that orders earned, on any card, also what is spent by now. */
export const lotsOfOrders = (db: Db, projectId: string, orderIds: readonly string[]) =>
  db<LotRow[]>`
    select ${db(COLUMNS)} from ledger_lots where project_id = ${projectId} and order_id = any(${orderIds}) order by id`;

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
      bucket_id, bucket_date, bucket_type, order_id, expiration)
    select ${projectId}, * from unnest(${lots.map((l) => l.id)}::text[], ${lots.map((l) => l.account_id)}::text[],
      ${lots.map((l) => l.pot as string)}::text[], ${lots.map((l) => l.amount)}::bigint[],
      ${lots.map((l) => l.remaining)}::bigint[], ${lots.map((l) => l.expires_at)}::timestamptz[],
      ${lots.map((l) => l.activates_at)}::timestamptz[], ${lots.map((l) => l.created_at)}::timestamptz[],
      ${lots.map((l) => l.bucket_id)}::text[], ${lots.map((l) => l.bucket_date)}::text[],
      ${lots.map((l) => l.bucket_type)}::text[], ${lots.map((l) => l.order_id)}::text[],
      ${lots.map((l) => (l.expiration === null ? null : JSON.stringify(l.expiration)))}::text[]::jsonb[])
    on conflict (project_id, id) do update set remaining = excluded.remaining, pot = excluded.pot,
      expires_at = excluded.expires_at, bucket_id = excluded.bucket_id, bucket_date = excluded.bucket_date`;
}

export async function insertEntries(tx: Tx, projectId: string, entries: readonly EntryRow[]): Promise<void> {
  if (entries.length === 0) return;
  await tx`insert into ledger_entries select r.* from ${recordsOf(tx, "ledger_entries", projectId, entries)} r`;
}

const NO_CAUSE = { campaign_id: null, redemption_id: null, rollback_id: null, source_id: null, source: null };

/** The lots and entries of changes of loyalty cards. Their rows are locked; what they hold is saved with them. */
export async function saveMoves(tx: Tx, projectId: string, changes: readonly Change[]): Promise<void> {
  const lots = changes.flatMap(({ card, lots: own }) => own.map((lot) => ({ ...lot, account_id: card.id })));
  await saveLots(tx, projectId, lots);
  const entries = changes.flatMap(({ entries: own }) => own.map((entry): EntryRow => ({ ...NO_CAUSE, ...entry })));
  await insertEntries(tx, projectId, entries);
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
  query: TransactionQuery & { now: string },
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
  const rows = await db<EntryRow[]>`
    select * from ledger_entries
    where project_id = ${projectId} and ${own} and ${after} and kind <> 'opening' and pot = 'available'
      and ${whereOf(db, filters ? { filters } : {}, { fields: FIELDS, sql: SQL, now })}
    order by id ${falls ? db`desc` : db`asc`} limit ${limit + 1}`;
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

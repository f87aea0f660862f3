import type { Entry, Lot } from "../../core/ledger/account.ts";
import type { Db, Tx } from "../../db/db.ts";

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

/** The lots of these accounts that something is left of. The row of the card, which holds the account, is locked. */
export const loadLots = (db: Db, projectId: string, accountIds: readonly string[]) =>
  db<LotRow[]>`
    select id, account_id, pot, amount, remaining, expires_at, activates_at, created_at from ledger_lots
    where project_id = ${projectId} and account_id = any(${accountIds}) and remaining > 0 order by id`;

/** Lots by their ids, also those that nothing is left of: what a refund goes back to. */
export const lotsById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<LotRow[]>`
    select id, account_id, pot, amount, remaining, expires_at, activates_at, created_at from ledger_lots
    where project_id = ${projectId} and id = any(${ids}) order by id`;

/** Lots as they are now: new ones are made, of the others what is left is set. */
export async function saveLots(tx: Tx, projectId: string, lots: readonly LotRow[]): Promise<void> {
  if (lots.length === 0) return;
  await tx`
    insert into ledger_lots (project_id, id, account_id, pot, amount, remaining, expires_at, activates_at, created_at)
    select ${projectId}, * from unnest(${lots.map((l) => l.id)}::text[], ${lots.map((l) => l.account_id)}::text[],
      ${lots.map((l) => l.pot as string)}::text[], ${lots.map((l) => l.amount)}::bigint[],
      ${lots.map((l) => l.remaining)}::bigint[], ${lots.map((l) => l.expires_at)}::timestamptz[],
      ${lots.map((l) => l.activates_at)}::timestamptz[], ${lots.map((l) => l.created_at)}::timestamptz[])
    on conflict (project_id, id) do update set remaining = excluded.remaining, pot = excluded.pot`;
}

export async function insertEntries(tx: Tx, projectId: string, entries: readonly EntryRow[]): Promise<void> {
  if (entries.length === 0) return;
  const texts = entries.map((entry) => JSON.stringify(entry));
  await tx`
    insert into ledger_entries
    select (jsonb_populate_record(null::ledger_entries, x.row::jsonb || jsonb_build_object('project_id', ${projectId}::text))).*
    from unnest(${texts}::text[]) as x (row)`;
}

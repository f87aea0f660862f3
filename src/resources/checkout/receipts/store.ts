import { ApiError, notFound } from "../../../core/errors.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { tenantOf, textsOf } from "../../../db/records.ts";

export type ReceiptRow = {
  redemption_id: string;
  customer_id: string | null;
  /** Of somebody who is no customer yet. */
  tracking_id: string | null;
  /** JSON. */
  receipt: string;
  created_at: string;
};
/** A piece of configuration by the hash of its text. */
export type FragmentRow = { hash: string; text: string };

/** Inserts the receipts of a batch. */
export async function insertReceipts(tx: Tx, projectId: string, rows: readonly ReceiptRow[]): Promise<void> {
  if (rows.length === 0) return;
  const texts = rows.map(({ receipt }) => receipt);
  await tx`
    insert into receipts (project_id, redemption_id, customer_id, tracking_id, created_at, receipt)
    select p.project_id, x.redemption_id, x.customer_id, x.tracking_id, x.created_at, x.receipt::json
    from ${tenantOf(tx, projectId)} cross join rows from (
      json_to_recordset(${JSON.stringify(rows.map(({ receipt, ...row }) => row))}::text::json)
        as (redemption_id text, customer_id text, tracking_id text, created_at timestamptz),
      ${textsOf(tx, texts)}) as x (redemption_id, customer_id, tracking_id, created_at, receipt)`;
}

/** Stores what is not there yet, and returns the hashes of what was: somebody else has committed it. */
export async function insertFragments(tx: Tx, projectId: string, rows: readonly FragmentRow[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const made = await tx<{ hash: string }[]>`
    insert into config_fragments (project_id, hash, body)
    select p.project_id, x.hash, x.body::json from ${tenantOf(tx, projectId)}
      cross join unnest(${rows.map((r) => r.hash)}::text[], ${rows.map((r) => r.text)}::text[]) as x (hash, body)
    order by x.hash
    on conflict do nothing returning hash`;
  const own = new Set(made.map(({ hash }) => hash));
  return rows.flatMap(({ hash }) => (own.has(hash) ? [] : [hash]));
}

/** The receipt of a redemption; one of a stack has that of the whole. */
export async function getReceipt(
  db: Db,
  projectId: string,
  redemptionId: string,
): Promise<Pick<ReceiptRow, "redemption_id" | "receipt" | "created_at">> {
  const [row] = await db<{ redemption_id: string; receipt: string | null; created_at: string }[]>`
    select redemption_id, receipt::text, created_at from receipts
    where project_id = ${projectId} and redemption_id in (${redemptionId},
      (select parent_id from redemptions where project_id = ${projectId} and id = ${redemptionId}))`;
  if (!row) throw notFound("redemption", redemptionId);
  const { receipt } = row;
  if (receipt === null)
    throw new ApiError("receipt_erased", {
      details: `The receipt of ${redemptionId} was erased together with its customer`,
      resource_id: redemptionId,
      resource_type: "redemption",
    });
  return { ...row, receipt };
}

export const loadFragments = (db: Db, projectId: string, hashes: readonly string[]) =>
  db<FragmentRow[]>`
    select hash, body::text as text from config_fragments
    where project_id = ${projectId} and hash = any(${hashes}) order by hash`;

import type { PromisedPrice } from "../../core/validate/promise.ts";
import type { Db } from "../../db/db.ts";

/** What a validation promised: what the cart costs, and what each redeemable takes off it. */
export type ValidationRow = {
  id: string;
  customer_id: string | null;
  /** Of somebody who is no customer yet. */
  tracking_id: string | null;
  valid: boolean;
  promise: PromisedPrice;
  created_at: string;
};

/** By their ids: stored again, they are what they were. */
export async function insertValidations(db: Db, projectId: string, rows: readonly ValidationRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db`
    insert into validations (project_id, id, customer_id, tracking_id, valid, promise, created_at)
    select ${projectId}, * from unnest(${rows.map((r) => r.id)}::text[], ${rows.map((r) => r.customer_id)}::text[],
      ${rows.map((r) => r.tracking_id)}::text[],
      ${rows.map((r) => String(r.valid))}::text[]::boolean[], ${rows.map((r) => JSON.stringify(r.promise))}::text[]::jsonb[],
      ${rows.map((r) => r.created_at)}::timestamptz[])
    on conflict (project_id, id) do nothing`;
}

export type Promised = Pick<ValidationRow, "id" | "valid" | "promise">;

/** What these validations promised. */
export const loadPromises = (db: Db, projectId: string, ids: readonly string[]) =>
  db<Promised[]>`select id, valid, promise from validations where project_id = ${projectId} and id = any(${ids})`;

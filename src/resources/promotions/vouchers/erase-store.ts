import type { Tx } from "../../../db/db.ts";

/**
 * Deletes up to `limit` codes of a campaign for good, the oldest first, with all that belongs to them; those in the bin
 * too. Returns how many there were.
 */
export async function eraseVouchersOf(tx: Tx, projectId: string, campaignId: string, limit: number): Promise<number> {
  const oldest = await tx<{ id: string }[]>`
    select id from vouchers where project_id = ${projectId} and campaign_id = ${campaignId}
    order by created_at limit ${limit}`;
  const rows = await tx<{ id: string; deleted_at: string | null }[]>`
    select id, deleted_at from vouchers where project_id = ${projectId} and id = any(${oldest.map(({ id }) => id)})
    order by id for no key update`;
  const ids = rows.map(({ id }) => id);
  // The bin has no index for what it holds, so it is asked only for what is in it.
  const binned = rows.filter(({ deleted_at }) => deleted_at !== null).map(({ id }) => id);
  if (binned.length > 0)
    await tx`delete from trash_bin_entries where project_id = ${projectId} and resource_id = any(${binned})`;
  await eraseVouchers(tx, projectId, ids);
  return ids.length;
}

/** Deletes codes for good, also out of the bin, with all that belongs to them. */
export async function eraseVouchers(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
  await tx`delete from session_locks where project_id = ${projectId} and redeemable_id = any(${ids})`;
  await tx`delete from session_sums where project_id = ${projectId} and redeemable_id = any(${ids})`;
  await tx`
    delete from validation_rule_assignments
    where project_id = ${projectId} and related_object_id = any(${ids}) and related_object_type = 'voucher'`;
  await tx`
    delete from counters where project_id = ${projectId} and subject_kind = 'voucher' and subject_id = any(${ids})`;
  await tx`delete from redeemable_holders where project_id = ${projectId} and voucher_id = any(${ids})`;
  await tx`delete from voucher_states where project_id = ${projectId} and voucher_id = any(${ids})`;
  await tx`delete from vouchers where project_id = ${projectId} and id = any(${ids})`;
}

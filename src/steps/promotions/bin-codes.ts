import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { NewId } from "../../request.ts";
import { hideRedemptionsOf } from "../../resources/checkout/redemptions/list-store.ts";
import { insertBinEntries } from "../../resources/platform/trash-bin/store.ts";
import { addToVouchersCounts, type Campaign } from "../../resources/promotions/campaigns/store.ts";
import { binVouchers } from "../../resources/promotions/vouchers/store.ts";
import { showAllWritten, told } from "./voucher-view.ts";

type Deleting = Pick<WriteCtx, "db" | "project">;
type Code = { row: VoucherRow; campaign: Campaign | null };
/** A code, and what deletes it. */
type Binned = Code & { of: { now: string; newId: NewId } };

/** Deletes codes that are locked: `erase` decides where they go. Returns what is to be recorded of each. */
export async function deleteLockedCodes(c: Deleting, codes: readonly Code[], erase: () => Promise<unknown>) {
  if (codes.length === 0) return [];
  const shown = await showAllWritten(c, codes);
  await hideRedemptionsOf(
    c.db,
    c.project.id,
    codes.map(({ row }) => row.id),
  );
  await erase();
  const counts = Map.groupBy(codes, ({ campaign }) => campaign?.id);
  const taken = [...counts].flatMap(([id, { length }]) => (id === undefined ? [] : [[id, -length] as const]));
  await addToVouchersCounts(c.db, c.project.id, new Map(taken));
  return codes.map(({ row }, n) => {
    const about = { voucher_id: row.id, campaign_id: row.campaign_id };
    return { kind: "voucher.deleted" as const, ...about, payload: told(shown[n]!) };
  });
}

/** Into the bin, where they stay taken. */
export const binCodes = (c: Deleting, codes: readonly Binned[]) =>
  deleteLockedCodes(c, codes, async () => {
    const binned = codes.map(({ row, of }) => ({ id: row.id, now: of.now }));
    await binVouchers(c.db, c.project.id, binned);
    const entries = codes.map(({ row, campaign, of }) => ({
      project_id: c.project.id,
      id: of.newId("tbe"),
      resource_type: "voucher" as const,
      resource_id: row.id,
      resource_name: row.code,
      resource_parent_id: campaign?.id ?? null,
      created_at: of.now,
    }));
    await insertBinEntries(c.db, c.project.id, entries);
  });

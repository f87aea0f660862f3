import type { WriteCtx } from "../ctx.ts";
import { addToVouchersCount, type Campaign } from "../resources/campaigns/store.ts";
import { hideRedemptionsOf } from "../resources/redemptions/list-store.ts";
import { insertBinEntry } from "../resources/trash-bin/store.ts";
import { binVoucher, type VoucherRow } from "../resources/vouchers/store.ts";
import { showWritten, told } from "./voucher-view.ts";

type Deleting = Pick<WriteCtx, "db" | "project" | "newId" | "now">;
type Code = { row: VoucherRow; campaign: Campaign | null };

/** Deletes a code that is locked: `erase` decides where it goes. Returns what is to be recorded. */
export async function deleteCode(c: Deleting, { row, campaign }: Code, erase: () => Promise<unknown>) {
  const voucher = await showWritten(c, row, campaign);
  await hideRedemptionsOf(c.db, c.project.id, row.id);
  await erase();
  if (campaign) await addToVouchersCount(c.db, c.project.id, campaign.id, -1);
  const about = { voucher_id: row.id, campaign_id: row.campaign_id };
  return [{ kind: "voucher.deleted" as const, ...about, payload: told(voucher) }];
}

/** Into the bin, where it stays taken. */
export const binCode = (c: Deleting, code: Code) =>
  deleteCode(c, code, async () => {
    const { row, campaign } = code;
    await binVoucher(c.db, c.project.id, row.id, c.now);
    await insertBinEntry(c.db, {
      project_id: c.project.id,
      id: c.newId("tbe"),
      resource_type: "voucher",
      resource_id: row.id,
      resource_name: row.code,
      resource_parent_id: campaign?.id ?? null,
      created_at: c.now,
    });
  });

import { ApiError } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import { binProduct, eraseProduct, lockProduct } from "../../resources/catalogue/products/store.ts";
import { binSku, binSkusOf, eraseSku, eraseSkusOf, lockSku } from "../../resources/catalogue/skus/store.ts";
import { assignmentIdsIn } from "../../resources/loyalty-v1/reward-assignments/store.ts";
import { enqueueAsyncAction } from "../../resources/platform/async-actions/store.ts";
import type { BinKind } from "../../resources/platform/trash-bin/schema.ts";
import {
  insertBinEntries,
  lockBinEntry,
  removeBinEntriesBelow,
  removeBinEntry,
} from "../../resources/platform/trash-bin/store.ts";
import { binCampaign, freeName, getCampaign, lockCampaign } from "../../resources/promotions/campaigns/store.ts";
import { eraseVouchers } from "../../resources/promotions/vouchers/erase-store.ts";
import { binCodes, deleteLockedCodes } from "../../steps/promotions/bin-codes.ts";
import { showCampaign } from "../../steps/promotions/campaigns.ts";
import { lockWithCampaign } from "../../steps/promotions/vouchers.ts";
import { requireNoProgram } from "../../steps/referrals/referral-programs.ts";

/** How each kind is deleted for good. Another kind of thing that goes to the bin is a line here. */
const ERASE: Record<BinKind, (c: WriteCtx, id: string) => Promise<void>> = {
  campaign: async (c, id) => {
    await freeName(c.db, c.project.id, id);
    await enqueueDeletion(c, id, true);
  },
  product: async (c, id) => {
    // Entries before what they are of, as purging does it: no two wait for each other.
    await removeBinEntriesBelow(c.db, c.project.id, id);
    await eraseSkusOf(c.db, c.project.id, id);
    await eraseProduct(c.db, c.project.id, id);
  },
  sku: async (c, id) => {
    await eraseSku(c.db, c.project.id, id);
  },
  voucher: async (c, id) => {
    await eraseVouchers(c.db, c.project.id, [id]);
  },
};

/**
 * Deletes a campaign with its codes, tiers and stacks: into the bin or, with force, for good. Nothing reads it from now
 * on; it may have millions of codes, so the rest is the work of an async action, whose id is the answer.
 */
export async function removeCampaign(c: WriteCtx, reference: string, force: boolean) {
  const { id, name, protected: isProtected } = await lockCampaign(c.db, c.project.id, reference);
  if (isProtected) throw new ApiError("resource_protected", { resource_id: id, resource_type: "campaign" });
  // With a campaign its rewards are gone, too.
  const rewards = await assignmentIdsIn(c.db, c.project.id, id);
  await requireNoProgram(c, { type: "campaign", id }, [id, ...rewards]);
  const campaign = await showCampaign(c.db, c.project.id, await getCampaign(c.db, c.project.id, id));
  await binCampaign(c.db, c.project.id, id, c.now);
  if (force) await freeName(c.db, c.project.id, id);
  else await enter(c, { resource_type: "campaign", resource_id: id, resource_name: name });
  c.changed("campaign", id);
  await record(c, [{ kind: "campaign.deleted", campaign_id: id, payload: { campaign, deleted_at: c.now } }]);
  return { async_action_id: await enqueueDeletion(c, id, force) };
}

async function enqueueDeletion(c: WriteCtx, campaign_id: string, force: boolean): Promise<string> {
  const action = { project_id: c.project.id, id: c.newId("aa"), request_id: c.request_id, created_at: c.now };
  await enqueueAsyncAction(c.db, { ...action, type: "CAMPAIGN.VOUCHERS_DELETE", work: { campaign_id, force } });
  return action.id;
}

/** Deletes a product and its SKUs: into the bin or, with force, for good. */
export async function removeProduct(c: WriteCtx, reference: string, force: boolean): Promise<null> {
  const { id, name, source_id } = await lockProduct(c.db, c.project.id, reference);
  if (force) {
    await ERASE.product(c, id);
    return null;
  }
  await binProduct(c.db, c.project.id, id, c.now);
  await binSkusOf(c.db, c.project.id, id, c.now);
  await enter(c, { resource_type: "product", resource_id: id, resource_name: name ?? source_id ?? id });
  return null;
}

/** Deletes a SKU of a product: into the bin or, with force, for good. */
export async function removeSku(
  c: WriteCtx,
  [productReference, reference]: readonly [string, string],
  force: boolean,
): Promise<null> {
  const product = await lockProduct(c.db, c.project.id, productReference);
  const { id, sku, source_id } = await lockSku(c.db, c.project.id, reference, product.id);
  if (force) {
    await ERASE.sku(c, id);
    return null;
  }
  await binSku(c.db, c.project.id, id, c.now);
  const names = { resource_id: id, resource_name: sku ?? source_id ?? id, resource_parent_id: product.id };
  await enter(c, { resource_type: "sku", ...names });
  return null;
}

/** Deletes a code: into the bin, where it stays taken, or, with force, for good. */
export async function removeVoucher(c: WriteCtx, reference: string, force: boolean): Promise<null> {
  const code = await lockWithCampaign(c, reference);
  const happened = force
    ? await deleteLockedCodes(c, [code], () => ERASE.voucher(c, code.row.id))
    : await binCodes(c, [{ ...code, of: c }]);
  await record(c, happened);
  return null;
}

type Binned = { resource_type: BinKind; resource_id: string; resource_name: string; resource_parent_id?: string };

const enter = (c: WriteCtx, binned: Binned) =>
  insertBinEntries(c.db, c.project.id, [
    { resource_parent_id: null, ...binned, project_id: c.project.id, id: c.newId("tbe"), created_at: c.now },
  ]);

/** Deletes for good what an entry of the bin stands for, with all that went along. */
export async function purgeBinEntry(c: WriteCtx, id: string): Promise<null> {
  const { resource_type, resource_id } = await lockBinEntry(c.db, c.project.id, id);
  await removeBinEntry(c.db, c.project.id, id);
  await ERASE[resource_type](c, resource_id);
  return null;
}

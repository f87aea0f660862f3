import { trimCode } from "../../core/codes/code.ts";
import { codeSpace, codeTemplate } from "../../core/codes/generate.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { voucherTypeOf } from "../../core/vouchers/worth.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import type { Enqueued } from "../../resources/platform/async-actions/schema.ts";
import { enqueueAsyncAction } from "../../resources/platform/async-actions/store.ts";
import { defaultCharsetOf } from "../../resources/platform/projects/store.ts";
import { markGenerating } from "../../resources/promotions/campaigns/codes-store.ts";
import { addToVouchersCount, type Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { VoucherAdd, VoucherWithRules } from "../../resources/promotions/vouchers/schema.ts";
import { findOrAddCategory } from "../../steps/promotions/settings.ts";
import { showWritten, told } from "../../steps/promotions/voucher-view.ts";
import {
  campaignForCodes,
  createVoucher,
  requireGenerating,
  requireVouchersCount,
  settingsIn,
} from "../../steps/promotions/vouchers.ts";

/** What a body says of each code that is added. */
async function overridesIn(c: WriteCtx, sent: VoucherAdd, campaign: Campaign) {
  const catalog = await c.catalog();
  requireGenerating(campaign);
  const found = voucherTypeOf(sent, campaign.voucher_type);
  if ("fault" in found) throw invalid(found.fault);
  return {
    settings: settingsIn(c, catalog, sent, campaign),
    category_id: (await findOrAddCategory(c, catalog, sent)) ?? null,
    additional_info: sent.additional_info ?? null,
  };
}

/** Adds a code to a campaign: the one that is sent, or one that is made. It has the campaign's settings where the body says nothing. */
export async function addVoucher(c: WriteCtx, reference: string, sent: VoucherAdd): Promise<VoucherWithRules> {
  const campaign = await campaignForCodes(c, reference);
  const row = await createVoucher(c, {
    ...(sent.code ? { code: trimCode(sent.code) } : { code_config: sent.code_config ?? campaign.code_config ?? {} }),
    campaign_id: campaign.id,
    type: campaign.voucher_type!,
    ...(await overridesIn(c, sent, campaign)),
  });
  await addToVouchersCount(c.db, c.project.id, campaign.id, 1);
  const voucher = await showWritten(c, row, campaign);
  const about = { voucher_id: row.id, campaign_id: campaign.id };
  await record(c, [
    { kind: "voucher.created", ...about, payload: told(voucher) },
    { kind: "campaign.vouchers.added", campaign_id: campaign.id, payload: { count: 1 } },
  ]);
  return voucher;
}

/** Has many codes made after the answer. Whether there are enough of their kind is said now. */
export async function addManyVouchers(
  c: WriteCtx & { vouchersCountMax: number },
  reference: string,
  sent: VoucherAdd,
  count: number,
): Promise<Enqueued> {
  requireVouchersCount(c, count, "invalid_query_params");
  const campaign = await campaignForCodes(c, reference);
  if (sent.code) throw invalid("Property .code is for one code only");
  const overrides = await overridesIn(c, sent, campaign);
  const code_config = sent.code_config ?? campaign.code_config ?? {};
  const template = codeTemplate(code_config, await defaultCharsetOf(c.db, c.project.id));
  if ("fault" in template) throw new ApiError("invalid_code_config", { details: template.fault });
  const most = codeSpace(template, c.project.case_sensitive_codes);
  if (most < count)
    throw new ApiError("invalid_code_config", {
      details: `The pattern ${template.pattern} makes ${most} codes at most, not ${count}`,
    });
  const id = c.newId("aa");
  await enqueueAsyncAction(c.db, {
    project_id: c.project.id,
    id,
    type: "CAMPAIGN.VOUCHERS_GENERATE",
    request_id: c.request_id,
    work: { campaign_id: campaign.id, count, code_config, overrides, is_addition: true },
    created_at: c.now,
  });
  await markGenerating(c.db, c.project.id, campaign.id);
  return { async_action_id: id };
}

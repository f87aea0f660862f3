import { trimCode } from "../../core/codes/code.ts";
import { type CodeConfig, codeSpace, codeTemplate } from "../../core/codes/generate.ts";
import { ApiError } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import { enqueueAsyncAction } from "../../resources/platform/async-actions/store.ts";
import { defaultCharsetOf } from "../../resources/platform/projects/store.ts";
import { addToVouchersCount, type CampaignRow, loadCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { showWritten, told } from "./voucher-view.ts";
import { createVoucher } from "./vouchers.ts";

/** How codes are made, with all that follows from what is sent; 400 when it cannot make that many. */
export async function requireCodeConfig(c: WriteCtx, sent: CodeConfig, count: number): Promise<CodeConfig> {
  const template = codeTemplate(sent, await defaultCharsetOf(c.db, c.project.id));
  if ("fault" in template) throw new ApiError("invalid_code_config", { details: template.fault });
  const space = codeSpace(template, c.project.case_sensitive_codes);
  if (space < count)
    throw new ApiError("invalid_code_config", {
      details: `There are ${space} different codes at most, and ${count} are asked for`,
    });
  const { pattern, characters, length } = template;
  const { prefix, postfix } = sent.pattern ? {} : sent;
  return { length, charset: characters.join(""), pattern, ...(prefix && { prefix }), ...(postfix && { postfix }) };
}

type CodedCampaign = Pick<CampaignRow, "id" | "voucher_type"> & { code_config: CodeConfig };

/** Makes the codes of a new campaign: one at once, many by a worker. */
export async function makeCodes(
  c: WriteCtx,
  { id, voucher_type, code_config }: CodedCampaign,
  { count, code }: { count: number; code: string | null | undefined },
): Promise<void> {
  if (voucher_type === null || count === 0) return;
  if (count === 1) {
    const made = code ? { code: trimCode(code) } : { code_config };
    const row = await createVoucher(c, { campaign_id: id, type: voucher_type, settings: null, ...made });
    await addToVouchersCount(c.db, c.project.id, id, 1);
    const [campaign] = await loadCampaigns(c.db, c.project.id, [id]);
    const payload = told(await showWritten(c, row, campaign!));
    await record(c, [{ kind: "voucher.created", voucher_id: row.id, campaign_id: id, payload }]);
    return;
  }
  await enqueueAsyncAction(c.db, {
    project_id: c.project.id,
    id: c.newId("aa"),
    type: "CAMPAIGN.VOUCHERS_GENERATE",
    request_id: c.request_id,
    work: { campaign_id: id, count, code_config, overrides: {} },
    created_at: c.now,
  });
}

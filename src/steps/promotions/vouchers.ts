import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { codeFault, foldCode, trimCode } from "../../core/codes/code.ts";
import { type CodeConfig, codeTemplate, createCodeMaker } from "../../core/codes/generate.ts";
import type { DiscountSent } from "../../core/discounts/schema.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { ValidityFields } from "../../core/time/validity.ts";
import type { GiftSent, LoyaltyCardSent } from "../../core/vouchers/schema.ts";
import { NO_SETTINGS, settingsOf, type VoucherSettings } from "../../core/vouchers/settings.ts";
import { mergeSettings, type SettingsSent, saysNothing } from "../../core/vouchers/worth.ts";
import type { WriteCtx } from "../../ctx.ts";
import { defaultCharsetOf } from "../../resources/platform/projects/store.ts";
import { type Campaign, loadCampaigns, lockCampaign } from "../../resources/promotions/campaigns/store.ts";
import { insertVouchers, lockVoucher, type NewVoucher, takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { requireDiscount, requireLoyaltyCard, requireValidity } from "./settings.ts";

const ATTEMPTS = 20;

type Wanted = Omit<NewVoucher, "id" | "code"> & ({ code: string } | { code_config: CodeConfig });

/**
 * Creates one code: the given one, or one that is made and free. 409 `duplicate_found` when the given one is taken, 400
 * `invalid_code_config` when none can be made.
 */
export async function createVoucher(c: WriteCtx, wanted: Wanted): Promise<VoucherRow> {
  const at = await takeStamps(c.db, c.project.id, { now: c.now });
  const faultOf = (code: string) => codeFault(code) ?? codeFault(foldCode(code, c.project.case_sensitive_codes));
  if ("code" in wanted) {
    const details = faultOf(wanted.code);
    if (details !== null) throw invalid(details);
    const [row] = await insertVouchers(c.db, c.project, [{ ...wanted, id: c.newId("v") }], at);
    if (row) return row;
    throw new ApiError("duplicate_found", {
      details: `Duplicated voucher exists with id ${wanted.code}`,
      resource_id: wanted.code,
      resource_type: "voucher",
    });
  }
  const { code_config, ...rest } = wanted;
  const template = codeTemplate(code_config, await defaultCharsetOf(c.db, c.project.id));
  if ("fault" in template) throw new ApiError("invalid_code_config", { details: template.fault });
  const make = createCodeMaker(template, () => Buffer.from(c.newSecret(), "hex"));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const code = make();
    // Nobody could send it as it is.
    if (faultOf(code) !== null || trimCode(code) !== code) continue;
    const [row] = await insertVouchers(c.db, c.project, [{ ...rest, id: c.newId("v"), code }], at);
    if (row) return row;
  }
  throw new ApiError("invalid_code_config", {
    details: `No free code was found in ${ATTEMPTS} attempts: make the pattern longer or the charset larger`,
  });
}

/** 400 when one request asks for more codes than the server makes at once. */
export function requireVouchersCount(
  { vouchersCountMax }: { vouchersCountMax: number },
  count: number,
  key: "invalid_payload" | "invalid_query_params",
): void {
  if (count <= vouchersCountMax) return;
  throw new ApiError(key, {
    details: `Property .vouchers_count must be <= ${vouchersCountMax} (LAUREL_VOUCHERS_COUNT_MAX). A campaign may have more codes: ask for them in several requests`,
  });
}

/** The campaign that is to get a code, by id or name, as it is now. 404 without it; a promotion has no codes: 400. */
export async function campaignForCodes(c: WriteCtx, reference: string): Promise<Campaign> {
  const { id } = await lockCampaign(c.db, c.project.id, reference);
  const [campaign] = await loadCampaigns(c.db, c.project.id, [id]);
  if (campaign!.voucher_type === null)
    throw new ApiError("invalid_campaign", { details: "A campaign of the type PROMOTION has no codes" });
  return campaign!;
}

/** 400 for a campaign that has one code for all. */
export function requireGenerating({ type }: Pick<Campaign, "type">): void {
  if (type === "STANDALONE")
    throw new ApiError("invalid_campaign", {
      details: "You can not generate vouchers for STANDALONE type campaign.",
    });
}

/** A code that is locked, with its campaign as it is now. In a campaign that is in the bin there is none. */
export async function lockWithCampaign(
  c: WriteCtx,
  reference: string,
): Promise<{ row: VoucherRow; campaign: Campaign | null }> {
  const row = await lockVoucher(c.db, c.project, reference);
  if (row.campaign_id === null) return { row, campaign: null };
  const [campaign] = await loadCampaigns(c.db, c.project.id, [row.campaign_id]);
  if (!campaign) throw notFound("voucher", reference);
  return { row, campaign };
}

/** What a body says of a new code. */
export type SettingsBody = { [F in keyof ValidityFields]?: ValidityFields[F] } & {
  discount?: DiscountSent | null;
  gift?: GiftSent | null;
  loyalty_card?: LoyaltyCardSent | null;
  redemption?: { quantity?: number | null } | null;
  metadata?: Record<string, unknown> | null;
};

/** The complete settings of a new code; null: the body says nothing, and the code follows its campaign. */
export function settingsIn(
  c: Pick<WriteCtx, "project">,
  catalog: Catalog,
  sent: SettingsBody,
  campaign: Campaign | null,
): VoucherSettings | null {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = sent;
  const { discount, gift, loyalty_card, redemption, metadata } = sent;
  const said: SettingsSent = {
    ...{ start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours },
    discount: discount ? requireDiscount(discount, ".discount") : undefined,
    gift: gift ? { amount: gift.amount, effect: gift.effect ?? "APPLY_TO_ORDER" } : undefined,
    loyalty_card: loyalty_card ? requireLoyaltyCard(loyalty_card, ".loyalty_card") : undefined,
    quantity: redemption?.quantity,
    metadata: metadata ?? undefined,
  };
  if (campaign && saysNothing(said)) return null;
  const before = campaign ? settingsOf({ settings: null, template_version: null }, campaign) : NO_SETTINGS;
  const settings = mergeSettings(before, said);
  requireMetadata(catalog, metadataOf(campaign), { metadata: settings.metadata, on: "create" });
  return { ...settings, ...requireValidity(settings, c.project) };
}

/** The kind of metadata that a code has. */
export const metadataOf = (campaign: Campaign | null): "voucher" | "campaign" =>
  campaign && !campaign.use_voucher_metadata_schema ? "campaign" : "voucher";

import { isDeepStrictEqual } from "node:util";
import { requireMetadata } from "../../catalog/metadata.ts";
import { trimCode } from "../../core/codes/code.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf, type VoucherSettings } from "../../core/vouchers/settings.ts";
import { mergeSettings, voucherTypeOf } from "../../core/vouchers/worth.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, type NewEvent, record } from "../../events/events.ts";
import { lockSession, releaseSession } from "../../resources/checkout/sessions/store.ts";
import { addToVouchersCount } from "../../resources/promotions/campaigns/store.ts";
import {
  type ValidationRuleAssignmentRow,
  view,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import type { VoucherCreate, VoucherUpdate, VoucherWithRules } from "../../resources/promotions/vouchers/schema.ts";
import { updateVoucher } from "../../resources/promotions/vouchers/store.ts";
import { assignRules } from "../../steps/promotions/rule-assignments.ts";
import { findOrAddCategory, requireDiscount, requireUnits, requireValidity } from "../../steps/promotions/settings.ts";
import { showWritten, told } from "../../steps/promotions/voucher-view.ts";
import {
  campaignForCodes,
  createVoucher,
  lockWithCampaign,
  metadataOf,
  requireGenerating,
  settingsIn,
} from "../../steps/promotions/vouchers.ts";

/** Creates a code, alone or in the campaign that the body names. */
export async function makeVoucher(c: WriteCtx, sent: VoucherCreate): Promise<VoucherWithRules> {
  const catalog = await c.catalog();
  const named = sent.campaign_id || sent.campaign;
  const campaign = named ? await campaignForCodes(c, named) : null;
  if (campaign && !sent.code) requireGenerating(campaign);
  const found = voucherTypeOf(sent, campaign?.voucher_type ?? null);
  if ("fault" in found) throw invalid(found.fault);
  const settings = settingsIn(c, catalog, sent, campaign);
  await requireUnits(c, catalog, settings?.discount);
  const row = await createVoucher(c, {
    ...(sent.code ? { code: trimCode(sent.code) } : { code_config: sent.code_config ?? campaign?.code_config ?? {} }),
    campaign_id: campaign?.id ?? null,
    type: found.type,
    settings,
    category_id: (await findOrAddCategory(c, catalog, sent)) ?? null,
    active: sent.active ?? true,
    additional_info: sent.additional_info ?? null,
  });
  if (campaign) await addToVouchersCount(c.db, c.project.id, campaign.id, 1);
  const assigned = await assignRules(c, sent.validation_rules ?? [], {
    related_object_type: "voucher",
    related_object_id: row.id,
  });
  const voucher = await showWritten(c, row, campaign);
  await record(c, [
    voucherEvent("voucher.created", voucher),
    ...(campaign
      ? [{ kind: "campaign.vouchers.added" as const, campaign_id: campaign.id, payload: { count: 1 } }]
      : []),
    ...assigned.map(ruleAssigned),
  ]);
  return voucher;
}

const ruleAssigned = (row: ValidationRuleAssignmentRow): NewEvent => ({
  kind: "business_validation_rule.assignment.created",
  voucher_id: row.related_object_id,
  payload: { assignment: view(row) },
});

const voucherEvent = (kind: EventKind, voucher: VoucherWithRules): NewEvent => ({
  kind,
  voucher_id: voucher.id,
  campaign_id: voucher.campaign_id,
  payload: told(voucher),
});

/**
 * What is not sent keeps its value. A code that followed its campaign has settings of its own from the first change to
 * one of them; whether it is active, its category and its note are never the campaign's.
 */
export async function changeVoucher(c: WriteCtx, reference: string, sent: VoucherUpdate): Promise<VoucherWithRules> {
  const { row, campaign } = await lockWithCampaign(c, reference);
  const catalog = await c.catalog();
  const before = settingsOf(row, campaign);
  const settings = updatedSettings(c, row, before, sent);
  if (sent.discount) await requireUnits(c, catalog, settings.discount);
  if (sent.metadata) requireMetadata(catalog, metadataOf(campaign), { metadata: sent.metadata, on: "update" });
  const saved = await updateVoucher(c.db, row, {
    settings: isDeepStrictEqual(settings, before) ? undefined : settings,
    category_id: await findOrAddCategory(c, catalog, sent),
    active: sent.active ?? undefined,
    additional_info: sent.additional_info,
    updated_at: c.now,
  });
  const voucher = await showWritten(c, saved, campaign);
  await record(c, [voucherEvent("voucher.updated", voucher)]);
  return voucher;
}

function updatedSettings(c: WriteCtx, row: VoucherRow, before: VoucherSettings, sent: VoucherUpdate): VoucherSettings {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours, metadata } = sent;
  const refuse = (details: string) => new ApiError("invalid_voucher", { details, resource_id: row.id });
  const [discount, gift] = [sent.discount ?? undefined, sent.gift ?? undefined];
  if ((sent.type && sent.type !== row.type) || (discount && !before.discount) || (gift && !before.gift))
    throw refuse("It is not possible to change Voucher type");
  if (discount && discount.type !== before.discount?.type)
    throw refuse("It is not possible to change Voucher discount type");
  const settings = mergeSettings(before, {
    ...{ start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours },
    discount: discount && requireDiscount(discount, ".discount"),
    // What a card holds is not set here: its balance would no longer be what was put on it.
    gift: gift && { effect: gift.effect },
    metadata: metadata ?? undefined,
  });
  return { ...settings, ...requireValidity(settings, c.project) };
}

/** Enables or disables a code. One that is so already stays as it is, and nothing is told of it. */
export async function switchVoucher(c: WriteCtx, reference: string, active: boolean): Promise<VoucherWithRules> {
  const { row, campaign } = await lockWithCampaign(c, reference);
  if (row.active === active) return showWritten(c, row, campaign);
  const saved = await updateVoucher(c.db, row, { active, updated_at: c.now });
  const voucher = await showWritten(c, saved, campaign);
  await record(c, [voucherEvent(active ? "voucher.enabled" : "voucher.disabled", voucher)]);
  return voucher;
}

/** Gives back what a session holds of a code. */
export async function releaseVoucher(c: WriteCtx, reference: string, sessionKey: string): Promise<null> {
  await lockSession(c.db, c.project.id, sessionKey);
  const { row } = await lockWithCampaign(c, reference);
  await releaseSession(c.db, c.project.id, { voucherId: row.id, sessionKey, now: c.now });
  return null;
}

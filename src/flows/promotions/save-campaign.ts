import { isDeepStrictEqual } from "node:util";
import { type Static, Type } from "typebox";
import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError } from "../../core/errors.ts";
import { parseTiersExpiration } from "../../core/loyalty/campaign/shapes.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, type NewEvent, record } from "../../events/events.ts";
import { reviewPrograms } from "../../resources/loyalty-v2/cards/reviews-store.ts";
import { type CampaignUpdate, type CampaignView, campaignCreate } from "../../resources/promotions/campaigns/schema.ts";
import {
  type CampaignRow,
  getCampaign,
  insertCampaign,
  insertTemplate,
  lockCampaign,
  updateCampaign,
} from "../../resources/promotions/campaigns/store.ts";
import { PromotionTierCreate } from "../../resources/promotions/promotion-tiers/schema.ts";
import { takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { makeCodes, requireCodeConfig } from "../../steps/promotions/campaign-codes.ts";
import {
  joinsOnlyOnce,
  mergeCampaignSettings,
  requireActivityDuration,
  requireNewCampaign,
  requireType,
  type StoredCampaignKind,
} from "../../steps/promotions/campaign-settings.ts";
import { showCampaign } from "../../steps/promotions/campaigns.ts";
import { insertTier } from "../../steps/promotions/promotion-tiers.ts";
import { assignRules } from "../../steps/promotions/rule-assignments.ts";
import { findOrAddCategory, requireUnits } from "../../steps/promotions/settings.ts";
import { requireVouchersCount } from "../../steps/promotions/vouchers.ts";
import { referralTierEvents, requireReferralProgram } from "../../steps/referrals/referral-programs.ts";

const TIERS_MAX = 100;
const tiers = Type.Optional(Type.Array(PromotionTierCreate, { maxItems: TIERS_MAX }));
const Promotion = { type: ["object", "null"], properties: { tiers }, additionalProperties: true };
export const CampaignCreate = Type.Object(
  {
    ...campaignCreate,
    promotion: Type.Optional(Type.Unsafe<{ tiers?: PromotionTierCreate[] } | null>(Promotion)),
  },
  { additionalProperties: true },
);
export type CampaignCreate = Static<typeof CampaignCreate>;

/**
 * Creates a campaign with its rules, its tiers and its codes. One code is made at once; many are made by a worker, and
 * until then the campaign says that they are in progress.
 */
export async function createCampaign(
  c: WriteCtx & { vouchersCountMax: number },
  sent: CampaignCreate,
): Promise<CampaignView> {
  const catalog = await c.catalog();
  const { kind, settings, about } = requireNewCampaign(c, catalog, sent);
  const { voucher } = sent;
  await requireUnits(c, catalog, settings.discount);
  const count = kind.type === "STANDALONE" ? 1 : kind.voucher_type === null ? 0 : (sent.vouchers_count ?? 0);
  requireVouchersCount(c, count, "invalid_payload");
  const code_config = kind.voucher_type === null ? null : await requireCodeConfig(c, voucher?.code_config ?? {}, count);
  const { id } = await insertCampaign(
    c.db,
    {
      ...kind,
      ...(await extrasOf(c, catalog, kind, sent)),
      ...about,
      ...{ project_id: c.project.id, id: c.newId("camp"), code_config, active: sent.active ?? true },
      category_id: (await findOrAddCategory(c, catalog, sent)) ?? null,
      created_at: await takeStamps(c.db, c.project.id, { now: c.now }),
    },
    { settings, status: count > 1 ? "IN_PROGRESS" : "DONE" },
  );
  c.changed("campaign", id);
  await makeCodes(c, { id, ...kind, code_config: code_config ?? {} }, { count, code: voucher?.code });
  await assignRules(c, sent.validation_rules ?? [], { related_object_type: "campaign", related_object_id: id });
  for (const tier of sent.promotion?.tiers ?? []) await insertTier(c, catalog, { id }, tier);
  const shown = await readShown(c, id);
  await record(c, [campaignEvent("campaign.created", shown), ...eventsWithin(shown)]);
  return shown;
}

/** What is not sent keeps its value; metadata is merged. Codes that were published or redeemed keep what they have. */
export async function changeCampaign(c: WriteCtx, reference: string, sent: CampaignUpdate): Promise<CampaignView> {
  const before = await lockCampaign(c.db, c.project.id, reference);
  if (before.protected) throw new ApiError("resource_protected", { resource_id: before.id, resource_type: "campaign" });
  const catalog = await c.catalog();
  const { settings } = await getCampaign(c.db, c.project.id, before.id);
  const next = mergeCampaignSettings(c, settings, {
    kind: before,
    sent: { ...sent, quantity: sent.redemption?.quantity },
  });
  if (sent.discount) await requireUnits(c, catalog, next.discount);
  const schema = before.use_voucher_metadata_schema ? "voucher" : "campaign";
  requireMetadata(catalog, schema, { metadata: sent.metadata ?? {}, on: "update" });
  const unset = new Set(sent.unset_metadata_fields ?? []);
  const metadata = Object.fromEntries(Object.entries(next.metadata).filter(([key]) => !unset.has(key)));
  const isSame = isDeepStrictEqual({ ...next, metadata }, settings);
  const voucher_version = before.voucher_version + (isSame ? 0 : 1);
  if (!isSame) await insertTemplate(c.db, { ...before, voucher_version }, { ...next, metadata });
  const saved = await updateCampaign(c.db, c.project.id, before.id, {
    ...(await extrasOf(c, catalog, before, sent)),
    ...{ description: sent.description, auto_join: sent.auto_join, voucher_version, updated_at: c.now },
    type: requireType(before, sent),
    join_once: joinsOnlyOnce(before, sent.join_once ?? before.join_once),
    activity_duration_after_publishing: requireActivityDuration(sent),
    category_id: await findOrAddCategory(c, catalog, sent),
  });
  await reviewWhenAsked(c, before, saved, sent);
  const shown = await noteCampaignChange(c, before.id, "campaign.updated");
  await record(c, referralTierEvents(before.id, before.referral_program, programIn(shown)));
  return shown;
}

/** Members are looked at again when how tiers are kept has changed, or when that is asked for. */
async function reviewWhenAsked(c: WriteCtx, before: CampaignRow, after: CampaignRow, { options }: CampaignUpdate) {
  const isOther = !isDeepStrictEqual(after.loyalty_tiers_expiration, before.loyalty_tiers_expiration);
  if (before.campaign_type === "LOYALTY_PROGRAM" && (options?.recalculate_tiers ?? isOther))
    await reviewPrograms(c, [before.id]);
}

const programIn = ({ referral_program = null }: CampaignView) => referral_program as CampaignRow["referral_program"];

export async function switchCampaign(c: WriteCtx, reference: string, active: boolean): Promise<Record<string, never>> {
  const { id, active: wasActive } = await lockCampaign(c.db, c.project.id, reference);
  if (active === wasActive) return {};
  // One that is archived is not active: enabling it brings it back.
  await updateCampaign(c.db, c.project.id, id, { active, updated_at: c.now, ...(active && { archived_at: null }) });
  await noteCampaignChange(c, id, active ? "campaign.enabled" : "campaign.disabled");
  return {};
}

/** Puts a campaign away, disabled, or brings it back as it lay there. */
export async function archiveCampaign(c: WriteCtx, reference: string, isWanted: boolean): Promise<CampaignView> {
  const { id, active, archived_at } = await lockCampaign(c.db, c.project.id, reference);
  if ((archived_at !== null) === isWanted) return readShown(c, id);
  await updateCampaign(c.db, c.project.id, id, {
    ...(isWanted ? { archived_at: c.now, active: false } : { archived_at: null }),
    updated_at: c.now,
  });
  return noteCampaignChange(c, id, isWanted && active ? "campaign.disabled" : "campaign.updated");
}

async function noteCampaignChange(c: WriteCtx, id: string, kind: EventKind): Promise<CampaignView> {
  c.changed("campaign", id);
  const shown = await readShown(c, id);
  await record(c, [campaignEvent(kind, shown)]);
  return shown;
}

const readShown = async (c: WriteCtx, id: string) =>
  showCampaign(c.db, c.project.id, await getCampaign(c.db, c.project.id, id));

const campaignEvent = (kind: EventKind, campaign: CampaignView): NewEvent => ({
  kind,
  campaign_id: campaign.id,
  payload: { campaign },
});

/** What was made along with a campaign. */
const eventsWithin = (shown: CampaignView): NewEvent[] => {
  const { id, validation_rules_assignments, promotion } = shown;
  const tiers = promotion?.tiers ?? [];
  const assigned = [validation_rules_assignments, ...tiers.map((tier) => tier.validation_rule_assignments)];
  return [
    ...tiers.map((tier) => ({
      kind: "campaign.promotion_tier.created" as const,
      campaign_id: id,
      payload: { promotion_tier: tier },
    })),
    ...referralTierEvents(id, null, programIn(shown)),
    ...assigned.flatMap(({ data }) =>
      data.map((assignment) => ({
        kind: "business_validation_rule.assignment.created" as const,
        campaign_id: assignment.related_object_type === "campaign" ? id : null,
        payload: { assignment },
      })),
    ),
  ];
};

/** What only campaigns of one type have. */
const extrasOf = async (
  c: WriteCtx,
  catalog: Catalog,
  {
    campaign_type,
    referral_program: before = null,
  }: StoredCampaignKind & Partial<Pick<CampaignRow, "referral_program">>,
  sent: Pick<CampaignUpdate, "referral_program" | "loyalty_tiers_expiration">,
) => ({
  ...(campaign_type === "REFERRAL_PROGRAM" && {
    referral_program: await requireReferralProgram(c, catalog, sent.referral_program, before),
  }),
  ...(campaign_type === "LOYALTY_PROGRAM" && {
    loyalty_tiers_expiration:
      sent.loyalty_tiers_expiration && parseTiersExpiration(sent.loyalty_tiers_expiration, ".loyalty_tiers_expiration"),
  }),
});

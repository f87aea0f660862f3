import type { Catalog } from "../../catalog/catalog.ts";
import { rulesFor } from "../../catalog/rules.ts";
import { campaignLimit, NO_TOTALS } from "../../core/campaigns/limits.ts";
import { type LiveStatus, liveStatus } from "../../core/campaigns/status.ts";
import { periodStart } from "../../core/time/period.ts";
import type { At, ValidityFields } from "../../core/time/validity.ts";
import type { VoucherSettings } from "../../core/vouchers/settings.ts";
import type { Db } from "../../db/db.ts";
import {
  type CampaignFigures,
  campaignsWithCodesLeft,
  loadCodesUsed,
  loadFigures,
  loadRedemptionsByDay,
} from "../../resources/promotions/campaigns/figures-store.ts";
import type { CampaignCounters } from "../../resources/promotions/campaigns/schema.ts";
import type { CampaignRow } from "../../resources/promotions/campaigns/store.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import { validityOfTier } from "./promotion-tiers.ts";

/** A campaign as its row says it, with the newest template. */
type Standing = Pick<CampaignRow, "id" | "active" | "archived_at" | "campaign_type" | "type"> & {
  settings: VoucherSettings;
};
type Configured = Pick<Catalog, "promotion_tiers" | "validation_rules" | "rules_of">;

/** The states of campaigns at a moment, with the figures that they were decided with. Two statements for any number. */
export async function loadStatuses(
  db: Db,
  projectId: string,
  { catalog, campaigns, at }: { catalog: Configured; campaigns: readonly Standing[]; at: At },
): Promise<{ statuses: ReadonlyMap<string, LiveStatus>; figures: ReadonlyMap<string, CampaignFigures> }> {
  const ids = campaigns.map(({ id }) => id);
  const figures = new Map((await loadFigures(db, projectId, ids)).map((one) => [one.campaign_id, one]));
  const maybeUsed = campaigns.filter((one) => mayHaveNoCodesLeft(one, figures.get(one.id))).map(({ id }) => id);
  const withCodes = await campaignsWithCodesLeft(db, projectId, maybeUsed);
  const used = new Set(maybeUsed.filter((id) => !withCodes.has(id)));
  const withTiers = new Set(catalog.promotion_tiers.values().map(({ campaign_id }) => campaign_id));
  const statusOf = (one: Standing): LiveStatus => {
    const own = figures.get(one.id);
    const isEmpty = one.campaign_type === "PROMOTION" && !withTiers.has(one.id);
    return liveStatus(
      {
        isArchived: one.archived_at !== null,
        isDraft: isEmpty || own?.creation_status === "DRAFT",
        isActive: one.active,
        validity: one.settings,
        rules: rulesFor(catalog, one.id),
        totals: own ?? NO_TOTALS,
        areCodesUsed: used.has(one.id),
      },
      at,
    );
  };
  return { statuses: new Map(campaigns.map((one) => [one.id, statusOf(one)])), figures };
}

/** Each code of a campaign that is used up was redeemed once at least. A campaign that makes codes always has another. */
const mayHaveNoCodesLeft = ({ type, campaign_type }: Standing, figures: CampaignFigures | undefined): boolean =>
  type !== "AUTO_UPDATE" &&
  campaign_type !== "PROMOTION" &&
  figures !== undefined &&
  figures.vouchers_count > 0 &&
  figures.redemptions >= figures.vouchers_count;

/** The states of tiers: their own settings count before those of their campaign, and its limits are theirs. */
export async function loadTierStatuses(
  db: Db,
  projectId: string,
  {
    catalog,
    tiers,
    at,
  }: { catalog: Configured & Pick<Catalog, "campaigns">; tiers: readonly PromotionTierRow[]; at: At },
): Promise<ReadonlyMap<string, LiveStatus>> {
  const named = [...new Set(tiers.map(({ campaign_id }) => campaign_id))];
  const figures = new Map((await loadFigures(db, projectId, named)).map((one) => [one.campaign_id, one]));
  return new Map(
    tiers.flatMap((tier) => {
      const campaign = catalog.campaigns.get(tier.campaign_id);
      if (!campaign) return [];
      const standing = {
        isArchived: campaign.archived_at !== null,
        isDraft: false,
        isActive: tier.active && campaign.active,
        validity: validityOfTier(tier, campaign) as ValidityFields,
        rules: [...rulesFor(catalog, tier.id), ...rulesFor(catalog, campaign.id)],
        totals: figures.get(campaign.id) ?? NO_TOTALS,
        areCodesUsed: false,
      };
      return [[tier.id, liveStatus(standing, at)]];
    }),
  );
}

const DAYS = 30;

/** What lists show beside campaigns: use, budget and codes. Two statements for any number of campaigns. */
export async function loadCampaignUse(
  db: Db,
  projectId: string,
  { catalog, figures, at }: { catalog: Configured; figures: ReadonlyMap<string, CampaignFigures>; at: At },
): Promise<ReadonlyMap<string, CampaignCounters>> {
  const ids = [...figures.keys()];
  const today = Temporal.PlainDate.from(periodStart("day", at.now, at.zone));
  const days = Array.from({ length: DAYS }, (_, n) => today.subtract({ days: DAYS - 1 - n }).toString());
  const byDay = await loadRedemptionsByDay(db, projectId, { ids, days });
  const used = await loadCodesUsed(
    db,
    projectId,
    ids.filter((id) => figures.get(id)!.redemptions > 0),
  );
  return new Map(
    figures.values().map((own): [string, CampaignCounters] => {
      const rules = rulesFor(catalog, own.campaign_id);
      const [discounts, gifts] = [campaignLimit(rules, "discount_amount"), campaignLimit(rules, "gift_amount")];
      return [
        own.campaign_id,
        {
          redemptions: own.redemptions,
          discount: own.discount_amount,
          redemptions_by_day: byDay.get(own.campaign_id)!,
          budget: discounts ?? gifts,
          budget_used: discounts === null && gifts !== null ? own.gift_amount : own.discount_amount,
          codes: own.vouchers_count,
          codes_used: used.get(own.campaign_id) ?? 0,
        },
      ];
    }),
  );
}

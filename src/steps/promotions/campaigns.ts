import type { Catalog } from "../../catalog/catalog.ts";
import type { Db } from "../../db/db.ts";
import { categories } from "../../resources/catalogue/categories/store.ts";
import type { CampaignView } from "../../resources/promotions/campaigns/schema.ts";
import type { CurrentCampaign } from "../../resources/promotions/campaigns/store.ts";
import type { PromotionTier } from "../../resources/promotions/promotion-tiers/schema.ts";
import { promotionTiersOfCampaigns } from "../../resources/promotions/promotion-tiers/store.ts";
import {
  view as assignmentView,
  loadAssignmentsOf,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { showTiers } from "./promotion-tiers.ts";
import { campaignValidity, categoryShown } from "./settings.ts";

/**
 * How campaigns are shown. All of it is read with the caller's handle and not from the catalog, so that a request sees
 * what it has just written.
 */
export async function showCampaigns(
  db: Db,
  projectId: string,
  rows: readonly CurrentCampaign[],
): Promise<CampaignView[]> {
  const promotions = rows.flatMap(({ id, campaign_type }) => (campaign_type === "PROMOTION" ? [id] : []));
  const tiers = promotions.length > 0 ? await promotionTiersOfCampaigns(db, projectId, promotions) : [];
  const named = [...rows, ...tiers];
  const found = await categories.load(db, projectId, [...new Set(named.flatMap((one) => one.category_id ?? []))]);
  const rules_of = await loadAssignmentsOf(db, projectId, [...named.map(({ id }) => id)]);
  const shown = {
    categories: new Map(found.map((row) => [row.id, row])),
    campaigns: new Map(rows.map((row) => [row.id, withTemplates(row)])),
    rules_of,
  };
  const tierViews = await showTiers(db, projectId, shown, tiers);
  const tiersBy = Map.groupBy(tierViews, ({ campaign_id }) => campaign_id);
  return rows.map((row) => campaignView(shown, row, tiersBy.get(row.id) ?? []));
}

export async function showCampaign(db: Db, projectId: string, row: CurrentCampaign): Promise<CampaignView> {
  const [shown] = await showCampaigns(db, projectId, [row]);
  return shown!;
}

const withTemplates = (row: CurrentCampaign) => ({
  ...row,
  templates: new Map([[row.voucher_version, row.settings]]),
});

type Shown = Pick<Catalog, "categories" | "rules_of">;

function campaignView(shown: Shown, row: CurrentCampaign, tiers: PromotionTier[]): CampaignView {
  const { id, name, description, campaign_type, type, auto_join, join_once, use_voucher_metadata_schema } = row;
  const { vouchers_count, active, creation_status, vouchers_generation_status, created_at, updated_at } = row;
  const assigned = (shown.rules_of.get(id) ?? []).map(assignmentView);
  return {
    ...{ id, name, description, campaign_type, type },
    ...(row.voucher_type !== null && { voucher: voucherView(row, row.voucher_type) }),
    ...{ auto_join, join_once, use_voucher_metadata_schema },
    ...campaignValidity(row.settings),
    activity_duration_after_publishing: row.activity_duration_after_publishing,
    ...(row.archived_at !== null && { archived_at: row.archived_at }),
    ...{ vouchers_count, active, protected: row.protected, metadata: row.settings.metadata as Record<string, unknown> },
    ...{ creation_status, vouchers_generation_status },
    ...(campaign_type === "REFERRAL_PROGRAM" && { referral_program: row.referral_program }),
    ...(campaign_type === "LOYALTY_PROGRAM" && { loyalty_tiers_expiration: row.loyalty_tiers_expiration }),
    ...categoryShown(shown, row.category_id),
    ...(campaign_type === "PROMOTION" && {
      promotion: { object: "list", data_ref: "tiers", tiers, total: tiers.length, has_more: false } as const,
    }),
    validation_rules_assignments: { object: "list", data_ref: "data", data: assigned, total: assigned.length },
    ...{ created_at, updated_at, object: "campaign" },
  };
}

function voucherView(row: CurrentCampaign, type: NonNullable<CurrentCampaign["voucher_type"]>) {
  const { discount, gift, loyalty_card, quantity } = row.settings;
  return {
    type,
    ...(discount && { discount }),
    ...(gift && { gift: { ...gift, balance: gift.amount } }),
    ...(loyalty_card && { loyalty_card }),
    redemption: { quantity },
    code_config: row.code_config ?? {},
    is_referral_code: row.campaign_type === "REFERRAL_PROGRAM",
    ...campaignValidity(row.settings),
  } as NonNullable<CampaignView["voucher"]>;
}

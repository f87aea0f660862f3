import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { type ValidityFields, validityFault } from "../../core/time/validity.ts";
import { NO_SETTINGS } from "../../core/vouchers/settings.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Db } from "../../db/db.ts";
import { categories } from "../../resources/catalogue/categories/store.ts";
import type { Campaign, CampaignRow } from "../../resources/promotions/campaigns/store.ts";
import type { PromotionTier, PromotionTierCreate } from "../../resources/promotions/promotion-tiers/schema.ts";
import {
  nextHierarchy,
  type PromotionTierRow,
  promotionTiers,
  redeemedTotals,
  type TierTotals,
} from "../../resources/promotions/promotion-tiers/store.ts";
import {
  view as assignmentView,
  listRuleAssignments,
  type ValidationRuleAssignmentRow,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { assignRules } from "./rule-assignments.ts";
import {
  campaignValidity,
  categoryShown,
  findOrAddCategory,
  requireDiscount,
  requireUnits,
  requireValidity,
} from "./settings.ts";

/**
 * Creates a tier of a campaign that the caller has locked or made, with the rules that are sent. Without a hierarchy it
 * comes after all others of the campaign. Events are the caller's.
 */
export async function insertTier(
  c: WriteCtx,
  catalog: Catalog,
  campaign: Pick<CampaignRow, "id">,
  sent: PromotionTierCreate,
  hierarchy?: number,
): Promise<PromotionTierRow> {
  const { active = true } = sent;
  const about = requireNewTier(c, catalog, sent);
  await requireUnits(c, catalog, about.action.discount);
  const category_id = (await findOrAddCategory(c, catalog, sent)) ?? null;
  const id = c.newId("promo");
  const row = await promotionTiers.insert(c.db, {
    ...about,
    ...{ project_id: c.project.id, id, campaign_id: campaign.id, active, category_id },
    hierarchy: sent.hierarchy ?? hierarchy ?? (await nextHierarchy(c.db, c.project.id, campaign.id)),
    created_at: await takeStamps(c.db, c.project.id, { now: c.now }),
  });
  c.changed("promotion_tier", id);
  await assignRules(c, rulesIn(sent), { related_object_type: "promotion_tier", related_object_id: id });
  return row;
}

/** What a new tier says of itself; 400 when what is sent does not fit together. */
export function requireNewTier(
  c: Pick<WriteCtx, "project">,
  catalog: Pick<Catalog, "metadata_schemas">,
  sent: PromotionTierCreate,
) {
  const { name, banner = null, metadata = {} } = sent;
  const discount = requireDiscount(sent.action.discount, ".action.discount");
  const validity = requireValidity({ ...NO_VALIDITY, ...given(sent) }, c.project);
  requireMetadata(catalog, "promotion_tier", { metadata, on: "create" });
  return { ...validity, name, banner, metadata, action: { discount } };
}

const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = NO_SETTINGS;
const NO_VALIDITY = { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours };
const FIELDS = Object.keys(NO_VALIDITY) as (keyof ValidityFields)[];

/** The fields that were sent. */
export const given = (sent: Partial<ValidityFields>): Partial<ValidityFields> =>
  Object.fromEntries(FIELDS.flatMap((field) => (sent[field] === undefined ? [] : [[field, sent[field]]])));

/** The rules that a new tier names. */
export const rulesIn = ({ validation_rules, validation_rule_assignments }: PromotionTierCreate): string[] => [
  ...(validation_rules ?? []),
  ...(validation_rule_assignments?.data ?? []).map(({ rule_id }) => rule_id),
];

const validityOfCampaign = ({ templates, voucher_version }: Campaign): ValidityFields =>
  templates.get(voucher_version) ?? NO_VALIDITY;

// Contract is silent: a tier with some of the fields. Each is taken by itself, so that a tier that only ends earlier
// does not begin earlier as well.
/** When a tier is active: what it says itself and, where it says nothing, what its campaign says. */
export function validityOfTier(tier: PromotionTierRow, campaign: Campaign): ValidityFields {
  const inherited = validityOfCampaign(campaign);
  return Object.fromEntries(FIELDS.map((field) => [field, tier[field] ?? inherited[field]])) as ValidityFields;
}

type Shown = Pick<Catalog, "categories" | "campaigns" | "rules_of">;

/** How tiers of the catalog are shown; one whose campaign is not there is left out, as the catalog does. */
export async function showTiers(
  db: Db,
  projectId: string,
  shown: Shown,
  rows: readonly PromotionTierRow[],
): Promise<PromotionTier[]> {
  const ids = rows.map(({ id }) => id);
  const totals = await redeemedTotals(db, projectId, ids);
  return rows.flatMap((row) => {
    const campaign = shown.campaigns.get(row.campaign_id);
    return campaign ? [tierView(shown, row, campaign, totals.get(row.id))] : [];
  });
}

/** How tiers that a request wrote are shown to it: its catalog is older than they are. */
export async function showWrittenTiers(
  c: WriteCtx,
  campaign: Campaign,
  rows: readonly PromotionTierRow[],
): Promise<PromotionTier[]> {
  const named = rows.flatMap(({ category_id }) => category_id ?? []);
  const found = await categories.load(c.db, c.project.id, named);
  const rules_of = new Map<string, ValidationRuleAssignmentRow[]>();
  for (const { id } of rows) {
    const assigned = await listRuleAssignments(c.db, c.project.id, { related_object_id: id, order: "created_at" });
    rules_of.set(id, assigned.rows);
  }
  const shown = {
    categories: new Map(found.map((row) => [row.id, row])),
    campaigns: new Map([[campaign.id, campaign]]),
    rules_of,
  };
  return showTiers(c.db, c.project.id, shown, rows);
}

const NO_TOTALS: TierTotals = { redemptions: 0, order_amount: 0, discount_amount: 0 };

/** The same fields; those of the answer are not marked as read-only. */
type OwnFields = Pick<PromotionTier, Extract<keyof PromotionTier, keyof PromotionTierRow>>;

export function tierView(
  shown: Pick<Shown, "categories" | "rules_of">,
  row: PromotionTierRow,
  campaign: Campaign,
  totals: TierTotals = NO_TOTALS,
): PromotionTier {
  const { project_id: _, ...fields } = row;
  const { category_id, categories } = categoryShown(shown, row.category_id);
  const assigned = shown.rules_of.get(row.id) ?? [];
  return {
    ...(fields as OwnFields),
    promotion_id: campaign.id,
    campaign: campaignShown(campaign),
    category_id,
    categories,
    validation_rule_assignments: {
      object: "list",
      data_ref: "data",
      data: assigned.map((one) => ({ ...assignmentView(one), related_object_type: "promotion_tier" })),
      total: assigned.length,
    },
    summary: {
      redemptions: { total_redeemed: totals.redemptions },
      orders: { total_amount: totals.order_amount, total_discount_amount: totals.discount_amount },
    },
    object: "promotion_tier",
  };
}

function campaignShown(campaign: Campaign): PromotionTier["campaign"] {
  const { id, active, category_id } = campaign;
  return { id, active, ...campaignValidity(validityOfCampaign(campaign)), category_id, object: "campaign" };
}

/** The promotion campaign with that id or name: 404 without it, 400 `invalid_campaign` when it is of another kind. */
export function promotionNamed({ campaigns }: Pick<Catalog, "campaigns">, reference: string): Campaign {
  const campaign = campaigns.get(reference) ?? [...campaigns.values()].find(({ name }) => name === reference);
  if (!campaign) throw notFound("campaign", reference);
  requirePromotion(campaign);
  return campaign;
}

// Contract is silent: tiers and stacks of a campaign of codes. The same key as elsewhere for a wrong kind of campaign.
export function requirePromotion({ id, campaign_type }: Pick<CampaignRow, "id" | "campaign_type">): void {
  if (campaign_type === "PROMOTION") return;
  throw new ApiError("invalid_campaign", {
    details: `Campaign ${id} is a ${campaign_type} campaign: only PROMOTION campaigns have tiers and stacks`,
    resource_id: id,
    resource_type: "campaign",
  });
}

type ListQuery = { limit?: number; page?: number; order?: string; is_available?: boolean };

/** A page of all tiers of the project. */
export function listPromotionTiers(
  { campaigns, promotion_tiers }: Pick<Catalog, "campaigns" | "promotion_tiers">,
  { limit = PAGE_LIMIT, page = 1, order = "-created_at", is_available }: ListQuery,
  { now, zone }: { now: string; zone: string },
): { rows: PromotionTierRow[]; total: number; has_more: boolean } {
  const isAvailable = (tier: PromotionTierRow) => {
    const campaign = campaigns.get(tier.campaign_id)!;
    const isActive = tier.active && campaign.active;
    return isActive && validityFault(validityOfTier(tier, campaign), { now, zone }) === null;
  };
  const wanted = [...promotion_tiers.values()].filter(
    (tier) => is_available === undefined || isAvailable(tier) === is_available,
  );
  const sorted = wanted.sort(by(order.replace(/^-/, "") as "created_at" | "updated_at"));
  if (order.startsWith("-")) sorted.reverse();
  const first = (page - 1) * limit;
  const rows = sorted.slice(first, first + limit);
  return { rows, total: sorted.length, has_more: sorted.length > first + rows.length };
}
const PAGE_LIMIT = 10;

/** In the order of the hierarchy, which is the one they are applied in. */
export const tiersIn = ({ promotion_tiers }: Pick<Catalog, "promotion_tiers">, campaignId: string) =>
  [...promotion_tiers.values()]
    .filter(({ campaign_id }) => campaign_id === campaignId)
    .sort((one, other) => one.hierarchy - other.hierarchy || by("created_at")(one, other));

/** As the database sorts: by time to the microsecond, never updated last, the id breaks ties. */
const by = (column: "created_at" | "updated_at") => (one: PromotionTierRow, other: PromotionTierRow) => {
  // Without the Z the shorter of two texts that begin alike is the earlier moment.
  const key = (row: PromotionTierRow) => `${row[column]?.slice(0, -1) ?? "~"} ${row.id}`;
  return key(one) < key(other) ? -1 : 1;
};

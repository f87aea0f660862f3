import type { Catalog } from "../../catalog/catalog.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Db } from "../../db/db.ts";
import type { Project } from "../../request.ts";
import { categories } from "../../resources/catalogue/categories/store.ts";
import { type Campaign, loadCampaigns } from "../../resources/promotions/campaigns/store.ts";
import {
  view as assignmentView,
  loadVoucherAssignments,
  type ValidationRuleAssignmentRow,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { picturesOf } from "../../resources/promotions/vouchers/picture-store.ts";
import type { Voucher, VoucherWithRules } from "../../resources/promotions/vouchers/schema.ts";
import { categoryShown } from "./settings.ts";

type Shown = Pick<Catalog, "campaigns" | "categories">;
type Owner = Pick<Project, "id" | "secret">;

/** How a code is shown, with the settings that hold for it now. Its campaign must be among those of `shown`. */
export function voucherView(
  shown: Shown,
  row: VoucherRow,
  project: Owner,
  next: { date: string; points: number } | null = null,
): Voucher {
  const { id, code, type, redeemed_quantity, campaign_id } = row;
  const campaign = campaign_id === null ? undefined : shown.campaigns.get(campaign_id);
  const settings = settingsOf(row, campaign ?? null);
  const { discount, gift, loyalty_card, quantity, metadata, ...validity } = settings;
  const sums = sumsOf(row, settings);
  const named = encodeURIComponent(code);
  return {
    id,
    code,
    campaign: campaign?.name ?? null,
    campaign_id,
    ...categoryShown(shown, row.category_id),
    type,
    discount: discount as Voucher["discount"],
    gift: gift &&
      sums && {
        amount: sums.received,
        subtracted_amount: sums.subtracted,
        balance: sums.available,
        effect: gift.effect,
      },
    loyalty_card: loyalty_card &&
      sums && {
        points: sums.received,
        balance: sums.available,
        next_expiration_date: next?.date ?? null,
        next_expiration_points: next?.points ?? null,
        pending_points: sums.pending,
        expired_points: sums.expired,
        subtracted_points: sums.subtracted,
      },
    ...(validity as Pick<Voucher, keyof typeof validity>),
    active: row.active,
    additional_info: row.additional_info,
    metadata,
    assets: picturesOf(project, id),
    is_referral_code: campaign?.campaign_type === "REFERRAL_PROGRAM",
    created_at: row.created_at,
    updated_at: row.updated_at,
    holder_id: row.holder_id,
    referrer_id: row.referrer_id,
    redemption: {
      quantity,
      redeemed_quantity,
      ...(type === "GIFT_VOUCHER" && { redeemed_amount: sums?.spent ?? 0 }),
      ...(type === "LOYALTY_CARD" && { redeemed_points: sums?.spent ?? 0 }),
      object: "list",
      url: `/v1/vouchers/${named}/redemption?page=1&limit=10`,
    },
    publish: { object: "list", count: row.published_count, url: `/v1/publications?voucher=${named}&page=1&limit=10` },
    object: "voucher",
  };
}

/** The same with the rules that are assigned to the code itself. */
export function voucherWithRules(voucher: Voucher, assigned: readonly ValidationRuleAssignmentRow[]): VoucherWithRules {
  const data = assigned.map((one) => ({ ...assignmentView(one), related_object_type: "voucher" as const }));
  return { ...voucher, validation_rules_assignments: { object: "list", data_ref: "data", data, total: data.length } };
}

/** What an event says of a code: all but whose it is, which has to be forgotten with the customer. */
export function told({ holder_id: _, referrer_id: __, assets: ___, ...voucher }: VoucherWithRules) {
  return { voucher };
}

/**
 * The campaigns of codes that were read after the catalog: one that the catalog does not have yet, or a template of it,
 * is read too. The campaign of a code that is not found is in the bin, and so is the code.
 */
export async function campaignsOf(
  db: Db,
  projectId: string,
  { campaigns }: Pick<Catalog, "campaigns">,
  rows: readonly VoucherRow[],
): Promise<ReadonlyMap<string, Campaign>> {
  const missing = rows.flatMap(({ campaign_id, template_version, settings }) => {
    if (campaign_id === null) return [];
    const known = campaigns.get(campaign_id);
    return known && (settings || known.templates.has(template_version ?? known.voucher_version)) ? [] : [campaign_id];
  });
  if (missing.length === 0) return campaigns;
  const found = await loadCampaigns(db, projectId, [...new Set(missing)]);
  return new Map([...campaigns, ...found.map((one) => [one.id, one] as const)]);
}

type Written = { row: VoucherRow; campaign: Campaign | null };

/** How codes are shown to who wrote them: the catalog is older than the codes, their campaigns and categories. */
export async function showAllWritten(
  { db, project }: Pick<WriteCtx, "db" | "project">,
  codes: readonly Written[],
): Promise<VoucherWithRules[]> {
  const categoryIds = [...new Set(codes.flatMap(({ row }) => row.category_id ?? []))];
  const found = categoryIds.length > 0 ? await categories.load(db, project.id, categoryIds) : [];
  const ids = codes.map(({ row }) => row.id);
  const assigned = Map.groupBy(await loadVoucherAssignments(db, project.id, ids), (one) => one.related_object_id);
  const known = new Map(found.map((one) => [one.id, one]));
  return codes.map(({ row, campaign }) => {
    const shown = { campaigns: new Map(campaign ? [[campaign.id, campaign]] : []), categories: known };
    return voucherWithRules(voucherView(shown, row, project), assigned.get(row.id) ?? []);
  });
}

/** One code alone. */
export const showWritten = async (
  c: Pick<WriteCtx, "db" | "project">,
  row: VoucherRow,
  campaign: Campaign | null,
): Promise<VoucherWithRules> => (await showAllWritten(c, [{ row, campaign }]))[0]!;

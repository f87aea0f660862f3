import { type Static, Type } from "typebox";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import { sumDays } from "../../resources/platform/time-series/store.ts";
import { type CampaignSummaryQuery, CampaignView } from "../../resources/promotions/campaigns/schema.ts";
import {
  type CampaignCodeTotals,
  type CurrentCampaign,
  getCampaign,
  totalsOfCampaign,
} from "../../resources/promotions/campaigns/store.ts";
import { countReferred } from "../../resources/promotions/referrals/store.ts";
import { showCampaign } from "../../steps/promotions/campaigns.ts";

const COMMON = [
  ...["redemptions", "redemptions_succeeded", "redemptions_failed"],
  ...["rollbacks", "rollbacks_succeeded", "rollbacks_failed"],
  ...["validations", "validations_succeeded", "validations_failed"],
  ...["orders_amount", "orders_rolledback_amount"],
];
const CODES = ["vouchers_created", "vouchers_deleted", "publications", "publications_succeeded", "publications_failed"];
const DISCOUNT = ["discounted_amount", "rolledback_discounted_amount"];
const GIFT = [
  ...["created_vouchers_amount", "amount_added", "amount_deleted", "amount_redeemed", "amount_rolledback"],
  "amount_subtracted",
];
const LOYALTY = [
  ...["created_vouchers_points", "points_deleted", "points_subtracted", "points_added", "points_rewarded"],
  ...["points_redeemed", "points_rolledback", "points_expired", "points_transferred_out", "points_transferred_in"],
  ...["pending_points_added", "pending_points_subtracted", "pending_points_activated", "pending_points_canceled"],
];
const REFERRAL = ["referred_customers"];
const FIELDS: Record<CurrentCampaign["campaign_type"], readonly string[]> = {
  DISCOUNT_COUPONS: [...COMMON, ...CODES, ...DISCOUNT],
  PROMOTION: [...COMMON, ...DISCOUNT],
  GIFT_VOUCHERS: [...COMMON, ...CODES, ...GIFT],
  LOYALTY_PROGRAM: [...COMMON, ...CODES, ...LOYALTY],
  REFERRAL_PROGRAM: [...COMMON, ...CODES, ...REFERRAL],
};

type Numbers = Record<string, number>;
const numbers = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, Type.Integer()]));
const { promotion: _, validation_rules_assignments: __, ...campaign } = CampaignView.properties;
const CampaignSummaryShape = Type.Object(
  {
    object: Type.Literal("campaign_summary"),
    campaign: Type.Object(campaign),
    ...numbers(COMMON),
    ...Object.fromEntries(
      [...CODES, ...DISCOUNT, ...GIFT, ...LOYALTY, ...REFERRAL].map((name) => [name, Type.Optional(Type.Integer())]),
    ),
  },
  { title: "CampaignSummary" },
);
type Summary = { object: "campaign_summary"; campaign: Static<typeof CampaignSummaryShape>["campaign"] } & Numbers;
export const CampaignSummary = Type.Unsafe<Summary>(CampaignSummaryShape);

/** What a campaign did between two days of the project's calendar, both included. What nothing counts is nought. */
export async function summarizeCampaign(c: Ctx, reference: string, query: CampaignSummaryQuery): Promise<Summary> {
  const row = await getCampaign(c.db, c.project.id, reference);
  const { promotion: _, validation_rules_assignments: __, ...campaign } = await showCampaign(c.db, c.project.id, row);
  const { start_date, end_date } = query;
  const zone = zoneOf(c.project);
  const from = start_date && midnight(start_date, zone, 0);
  const to = end_date && midnight(end_date, zone, 1);
  const totals = await totalsOfCampaign(c.db, row, { from, to, days: { from: start_date, to: end_date } });
  const counted = await sumDays(c.db, c.project.id, { campaignId: row.id, from: start_date, to: end_date });
  const known: Numbers = {
    ...knownOf(totals),
    redemptions: totals.redemptions + counted.refusals,
    redemptions_failed: counted.refusals,
    rollbacks: counted.rollbacks,
    rollbacks_succeeded: counted.rollbacks,
  };
  if (row.campaign_type === "REFERRAL_PROGRAM")
    known.referred_customers = await countReferred(c.db, c.project.id, { campaignId: row.id, from, to });
  const shown = Object.fromEntries(FIELDS[row.campaign_type].map((name) => [name, known[name] ?? 0]));
  return { object: "campaign_summary", campaign, ...shown } as Summary;
}

const knownOf = (totals: CampaignCodeTotals): Numbers => ({
  redemptions_succeeded: totals.redemptions,
  validations: totals.validated + totals.not_validated,
  validations_succeeded: totals.validated,
  validations_failed: totals.not_validated,
  orders_amount: totals.order_amount,
  discounted_amount: totals.discount_amount,
  amount_redeemed: totals.gift_amount,
  vouchers_created: totals.created,
  vouchers_deleted: totals.deleted,
  created_vouchers_amount: totals.value,
  created_vouchers_points: totals.value,
});

/** The first moment of a day, or of one so many days later; undefined when PostgreSQL could not write it. */
function midnight(day: string, zone: string, later: number): string | undefined {
  const text = Temporal.PlainDate.from(day).add({ days: later }).toZonedDateTime(zone).toInstant().toString();
  return /^(?!0000)\d{4}-/.test(text) ? text : undefined;
}

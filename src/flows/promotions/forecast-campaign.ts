import { rulesFor } from "../../catalog/rules.ts";
import { forecastOf, leftByDay, SPEED_DAYS } from "../../core/campaigns/forecast.ts";
import { campaignLimit } from "../../core/campaigns/limits.ts";
import { shownMoment } from "../../core/rollups/buckets.ts";
import { periodStart } from "../../core/time/period.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import { readRollups } from "../../resources/platform/time-series/store.ts";
import { type CampaignFigures, loadFigures, loadUseByDay } from "../../resources/promotions/campaigns/figures-store.ts";
import type { CampaignForecast, LimitForecast } from "../../resources/promotions/campaigns/schema.ts";
import { type CurrentCampaign, getCampaign } from "../../resources/promotions/campaigns/store.ts";

const DAYS = 30;

type Total = "redemptions" | "discount_amount" | "gift_amount";

/** How much of its limits a campaign has left, day by day, and until when they last. */
export async function forecastCampaign(c: Ctx, reference: string, wanted = DAYS): Promise<CampaignForecast> {
  const { db, project } = c;
  const row = await getCampaign(db, project.id, reference);
  const [figures] = await loadFigures(db, project.id, [row.id]);
  const zone = zoneOf(project);
  const dayOf = (moment: string) => Temporal.PlainDate.from(periodStart("day", moment, zone));
  const today = dayOf(c.now);
  const count = Math.max(wanted, SPEED_DAYS + 1);
  const days = Array.from({ length: count }, (_, n) => today.subtract({ days: count - 1 - n }));
  const [used, moved] = await Promise.all([
    loadUseByDay(db, project.id, { id: row.id, days: days.map(String) }),
    loadMovesByDay(c, row.id, days),
  ]);
  const firstUse = used.findIndex(({ redemptions }) => redemptions > 0);
  const begun = beginOf(row, c.now);
  const running = begun === null ? 0 : today.since(dayOf(begun)).days;
  const whole_days = Math.max(running, firstUse === -1 ? 0 : count - 1 - firstUse);
  const forecast = (total: Total, limit: number | null): LimitForecast | null => {
    if (limit === null) return null;
    const use = { limit, used: figures![total], by_day: used.map((one) => one[total]), whole_days };
    const left = leftByDay({ ...use, by_day: moved.map((one) => one[total]) }).slice(-wanted);
    const shown = days.slice(-wanted).map((day) => shownMoment(day.toZonedDateTime(zone)));
    return { ...forecastOf(use, c.now), rows: left.map((one, n) => ({ at: shown[n]!, left: one })) };
  };
  const rules = rulesFor(await c.catalog(), row.id);
  const [discounts, gifts] = [campaignLimit(rules, "discount_amount"), campaignLimit(rules, "gift_amount")];
  return {
    ...{ object: "campaign_forecast", campaign_id: row.id, timezone: project.timezone },
    budget: discounts === null ? forecast("gift_amount", gifts) : forecast("discount_amount", discounts),
    uses: forecast("redemptions", usesOf(row, figures!, campaignLimit(rules, "redemptions"))),
  };
}

/** What each day took of the limits, less what was rolled back on it: that gives back on its own day, whenever it was redeemed. */
async function loadMovesByDay({ db, project }: Ctx, id: string, days: readonly Temporal.PlainDate[]) {
  const [from, to] = [String(days[0]), String(days.at(-1)!.add({ days: 1 }))];
  const rows = await readRollups(db, project.id, { unit: "day", subject: "campaign", subject_id: id, from, to });
  const found = new Map(rows.map((row) => [row.key, row]));
  return days.map((day): Record<Total, number> => {
    const { redemptions = 0, rollbacks = 0, discount = 0, gift_credits = 0 } = found.get(String(day)) ?? {};
    return { redemptions: redemptions - rollbacks, discount_amount: discount, gift_amount: gift_credits };
  });
}

/** Since when it can be used; null: it has not started. */
function beginOf({ created_at, settings: { start_date } }: CurrentCampaign, now: string): string | null {
  const begun = start_date !== null && Date.parse(start_date) > Date.parse(created_at) ? start_date : created_at;
  return Date.parse(begun) > Date.parse(now) ? null : begun;
}

/** How often it can be redeemed in all: what its rules say, and what its codes are good for. Gift cards are used up by their amount. */
function usesOf(row: CurrentCampaign, { vouchers_count }: CampaignFigures, ruled: number | null): number | null {
  const { quantity } = row.settings;
  const isOfCodes = row.voucher_type === "DISCOUNT_VOUCHER" && row.type !== "AUTO_UPDATE";
  const byCodes = isOfCodes && quantity !== null && vouchers_count > 0 ? vouchers_count * quantity : null;
  const limits = [byCodes, ruled].filter((one) => one !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

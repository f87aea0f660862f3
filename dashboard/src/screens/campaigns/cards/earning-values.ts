import type { BodyOf } from "../../../api/op.ts";
import type {
  CampaignEarningRule,
  createCampaignEarningRules,
  updateCampaignEarningRule,
} from "../../../api/operations.gen.ts";
import { formatCount } from "../../../kit/money/count.ts";
import { formatMoney } from "../../../kit/money/money.ts";
import { localeOf, type Text, type TextKey } from "../../../text/text.ts";

type Loyalty = CampaignEarningRule["loyalty"];
type Rate = { every: number | string; points: number | string; points_formula?: string | null; property?: string };
type NewRule = BodyOf<typeof createCampaignEarningRules>[number];

/** What earns, as the interface names it, and what it is about. `custom` stands for the names of the shop's own events. */
export const EVENTS = {
  "order.paid": null,
  "customer.segment.entered": "segment",
  custom: "event",
  "customer.loyalty.tier.joined": "tier",
  "customer.loyalty.tier.upgraded": "tier",
  "customer.loyalty.tier.downgraded": "tier",
  "customer.loyalty.tier.prolonged": "tier",
  "customer.loyalty.tier.left": "tier",
} as const;
export type EventKind = keyof typeof EVENTS;
export const eventWord = (kind: EventKind): TextKey => `cards.events.${kind.replaceAll(".", "_")}` as TextKey;
export const kindOfEvent = (event: string): EventKind =>
  event !== "custom" && event in EVENTS ? (event as EventKind) : "custom";

/** `about`: the segment, the tier, or the event as `schema name`. `kept`: what the form cannot show. */
export type EarningValues = {
  event: EventKind;
  about: string;
  gives: "amount" | "total" | "points" | "kept";
  points: number | null;
  every: number | null;
  /** Goes before `points`, which counts where it gives nothing. */
  formula: string;
  /** After so many days points can be spent; null: at once. */
  pending_points: number | null;
  /** A validation rule that has to hold. */
  rule: string | null;
  banner: string;
  active: boolean;
  start_date: string | null;
  expiration_date: string | null;
};
export const NEW_EARNING: EarningValues = {
  ...{ event: "order.paid", about: "", gives: "amount", points: 1, every: 100 },
  ...{ formula: "", pending_points: null, rule: null },
  ...{ banner: "", active: true, start_date: null, expiration_date: null },
};

type Given = Pick<EarningValues, "gives" | "points" | "every" | "formula">;
function givenBy({ type, points, points_formula, order }: Loyalty): Given {
  const [amount, total] = [order?.amount, order?.total_amount];
  const rate = amount ?? total;
  if (type === "FIXED" && points !== undefined)
    return { gives: "points", points: Number(points), every: null, formula: points_formula ?? "" };
  if (type === "PROPORTIONAL" && rate) {
    const given = { points: Number(rate.points), every: Number(rate.every), formula: rate.points_formula ?? "" };
    return { gives: amount ? "amount" : "total", ...given };
  }
  return { gives: "kept", points: null, every: null, formula: "" };
}

export const earningValuesOf = (rule: CampaignEarningRule): EarningValues => ({
  event: kindOfEvent(rule.event),
  about: rule.segment?.id ?? rule.loyalty_tier?.id ?? rule.custom_event?.schema_id ?? "",
  ...givenBy(rule.loyalty),
  pending_points: rule.pending_points?.period_value ?? null,
  ...{ banner: rule.source.banner ?? "", active: rule.active, rule: rule.validation_rule_id },
  ...{ start_date: rule.start_date, expiration_date: rule.expiration_date },
});

/** Only the points of an order can wait. */
export const canWait = (event: EventKind): boolean => event === "order.paid";
const PENDING_MAX = 90;
const pendingOf = ({ event, pending_points: days }: EarningValues) =>
  days !== null && canWait(event) ? { period_type: "DAY" as const, period_value: days } : null;

/** What is missing or contradicts itself. The server decides the rest. */
export function earningFaults(values: EarningValues, t: Text) {
  const { event, about, gives, points, every, start_date, expiration_date, pending_points: days } = values;
  const required = t("kit.form.required");
  const isRate = gives === "amount" || gives === "total";
  return {
    ...(EVENTS[event] !== null && about === "" && { about: required }),
    ...(isRate && event !== "order.paid" && { gives: t("cards.onlyOrders") }),
    ...(gives !== "kept" && !points && { points: t("designer.noPoints") }),
    ...(isRate && !every && { every: required }),
    ...(canWait(event) &&
      days !== null &&
      (days < 1 || days > PENDING_MAX) && { pending_points: t("cards.pendingWrong") }),
    ...(start_date &&
      expiration_date &&
      Date.parse(start_date) >= Date.parse(expiration_date) && { expiration_date: t("campaigns.endsBefore") }),
  };
}

function loyaltyOf({ gives, points, every, formula }: EarningValues): Loyalty {
  const given = { points: points!, ...(formula.trim() !== "" && { points_formula: formula }) };
  if (gives === "points") return { type: "FIXED", ...given };
  const rate = { every: every!, ...given };
  return gives === "total"
    ? { type: "PROPORTIONAL", calculation_type: "ORDER_TOTAL_AMOUNT", order: { total_amount: rate } }
    : { type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT", order: { amount: rate } };
}

/** `events`: the names of the shop's own events, by the ids of their schemas. */
export function newEarning(values: EarningValues, events: ReadonlyMap<string, string>): NewRule {
  const { event, about, rule, banner, active, start_date, expiration_date } = values;
  const kind = EVENTS[event];
  const pending_points = pendingOf(values);
  return {
    event: event === "custom" ? (events.get(about) ?? "") : event,
    ...(kind === "segment" && { segment: { id: about } }),
    ...(kind === "tier" && { loyalty_tier: { id: about } }),
    ...(kind === "event" && { custom_event: { schema_id: about } }),
    ...{ loyalty: loyaltyOf(values), active, start_date, expiration_date },
    ...(pending_points && { pending_points }),
    ...(rule && { validation_rule_id: rule }),
    ...(banner.trim() !== "" && { source: { banner: banner.trim() } }),
  };
}

/** What is sent to change a rule: only what was changed. What starts it cannot change. */
export function earningChanges(
  changes: Partial<EarningValues>,
  values: EarningValues,
): BodyOf<typeof updateCampaignEarningRule> {
  const isGiven = "gives" in changes || "points" in changes || "every" in changes || "formula" in changes;
  return {
    ...(isGiven && values.gives !== "kept" && { loyalty: loyaltyOf(values) }),
    ...("pending_points" in changes && { pending_points: pendingOf(values) }),
    ...("rule" in changes && { validation_rule_id: changes.rule ?? null }),
    ...("banner" in changes && { source: { banner: changes.banner?.trim() || null } }),
    ...(changes.active !== undefined && { active: changes.active }),
    ...("start_date" in changes && { start_date: changes.start_date ?? null }),
    ...("expiration_date" in changes && { expiration_date: changes.expiration_date ?? null }),
  };
}

const rateOf = ({ order, order_items, customer, custom_event }: Loyalty): Rate | undefined =>
  [order, order_items, customer, custom_event].flatMap((one) => Object.values(one ?? {}) as Rate[])[0];

/** `2 points for each €1.00, which can be spent after 14 days`. */
export function earningSaysAll(
  rule: Pick<CampaignEarningRule, "loyalty" | "pending_points">,
  t: Text,
  currency: string,
) {
  const gives = earningSays(rule, t, currency);
  const days = rule.pending_points?.period_value;
  return days === undefined ? gives : `${gives}, ${t("cards.pendingFor", { count: days })}`;
}

/** What a rule gives, in words. */
export function earningSays({ loyalty }: Pick<CampaignEarningRule, "loyalty">, t: Text, currency: string): string {
  const rate = rateOf(loyalty);
  if (loyalty.type === "FIXED")
    return loyalty.points_formula ? t("cards.byFormula") : t("loyalty.gives", { count: Number(loyalty.points) });
  if (!rate || rate.points_formula) return t("cards.byFormula");
  const every = Number(rate.every);
  const each = loyalty.calculation_type?.endsWith("AMOUNT")
    ? formatMoney(every, currency, { locale: localeOf() })
    : rate.property === undefined
      ? t("loyalty.units", { count: every })
      : `${formatCount(every)} ${rate.property}`;
  return t("loyalty.givesEach", { count: Number(rate.points), each });
}

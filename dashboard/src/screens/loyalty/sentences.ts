import type { EarningRule, LoyaltyCardDefinition } from "../../api/operations.gen.ts";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { localeOf, type Text } from "../../text/text.ts";

type Effect = EarningRule["earnings"][number]["effects"][number];
type Proportional = NonNullable<Effect["points_proportional"]>;
type Rate = { every: number; value: number; property?: string };

/** The one rate of an effect, wherever the interface puts it. */
const rateOf = ({ order, customer, custom_event, order_items }: Proportional): Rate | undefined =>
  order?.amount ??
  order?.total_amount ??
  order?.metadata ??
  customer?.metadata ??
  custom_event?.metadata ??
  order_items?.amount ??
  order_items?.subtotal_amount ??
  order_items?.quantity;

/** What one effect gives, as a sentence. Amounts are 1/100 where the calculation is one of amounts. */
export function effectSays(effect: Effect, t: Text, currency: string): string {
  if (effect.points) return t("loyalty.gives", { count: effect.points.value });
  const rate = effect.points_proportional && rateOf(effect.points_proportional);
  if (!effect.points_proportional || !rate) return t("loyalty.givesBenefit");
  const isMoney = effect.points_proportional.calculation_type.endsWith("AMOUNT");
  const each = isMoney
    ? formatMoney(rate.every, currency, { locale: localeOf() })
    : rate.property === undefined
      ? t("loyalty.units", { count: rate.every })
      : `${formatCount(rate.every)} ${rate.property}`;
  return t("loyalty.givesEach", { count: rate.value, each });
}

type Expiration = LoyaltyCardDefinition["points_expiration"];
export function expirationSays({ type, rolling_expiration, sliding_expiration }: Expiration, t: Text): string {
  const period = (rolling_expiration ?? sliding_expiration)?.period;
  if (!period) return t(type === "CALENDAR_EXPIRATION" ? "loyalty.expiresCalendar" : "loyalty.neverExpires");
  return t("loyalty.expiresAfter", { period: t(`loyalty.period.${period.unit}`, { count: period.value }) });
}

export function pendingSays({ type, period_based }: LoyaltyCardDefinition["pending_points"], t: Text): string {
  const period = period_based?.period;
  if (period) return t("loyalty.pendingFor", { period: t(`loyalty.period.${period.unit}`, { count: period.value }) });
  return t(type === "IMMEDIATE" ? "loyalty.atOnce" : "loyalty.pendingUntil");
}

import type { Discount } from "../api/operations.gen.ts";
import { formatCount } from "../kit/money/count.ts";
import { formatMoney } from "../kit/money/money.ts";
import { localeOf, type Text } from "../text/text.ts";

type Look = { t: Text; currency: string };
type Worth = {
  discount?: Discount | null;
  gift?: { balance: number } | null;
  loyalty_card?: { balance: number } | null;
};

const percent = (value: number) => new Intl.NumberFormat(localeOf(), { maximumFractionDigits: 2 }).format(value);

function discountSentence(discount: Discount, { t, currency }: Look): string {
  const money = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  const { type, amount_off, percent_off, fixed_amount, unit_off } = discount;
  if (type === "PERCENT" && typeof percent_off === "number")
    return typeof discount.amount_limit === "number"
      ? t("worth.percentUpTo", { percent: percent(percent_off), limit: money(discount.amount_limit) })
      : t("worth.percent", { percent: percent(percent_off) });
  if (type === "AMOUNT" && typeof amount_off === "number") return t("worth.amount", { amount: money(amount_off) });
  if (type === "FIXED" && typeof fixed_amount === "number") return t("worth.fixed", { amount: money(fixed_amount) });
  if (type === "UNIT") return t("worth.units", { count: unit_off ?? discount.units?.length ?? 1 });
  return t("worth.formula");
}

/** What a code is worth, in few words: `15% off`, `€25.00 left`, `110 points`. Null for what is worth nothing by itself. */
export function worthOf({ discount, gift, loyalty_card }: Worth, look: Look): string | null {
  if (gift) return look.t("worth.gift", { amount: formatMoney(gift.balance, look.currency, { locale: localeOf() }) });
  if (loyalty_card)
    return look.t("worth.points", { count: loyalty_card.balance, points: formatCount(loyalty_card.balance) });
  return discount ? discountSentence(discount, look) : null;
}

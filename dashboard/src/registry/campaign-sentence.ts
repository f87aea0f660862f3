import type { Discount } from "../api/operations.gen.ts";
import { formatMoment } from "../kit/date/date.ts";
import { everySays, lengthSays } from "../kit/date/length.ts";
import { ALWAYS, daysSay, endOf, listSays, startOf, type Times } from "../kit/date/times.ts";
import { formatCount } from "../kit/money/count.ts";
import { formatMoney } from "../kit/money/money.ts";
import { localeOf, type Text } from "../text/text.ts";
import { type GoodsSaid, worthOn } from "./discount/goods-words.ts";

export type Look = { t: Text; currency: string; zone: string };

/** Something that is given: points or credits, in 1/100, a code of the campaign that is named, or a product. */
export type Gift = {
  kind: "LOYALTY_PROGRAM" | "GIFT_VOUCHERS" | "DISCOUNT_COUPONS" | "PRODUCT";
  amount: number | null;
  name: string | null;
};

/** What there is to say about a campaign, whether it is saved or still being typed. */
export type Offer = {
  kind: string;
  discount?: Discount | null;
  /** The products that the discount takes; null: all of them. */
  goods?: GoodsSaid | null;
  tiers?: readonly { name: string; discount: Discount | null; goods?: GoodsSaid | null }[];
  /** On a gift card, in 1/100. */
  gift?: number | null;
  /** On a loyalty card at the beginning. */
  points?: number | null;
  earns?: { points: number; every: number } | null;
  /** Of a referral campaign: what the friend gets beside the discount, and who brought them, for the friend of this number or for each. */
  friend?: Gift | null;
  referrer?: readonly (Gift & { min: number | null })[];
  from?: string | null;
  to?: string | null;
  times?: Times;
  segment?: string | null;
  spends?: number | null;
  /** Uses of each code; null: any number. */
  uses?: number | null;
  perCustomer?: number | null;
  budget?: number | null;
};

/** `50 points`, `€10.00 on a gift card`. */
export function giftSays({ kind, amount, name }: Gift, { t, currency }: Omit<Look, "zone">): string {
  if (kind === "LOYALTY_PROGRAM") return t("worth.points", { count: amount ?? 0, points: formatCount(amount ?? 0) });
  if (kind === "GIFT_VOUCHERS")
    return t("sentence.credits", { amount: formatMoney(amount ?? 0, currency, { locale: localeOf() }) });
  return t(kind === "DISCOUNT_COUPONS" ? "sentence.code" : "sentence.product", { name: name ?? "…" });
}

/** What who brings friends gets; null: nothing. */
export function referrerSays({ referrer = [] }: Offer, look: Omit<Look, "zone">): string | null {
  const each = referrer.map((gift) => {
    const what = giftSays(gift, look);
    return gift.min === null
      ? look.t("sentence.forEach", { what })
      : look.t("sentence.atFriend", { what, count: gift.min });
  });
  return each.length === 0 ? null : each.join(look.t("sentence.and"));
}

function givesOf(offer: Offer, { t, currency }: Look): string {
  const { kind, discount, goods, tiers = [], gift, points, earns, friend } = offer;
  const money = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  if (kind === "PROMOTION") {
    const offers = tiers.flatMap((tier) => worthOn(tier.discount, tier.goods, { t, currency }) ?? []);
    if (offers.length === 0) return t("sentence.nothing");
    const [few, more] = [offers.slice(0, 3), offers.length - 3];
    return [...few, ...(more > 0 ? [t("sentence.moreOffers", { count: more })] : [])].join(t("sentence.or"));
  }
  if (kind === "GIFT_VOUCHERS") return gift ? t("sentence.card", { amount: money(gift) }) : t("sentence.nothing");
  if (kind === "LOYALTY_PROGRAM") {
    const start = points ? t("sentence.startPoints", { count: points, points: formatCount(points) }) : null;
    const rate = earns
      ? t("sentence.earns", { count: earns.points, points: formatCount(earns.points), every: money(earns.every) })
      : null;
    return [start, rate].filter((one) => one !== null).join(t("sentence.and")) || t("sentence.collects");
  }
  const code = worthOn(discount, goods, { t, currency }) ?? t("sentence.nothing");
  return friend ? `${code}${t("sentence.and")}${giftSays(friend, { t, currency })}` : code;
}

/** On which days, in which hours and in which windows: nothing where it is always. */
export function timesSay({ days, hours, again }: Times, t: Text): string[] {
  const each = hours.map((one) => {
    const values = { from: startOf(one), to: endOf(one), days: daysSay(one.days) };
    return t(one.days.length > 0 ? "sentence.hoursOn" : "sentence.hours", values);
  });
  return [
    days.length > 0 ? t("sentence.onDays", { days: daysSay(days) }) : null,
    each.length > 0 ? t("sentence.inHours", { hours: listSays(each) }) : null,
    again?.every && again.lasts
      ? t("sentence.again", { length: lengthSays(again.lasts), every: everySays(again.every, t) })
      : null,
  ].filter((one) => one !== null);
}

/** When, who, what, how often and how much, in one plain sentence. */
export function campaignSentence(offer: Offer, look: Look): string {
  const { t, currency, zone } = look;
  const money = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  const { kind, from, to, segment, spends, uses, perCustomer, budget } = offer;
  const when = [
    from ? t("sentence.from", { moment: formatMoment(from, zone) }) : null,
    to ? t("sentence.until", { moment: formatMoment(to, zone) }) : null,
    ...timesSay(offer.times ?? ALWAYS, t),
  ].filter((one) => one !== null);
  const who = segment ? t("sentence.segment", { segment }) : t("sentence.everybody");
  const spend = spends ? t("sentence.spends", { amount: money(spends) }) : "";
  const word = kind === "REFERRAL_PROGRAM" ? t("sentence.friends") : who;
  const limits = [
    uses && kind !== "PROMOTION" && kind !== "LOYALTY_PROGRAM" ? t("sentence.uses", { count: uses }) : null,
    perCustomer ? t("sentence.perCustomer", { count: perCustomer }) : null,
    budget ? t("sentence.budget", { amount: money(budget) }) : null,
  ].filter((one) => one !== null);
  const gets = t("sentence.get", { who: `${word}${spend}`, what: givesOf(offer, look) });
  const referrer = referrerSays(offer, look);
  const first = `${[gets, ...when, ...limits].join(", ")}.`;
  return referrer === null ? first : `${first} ${t("sentence.referrer", { what: referrer })}`;
}

import type { BodyOf } from "../../../api/op.ts";
import type { createCampaignReward, Reward } from "../../../api/operations.gen.ts";
import { campaignsOf, PRODUCTS } from "../../../api/sources.ts";
import { formatMoney } from "../../../kit/money/money.ts";
import { localeOf, type Text } from "../../../text/text.ts";

type Parameters = BodyOf<typeof createCampaignReward>["parameters"];
/** `about`: the product or the campaign, by its id. `given`: an amount in 1/100. `cost`: in points. */
export type RewardValues = {
  /** A reward that is there; empty: a new one. */
  reward: string;
  name: string;
  kind: RewardKind;
  about: string;
  given: number | null;
  stock: number | null;
  cost: number | null;
};
/** What a new reward hands out: what it is chosen from, whether it has an amount, and what is sent. */
export const KINDS = {
  PRODUCT: {
    ...{ source: PRODUCTS, hasAmount: false, hasCost: true },
    parameters: ({ about }: RewardValues): Parameters => ({ product: { id: about } }),
  },
  DISCOUNT_COUPONS: {
    ...{ source: campaignsOf("DISCOUNT_COUPONS"), hasAmount: false, hasCost: true },
    parameters: ({ about }: RewardValues): Parameters => ({ campaign: { id: about } }),
  },
  GIFT_VOUCHERS: {
    ...{ source: campaignsOf("GIFT_VOUCHERS"), hasAmount: true, hasCost: true },
    parameters: ({ about, given }: RewardValues): Parameters => ({ campaign: { id: about, balance: given } }),
  },
  // Points are paid as money: so many are worth so much, in whole units of the currency, and it has no other price.
  COIN: {
    ...{ source: null, hasAmount: true, hasCost: false },
    parameters: ({ given, cost }: RewardValues): Parameters => ({
      coin: { exchange_ratio: (given ?? 0) / 100, points_ratio: cost ?? 1 },
    }),
  },
} as const;
export type RewardKind = keyof typeof KINDS;

export const NEW_REWARD: RewardValues = {
  ...{ reward: "", name: "", kind: "PRODUCT", about: "", given: null, stock: null, cost: 100 },
};

export const isCoin = (reward: Pick<Reward, "type"> | undefined) => reward?.type === "COIN";

/** What is missing. A reward that is there needs a price only, and one that is paid with points none. */
export function rewardFaults(values: RewardValues, chosen: Reward | undefined, t: Text) {
  const required = t("kit.form.required");
  const { source, hasAmount } = KINDS[values.kind];
  const isNew = values.reward === "";
  return {
    ...(isNew && values.name.trim() === "" && { name: required }),
    ...(isNew && source !== null && values.about === "" && { about: required }),
    ...(isNew && hasAmount && !values.given && { given: required }),
    ...((isNew || !isCoin(chosen)) && !values.cost && { cost: t("designer.noPoints") }),
  };
}

/** What a reward is, in words. */
export function rewardSays({ type, parameters: { campaign, coin } }: Reward, t: Text, currency: string): string {
  const money = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  if (type === "MATERIAL") return t("cards.isProduct");
  if (coin) {
    const values = { count: coin.points_ratio, amount: money(Math.round(coin.exchange_ratio * 100)) };
    return t("cards.isCoin", values);
  }
  return campaign?.balance === undefined ? t("cards.isCode") : t("cards.isCard", { amount: money(campaign.balance) });
}

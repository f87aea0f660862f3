import type { BodyOf } from "../../../api/op.ts";
import type { createReward, LoyaltyReward } from "../../../api/operations.gen.ts";
import { type CostValue, costValueOf, newCost } from "./ways.ts";

/** What a reward hands out. `kept`: something that the form cannot show, such as one variant of a product. */
export const REWARD_KINDS = ["PRODUCT", "DISCOUNT_COUPONS", "GIFT_VOUCHERS", "LOYALTY_CARD_POINTS"] as const;
export type RewardKind = (typeof REWARD_KINDS)[number] | "kept";
/** `about`: the product or the campaign, by its id. `given`: points, or an amount in 1/100. */
export type RewardValues = {
  name: string;
  kind: RewardKind;
  about: string;
  given: number | null;
  wallet: string;
  costs: CostValue[];
  stock: number | null;
};

export function rewardValuesOf(
  reward: LoyaltyReward | null,
  { wallet, stock }: { wallet: string; stock: number | null },
) {
  const { material, digital } = reward ?? {};
  const values: RewardValues = {
    name: reward?.name ?? "",
    kind: digital?.type ?? (reward && material?.type !== "PRODUCT" ? "kept" : "PRODUCT"),
    about: material?.product?.id ?? digital?.discount_coupons?.campaign_id ?? digital?.gift_vouchers?.campaign_id ?? "",
    given: digital?.gift_vouchers?.balance ?? digital?.loyalty_card_points?.points ?? null,
    wallet: digital?.loyalty_card_points?.card_definition_id ?? wallet,
    costs: reward?.costs.map(costValueOf) ?? [newCost(0, wallet)],
    stock,
  };
  return values;
}

type Handed = Pick<BodyOf<typeof createReward>, "type" | "material" | "digital">;
const HANDED: Record<(typeof REWARD_KINDS)[number], (values: RewardValues) => Handed> = {
  PRODUCT: ({ about }) => ({ type: "MATERIAL", material: { type: "PRODUCT", product: { id: about } } }),
  DISCOUNT_COUPONS: ({ about: campaign_id }) => ({
    type: "DIGITAL",
    digital: { type: "DISCOUNT_COUPONS", discount_coupons: { campaign_id } },
  }),
  GIFT_VOUCHERS: ({ about: campaign_id, given }) => ({
    type: "DIGITAL",
    digital: { type: "GIFT_VOUCHERS", gift_vouchers: { campaign_id, balance: given ?? 0 } },
  }),
  LOYALTY_CARD_POINTS: ({ wallet: card_definition_id, given }) => ({
    type: "DIGITAL",
    digital: { type: "LOYALTY_CARD_POINTS", loyalty_card_points: { points: given ?? 0, card_definition_id } },
  }),
};
export const handedOf = (values: RewardValues): Handed | null =>
  values.kind === "kept" ? null : HANDED[values.kind](values);

import type { FieldPaths } from "../../../api/errors.ts";
import type { BodyOf } from "../../../api/op.ts";
import type { Discount, PromotionTier, updatePromotionTier } from "../../../api/operations.gen.ts";
import {
  ALWAYS,
  startFault,
  TIMES_PATHS,
  type Times,
  timesFault,
  timesOf,
  validityOf,
} from "../../../kit/date/times.ts";
import { isSame } from "../../../kit/form/changes.ts";
import type { Option } from "../../../kit/pick/record-select.tsx";
import { categoryOf } from "../../../registry/category-of.ts";
import type { Text } from "../../../text/text.ts";
import { ALL_GOODS, type Goods, goodsFault } from "../goods/values.ts";
import { discountFault, filled } from "../wizard/values.ts";

/** An offer as its form holds it. `rule` is for a new one: a saved one has its rules below the form. */
export type OfferValues = {
  name: string;
  banner: string;
  discount: Discount | null;
  goods: Goods;
  active: boolean;
  start_date: string | null;
  expiration_date: string | null;
  times: Times;
  category: Option | null;
  rule: string | null;
};

export const NEW_OFFER: OfferValues = {
  ...{ name: "", banner: "", discount: { type: "PERCENT", effect: "APPLY_TO_ORDER" }, active: true },
  goods: ALL_GOODS,
  ...{ start_date: null, expiration_date: null, times: ALWAYS, category: null, rule: null },
};

export const offerValuesOf = (tier: PromotionTier, goods: Goods = ALL_GOODS): OfferValues => ({
  goods,
  ...{ name: tier.name, banner: tier.banner ?? "", discount: tier.action.discount, active: tier.active, rule: null },
  ...{ start_date: tier.start_date, expiration_date: tier.expiration_date, times: timesOf(tier) },
  category: categoryOf(tier.category_id, tier.categories),
});

/** What the interface calls the fields of the form, where it has other names for them. */
export const OFFER_PATHS = {
  ...{ "action.discount": "discount", applicable_to: "goods", category_id: "category", validation_rules: "rule" },
  ...TIMES_PATHS,
} as const satisfies FieldPaths & Record<string, keyof OfferValues>;

/** What is missing or contradicts itself. The server decides the rest. What the interface left so keeps nobody from saving. */
export function offerFaults(values: OfferValues, was: OfferValues, t: Text) {
  const { name, discount, goods, start_date, expiration_date, times } = values;
  const fault = discountFault(discount, t);
  const [noStart, wrongTimes] = [startFault(times, start_date, t), timesFault(times, t)];
  const goodsWrong = isSame(goods, was.goods) ? null : goodsFault(goods, discount, t);
  const isBackwards = start_date && expiration_date && Date.parse(start_date) >= Date.parse(expiration_date);
  return {
    ...(name.trim() === "" && { name: t("kit.form.required") }),
    ...(fault !== null && { discount: fault }),
    ...(goodsWrong !== null && { goods: goodsWrong }),
    ...(isBackwards && { expiration_date: t("campaigns.endsBefore") }),
    ...(noStart !== null && { start_date: noStart }),
    ...(wrongTimes !== null && { times: wrongTimes }),
  };
}

/** What is sent to change an offer: only what was changed. Whether it is switched on is a write of its own. */
export const offerChanges = (changes: Partial<OfferValues>): BodyOf<typeof updatePromotionTier> => ({
  ...(changes.name !== undefined && { name: changes.name.trim() }),
  ...("banner" in changes && { banner: changes.banner?.trim() || null }),
  ...(changes.discount && { action: { discount: filled(changes.discount) } }),
  ...("start_date" in changes && { start_date: changes.start_date ?? null }),
  ...("expiration_date" in changes && { expiration_date: changes.expiration_date ?? null }),
  ...(changes.times && validityOf(changes.times)),
  ...("category" in changes && { category_id: changes.category?.value ?? null }),
});

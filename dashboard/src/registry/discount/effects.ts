import type { Discount } from "../../api/operations.gen.ts";

type Effect = NonNullable<Discount["effect"]>;
type Named = { name: string };

const ON_ORDER = "APPLY_TO_ORDER";
/** Takes the entries of a list, which the form has no field for yet. */
const OF_LISTS = "ADD_MANY_ITEMS";

/** What a discount may apply to. On the whole order it would take all products: where it is for some, that is not offered. */
export const effectsFor = <E extends Named>(all: readonly E[], { effect }: Discount, isOnGoods: boolean): E[] =>
  all.filter(({ name }) => effect === name || (name !== OF_LISTS && !(isOnGoods && name === ON_ORDER)));

/** An amount that was given off once stays one amount: it is split over the lines. */
export const onGoods = (discount: Discount): Discount =>
  discount.effect === ON_ORDER
    ? { ...discount, effect: discount.type === "AMOUNT" ? "APPLY_TO_ITEMS_PROPORTIONALLY" : "APPLY_TO_ITEMS" }
    : discount;

/** What a discount of another type begins with. */
export function newDiscount({ name, effects }: Named & { effects: readonly Named[] }, isOnGoods: boolean): Discount {
  const begun = { type: name as Discount["type"], effect: effects[0]!.name as Effect };
  return isOnGoods ? onGoods(begun) : begun;
}

import type { Discount } from "../../api/operations.gen.ts";

type Effect = NonNullable<Discount["effect"]>;
type Named = { name: string };

const ON_ORDER = "APPLY_TO_ORDER";
/** What the field shows before anything was chosen. */
export const FIRST_DISCOUNT: Discount = { type: "PERCENT", effect: ON_ORDER };
/** Takes the entries of a list, which the form has no field for yet. */
const OF_LISTS = "ADD_MANY_ITEMS";

/** What a discount may apply to. On the whole order it would take all products: where it is for some, that is not offered. */
export const effectsFor = <E extends Named>(all: readonly E[], { effect }: Discount, isOnGoods: boolean): E[] =>
  all.filter(({ name }) => effect === name || (name !== OF_LISTS && !(isOnGoods && name === ON_ORDER)));

/** An amount that was given off once stays one amount: it is split over the lines. */
const onGoods = (discount: Discount): Discount =>
  discount.effect === ON_ORDER
    ? { ...discount, effect: discount.type === "AMOUNT" ? "APPLY_TO_ITEMS_PROPORTIONALLY" : "APPLY_TO_ITEMS" }
    : discount;

/** What a discount of another type begins with. */
export function newDiscount({ name, effects }: Named & { effects: readonly Named[] }, isOnGoods: boolean): Discount {
  const begun = { type: name as Discount["type"], effect: effects[0]!.name as Effect };
  return isOnGoods ? onGoods(begun) : begun;
}

/** A discount beside the choice of its products. `isMoved`: it was on the whole order, and is on lines because of them. */
export type Followed = { discount: Discount; isMoved: boolean };

const backOnOrder = (discount: Discount): Discount => ({ ...discount, effect: ON_ORDER });
/** It has the effect that products gave it, and nobody chose another one since. */
const isAsMoved = (discount: Discount) => onGoods(backOnOrder(discount)).effect === discount.effect;

/** What it becomes when products are chosen, and when it takes all of them again: then it is where it was before. */
export function followGoods({ discount, isMoved }: Followed, isOnGoods: boolean): Followed {
  if (!isOnGoods)
    return { discount: isMoved && isAsMoved(discount) ? backOnOrder(discount) : discount, isMoved: false };
  const next = onGoods(discount);
  return { discount: next, isMoved: isMoved || next !== discount };
}

/** What somebody made of it by hand. An effect that they chose stays, and one that a new type began with does not. */
export function followEdit({ discount: was, isMoved }: Followed, next: Discount, isOnGoods: boolean): Followed {
  const stays = was.type === next.type ? isMoved && was.effect === next.effect : isOnGoods && isAsMoved(next);
  return { discount: next, isMoved: stays };
}

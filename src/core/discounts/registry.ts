import { amountDiscount } from "./amount-discount.ts";
import type { DiscountDefinition, DiscountOf } from "./definition.ts";
import { fixedDiscount } from "./fixed-discount.ts";
import { percentDiscount } from "./percent-discount.ts";
import { unitDiscount } from "./unit-discount.ts";

/** Every type of discounts. A new one is a file of its own and a line here; schemas, documents and tests follow from it. */
export const DISCOUNTS = [
  amountDiscount,
  percentDiscount,
  fixedDiscount,
  unitDiscount,
] as const satisfies readonly DiscountDefinition[];

export type Discount = DiscountOf<(typeof DISCOUNTS)[number]>;

const byType = new Map<string, DiscountDefinition>(DISCOUNTS.map((definition) => [definition.type, definition]));
/** The definition of a discount that was checked when it was stored. */
export const definitionOf = ({ type }: { type: Discount["type"] }): DiscountDefinition => byType.get(type)!;

import type { Decimal } from "decimal.js";
import type { Percent } from "../money/amounts.ts";
import type { Order, OrderItem } from "../order/order.ts";
import type { Steps } from "../steps.ts";
import type { Explain } from "./explain.ts";
import type { Fields, Values } from "./fields.ts";
import type { Discounted, UsedUnits } from "./items.ts";
import type { ApplicableEntry, ApplicableTo } from "./targets.ts";
import type { CatalogueUnits, GoodsNamed, Replacement } from "./units.ts";

/** Values of formulas in the situation of this step; null where a formula cannot be worked out. */
export type FormulaValues = {
  money(formula: string, item: OrderItem | null): number | null;
  percent(formula: string, item: OrderItem | null): Decimal | null;
  count(formula: string): number | null;
};

export type StepInput = {
  order: Order;
  applicableTo: ApplicableTo;
  /** Whole bundles in the cart; 1 where no bundle is asked for. */
  bundles: number;
  calculation: "INITIAL_AMOUNT" | "DISCOUNTED_AMOUNT";
  /** Lines that another redeemable discounted already, where a product gets at most one discount. */
  blocked: ReadonlySet<number>;
  units: CatalogueUnits;
  usedUnits: UsedUnits;
  formulas: FormulaValues;
  explain?: Explain | undefined;
  steps?: Steps | undefined;
};

/**
 * What one redeemable does to the cart. `discount` is the one that was applied, with its values worked out; free units
 * say of which goods they are.
 */
export type StepOf<D> = {
  order: Order;
  discount: D & GoodsNamed & { is_dynamic: boolean };
  targets: readonly Discounted[];
  replacements: readonly Replacement[];
};

/** A discount with these fields, of whichever type. */
export type With<F extends Fields> = Values<F> & { type: string; effect?: string };

/** Where a discount goes, and how it is counted there. */
export type Effect<F extends Fields = Fields> = {
  /** What it takes off, for the reference. */
  readonly takes_off: string;
  /** What it concerns: the order as a whole, the lines that rules name, or the goods that it adds. */
  readonly on: "order" | "lines" | "goods";
  /** The ids of goods that it cannot do without: they are in the catalogue or in the cart. */
  adds(discount: With<F>): readonly string[];
  /** What it costs in a cart with so many lines, without its formulas, which pay for themselves. */
  steps(discount: With<F>, lines: number): number;
  /** `effect` is its own name, which a discount may leave out. */
  apply(discount: With<F>, effect: string, input: StepInput): StepOf<With<F>>;
};

/** The cart of every example: two mugs, which are in a collection, and a T-shirt. */
export const EXAMPLE_CART = [
  { product: "mug", price: 1200, quantity: 2, collections: ["pc_cups"] },
  { product: "tee", price: 2000, quantity: 1, collections: [] },
] as const;

/** A discount and what it does to the cart above. A test applies it; the reference shows one for each effect. */
export type DiscountExample = {
  /** What the example shows, where the numbers do not say it. */
  note?: string;
  discount: Readonly<Record<string, unknown>>;
  /** Prices of products of the catalogue, by id; those of the cart are there without being named. */
  catalogue?: Readonly<Record<string, number>>;
  /** The products that the rules of the discount name; without them it is for every line. */
  included?: readonly ApplicableEntry[];
  /** What comes off in all, and what the cart holds then: the units of each line and what comes off it. */
  off: number;
  lines?: readonly (readonly [quantity: number, off: number])[];
  /** The calculation, as a trace tells it. */
  explained: readonly string[];
};

/** A type of discounts. Its file holds all that is particular to it; `registry.ts` lists the types. */
export type DiscountDefinition<
  Type extends string = string,
  F extends Fields = Fields,
  Name extends string = string,
> = {
  readonly type: Type;
  /** Whether it takes money off, or changes what is in the cart. */
  readonly kind: "money" | "goods";
  /** The field that holds its value; the field with `_formula` behind its name may stand in its place. */
  readonly value: keyof F & string;
  readonly fields: F;
  /** Fields of a discount that was applied, where they are not those that were sent. */
  readonly shown: Fields;
  readonly effects: Readonly<Record<Name, Effect<F>>>;
  /** The effect of a discount that names none. */
  defaultEffect(discount: With<F>, namesProducts: boolean): NoInfer<Name>;
  /** What is wrong with a discount at `path`, or null. Schemas have been checked before, and formulas are after. */
  fault(discount: With<F>, path: string): string | null;
  /** The discount as it is stored. Fields that the type does not have are gone already. */
  stored(discount: With<F>): With<F>;
  /** The ids of all goods that it names. */
  goods(discount: With<F>): readonly string[];
  readonly examples: readonly DiscountExample[];
};
/** The discounts that a definition is of. */
export type DiscountOf<D> = D extends { type: infer Type; fields: infer F extends Fields; effects: infer Effects }
  ? { type: Type; effect?: keyof Effects & string } & Values<F>
  : never;

const NO_GOODS: readonly string[] = Object.freeze([]);
export const noGoods = (): readonly string[] => NO_GOODS;

type Optional = "shown" | "stored" | "goods";

/** A type of discounts. All definitions have one shape, so that every discount is applied by the same machine code. */
export const defineDiscount = <const Type extends string, const F extends Fields, const Name extends string>(
  given: Omit<DiscountDefinition<Type, F, Name>, Optional> & Partial<Pick<DiscountDefinition<Type, F, Name>, Optional>>,
): DiscountDefinition<Type, F, Name> => ({
  type: given.type,
  kind: given.kind,
  value: given.value,
  fields: given.fields,
  shown: given.shown ?? {},
  effects: given.effects,
  defaultEffect: given.defaultEffect,
  fault: given.fault,
  stored: given.stored ?? ((discount) => discount),
  goods: given.goods ?? noGoods,
  examples: given.examples,
});

/** Steps of any discount, for each line: amounts of the order are summed up, lines are looked up, limited and changed. */
export const LINE_STEPS = { order: 2, lines: 10 } as const;

/** The value of a formula, or the fixed one where there is none or it cannot be worked out. */
export function valueOr<V extends Percent>(
  formula: string | null | undefined,
  fixed: number | null | undefined,
  evaluate: (formula: string) => V | null,
): { value: V | number; is_dynamic: boolean } {
  const value = formula ? evaluate(formula) : null;
  return value === null ? { value: fixed ?? 0, is_dynamic: false } : { value, is_dynamic: true };
}

export const requiredFault = (field: string, path: string): string =>
  `Property ${path} must have required property '${field}'`;
/** Whether a field was sent with a value. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

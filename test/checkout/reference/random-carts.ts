import fc from "fast-check";
import type {
  CartRequest,
  DiscountAsked,
  Entry,
  Formula,
  LineAsked,
  Scenario,
  Shop,
  Targets,
} from "./reference-calculator.ts";

/** A shop that has a little of everything: products and SKUs with and without prices, collections that overlap. */
export const SHOP: Shop = {
  products: { p1: { price: 1000 }, p2: { price: 333 }, p3: { price: null }, p4: { price: 2500 } },
  skus: {
    s1: { price: 1200, product: "p1" },
    s2: { price: null, product: "p1" },
    s3: { price: 50, product: "p2" },
  },
  collections: { c1: ["p1", "p2"], c2: ["s1", "p4"], c3: ["p3", "p4", "s3"] },
};
const PRODUCTS = Object.keys(SHOP.products);
const SKUS = Object.keys(SHOP.skus);
const COLLECTIONS = Object.keys(SHOP.collections);

/** Left out most of the time: once in `every` it is there. */
const sometimes = <T>(value: fc.Arbitrary<T>, every = 3): fc.Arbitrary<T | undefined> =>
  fc.nat(every - 1).chain((n) => (n === every - 1 ? value : fc.constant(undefined)));
/** An object without what was left out. */
const object = <T extends object>(fields: { [K in keyof T]-?: fc.Arbitrary<T[K] | undefined> }): fc.Arbitrary<T> =>
  fc
    .record(fields as { [K in keyof T]: fc.Arbitrary<T[K]> })
    .map((every) => Object.fromEntries(Object.entries(every).filter(([, value]) => value !== undefined)) as T);

// Few different amounts, so that lines are often equal and splits leave ties.
const amount = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(1, 2, 50, 100, 101, 333, 500, 999, 1000, 1515, 1800, 3000) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
);
const limit = fc.oneof(fc.constantFrom(1, 7, 100, 300, 1000), fc.integer({ min: 1, max: 4000 }));
const count = fc.integer({ min: 1, max: 4 });

// --- Formulas --------------------------------------------------------------------------------------------------------

const LINE = ["PRICE", "AMOUNT", "SUBTOTAL", "UNITS_QUANTITY"];
const VARIABLES = [
  ...["ORDER_AMOUNT", "ORDER_ITEMS_QUANTITY", "ORDER_UNITS_QUANTITY"],
  ...LINE.flatMap((what) => ["", "CHEAPEST_", "MOST_EXPENSIVE_"].map((which) => `${which}ORDER_ITEM_${what}`)),
];
const number: fc.Arbitrary<Formula> = fc
  .constantFrom(0, 0.01, 0.5, 1, 2, 3, 5.1, 7, 10, 33.33, 100)
  .map((one) => ({ number: one }));
const arithmetic = (operand: fc.Arbitrary<Formula>): fc.Arbitrary<Formula> =>
  fc.oneof(
    fc.record({ operator: fc.constantFrom("+", "-", "*", "/"), left: operand, right: operand }),
    fc.record({ choose: fc.constantFrom("MIN", "MAX"), of: fc.array(operand, { minLength: 1, maxLength: 3 }) }),
    fc.record({
      round: fc.constantFrom("ROUND", "FLOOR", "CEIL"),
      value: operand,
      places: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({ if: operand, above: operand, so: operand, otherwise: operand }),
  );
const leaf: fc.Arbitrary<Formula> = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 4, arbitrary: fc.constantFrom(...VARIABLES).map((variable) => ({ variable })) },
  { weight: 1, arbitrary: fc.constant<Formula>({ missing: true }) },
);
const formula = arithmetic(fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: arithmetic(leaf) }));
/** Of units: a formula that stays small. */
const countFormula: fc.Arbitrary<Formula> = arithmetic(
  fc.oneof(
    fc.constantFrom<Formula>({ number: 1 }, { number: 2 }, { number: 0.5 }, { missing: true }),
    fc.constantFrom("ORDER_ITEMS_QUANTITY", "ORDER_UNITS_QUANTITY").map((variable) => ({ variable })),
  ),
);

/** A formula as it is written. */
function formulaText(one: Formula): string {
  if ("number" in one) return String(one.number);
  if ("variable" in one) return one.variable;
  if ("missing" in one) return 'CUSTOMER_METADATA("nobody has it")';
  if ("operator" in one) return `(${formulaText(one.left)} ${one.operator} ${formulaText(one.right)})`;
  if ("choose" in one) return `${one.choose}(${one.of.map(formulaText).join(";")})`;
  if ("round" in one) return `${one.round}(${formulaText(one.value)};${one.places})`;
  const [a, b, so, otherwise] = [one.if, one.above, one.so, one.otherwise].map(formulaText);
  return `IF(${a} > ${b};${so};${otherwise})`;
}

/** What is asked, with formulas as they are written. */
export const written = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (key, own) => (key.endsWith("_formula") ? formulaText(own) : own));

/** A bundle as the rules of a code have it. */
export function bundleRules({ parts, limit }: NonNullable<CartRequest["bundle"]>): object {
  const entries = parts.map(({ object, id, quantity }, n) => {
    const type = object === "products_collection" ? object : "product_or_sku";
    const rules = { 1: { name: "order.items.aggregated_quantity", conditions: { $is: [quantity] } }, logic: "1" };
    return [String(n + 1), { name: "order.items.any", conditions: { $is: [{ id, type, object }] }, rules }];
  });
  return { ...Object.fromEntries(entries), logic: entries.map(([key]) => key).join(" and "), limit };
}

// --- What a discount is for ------------------------------------------------------------------------------------------

const named = fc.oneof(
  fc.record({ object: fc.constant("sku" as const), id: fc.constantFrom(...SKUS) }),
  fc.record({ object: fc.constant("product" as const), id: fc.constantFrom(...PRODUCTS) }),
  fc.record({ object: fc.constant("products_collection" as const), id: fc.constantFrom(...COLLECTIONS) }),
);
const settings = object<Omit<Entry, "object" | "id">>({
  strict: sometimes(fc.boolean(), 6),
  effect: sometimes(
    fc.constantFrom(
      ...["APPLY_TO_EVERY", "APPLY_TO_CHEAPEST", "APPLY_FROM_CHEAPEST"],
      ...["APPLY_TO_MOST_EXPENSIVE", "APPLY_FROM_MOST_EXPENSIVE"],
    ),
    2,
  ),
  target: sometimes(fc.constantFrom("ITEM", "UNIT"), 2),
  skip_initially: sometimes(fc.integer({ min: 0, max: 2 }), 4),
  repeat: sometimes(fc.integer({ min: 1, max: 3 }), 4),
  price: sometimes(amount, 4),
  price_formula: sometimes(formula, 8),
  amount_limit: sometimes(limit, 4),
  amount_limit_formula: sometimes(formula, 12),
  aggregated_amount_limit: sometimes(limit, 3),
  quantity_limit: sometimes(count, 3),
  quantity_limit_formula: sometimes(countFormula, 12),
  aggregated_quantity_limit: sometimes(count, 4),
  product_campaign_quantity_limit: sometimes(count, 6),
  product_in_collection_campaign_quantity_limit: sometimes(count, 8),
});
const entry: fc.Arbitrary<Entry> = fc.tuple(named, settings).map(([what, how]) => ({ ...what, ...how }));
const all: Targets = { included: [], excluded: [], included_all: false };
const targets: fc.Arbitrary<Targets> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(all) },
  {
    weight: 4,
    arbitrary: fc.record({
      // Two entries of one thing would be one entry twice.
      included: fc.uniqueArray(entry, { maxLength: 3, selector: ({ id }) => id }),
      excluded: fc.oneof(
        { weight: 3, arbitrary: fc.constant<Targets["excluded"]>([]) },
        { weight: 1, arbitrary: fc.array(named, { maxLength: 2 }) },
      ),
      included_all: fc.nat(4).map((n) => n === 0),
    }),
  },
);

// --- Redeemables -----------------------------------------------------------------------------------------------------

const percentage = fc.oneof(fc.constantFrom(0, 3, 5.1, 10, 33.33, 50, 100), fc.integer({ min: 1, max: 99 }));
const ORDER_OR_ITEMS = ["APPLY_TO_ORDER", "APPLY_TO_ITEMS"];
const unit = fc.constantFrom(...PRODUCTS, ...SKUS);
const units = fc.integer({ min: 0, max: 5 });
const discount: fc.Arbitrary<DiscountAsked> = fc.oneof(
  object<DiscountAsked>({
    type: fc.constant("AMOUNT"),
    effect: sometimes(
      fc.constantFrom(
        ...[...ORDER_OR_ITEMS, "APPLY_TO_ITEMS_BY_QUANTITY"],
        ...["APPLY_TO_ITEMS_PROPORTIONALLY", "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY"],
      ),
      1,
    ),
    amount_off: amount,
    amount_off_formula: sometimes(formula, 5),
    aggregated_amount_limit: sometimes(limit, 4),
  } as never),
  object<DiscountAsked>({
    type: fc.constant("PERCENT"),
    effect: sometimes(fc.constantFrom(...ORDER_OR_ITEMS), 2),
    percent_off: percentage,
    percent_off_formula: sometimes(formula, 3),
    amount_limit: sometimes(limit, 4),
    aggregated_amount_limit: sometimes(limit, 4),
  } as never),
  object<DiscountAsked>({
    type: fc.constant("FIXED"),
    effect: sometimes(fc.constantFrom(...ORDER_OR_ITEMS), 2),
    fixed_amount: amount,
    fixed_amount_formula: sometimes(formula, 5),
  } as never),
  object<DiscountAsked>({
    type: fc.constant("UNIT"),
    effect: sometimes(fc.constantFrom("ADD_MISSING_ITEMS", "ADD_NEW_ITEMS", "REPLACE_ITEMS"), 1),
    unit_type: unit,
    unit_off: units,
    unit_off_formula: sometimes(countFormula, 5),
  } as never),
  object<DiscountAsked>({
    type: fc.constant("UNIT"),
    effect: fc.constant("ADD_SAME_ITEMS"),
    unit_type: fc.oneof(unit, fc.constantFrom(...COLLECTIONS)),
    unit_off: units,
  } as never),
  object<DiscountAsked>({
    type: fc.constant("UNIT"),
    effect: fc.constant("ADD_MANY_ITEMS"),
    units: fc.array(
      object({
        unit_type: unit,
        unit_off: units,
        unit_off_formula: sometimes(countFormula, 5),
        effect: fc.constantFrom("ADD_MISSING_ITEMS", "ADD_NEW_ITEMS"),
      } as never),
      { minLength: 1, maxLength: 3 },
    ),
  } as never),
);
const gift = fc.record({
  balance: fc.integer({ min: 1, max: 10_000 }),
  credits: fc.option(fc.integer({ min: 0, max: 11_000 })),
  effect: fc.constantFrom("APPLY_TO_ITEMS", "APPLY_TO_ITEMS", "APPLY_TO_ORDER"),
});
const points = fc.record({
  balance: fc.integer({ min: 1, max: 3000 }),
  points: fc.option(fc.integer({ min: 1, max: 3300 })),
  exchange_ratio: fc.constantFrom(0.01, 0.07, 1, 2.5),
  points_ratio: fc.constantFrom(1, 3, 7, 100),
});
const bundle = fc.record({
  parts: fc.uniqueArray(
    fc.tuple(named, fc.integer({ min: 1, max: 2 })).map(([what, quantity]) => ({ ...what, quantity })),
    { minLength: 1, maxLength: 2, selector: ({ id }) => id },
  ),
  limit: fc.integer({ min: 1, max: 3 }),
});
const mode = fc.constantFrom("INITIAL_AMOUNT", "DISCOUNTED_AMOUNT");
const common = fc.record({
  targets,
  campaign: fc.constantFrom(null, "A", "B"),
  used: fc.constantFrom(0, 0, 1, 2),
  mode: fc.constantFrom(null, null, null, "INITIAL_AMOUNT" as const, "DISCOUNTED_AMOUNT" as const),
  bundle: sometimes(bundle, 8).map((one) => one ?? null),
});
const benefit = fc.oneof(
  { weight: 8, arbitrary: fc.record({ discount }) },
  { weight: 2, arbitrary: fc.record({ gift }) },
  { weight: 1, arbitrary: fc.record({ points }) },
);
export const redeemable: fc.Arbitrary<CartRequest> = fc
  .tuple(common, benefit)
  .map(([a, b]) => ({ ...a, ...b }) as CartRequest);

// --- Carts -----------------------------------------------------------------------------------------------------------

const goods = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PRODUCTS).map((product) => ({ product, sku: null })) },
  { weight: 2, arbitrary: fc.constantFrom(...SKUS).map((sku) => ({ product: SHOP.skus[sku]!.product, sku })) },
  { weight: 1, arbitrary: fc.constant({ product: null, sku: null }) },
);
const line: fc.Arbitrary<LineAsked> = fc
  .tuple(
    goods,
    fc.record({
      quantity: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 12 }) },
      ),
      price: sometimes(amount, 3).map((one) => one ?? null),
      amount: sometimes(amount, 5).map((one) => one ?? null),
    }),
  )
  .map(([what, of]) => ({ ...what, ...of }));
export const cart = fc.record({
  lines: fc.array(line, { maxLength: 6 }),
  amount: sometimes(fc.integer({ min: 0, max: 9000 }), 8).map((one) => one ?? null),
});

const project = fc.record({
  mode,
  once: fc.nat(3).map((n) => n === 0),
  partial: fc.boolean(),
  skipNoEffect: fc.boolean(),
});
const anything: fc.Arbitrary<Scenario> = fc
  .tuple(cart, fc.record({ redeemables: fc.array(redeemable, { minLength: 1, maxLength: 4 }), settings: project }))
  .map(([a, b]) => ({ ...a, ...b }) as Scenario);

const alone = (discount: DiscountAsked, targets: Targets): CartRequest => ({
  ...{ discount, targets, campaign: null, used: 0, mode: null, bundle: null },
});

/** A split over lines that are equal but for their products, which the rules name in any order. */
const evenSplit: fc.Arbitrary<Scenario> = fc
  .record({
    prices: fc.array(fc.constantFrom(100, 101, 999), { minLength: 2, maxLength: 4 }),
    isEven: fc.boolean(),
    quantity: fc.integer({ min: 1, max: 3 }),
    included: fc.uniqueArray(entry, { minLength: 1, maxLength: 4, selector: ({ id }) => id }),
    included_all: fc.boolean(),
    amount_off: fc.integer({ min: 1, max: 500 }),
    effect: fc.constantFrom("APPLY_TO_ITEMS_PROPORTIONALLY", "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY"),
    settings: project,
  })
  .map(({ prices, isEven, quantity, included, included_all, amount_off, effect, settings }) => ({
    lines: prices.map((price, n) => ({
      ...{ product: PRODUCTS[n]!, sku: null, quantity, price: isEven ? prices[0]! : price, amount: null },
    })),
    amount: null,
    redeemables: [alone({ type: "AMOUNT", effect, amount_off }, { included, excluded: [], included_all })],
    settings,
  }));

/** A percentage that no decimal holds, of an amount of which it is often half a cent. */
const quotient: fc.Arbitrary<Scenario> = fc
  .record({
    dividend: fc.constantFrom(1, 2, 5, 10, 25, 50),
    divisor: fc.constantFrom(3, 7, 11),
    times: fc.integer({ min: 1, max: 999 }),
    effect: fc.constantFrom(...ORDER_OR_ITEMS),
    settings: project,
  })
  .map(({ dividend, divisor, times, effect, settings }) => {
    const percent_off_formula: Formula = { operator: "/", left: { number: dividend }, right: { number: divisor } };
    return {
      lines: [{ product: "p1", sku: null, quantity: 1, price: divisor * times, amount: null }],
      amount: null,
      redeemables: [alone({ type: "PERCENT", effect, percent_off: 1, percent_off_formula }, all)],
      settings,
    };
  });

/** A cart, what is redeemed on it, and how the project combines redeemables. */
export const scenario: fc.Arbitrary<Scenario> = fc.oneof(
  { weight: 5, arbitrary: anything },
  { weight: 1, arbitrary: evenSplit },
  { weight: 1, arbitrary: quotient },
);

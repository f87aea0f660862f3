import assert from "node:assert/strict";
import { test } from "node:test";
import { Decimal } from "decimal.js";
import { type CartLine, cart } from "../../../test/support/carts.ts";
import { FormulaNumber } from "../formula/values.ts";
import { type Order, subtotalOf, totalsOf } from "../order/order.ts";
import { applyDiscount } from "./apply.ts";
import type { FormulaValues, StepInput } from "./definition.ts";
import type { Discount } from "./discount.ts";
import { type ApplicableEntry, type ApplicableTo, NO_PRODUCTS } from "./targets.ts";
import type { CatalogueUnits } from "./units.ts";

const NO_FORMULAS: FormulaValues = { money: () => null, percent: () => null, count: () => null };
const input = (order: Order, given: Partial<StepInput> = {}): StepInput => ({
  order,
  applicableTo: NO_PRODUCTS,
  bundles: 1,
  calculation: "DISCOUNTED_AMOUNT",
  blocked: new Set(),
  units: new Map(),
  usedUnits: new Map(),
  formulas: NO_FORMULAS,
  ...given,
});
/** Lines of the collection "m" are those that the discount is for. */
const m = { collections: ["m"] };
const onM = (entry: Partial<ApplicableEntry> = {}): ApplicableTo => ({
  included: [{ object: "products_collection", id: "m", ...entry }],
  excluded: [],
  included_all: false,
});
const discounts = (order: Order) => order.items.map((item) => item.discount_amount);
const apply = (discount: Discount, order: Order, given: Partial<StepInput> = {}) =>
  applyDiscount(discount, input(order, given));

// Sample cart: three lines that count and one that does not.
const SAMPLE: CartLine[] = [
  { ...m, price: 1000, quantity: 2 },
  { ...m, price: 1500, quantity: 3 },
  { ...m, price: 2000, quantity: 3 },
  { price: 2500, quantity: 2 },
];

const ORDER_LEVEL: [name: string, discount: Discount, order: Order, off: number, total: number][] = [
  [
    "10% of an amount that the caller sent",
    { type: "PERCENT", percent_off: 10 },
    cart([{ price: 3000 }, { price: 2000 }, { amount: 1000, quantity: 2 }], { amount: 20050 }),
    2005,
    18045,
  ],
  [
    "10% of the sum of the lines",
    { type: "PERCENT", percent_off: 10 },
    cart([
      { price: 6500 },
      { price: 6000 },
      { price: 2000 },
      { price: 5000, quantity: 2 },
      { price: 11000, quantity: 2 },
    ]),
    4650,
    41850,
  ],
  ["1,000 off", { type: "AMOUNT", amount_off: 1000 }, cart([{ price: 46500 }]), 1000, 45500],
  ["40% of an order without lines", { type: "PERCENT", percent_off: 40 }, cart([], { amount: 200000 }), 80000, 120000],
  [
    "40% with a limit",
    { type: "PERCENT", percent_off: 40, amount_limit: 1700 },
    cart([], { amount: 10000 }),
    1700,
    8300,
  ],
  ["a fixed total above the order", { type: "FIXED", fixed_amount: 5000 }, cart([], { amount: 4000 }), 0, 4000],
  ["a fixed total below the order", { type: "FIXED", fixed_amount: 3000 }, cart([], { amount: 4000 }), 1000, 3000],
  ["more off than the order costs", { type: "AMOUNT", amount_off: 1000 }, cart([], { amount: 800 }), 800, 0],
  [
    "more off than is left of a stored order",
    { type: "AMOUNT", amount_off: 1000 },
    cart([], { amount: 10000, discount_amount: 9200 }),
    800,
    0,
  ],
  [
    "half a unit is rounded up",
    { type: "PERCENT", percent_off: 3 },
    cart([], { amount: 106000, discount_amount: 2650 }),
    3101,
    100249,
  ],
];
for (const [name, discount, order, off, total] of ORDER_LEVEL) {
  test(`order level: ${name}`, () => {
    const step = apply(discount, order, {});
    assert.equal(step.order.applied_discount_amount, off);
    assert.equal(totalsOf(step.order).total_amount, total);
    assert.equal(step.discount.effect, "APPLY_TO_ORDER");
  });
}

const ITEM_LEVEL: [
  name: string,
  discount: Discount,
  lines: CartLine[],
  entry: Partial<ApplicableEntry>,
  off: number[],
  total: number,
][] = [
  [
    "an amount off each line that counts",
    { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ITEMS" },
    SAMPLE,
    {},
    [1000, 1000, 1000, 0],
    14500,
  ],
  [
    "an amount split by what the lines cost",
    { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    SAMPLE,
    {},
    [160, 360, 480, 0],
    16500,
  ],
  [
    "an amount split by quantity",
    { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY" },
    SAMPLE,
    {},
    [250, 375, 375, 0],
    16500,
  ],
  [
    "a new price for each unit",
    { type: "FIXED", fixed_amount: 1000, effect: "APPLY_TO_ITEMS" },
    SAMPLE,
    {},
    [0, 1500, 3000, 0],
    13000,
  ],
  [
    "a new price that the entry names",
    { type: "FIXED", effect: "APPLY_TO_ITEMS" },
    [2900, 3100, 2900, 1700, 1500, 60000].map((price) => ({ ...m, price })),
    { price: 800 },
    [2100, 2300, 2100, 900, 700, 59200],
    4800,
  ],
  [
    "lines are filled until the limit over all of them is used up",
    { type: "AMOUNT", amount_off: 2000, aggregated_amount_limit: 3000, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 1000, quantity: 3 },
      { ...m, price: 2000, quantity: 3 },
      { price: 2500, quantity: 2 },
    ],
    {},
    [2000, 1000, 0],
    11000,
  ],
  [
    "the largest remainder gets the spare unit",
    { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    [
      { ...m, price: 3000, amount: 3300 },
      { ...m, price: 3000, quantity: 2, amount: 3400 },
    ],
    {},
    [148, 152],
    6400,
  ],
  [
    "every second line from the dearest unit down",
    { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 2000, quantity: 3 },
      { ...m, price: 1500, quantity: 5 },
      { ...m, price: 1000, quantity: 2 },
      { ...m, price: 500, quantity: 4 },
      { price: 2500, quantity: 2 },
    ],
    { effect: "APPLY_FROM_MOST_EXPENSIVE", skip_initially: 1, repeat: 2 },
    [0, 500, 0, 500, 0],
    21500,
  ],
  [
    "every second unit from the dearest down",
    { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS_BY_QUANTITY" },
    [
      { ...m, price: 2000, quantity: 3 },
      { ...m, price: 1500, quantity: 5 },
      { ...m, price: 1000, quantity: 2 },
      { ...m, price: 500, quantity: 4 },
      { price: 2500, quantity: 2 },
    ],
    { effect: "APPLY_FROM_MOST_EXPENSIVE", target: "UNIT", skip_initially: 1, repeat: 2 },
    [500, 1500, 500, 1000, 0],
    19000,
  ],
  [
    "five units over all lines",
    { type: "AMOUNT", amount_off: 100, effect: "APPLY_TO_ITEMS_BY_QUANTITY" },
    [
      { ...m, price: 100, quantity: 2 },
      { ...m, price: 100, quantity: 4 },
    ],
    { aggregated_quantity_limit: 5 },
    [200, 300],
    100,
  ],
  [
    "three units of a line",
    { type: "PERCENT", percent_off: 100, effect: "APPLY_TO_ITEMS" },
    [{ ...m, price: 100, quantity: 5 }],
    { quantity_limit: 3 },
    [300],
    200,
  ],
  [
    "the cheapest line only",
    { type: "PERCENT", percent_off: 50, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 900 },
      { ...m, price: 300, quantity: 4 },
      { ...m, price: 500 },
    ],
    { effect: "APPLY_TO_CHEAPEST" },
    [0, 600, 0],
    2000,
  ],
  [
    "the dearest unit only",
    { type: "PERCENT", percent_off: 50, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 900, quantity: 3 },
      { ...m, price: 300 },
    ],
    { effect: "APPLY_TO_MOST_EXPENSIVE", target: "UNIT" },
    [450, 0],
    2550,
  ],
  [
    "a limit of the discount for each line",
    { type: "PERCENT", percent_off: 50, amount_limit: 100, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 900 },
      { ...m, price: 100 },
    ],
    {},
    [100, 50],
    850,
  ],
  [
    "limits of the entry for a line and over its lines",
    { type: "PERCENT", percent_off: 50, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 900 },
      { ...m, price: 900 },
    ],
    { amount_limit: 300, aggregated_amount_limit: 400 },
    [300, 100],
    1400,
  ],
  [
    "an amount off a line is at most what its eligible units cost",
    { type: "AMOUNT", amount_off: 1800, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 1000, quantity: 3 },
      { ...m, price: 500, quantity: 5 },
    ],
    { quantity_limit: 1 },
    [1000, 500],
    4000,
  ],
  [
    "of an amount that is split by value, a line has the value of its eligible units",
    { type: "AMOUNT", amount_off: 900, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    [
      { ...m, price: 1000, quantity: 3 },
      { ...m, price: 2000, quantity: 1 },
    ],
    { quantity_limit: 1 },
    [300, 600],
    4100,
  ],
  [
    "of an amount that is split by quantity, only eligible units are counted, and cost at most what they cost",
    { type: "AMOUNT", amount_off: 3000, effect: "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY" },
    [
      { ...m, price: 1000, quantity: 3 },
      { ...m, price: 2000, quantity: 5 },
    ],
    { quantity_limit: 2 },
    [1500, 1500],
    10000,
  ],
  [
    "an amount that is split by value stays within the entry's limit over its lines",
    { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    [
      { ...m, price: 1500 },
      { ...m, price: 500 },
    ],
    { aggregated_amount_limit: 300 },
    [225, 75],
    1700,
  ],
  [
    "an amount that is split by quantity stays within the entry's limit over its lines",
    { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY" },
    [
      { ...m, price: 1500, quantity: 1 },
      { ...m, price: 500, quantity: 2 },
    ],
    { aggregated_amount_limit: 300 },
    [100, 200],
    2200,
  ],
  [
    "a percentage of some units is rounded once: half of a third of 50",
    { type: "PERCENT", percent_off: 50, effect: "APPLY_TO_ITEMS" },
    [{ ...m, amount: 50, quantity: 3 }],
    { quantity_limit: 1 },
    [8],
    42,
  ],
  [
    "a line without a price",
    { type: "PERCENT", percent_off: 15, effect: "APPLY_TO_ITEMS" },
    [{ ...m, quantity: 4 }],
    {},
    [0],
    0,
  ],
];
for (const [name, discount, lines, entry, off, total] of ITEM_LEVEL) {
  test(`item level: ${name}`, () => {
    const { order } = apply(discount, cart(lines), { applicableTo: onM(entry) });
    assert.deepEqual(discounts(order), off);
    assert.equal(totalsOf(order).total_amount, total);
  });
}

test("item level: each entry has its own limits on units", () => {
  const lines = [
    { price: 70000 },
    { price: 1500, quantity: 2, product: "a" },
    { price: 500, quantity: 2, product: "b" },
  ];
  const applicableTo: ApplicableTo = {
    included: [
      { object: "product", id: "a", quantity_limit: 1, aggregated_quantity_limit: 1 },
      { object: "product", id: "b", quantity_limit: 2, aggregated_quantity_limit: 3 },
    ],
    excluded: [],
    included_all: false,
  };
  const { order } = apply({ type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS_BY_QUANTITY" }, cart(lines), {
    applicableTo,
  });
  assert.deepEqual([discounts(order), totalsOf(order).total_amount], [[0, 500, 1000], 72500]);
});

test("item level: of equal lines the earlier one gets the spare unit, whatever the rules name first", () => {
  const lines = [
    { price: 100, product: "a" },
    { price: 100, product: "b" },
    { price: 100, product: "c" },
  ];
  const included = ["c", "b", "a"].map((id) => ({ object: "product" as const, id }));
  const { order, targets } = apply(
    { type: "AMOUNT", amount_off: 100, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    cart(lines),
    { applicableTo: { included, excluded: [], included_all: false } },
  );
  assert.deepEqual(discounts(order), [34, 33, 33]);
  assert.deepEqual(
    targets.map(({ index }) => index),
    [2, 1, 0],
  );
});

test("item level: what one entry's limit leaves of a split goes to the lines of the others", () => {
  const lines = [{ price: 1000, ...m }, { price: 1000, ...m }, { price: 1000 }];
  const included: ApplicableEntry[] = [{ object: "products_collection", id: "m", aggregated_amount_limit: 300 }];
  const { order } = apply({ type: "AMOUNT", amount_off: 900, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" }, cart(lines), {
    applicableTo: { included, excluded: [], included_all: true },
  });
  assert.deepEqual(discounts(order), [150, 150, 600]);
});

test("item level: with an amount of the order that is not the sum of its lines, discounts come off that amount", () => {
  const lines = [
    { ...m, price: 3000, amount: 3300 },
    { ...m, price: 3000, quantity: 2, amount: 3400 },
  ];
  const { order } = apply(
    { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    cart(lines, { amount: 6000 }),
    { applicableTo: onM() },
  );
  assert.deepEqual(totalsOf(order), {
    items_discount_amount: 300,
    total_discount_amount: 300,
    total_amount: 5700,
    items_applied_discount_amount: 300,
    total_applied_discount_amount: 300,
  });
  assert.deepEqual(order.items.map(subtotalOf), [3152, 3248]);
});

test("item level: an exclusion wins, a more specific entry wins, and without entries every line counts", () => {
  const lines = [
    { product: "a", price: 1000 },
    { product: "a", sku: "a1", price: 1000 },
    { product: "b", price: 1000 },
  ];
  const off = (applicableTo: Partial<ApplicableTo>) =>
    discounts(
      apply({ type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" }, cart(lines), {
        applicableTo: { ...NO_PRODUCTS, ...applicableTo },
      }).order,
    );
  assert.deepEqual(off({}), [100, 100, 100]);
  assert.deepEqual(off({ excluded: [{ object: "product", id: "b" }] }), [100, 100, 0]);
  assert.deepEqual(off({ included: [{ object: "product", id: "a" }] }), [100, 100, 0]);
  assert.deepEqual(off({ included: [{ object: "product", id: "a", strict: true }] }), [100, 0, 0]);
  assert.deepEqual(off({ included_all: true, excluded: [{ object: "sku", id: "a1" }] }), [100, 0, 100]);
  assert.deepEqual(
    off({
      included: [
        { object: "product", id: "a" },
        { object: "sku", id: "a1", amount_limit: 5 },
      ],
    }),
    [100, 5, 0],
  );
});

test("item level: units that were discounted before count against the budget, by product inside a collection", () => {
  const one = (limit: string, used: [string, number][], lines: CartLine[]) =>
    discounts(
      apply({ type: "AMOUNT", amount_off: 1, effect: "APPLY_TO_ITEMS_BY_QUANTITY" }, cart(lines), {
        applicableTo: onM({ [limit]: 5 }),
        usedUnits: new Map(used),
      }).order,
    );
  const key = "product_customer_campaign_quantity_limit products_collection m ";
  assert.deepEqual(one("product_customer_campaign_quantity_limit", [[key, 3]], [{ ...m, price: 9, quantity: 3 }]), [2]);
  const each = (product: string) => `product_in_collection_campaign_quantity_limit products_collection m ${product}`;
  const lines = [
    ["tshirt", 3],
    ["beanie", 3],
    ["poster", 2],
  ].map(([product, quantity]) => ({ ...m, product: product as string, price: 9, quantity: quantity as number }));
  assert.deepEqual(
    one(
      "product_in_collection_campaign_quantity_limit",
      [
        [each("tshirt"), 5],
        [each("beanie"), 1],
        [each("poster"), 4],
      ],
      lines,
    ),
    [0, 3, 1],
  );
});

const BUNDLES: [
  name: string,
  bundles: number,
  discount: Discount,
  lines: CartLine[],
  entry: Partial<ApplicableEntry>,
  off: number,
][] = [
  [
    "units limited per bundle",
    2,
    { type: "AMOUNT", amount_off: 2000, effect: "APPLY_TO_ITEMS_BY_QUANTITY" },
    [{ ...m, price: 9000, quantity: 3 }],
    { quantity_limit: 1 },
    4000,
  ],
  [
    "units without a limit",
    2,
    { type: "AMOUNT", amount_off: 2000, effect: "APPLY_TO_ITEMS_BY_QUANTITY" },
    [{ ...m, price: 9000, quantity: 3 }],
    {},
    6000,
  ],
  [
    "an amount for each line",
    2,
    { type: "AMOUNT", amount_off: 2000, effect: "APPLY_TO_ITEMS" },
    [
      { ...m, price: 9000 },
      { ...m, price: 9000 },
      { ...m, price: 9000 },
    ],
    {},
    12000,
  ],
  [
    "an amount that is split",
    2,
    { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    [
      { ...m, price: 3000 },
      { ...m, price: 2000 },
    ],
    {},
    2000,
  ],
  [
    "an amount off the order",
    5,
    { type: "AMOUNT", amount_off: 100, effect: "APPLY_TO_ORDER" },
    [{ price: 10000 }],
    {},
    500,
  ],
  [
    "a percentage of the order",
    5,
    { type: "PERCENT", percent_off: 5, effect: "APPLY_TO_ORDER" },
    [{ price: 10000 }],
    {},
    2500,
  ],
  [
    "a percentage above one hundred",
    50,
    { type: "PERCENT", percent_off: 5, effect: "APPLY_TO_ORDER" },
    [{ price: 10000 }],
    {},
    10000,
  ],
  [
    "a percentage of lines",
    2,
    { type: "PERCENT", percent_off: 5, effect: "APPLY_TO_ITEMS" },
    [{ ...m, price: 10000 }],
    {},
    1000,
  ],
  [
    "a new price for limited units",
    2,
    { type: "FIXED", fixed_amount: 0, effect: "APPLY_TO_ITEMS" },
    [{ ...m, price: 100, quantity: 9 }],
    { quantity_limit: 2 },
    400,
  ],
  ["a fixed total", 5, { type: "FIXED", fixed_amount: 5000, effect: "APPLY_TO_ORDER" }, [{ price: 8000 }], {}, 3000],
];
for (const [name, bundles, discount, lines, entry, off] of BUNDLES) {
  test(`${bundles} bundles: ${name}`, () => {
    const { order } = apply(discount, cart(lines), { applicableTo: onM(entry), bundles });
    assert.equal(totalsOf(order).total_discount_amount, off);
  });
}

const units = (prices: Record<string, { price: number; sku?: true } | number>): CatalogueUnits =>
  new Map(
    Object.entries(prices).map(([id, given]) => {
      const price = typeof given === "number" ? given : given.price;
      const thing = { id, source_id: null, price, metadata: {} };
      const isSku = typeof given === "object";
      return [
        id,
        {
          product: isSku ? null : { ...thing, name: null },
          sku: isSku ? { ...thing, sku: null } : null,
          collections: [],
        },
      ];
    }),
  );

test("units: a new one is added and free, a missing one is added only when it is not there", () => {
  const unit = (effect: "ADD_NEW_ITEMS" | "ADD_MISSING_ITEMS", unit_off: number, quantity: number) => {
    const { order } = apply(
      { type: "UNIT", unit_off, unit_type: "P", effect },
      cart([{ product: "P", price: 2900, quantity }]),
      { units: units({ P: 2900 }) },
    );
    const [item] = order.items;
    return [
      item!.quantity,
      item!.amount,
      item!.discount_amount,
      item!.discount_quantity,
      order.amount,
      totalsOf(order).total_amount,
    ];
  };
  assert.deepEqual(unit("ADD_NEW_ITEMS", 1, 1), [2, 5800, 2900, 1, 5800, 2900]);
  assert.deepEqual(unit("ADD_MISSING_ITEMS", 1, 1), [1, 2900, 2900, 1, 2900, 0]);
  assert.deepEqual(unit("ADD_MISSING_ITEMS", 2, 1), [2, 5800, 5800, 2, 5800, 0]);
  assert.deepEqual(unit("ADD_MISSING_ITEMS", 1, 3), [3, 8700, 2900, 1, 8700, 5800]);
});

test("units: all lines of a product count as being there, and are free one after the other", () => {
  const run = (unit_off: number, quantities: readonly number[], many: boolean) => {
    const unit = { unit_off, unit_type: "P", effect: "ADD_MISSING_ITEMS" } as const;
    const lines = [...quantities.map((quantity) => ({ product: "P", price: 1000, quantity })), { price: 50 }];
    const { order } = apply(
      many ? { type: "UNIT", effect: "ADD_MANY_ITEMS", units: [unit] } : { type: "UNIT", ...unit },
      cart(lines),
      { units: units({ P: 1000 }) },
    );
    return order.items.map((item) => [item.quantity, item.discount_amount, item.discount_quantity]);
  };
  for (const many of [false, true]) {
    assert.deepEqual(run(2, [1, 1], many), [
      [1, 1000, 1],
      [1, 1000, 1],
      [1, 0, 0],
    ]);
    assert.deepEqual(run(3, [1, 1], many), [
      [2, 2000, 2],
      [1, 1000, 1],
      [1, 0, 0],
    ]);
    assert.deepEqual(run(3, [2, 4], many), [
      [2, 2000, 2],
      [4, 1000, 1],
      [1, 0, 0],
    ]);
  }
});

test("units: of a line without a price, a free unit is worth its part of the amount", () => {
  const { order } = apply(
    { type: "UNIT", unit_off: 1, unit_type: "P", effect: "ADD_MISSING_ITEMS" },
    cart([{ product: "P", amount: 1000, quantity: 3 }]),
  );
  assert.deepEqual([order.items[0]!.quantity, discounts(order)], [3, [333]]);
});

test("units: many at once, each in its own way", () => {
  const discount: Discount = {
    type: "UNIT",
    effect: "ADD_MANY_ITEMS",
    units: [
      { unit_off: 11, unit_type: "SKU_S", effect: "ADD_MISSING_ITEMS" },
      { unit_off: 22, unit_type: "SKU_C", effect: "ADD_NEW_ITEMS" },
      { unit_off: 111, unit_type: "PH", effect: "ADD_MISSING_ITEMS" },
      { unit_off: 222, unit_type: "PX", effect: "ADD_MISSING_ITEMS" },
    ],
  };
  const lines = [
    { product: "A", price: 2900 },
    { product: "B", price: 3100 },
    { product: "A", price: 2900 },
    { sku: "SKU_C", price: 1700 },
    { product: "PX", price: 1500 },
    { product: "PH", price: 60000 },
  ];
  const catalogue = units({
    SKU_S: { price: 210000, sku: true },
    SKU_C: { price: 1700, sku: true },
    PH: 60000,
    PX: 1500,
  });
  const { order } = apply(discount, cart(lines), { units: catalogue });
  assert.deepEqual([order.amount, order.initial_amount], [9351000, 72100]);
  const of = (field: "quantity" | "discount_quantity" | "discount_amount" | "initial_quantity") =>
    order.items.map((item) => item[field]);
  assert.deepEqual(of("quantity"), [1, 1, 1, 23, 222, 111, 11]);
  assert.deepEqual(of("discount_quantity"), [0, 0, 0, 22, 222, 111, 11]);
  assert.deepEqual(of("discount_amount"), [0, 0, 0, 37400, 333000, 6660000, 2310000]);
  assert.deepEqual(of("initial_quantity"), [1, 1, 1, 1, 1, 1, 0]);
  assert.deepEqual([totalsOf(order).items_discount_amount, totalsOf(order).total_amount], [9340400, 10600]);
});

test("units: a line that was not in the cart, also beside an earlier discount of the order", () => {
  const added = apply(
    { type: "UNIT", unit_off: 45, unit_type: "S", effect: "ADD_NEW_ITEMS" },
    cart([{ price: 230000 }]),
    { units: units({ S: { price: 210000, sku: true } }) },
  ).order;
  assert.deepEqual(
    [added.amount, totalsOf(added).items_discount_amount, totalsOf(added).total_amount],
    [9680000, 9450000, 230000],
  );
  const { quantity, discount_quantity, initial_quantity, amount, initial_amount } = added.items[1]!;
  assert.deepEqual(
    [quantity, discount_quantity, initial_quantity, amount, initial_amount, subtotalOf(added.items[1]!)],
    [45, 45, 0, 9450000, 0, 0],
  );

  const stored = cart([{ amount: 9500 }, { amount: 18500 }], { discount_amount: 8400 });
  const later = apply({ type: "UNIT", unit_off: 3, unit_type: "J", effect: "ADD_NEW_ITEMS" }, stored, {
    units: units({ J: { price: 29900, sku: true } }),
  }).order;
  assert.deepEqual([later.amount, later.initial_amount, later.discount_amount], [117700, 28000, 8400]);
  const { items_discount_amount, total_discount_amount, total_amount, total_applied_discount_amount } = totalsOf(later);
  assert.deepEqual(
    [items_discount_amount, total_discount_amount, total_amount, total_applied_discount_amount],
    [89700, 98100, 19600, 89700],
  );
});

test("units: replacing keeps the total when the new ones cost more, and lowers nothing by itself", () => {
  const replace = (source: number, target: number, unit_off: number) => {
    const step = apply(
      { type: "UNIT", effect: "REPLACE_ITEMS", unit_off, unit_type: "T" },
      cart([{ ...m, product: "S", price: source, quantity: 3 }]),
      {
        applicableTo: onM({ quantity_limit: 1 }),
        units: units({ T: target }),
      },
    );
    const { total_discount_amount, total_amount } = totalsOf(step.order);
    return {
      quantities: step.order.items.map((item) => item.quantity),
      total_discount_amount,
      total_amount,
      details: step.replacements,
    };
  };
  const dearer = replace(2000, 2500, 1);
  assert.deepEqual([dearer.quantities, dearer.total_discount_amount, dearer.total_amount], [[2, 1], 500, 6000]);
  assert.deepEqual(dearer.details, [
    {
      source_index: 0,
      source_applied_quantity: -1,
      source_applied_quantity_amount: -2000,
      target_index: 1,
      target_applied_quantity: 1,
      target_applied_quantity_amount: 2500,
      target_applied_discount_amount: 500,
    },
  ]);
  const several = replace(2500, 1000, 3);
  assert.deepEqual([several.quantities, several.total_discount_amount, several.total_amount], [[2, 3], 500, 7500]);
  const cheaper = replace(2500, 1000, 1);
  assert.deepEqual([cheaper.total_discount_amount, cheaper.total_amount], [0, 6000]);
});

test("units: free copies of what is in the cart, and shipping without a price", () => {
  const same = apply(
    { type: "UNIT", effect: "ADD_SAME_ITEMS", unit_off: 1, unit_type: "m" },
    cart([{ ...m, price: 500, quantity: 2 }, { price: 700 }]),
    { applicableTo: onM() },
  ).order;
  assert.deepEqual(
    same.items.map((item) => [item.quantity, item.discount_amount]),
    [
      [3, 500],
      [1, 0],
    ],
  );
  const shipping: CatalogueUnits = new Map([
    [
      "ship",
      {
        product: { id: "ship", source_id: null, name: "Shipping", price: null, metadata: {} },
        sku: null,
        collections: [],
      },
    ],
  ]);
  const { order } = apply({ type: "UNIT", unit_off: 1, unit_type: "ship" }, cart([{ price: 1000 }]), {
    units: shipping,
  });
  assert.deepEqual(
    [order.amount, totalsOf(order).total_amount, order.items[1]!.quantity, order.items[1]!.amount],
    [1000, 1000, 1, null],
  );
});

test("a percentage is of what is left, or of what the cart cost at first, as the project calculates", () => {
  const twice = (calculation: StepInput["calculation"]) => {
    const first = apply({ type: "PERCENT", percent_off: 10 }, cart([], { amount: 10000 }), { calculation });
    const second = apply({ type: "PERCENT", percent_off: 20 }, first.order, { calculation });
    return [
      first.order.applied_discount_amount,
      second.order.applied_discount_amount,
      totalsOf(second.order).total_amount,
    ];
  };
  assert.deepEqual(twice("INITIAL_AMOUNT"), [1000, 2000, 7000]);
  assert.deepEqual(twice("DISCOUNTED_AMOUNT"), [1000, 1800, 7200]);
});

test("a percentage of lines is not made smaller by a discount of the whole order", () => {
  const order = cart([
    { ...m, amount: 26500, discount_amount: 2650 },
    { ...m, amount: 79500 },
  ]);
  const first = apply({ type: "PERCENT", percent_off: 3 }, order);
  assert.equal(first.order.applied_discount_amount, 3101);
  const second = apply({ type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" }, first.order, {
    applicableTo: onM(),
  });
  assert.deepEqual(
    second.order.items.map((item) => item.applied_discount_amount),
    [2385, 7950],
  );
  assert.deepEqual(second.order.items.map(subtotalOf), [21465, 71550]);
  assert.equal(totalsOf(second.order).total_amount, 89914);
});

test("a percentage from a formula is exact until the amount is rounded", () => {
  const third = new FormulaNumber(10).div(3);
  const formulas: FormulaValues = { ...NO_FORMULAS, percent: () => third };
  const discount: Discount = { type: "PERCENT", percent_off_formula: "10 / 3" };
  const order = apply(discount, cart([{ price: 1515 }]), { formulas });
  assert.deepEqual([order.order.discount_amount, (order.discount as any).percent_off], [51, 3.3333333333]);
  const items = apply({ ...discount, effect: "APPLY_TO_ITEMS" }, cart([{ price: 505, quantity: 3 }]), { formulas });
  assert.deepEqual(discounts(items.order), [51]);
  const thrice = apply({ type: "PERCENT", percent_off: 5.1 }, cart([{ price: 500 }]), { bundles: 3 });
  assert.deepEqual([thrice.order.discount_amount, (thrice.discount as any).percent_off], [77, 15.3]);
});

test("a formula gives the value and says so; where it cannot be worked out the fixed value counts", () => {
  const formulas: FormulaValues = {
    money: (text, item) =>
      text === "per line" ? item && (10 * (item.price ?? 0)) / 100 : text === "nothing" ? null : 700,
    percent: () => new Decimal(25),
    count: () => 2,
  };
  const run = (discount: Discount, given: Partial<StepInput> = {}) =>
    apply(
      discount,
      cart([
        { ...m, price: 1000 },
        { ...m, price: 600 },
      ]),
      { formulas, units: units({ P: 300 }), ...given },
    );
  const amount = run({ type: "AMOUNT", amount_off: 100, amount_off_formula: "x" });
  assert.deepEqual(
    [amount.discount, amount.order.applied_discount_amount],
    [{ type: "AMOUNT", amount_off: 700, amount_off_formula: "x", effect: "APPLY_TO_ORDER", is_dynamic: true }, 700],
  );
  const fallback = run({ type: "AMOUNT", amount_off: 100, amount_off_formula: "nothing" });
  assert.deepEqual([fallback.discount.is_dynamic, fallback.order.applied_discount_amount], [false, 100]);
  assert.equal(run({ type: "PERCENT", percent_off: 1, percent_off_formula: "x" }).order.applied_discount_amount, 400);
  assert.deepEqual(
    discounts(
      run({ type: "AMOUNT", amount_off_formula: "per line", effect: "APPLY_TO_ITEMS" }, { applicableTo: onM() }).order,
    ),
    [100, 60],
  );
  assert.deepEqual(
    discounts(
      run({ type: "FIXED", effect: "APPLY_TO_ITEMS" }, { applicableTo: onM({ price: 5, price_formula: "per line" }) })
        .order,
    ),
    [900, 540],
  );
  assert.equal(run({ type: "UNIT", unit_off: 1, unit_off_formula: "x", unit_type: "P" }).order.items[2]!.quantity, 2);
});

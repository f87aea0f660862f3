import assert from "node:assert/strict";
import { test } from "node:test";
import { describedBundle, parseDefinition } from "./definition.ts";
import { RuleFault } from "./fault.ts";

const check = (given: Parameters<typeof parseDefinition>[0]) =>
  parseDefinition(given, (text) => (text.includes("BAD") ? "is no formula" : null));
const amount = { name: "order.amount", conditions: { $more_than: [1] } };
const isA = { $is: [{ id: "prod_a", type: "product_or_sku", object: "product" }] };
const any = (more: object = {}) => ({ name: "order.items.any", conditions: isA, ...more });
const quantity = (...values: unknown[]) => ({ name: "order.items.aggregated_quantity", conditions: { $is: values } });
const nested = (depth: number): object => (depth === 0 ? quantity(1) : any({ rules: { "1": nested(depth - 1) } }));

test("nothing at all is a definition that always holds and is for no products", () => {
  assert.deepEqual(check({}), {
    rules: {},
    bundle_rules: {},
    applicable_to: { included: [], excluded: [], included_all: false },
    error: null,
  });
  assert.deepEqual(check({ rules: { logic: "" } }).rules, { logic: "" });
});

test("a node gets the parts that were left out, and names stay as they were written", () => {
  const { rules, error } = check({
    rules: {
      "1": { name: "customer_segment", conditions: { $is: ["seg_1"] }, extra: 1 },
      "2": {
        name: "order.metadata",
        property: "a",
        conditions: { $greater_than_or_equal: [1] },
        error: { message: "no" },
      },
      logic: "(1) AND 2",
    },
    error: { message: "Sorry" },
  });
  assert.deepEqual(rules, {
    "1": { name: "customer_segment", property: null, conditions: { $is: ["seg_1"] }, rules: {} },
    "2": {
      name: "order.metadata",
      property: "a",
      conditions: { $greater_than_or_equal: [1] },
      rules: {},
      error: { message: "no" },
    },
    logic: "(1) AND 2",
  });
  assert.deepEqual(error, { message: "Sorry" });
});

test("what was checked once is checked again without a change", () => {
  const once = check({
    rules: { "1": any({ rules: { "1": quantity(2), logic: "1" } }), "2": amount },
    bundle_rules: { "1": any({ rules: { "1": quantity(2) } }) },
    applicable_to: { included: [{ object: "sku", id: "s", quantity_limit: 2 }] },
  });
  assert.deepEqual(check(once), once);
});

test("rules may stand three deep below others, and a hundred are enough", () => {
  assert.doesNotThrow(() => check({ rules: { "1": nested(3) } }));
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [String(n + 1), amount]));
  assert.doesNotThrow(() => check({ rules: many }));
});

const again = Array(90).fill("1").join(" and ");
/** 90 times 90 times 90 times 90 questions in four rules: refused by counting them, not by asking. */
const multiplied = [1, 2, 3].reduce<object>((below) => any({ rules: { "1": below, logic: again } }), quantity(1));
const FAULTS = [
  [[], /rules must be an object/],
  [{ "1": null }, /a rule must be an object with a 'name'/],
  [{ "1": { conditions: {} } }, /a rule must be an object with a 'name'/],
  [{ "1": { name: "order.colour", conditions: {} } }, /Rule 'order.colour' is unknown/],
  [{ "1": { name: "constructor", conditions: {} } }, /Rule 'constructor' is unknown/],
  [{ "1": { ...amount, name: "custom_event.metadata" } }, /^Rule 'custom_event.metadata' must have a 'property'$/],
  [{ "1": { ...amount, name: "order.metadata", property: 5 } }, /property must be a text/],
  [{ "1": { name: "order.amount" } }, /must have 'conditions'/],
  [{ "1": { name: "order.amount", conditions: {} } }, /must have 'conditions'/],
  [{ "1": { name: "order.amount", conditions: [1] } }, /conditions must be an object/],
  [{ "1": { name: "order.amount", conditions: { $contains: ["1"] } } }, /does not take '\$contains'; it takes \$is, /],
  [{ "1": { name: "order.amount", conditions: { $regex: ["1"] } } }, /does not take '\$regex'/],
  [{ "1": { name: "order.amount", conditions: { $more_than: 1 } } }, /must be a list of one value/],
  [{ "1": { name: "order.amount", conditions: { $more_than: [1, 2] } } }, /must be a list of one value/],
  [{ "1": { name: "order.amount", conditions: { $in: [] } } }, /must be a list of 1 to 1000 values/],
  [{ "1": { name: "order.amount", conditions: { $more_than: ["much"] } } }, /'\$more_than' takes a number/],
  ...[49.99, "49.99", "4999.00"].map((value): [object, RegExp] => [
    { "1": { name: "order.amount", conditions: { $more_than: [value] } } },
    /'\$more_than' must be a whole number of cents \(4999 for 49\.99\)/,
  ]),
  [
    {
      "1": {
        name: "order.items.any",
        conditions: {},
        rules: { "1": { name: "order.items.price", conditions: { $is: ["9.5"] } } },
      },
    },
    /must be a whole number of cents/,
  ],
  [{ "1": { name: "customer.segment", conditions: { $is: [5] } } }, /takes an id/],
  [{ "1": { name: "order.metadata", property: "d", conditions: { $after: ["soon"] } } }, /ISO 8601/],
  [{ "1": { name: "order.metadata", property: "d", conditions: { $dow: [7] } } }, /a weekday from 0/],
  [{ "1": { name: "order.metadata", property: "d", conditions: { $is_days_ago: [-1] } } }, /a number of days from 0/],
  [
    { "1": { name: "order.metadata", property: "d", conditions: { $timeframe: ["2026-01-01;P1D"] } } },
    /start;interval/,
  ],
  [{ "1": { name: "order.metadata", property: "d", conditions: { $timeframe_absolute: ["2026-01-01"] } } }, /from;to/],
  [
    { "1": { name: "order.metadata", property: "d", conditions: { $timeframe_daily_hours: ["20:00;18:00"] } } },
    /HH:mm/,
  ],
  [{ "1": { name: "order.items.any", conditions: { $is: [{ object: "product" }] } } }, /an object with the id/],
  [{ "1": { name: "order.items.any", conditions: { $is: [{ id: "a", effect: "APPLY" }] } } }, /an object with the id/],
  [{ "1": { name: "publication.redeemable_by_linked_customer", conditions: { $is: [true, false] } } }, /one value/],
  [{ "1": quantity(1) }, /must stand below a rule that picks lines/],
  [{ "1": any({ rules: { "1": amount } }) }, /'order.amount' cannot stand below 'order.items.any'/],
  [{ "1": { ...amount, rules: { "1": quantity(1) } } }, /'order.amount' takes no 'rules' below it/],
  [{ "1": { ...any(), name: "order.items.none", rules: { "1": quantity(1) } } }, /takes no 'rules' below it/],
  [{ "1": nested(4) }, /nested more than 3 deep/],
  [Object.fromEntries(Array.from({ length: 101 }, (_, n) => [String(n), amount])), /more than 100 rules/],
  [{ "1": amount, logic: 5 }, /logic must be a text/],
  [{ "1": amount, logic: "1 and 2" }, /'2' at position 7 is not the key/],
  [{ "1": any({ rules: { "1": quantity(1), logic: "2" } }) }, /'2' at position 1/],
  [{ "a b": amount }, /'a b' cannot be the key/],
  [{ and: amount }, /'and' cannot be the key/],
  [{ "1": { ...amount, error: "no" } }, /error must be an object with a 'message'/],
  [{ "1": { ...amount, error: { message: 5 } } }, /error.message must be a text/],
  [{ "1": multiplied, logic: again }, /rules ask \d+ questions, more than 500; name each key once/],
] as const;
for (const [rules, message] of FAULTS) {
  test(`rules ${JSON.stringify(rules).slice(0, 90)} are refused: ${message.source}`, () => {
    assert.throws(
      () => check({ rules }),
      (error) => error instanceof RuleFault && message.test(error.message),
    );
  });
}

test("bundle rules default to a limit of one, null clears them, and they become a bundle", () => {
  const given = { "1": any({ rules: { "1": quantity(2), logic: "1" } }), "2": any(), limit: null };
  const { bundle_rules } = check({ bundle_rules: given });
  assert.equal(bundle_rules.limit, 1);
  assert.deepEqual(describedBundle(bundle_rules), {
    parts: [
      { entry: { object: "product", id: "prod_a", source_id: null }, quantity: 2 },
      { entry: { object: "product", id: "prod_a", source_id: null }, quantity: 1 },
    ],
    limit: 1,
  });
  assert.deepEqual(check({ bundle_rules: null }).bundle_rules, {});
  assert.equal(describedBundle({}), null);
});

const BUNDLE_FAULTS = [
  [5, /bundle_rules must be an object/],
  [{ "1": any(), limit: 0 }, /limit must be a whole number from 1 to 100/],
  [{ "1": any(), limit: 101 }, /limit must be/],
  [{ "1": { ...any(), name: "order.items.every" } }, /bundle_rules.1: name must be 'order.items.any'/],
  [{ "1": { ...any(), conditions: { $in: isA.$is } } }, /conditions must be '\$is' with one object/],
  [{ "1": { ...any(), conditions: { $is: [...isA.$is, ...isA.$is] } } }, /with one object/],
  [{ "1": { ...any(), conditions: { $is: [{ id: "a", object: "sku" }] } } }, /must have 'id', 'type' and 'object'/],
  [{ "1": any({ rules: { "1": quantity(0) } }) }, /with '\$is' of 1 or more/],
  [{ "1": any({ rules: { "1": { ...quantity(1), name: "order.items.quantity" } } }) }, /one 'order.items.aggregated/],
] as const;
for (const [bundle_rules, message] of BUNDLE_FAULTS) {
  test(`bundle rules ${JSON.stringify(bundle_rules).slice(0, 70)} are refused: ${message.source}`, () => {
    assert.throws(() => check({ bundle_rules }), message);
  });
}

test("entries get their default effect, and lose what only an answer holds", () => {
  const entry = { object: "products_collection", id: "pc_1", source_id: null, quantity_limit: 1, repeat: null };
  const { applicable_to } = check({
    applicable_to: { included: [{ ...entry, order_item_indices: [1] }], excluded: null, included_all: true },
  });
  assert.deepEqual(applicable_to, {
    included: [
      { object: "products_collection", id: "pc_1", source_id: null, effect: "APPLY_TO_EVERY", quantity_limit: 1 },
    ],
    excluded: [],
    included_all: true,
  });
});

const ENTRY = { object: "product", id: "prod_a", effect: "APPLY_TO_EVERY" };
const ENTRY_FAULTS = [
  [{ ...ENTRY, object: "order" }, /included\[0\].object must be one of: product, sku, products_collection/],
  [{ ...ENTRY, id: "" }, /included\[0\].id must be a text/],
  [{ ...ENTRY, effect: "APPLY" }, /effect must be one of: APPLY_TO_EVERY/],
  [{ ...ENTRY, target: "LINE" }, /target must be one of: ITEM, UNIT/],
  [{ ...ENTRY, quantity_limit: 0 }, /quantity_limit must be a whole number, 1 or more/],
  ...["price", "amount_limit", "aggregated_amount_limit"].flatMap((field) =>
    [49.99, "49.99"].map((value): [object, RegExp] => [
      { ...ENTRY, [field]: value },
      new RegExp(`${field} must be a whole number of cents \\(4999 for 49\\.99\\)`),
    ]),
  ),
  [{ ...ENTRY, product_campaign_quantity_limit: -1 }, /product_campaign_quantity_limit must be/],
  [{ ...ENTRY, repeat: 0 }, /repeat must be a whole number, 1 or more/],
  [{ ...ENTRY, skip_initially: -1 }, /skip_initially must be a whole number, 0 or more/],
  [{ ...ENTRY, price: -1 }, /price must be a whole number, 0 or more/],
  [{ ...ENTRY, price_formula: "BAD(" }, /price_formula: is no formula/],
  [{ ...ENTRY, aggregated_quantity_limit_formula: "BAD" }, /aggregated_quantity_limit_formula: is no formula/],
  [{ ...ENTRY, price_formula: 5 }, /price_formula must be a text/],
  [{ ...ENTRY, source_id: 5 }, /source_id must be a text or null/],
  [{ ...ENTRY, strict: "yes" }, /strict must be true or false/],
] as const;
for (const [entry, message] of ENTRY_FAULTS) {
  test(`the entry ${JSON.stringify(entry)} is refused: ${message.source}`, () => {
    assert.throws(() => check({ applicable_to: { included: [entry] } }), message);
  });
}
test("applicable_to itself has a shape", () => {
  assert.throws(() => check({ applicable_to: [] }), /applicable_to must be an object/);
  assert.throws(() => check({ applicable_to: { included_all: 1 } }), /included_all must be true or false/);
  assert.throws(() => check({ applicable_to: { excluded: {} } }), /excluded must be a list/);
});

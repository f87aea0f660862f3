import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "typebox/value";
import { cart } from "../../../test/support/carts.ts";
import { redeemable, rule, SITUATION } from "../../../test/support/redeemables.ts";
import { totalsOf } from "../order/order.ts";
import { inputsOf, receiptOf, replay } from "../redeem/receipt.ts";
import { DEFAULT_STACKING } from "../stacking/settings.ts";
import { decide } from "../validate/decide.ts";
import { traceDecision } from "../validate/trace.ts";
import { type DiscountDefinition, type DiscountExample, EXAMPLE_CART } from "./definition.ts";
import { type Discount, effectOfDiscount, unitTypesOf } from "./discount.ts";
import { DISCOUNTS, definitionOf } from "./registry.ts";
import { AppliedDiscount, DiscountSchema, type DiscountSent, discountFault, parseDiscount } from "./schema.ts";
import type { CatalogueUnit } from "./units.ts";

const DEFINITIONS: readonly DiscountDefinition[] = DISCOUNTS;

/** The names of the contract. A type or an effect that leaves this table breaks stored discounts. */
const ON_ORDER_OR_ITEMS = ["APPLY_TO_ORDER", "APPLY_TO_ITEMS"];
const CONTRACT: Readonly<Record<string, readonly string[]>> = {
  AMOUNT: [
    ...ON_ORDER_OR_ITEMS,
    "APPLY_TO_ITEMS_PROPORTIONALLY",
    "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY",
    "APPLY_TO_ITEMS_BY_QUANTITY",
  ],
  PERCENT: ON_ORDER_OR_ITEMS,
  FIXED: ON_ORDER_OR_ITEMS,
  UNIT: ["ADD_MISSING_ITEMS", "ADD_NEW_ITEMS", "ADD_SAME_ITEMS", "ADD_MANY_ITEMS", "REPLACE_ITEMS"],
};

test("there is every type of the contract with its effects, and no type stands twice", () => {
  const found = DEFINITIONS.filter(({ type }) => type in CONTRACT).map((one) => [one.type, Object.keys(one.effects)]);
  assert.deepEqual(Object.fromEntries(found), CONTRACT);
  assert.equal(new Set(DEFINITIONS.map(({ type }) => type)).size, DEFINITIONS.length);
});

test("all definitions have one shape, and all effects have: every discount is applied by the same machine code", () => {
  const shapes = (all: readonly object[]) => new Set(all.map((one) => Object.keys(one).join()));
  assert.equal(shapes(DEFINITIONS).size, 1);
  assert.equal(shapes(DEFINITIONS.flatMap(({ effects }) => Object.values(effects))).size, 1);
});

const unitOf = (id: string, price: number): CatalogueUnit => ({
  product: { id, source_id: null, name: null, price, metadata: {} },
  sku: null,
  collections: [],
});

/** The example as a code that a shop redeems. */
function asked({ catalogue = {}, included }: DiscountExample, discount: Discount) {
  const prices = { ...Object.fromEntries(EXAMPLE_CART.map(({ product, price }) => [product, price])), ...catalogue };
  const units = new Map(Object.entries(prices).map(([id, price]) => [id, unitOf(id, price)]));
  return {
    candidates: [redeemable(discount, { rules: included ? [rule({ applicable_to: { included } })] : [] })],
    order: cart(EXAMPLE_CART),
    settings: DEFAULT_STACKING,
    situation: { ...SITUATION, units },
    promised: null,
  };
}

for (const definition of DEFINITIONS) {
  const { type, fields, effects, examples } = definition;
  for (const example of examples) {
    const { note, discount, off, lines, explained } = example;
    const sent = discount as DiscountSent;
    test(`${JSON.stringify(discount)}${note ? ` (${note})` : ""} takes off ${off}`, () => {
      assert.ok(Value.Check(DiscountSchema, sent), JSON.stringify(Value.Errors(DiscountSchema, sent)));
      assert.equal(discountFault(sent, { path: ".discount", formulaFault: () => null }), null);
      const stored = parseDiscount(sent);
      assert.deepEqual(parseDiscount(stored as DiscountSent), stored, "what is stored is stored as it is");

      const inputs = asked(example, stored);
      const decision = decide(inputs.candidates, inputs.order, inputs);
      const [decided] = decision.decided;
      assert.equal(decided!.outcome.status, "APPLICABLE");
      const order = decision.order!;
      assert.equal(totalsOf(order).total_discount_amount, off);
      if (lines)
        assert.deepEqual(
          order.items.map(({ quantity, discount_amount }) => [quantity, discount_amount]),
          lines,
        );
      if (decided!.outcome.status === "APPLICABLE")
        assert.ok(
          Value.Check(AppliedDiscount, decided!.outcome.result.discount),
          "the result has the schema of results",
        );

      const { calculation } = traceDecision(decision, inputs)[0]!;
      assert.deepEqual(
        calculation!.steps.map(({ says }) => says),
        explained,
      );

      const kept = new Map<string, string>();
      const keep = (body: object) => {
        const text = JSON.stringify(body);
        kept.set(text, text);
        return text;
      };
      const receipt = receiptOf(inputs, decision, { redeemables: [], keep });
      const find = (hash: string): unknown => JSON.parse(kept.get(hash)!);
      assert.ok(replay(receipt, inputsOf(receipt, { find, formula: SITUATION.formula })).same, "its receipt replays");
    });
  }

  test(`${type} has an example for each effect, and one that names none`, () => {
    const shown = new Set(examples.map(({ discount }) => discount.effect));
    for (const name of Object.keys(effects)) assert.ok(shown.has(name), name);
    assert.ok(shown.has(undefined), "without an effect");
    for (const { discount } of examples) assert.equal(discount.type, type);
  });

  test(`${type}: every field stands in the schema, and a formula that is none is refused`, () => {
    for (const field of Object.keys(fields)) assert.ok(field in DiscountSchema.properties, field);
    const formulas = Object.keys(fields).filter((field) => field.endsWith("_formula"));
    assert.ok(formulas.length > 0);
    for (const field of formulas) {
      const wrong = { ...examples[0]!.discount, [field]: "BAD" } as DiscountSent;
      const fault = discountFault(wrong, { path: ".discount", formulaFault: () => "there is no BAD" });
      assert.equal(fault, `Property .discount.${field}: there is no BAD`);
    }
  });

  test(`${type}: without its fields it is refused, and with an effect that it does not have`, () => {
    const options = { path: ".discount", formulaFault: () => null };
    assert.match(discountFault({ type } as DiscountSent, options)!, /^Property \.discount must have required property/);
    const wrong = { ...examples[0]!.discount, effect: "NONE" } as never;
    assert.equal(
      discountFault(wrong, options),
      `Property .discount.effect must be equal to one of the allowed values [ ${Object.keys(effects).join(", ")} ]`,
    );
  });

  test(`${type}: the effect that holds without one is one of its own, and what it adds is among what it names`, () => {
    for (const { discount } of examples) {
      const stored = parseDiscount(discount as DiscountSent);
      assert.equal(definitionOf(stored), definition);
      for (const namesProducts of [true, false]) {
        const { effect: _, ...bare } = stored;
        assert.ok(effectOfDiscount(bare as Discount, namesProducts) in effects);
      }
      const added = effects[effectOfDiscount(stored, false)]!.adds(stored);
      assert.deepEqual(
        added.filter((id) => !unitTypesOf(stored).includes(id)),
        [],
      );
    }
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Loyalty,
  mappedLoyalty,
  mappedPoints,
  parseExpirationRules,
  parseLoyalty,
  parseMapping,
  parseTiersExpiration,
  RATIOS,
  ratioGoods,
  ratioOf,
} from "./shapes.ts";

const check = { path: ".loyalty", requireFormula: () => {} };

test("a multiplier is exact, and what it leaves over is dropped", () => {
  const cases: [points: number, multiplier: number, mapped: number][] = [
    [100, 3, 300],
    [100, 0.29, 29],
    [100, 1.1, 110],
    [5, 0.39, 1],
    [7, 0, 0],
    [Number.MAX_SAFE_INTEGER, 2, Number.MAX_SAFE_INTEGER],
  ];
  for (const [points, multiplier, mapped] of cases)
    assert.equal(mappedPoints(points, { type: "MULTIPLY", multiplier }), mapped, `${points} x ${multiplier}`);
  assert.equal(mappedPoints(20, { type: "CUSTOM", points: 200 }), 200);
  assert.equal(mappedPoints(20, undefined), 20);
});

test("a mapping changes the points of a rule wherever they stand, and nothing else", () => {
  for (const [calculation_type, [group, field]] of Object.entries(RATIOS)) {
    const ratio = { every: 10, points: 4, property: "size" };
    const loyalty = { type: "PROPORTIONAL", calculation_type, [group]: { [field]: ratio } } as Loyalty;
    const expected = { ...loyalty, [group]: { [field]: { ...ratio, points: 10 } } };
    assert.deepEqual(mappedLoyalty(loyalty, { type: "MULTIPLY", multiplier: 2.5 }), expected);
    assert.equal(mappedLoyalty(loyalty, undefined), loyalty);
    const halves = { ...loyalty, [group]: { [field]: { ...ratio, points: 1.5 } } };
    const one = { ...loyalty, [group]: { [field]: { ...ratio, points: 1 } } };
    assert.deepEqual(mappedLoyalty(one, { type: "MULTIPLY", multiplier: 1.5 }), halves, "it is not rounded");
  }
});

test("the ratio and the lines of a rule are found again in what is stored", () => {
  const applicable_to = [{ object: "sku", id: "sku_1" }] as const;
  const sent = { every: "3", points: "2", object: "product", id: "prod_1" } as const;
  const of = (amount: object) =>
    ({ type: "PROPORTIONAL", calculation_type: "ORDER_ITEMS_AMOUNT", order_items: { amount } }) as Parameters<
      typeof parseLoyalty
    >[0];
  const one = ratioOf(parseLoyalty(of(sent), check))!;
  assert.deepEqual(one, { every: 3, points: 2, object: "product", id: "prod_1" });
  assert.deepEqual(ratioGoods(one), [{ object: "product", id: "prod_1" }]);
  const listed = ratioOf(parseLoyalty(of({ ...sent, applicable_to }), check))!;
  assert.deepEqual(listed, { every: 3, points: 2, applicable_to }, "the list wins over the single one");
  assert.deepEqual(ratioGoods(listed), applicable_to);
  assert.equal(ratioOf(parseLoyalty({ type: "FIXED", points: 1 }, check)), null);
});

test("what is stored is stored again as it is", () => {
  const again = <T>(store: (sent: T) => unknown, sent: T) => {
    const stored = store(sent);
    assert.deepEqual(store(stored as T), stored);
  };
  const months = fc.record({
    period_type: fc.constant("MONTH" as const),
    period_value: fc.nat(1200),
    rounding_type: fc.constantFrom(null, "END_OF_MONTH" as const, "PARTICULAR_MONTH" as const),
    rounding_value: fc.integer({ min: 1, max: 12 }),
    fixed_day: fc.constantFrom(null, 5),
  });
  fc.assert(fc.property(months, (rules) => again((one) => parseExpirationRules(one, ""), rules)));
  again((one) => parseMapping(one, ""), { type: "CUSTOM" as const, points: 5, multiplier: 2 });
  again((one) => parseTiersExpiration(one, ""), {
    qualification_type: "BALANCE" as const,
    qualification_period: null,
    start_date: { type: "IMMEDIATE" as const },
    expiration_date: { type: "CUSTOM" as const, extend: "P1M", rounding: { type: "CUSTOM" as const, value: 3 } },
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Difference, differenceOf, withDifference } from "./difference.ts";

const stored = (difference: Difference | undefined): Difference | undefined =>
  difference === undefined ? undefined : JSON.parse(JSON.stringify(difference));

test("only what is not the same is in a difference", () => {
  const base = { id: "r_1", lines: [{ price: 1, name: "a" }, { price: 2 }], gone: 1, same: { deep: [1, 2] } };
  const value = { id: "r_1", lines: [{ price: 9, name: "a" }, { price: 2 }], same: { deep: [1, 2] }, more: null };
  const difference = differenceOf(base, value);
  assert.deepEqual(difference, { gone: [], lines: { 0: { price: [9] } }, more: [null] });
  assert.equal(differenceOf(base, structuredClone(base)), undefined);
});

test("the order of fields counts", () => {
  const value = { b: 1, a: 2 };
  assert.equal(JSON.stringify(withDifference({ a: 2, b: 1 }, differenceOf({ a: 2, b: 1 }, value))), '{"b":1,"a":2}');
});

test("a value that was taken apart is put together to the byte", () => {
  // Fields of few names, so that two values have some in common; one of them is dangerous, and one is a number.
  const names = fc.constantFrom("a", "b", "c", "0", "__proto__", "constructor");
  const { value: json } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "medium" },
      fc.constantFrom(null, true, 0, 1, "", "x"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.array(fc.tuple(names, tie("value")), { maxLength: 4 }).map(Object.fromEntries),
    ),
  }));
  fc.assert(
    fc.property(json, json, (base, value) => {
      const back = withDifference(base, stored(differenceOf(base, value)));
      assert.equal(JSON.stringify(back), JSON.stringify(value));
    }),
    { numRuns: 3000 },
  );
});

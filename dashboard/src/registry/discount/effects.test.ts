import assert from "node:assert/strict";
import { test } from "node:test";
import type { Discount } from "../../api/operations.gen.ts";
import { followEdit, followGoods, newDiscount } from "./effects.ts";

const onOrder: Discount = { type: "PERCENT", percent_off: 20, effect: "APPLY_TO_ORDER" };
const PERCENT = { name: "PERCENT", effects: [{ name: "APPLY_TO_ORDER" }, { name: "APPLY_TO_ITEMS" }] };
const start = (discount: Discount) => ({ discount, isMoved: false });

test("only some products and then all of them again: the discount is where it was", () => {
  for (const type of ["PERCENT", "AMOUNT", "FIXED"] as const) {
    const begun = { ...onOrder, type };
    const some = followGoods(start(begun), true);
    assert.notEqual(some.discount.effect, "APPLY_TO_ORDER");
    // From some to all except some it stays as it is.
    assert.deepEqual(followGoods(some, true), some);
    assert.deepEqual(followGoods(some, false), start(begun));
  }
});

test("a value that is typed meanwhile changes nothing about that, and an effect that is chosen does", () => {
  const some = followGoods(start(onOrder), true);
  const typed = followEdit(some, { ...some.discount, percent_off: 30 }, true);
  assert.deepEqual(followGoods(typed, false).discount, { ...onOrder, percent_off: 30 });
  const other = followEdit(some, { ...some.discount, effect: "APPLY_TO_ITEMS_BY_QUANTITY" }, true);
  assert.equal(followGoods(other, false).discount.effect, "APPLY_TO_ITEMS_BY_QUANTITY");
  const chosen = followEdit(other, some.discount, true);
  assert.equal(followGoods(chosen, false).discount.effect, "APPLY_TO_ITEMS");
  const lines: Discount = { ...onOrder, effect: "APPLY_TO_ITEMS" };
  assert.deepEqual(followGoods(followGoods(start(lines), true), false), start(lines));
});

test("free goods and then a percentage, while only some products are taken: it is on lines", () => {
  const units: Discount = { type: "UNIT", unit_off: 1, effect: "ADD_NEW_ITEMS" };
  const percent = newDiscount(PERCENT, true);
  assert.equal(percent.effect, "APPLY_TO_ITEMS");
  const chosen = followEdit(start(units), percent, true);
  assert.equal(followGoods(chosen, false).discount.effect, "APPLY_TO_ORDER");
});

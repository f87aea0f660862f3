import assert from "node:assert/strict";
import { test } from "node:test";
import { differences } from "./differences.ts";

test("a difference names each field that changed, by its path, and nothing else", () => {
  const before = { name: "a", voucher: { discount: { percent_off: 10 }, days: [1, 2] }, same: { x: null } };
  const after = { name: "b", voucher: { discount: { percent_off: 15 }, days: [1] }, same: { x: null }, more: true };
  assert.deepEqual(differences(before, after), [
    { path: "name", before: "a", after: "b" },
    { path: "voucher.discount.percent_off", before: 10, after: 15 },
    { path: "voucher.days", before: [1, 2], after: [1] },
    { path: "more", before: undefined, after: true },
  ]);
});

test("what was made or deleted differs in all its fields", () => {
  assert.deepEqual(differences(null, { id: "x" }), [{ path: "id", before: undefined, after: "x" }]);
  assert.deepEqual(differences({ id: "x" }, null), [{ path: "id", before: "x", after: undefined }]);
});

test("an object that replaces nothing is one change", () => {
  assert.deepEqual(differences({ gift: null }, { gift: { amount: 5 } }), [
    { path: "gift", before: null, after: { amount: 5 } },
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApplicableEntry, type ApplicableTo, mergeApplicableTo, NO_PRODUCTS } from "./targets.ts";

const entry = (id: string, given: Partial<ApplicableEntry> = {}): ApplicableEntry => ({
  object: "product",
  id,
  ...given,
});
const merged = (...given: Partial<ApplicableTo>[]) =>
  mergeApplicableTo(given.map((one) => ({ ...NO_PRODUCTS, ...one })));

test("products of several rules: what any includes, less what any excludes; the same entry stands once", () => {
  assert.equal(merged(), NO_PRODUCTS);
  assert.deepEqual(merged({ included: [entry("a")] }, {}, { included: [entry("b")], excluded: [entry("c")] }), {
    included: [entry("a"), entry("b")],
    excluded: [entry("c")],
    included_all: false,
  });
  const [a, b, limited] = [entry("a"), entry("b"), entry("a", { quantity_limit: 1 })];
  assert.deepEqual(merged({ included: [a, b] }, { included: [b, limited] }).included, [a, b, limited]);
  assert.equal(merged({}, { included_all: true }).included_all, true);
});

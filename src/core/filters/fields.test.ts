import assert from "node:assert/strict";
import { test } from "node:test";
import { CUSTOMER_FIELDS, findField, PRODUCT_FIELDS, readField } from "./fields.ts";

const customer = {
  id: "cust_1",
  address: { city: "Warsaw", country: "Poland" },
  metadata: { "a.b": 1, a: { b: 2, c: 3 }, tags: ["x"], constructor: "mine" },
  system_metadata: { source: "API", web_widget: { widgets: ["wid_1"] } },
  summary: { orders: { total_count: 3 }, redemptions: { gift: { redeemed_amount: 500 } } },
  events: { "Left a review. Twice": { count: 2, last_date: "2026-02-01T00:00:00Z" }, count: { count: 9 } },
  loyalty: {
    points: 50,
    campaigns: {
      "Tiers 2": { points: 41, loyalty_tier: "ltr_1" },
      "V1.5 points": { points: 9 },
    },
  },
};

const READS: [path: string, value: unknown][] = [
  ["id", "cust_1"],
  ["name", undefined],
  ["address.city", "Warsaw"],
  ["address.state", undefined],
  ["metadata.a.b", 1],
  ["metadata.a.c", 3],
  ["metadata.a.c.d", undefined],
  ["metadata.tags", ["x"]],
  ["metadata.tags.length", undefined],
  ["metadata.tags.0", undefined],
  ["metadata.constructor", "mine"],
  ["metadata.toString", undefined],
  ["metadata.__proto__", undefined],
  ["system_metadata.source", "API"],
  ["system_metadata.web_widget.widgets", ["wid_1"]],
  ["events.Left a review. Twice.count", 2],
  ["events.Left a review. Twice.last_date", "2026-02-01T00:00:00Z"],
  ["events.count.count", 9],
  ["events.toString.count", 0],
  ["events.never.last_date", undefined],
  ["summary.orders.total_count", 3],
  ["summary.redemptions.gift.redeemed_amount", 500],
  ["loyalty.points", 50],
  ["loyalty.tiers", ["ltr_1", undefined]],
  ["loyalty.campaigns.Tiers 2.loyalty_tier", "ltr_1"],
  ["loyalty_points.campaigns.Tiers 2.points", 41],
  ["loyalty_points.campaigns.V1.5 points.points", 9],
  ["loyalty_points.campaigns.toString.points", undefined],
];
for (const [path, value] of READS)
  test(`a customer's ${path} is ${JSON.stringify(value)}`, () => {
    assert.deepEqual(readField(customer, path, CUSTOMER_FIELDS), value);
  });

test("a product lists its attributes, a SKU names them", () => {
  assert.deepEqual(readField({ object: "product", attributes: ["color", "size"] }, "attributes"), ["color", "size"]);
  assert.deepEqual(readField({ object: "sku", attributes: { color: "red" } }, "attributes"), ["color"]);
  assert.equal(readField({ object: "sku", price: 100 }, "price", PRODUCT_FIELDS), 100);
});

test("a path that no table has names nothing", () => {
  for (const path of [
    "",
    "events.count",
    "events..count",
    "metadata.",
    "metadata",
    "metadata.*.x.toString",
    "toString",
  ]) {
    const isOpen = path.startsWith("metadata.") && path.length > "metadata.".length;
    assert.equal(findField(path, CUSTOMER_FIELDS) !== null, isOpen, path);
  }
  assert.equal(findField("loyalty.points", PRODUCT_FIELDS), null);
  assert.equal(readField(customer, "password"), undefined);
});

test("whatever the subject is, reading it does not fail", () => {
  for (const subject of [undefined, null, 1, "text", [], { metadata: null, events: [], loyalty: "x" }])
    for (const path of ["id", "metadata.a.b", "events.x.count", "loyalty.tiers", "attributes", "address.city"])
      assert.equal(readField(subject, path), undefined);
});

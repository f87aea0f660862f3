import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDefinition } from "../rules/definition.ts";
import { namedInDefinitions, namedInFilters, replaceIds } from "./named.ts";

const define = (given: object) => parseDefinition(given, () => null);

test("what rules name is found at every depth, in bundles, in products of a discount and in its units, each once", () => {
  const rules = {
    "1": {
      name: "order.items.any",
      conditions: {
        $in: [{ id: "prod_a", object: "product" }, { id: "pc_a", object: "products_collection" }, "either"],
      },
      rules: { "1": { name: "order.items.metadata", property: "size", conditions: { $is: ["L"] } } },
    },
    "2": { name: "customer.segment", conditions: { $in: ["seg_a"], $not_in: ["seg_b", "seg_a"] } },
    "3": { name: "customer_metadata", property: "city", conditions: { $is: ["prod_no"] } },
    "4": { name: "sku.id", conditions: { $is: [{ id: "sku_a" }] } },
  };
  const part = {
    name: "order.items.any",
    conditions: { $is: [{ id: "sku_b", object: "sku", type: "product_or_sku" }] },
  };
  const excluded = [{ object: "product", id: "prod_b", source_id: "b" }];
  const named = namedInDefinitions(
    [define({ rules, bundle_rules: { "1": part }, applicable_to: { excluded } })],
    ["unit"],
  );
  assert.deepEqual(named, {
    products: ["prod_a", "either", "prod_b", "unit"],
    skus: ["either", "sku_a", "sku_b", "unit"],
    product_collections: ["pc_a", "unit"],
    segments: ["seg_a", "seg_b"],
    metadata: [
      { related_object: "order_item", property: "size" },
      { related_object: "customer", property: "city" },
    ],
    unsupported: [],
  });
});

test("rules about keys, users and loyalty tiers are told, also by their older names", () => {
  const rules = {
    "1": { name: "redemption.api_key", conditions: { $is: ["k"] } },
    "2": { name: "redemption_user_login", conditions: { $is: ["x"] } },
    "3": { name: "customer.loyalty.tier", conditions: { $is: ["ltr_a"] } },
  };
  const { unsupported } = namedInDefinitions([define({ rules })], []);
  assert.deepEqual(unsupported, ["redemption.api_key", "redemption.user.login", "customer.loyalty.tier"]);
});

test("filters name ids, keys of metadata and custom events", () => {
  const filter = {
    junction: "and",
    id: { conditions: { $in: ["prod_a", "sku_a"] } },
    "metadata.home town": { conditions: { $in_location: ["loc_a"] } },
    "events.Left a review. Twice.count": { conditions: { $more_than: [1] } },
    "events.Left a review. Twice.last_date": { conditions: { $has_value: true } },
  };
  assert.deepEqual(namedInFilters([filter, filter], "customer"), {
    products: ["prod_a"],
    skus: ["sku_a"],
    locations: ["loc_a"],
    metadata: [{ related_object: "customer", property: "home town" }],
    custom_events: ["Left a review. Twice"],
  });
});

test("ids are replaced where they are the whole text of a value, and keys stay", () => {
  const ids = new Map([["prod_a", "prod_b"]]);
  const value = { prod_a: ["prod_a", { id: "prod_a", note: "prod_a!" }], n: 1, none: null };
  assert.deepEqual(replaceIds(value, ids), { prod_a: ["prod_b", { id: "prod_b", note: "prod_a!" }], n: 1, none: null });
});

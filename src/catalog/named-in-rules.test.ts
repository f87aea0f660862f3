import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleGroup } from "../core/loyalty/earning/rule-group.ts";
import type { Catalog } from "./catalog.ts";
import { namedInPrograms } from "./earn-programs.ts";
import { namedInCosts, namedInEarnings } from "./named-in-rules.ts";

/** Rules about a segment, a collection and metadata that looks like both. */
const RULES = {
  "1": { name: "customer.segment", conditions: { $is: ["vip"] } },
  "2": {
    name: "order.items.any",
    conditions: { $is: [{ id: "mugs", object: "products_collection" }] },
    rules: { "1": { name: "order.items.price", conditions: { $more_than_or_equal: [100] } }, logic: "1" },
  },
  "3": { name: "customer.metadata", property: "note", conditions: { $in: ["seg_9", "pc_9", "ltr_9"] } },
  logic: "1 and 2 and 3",
} as unknown as RuleGroup;
const perLine = (id: string) => ({
  calculation_type: "ORDER_ITEMS_QUANTITY",
  order_items: {
    quantity: { every: 1, value: 1, applicable_to: [{ type: "products_collection", products_collection: { id } }] },
  },
});

test("earnings name what their rules declare, and what points are counted from, also those of benefits", () => {
  const effects = [
    { type: "POINTS_PROPORTIONAL", points_proportional: perLine("cups") },
    { type: "INCENTIVE", incentive: { id: "lben_1" } },
  ];
  const { segments, collections, tiers } = namedInEarnings({
    earning_rules: new Map([["lern_1", { earnings: [{ rules: RULES, effects }] }]]),
    benefits: new Map([["lben_1", { config: { points_proportional: perLine("plates") } }]]),
  } as unknown as Catalog);
  assert.deepEqual([segments, collections, tiers], [new Set(["vip"]), new Set(["mugs", "cups", "plates"]), new Set()]);
});

test("costs of rewards name what their rules declare", () => {
  const rewards = new Map([["lrew_1", { costs: [{ rules: RULES }, { rules: null }] }]]);
  assert.deepEqual(namedInCosts({ rewards } as unknown as Catalog).segments, new Set(["vip"]));
});

test("rules of loyalty campaigns name the collections that points are counted from, however they are written", () => {
  const loyalty = (goods: object) => ({
    type: "PROPORTIONAL",
    calculation_type: "ORDER_ITEMS_QUANTITY",
    order_items: { quantity: { every: 1, points: 1, ...goods } },
  });
  const rules = [
    loyalty({ object: "products_collection", id: "mugs" }),
    loyalty({
      applicable_to: [
        { object: "products_collection", id: "cups" },
        { object: "sku", id: "pc_9" },
      ],
    }),
    { type: "FIXED", points: 1 },
  ].map((own) => ({ active: true, loyalty: own, validation_rule_id: null }));
  const campaign = { id: "camp_1", active: true, campaign_type: "LOYALTY_PROGRAM", templates: new Map() };
  const catalog = {
    campaigns: new Map([["camp_1", campaign]]),
    earning_rules_of_campaign: new Map([["camp_1", rules]]),
    validation_rules: new Map(),
  } as unknown as Catalog;
  assert.deepEqual(namedInPrograms(catalog).collections, new Set(["mugs", "cups"]));
});

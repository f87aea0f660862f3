import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog } from "../../catalog/catalog.ts";
import { parseDefinition } from "../../core/rules/definition.ts";
import { findRule } from "../../core/rules/registry.ts";
import type { LoadedFact } from "../../core/rules/rule.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import {
  asksAboutCustomers,
  collectionsNamed,
  countersAsked,
  countsDecide,
  customersAsked,
  loadStandings,
  NO_STANDINGS,
} from "./rule-facts.ts";

const TIER = { id: "promo_1", campaign_id: "camp_1" } as PromotionTierRow;
const ASKER = { customer: { id: "cust_1" } };

/** A project with one rule, which is assigned to a tier. */
function catalogWith(name: string, value: unknown = 1, operator = "$is"): Catalog {
  const definition = parseDefinition({ rules: { "1": { name, conditions: { [operator]: [value] } } } }, () => null);
  const assignment = { rule_id: "val_1", related_object_id: TIER.id };
  return {
    validation_rules: new Map([["val_1", { id: "val_1", ...definition }]]),
    rules_of: new Map([[TIER.id, [assignment]]]),
    product_collections: new Map([["pc_1", { id: "pc_1" }]]),
    segments: new Map(),
    campaign_tiers: new Map(),
    tiers: new Map(),
  } as unknown as Catalog;
}

/** Which facts are loaded. Nothing is there to be read: what asks for people would read them. */
async function loadedFor(catalog: Catalog): Promise<LoadedFact[]> {
  let hasAsked = false;
  const people = () => {
    hasAsked = true;
    return [];
  };
  const { segmentsOf, tiersOf } = await loadStandings(undefined as never, PROJECT, catalog, people);
  assert.equal(hasAsked, segmentsOf !== NO_STANDINGS.segmentsOf || tiersOf !== NO_STANDINGS.tiersOf);
  assert.equal(countersAsked([{ catalog }]).campaigns, countsDecide(catalog));
  const isAsked = asksAboutCustomers([{ catalog }], [], [TIER]);
  assert.equal(customersAsked([{ command: { catalog }, cart: ASKER }], []).length, isAsked ? 1 : 0);
  return [
    ...(segmentsOf === NO_STANDINGS.segmentsOf ? [] : (["segments"] as const)),
    ...(tiersOf === NO_STANDINGS.tiersOf ? [] : (["tiers"] as const)),
    ...(collectionsNamed(catalog, new Set()).length === 0 ? [] : (["collections"] as const)),
    ...(countsDecide(catalog) ? (["campaign_counts"] as const) : []),
    ...(isAsked ? (["customer_counts"] as const) : []),
    ...(countersAsked([{ catalog }]).tiers ? (["own_counts"] as const) : []),
  ];
}
const PROJECT = { id: "proj", timezone: "UTC" };

test("facts are loaded for the rules that declare them, however their names are written", async () => {
  const cases: readonly [facts: readonly LoadedFact[], name: string, value?: unknown][] = [
    [["segments"], "customer.segment", "seg_1"],
    [["tiers"], "customer.loyalty.tier", "ltr_1"],
    [["collections"], "order.items.any", { id: "pc_1", object: "products_collection" }],
    [["campaign_counts"], "campaign.redemptions.count"],
    [["campaign_counts"], "campaign.orders.amount"],
    [["campaign_counts"], "redemption.gift.amount"],
    [["customer_counts"], "campaign.redemptions.customers_count"],
    [["customer_counts"], "redemption.count.per_customer.daily"],
    // What a code counts itself is in its row; a tier has counters.
    [["own_counts"], "redemption.count.daily"],
    [[], "order.amount"],
    [[], "redemption.api_key", "seg_1"],
  ];
  for (const [facts, name, value] of cases)
    for (const written of [name, name.replaceAll(".", "_")])
      assert.deepEqual(await loadedFor(catalogWith(written, value)), facts, written);
});

test("a rule that is planted has loaded for it exactly what it declares", async () => {
  const planted = findRule("redemption.api_key") as { loads: readonly LoadedFact[] };
  const before = planted.loads;
  const facts: readonly LoadedFact[] = ["segments", "tiers", "campaign_counts", "customer_counts"];
  try {
    for (const fact of facts) {
      planted.loads = [fact];
      assert.deepEqual(await loadedFor(catalogWith("redemption.api_key", "key_1")), [fact]);
    }
  } finally {
    planted.loads = before;
  }
});

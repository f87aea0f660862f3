import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefinitionBody, parseDefinition } from "../core/rules/definition.ts";
import { evaluateRules } from "../core/rules/evaluate.ts";
import { completeFacts } from "../core/rules/examples.ts";
import type { ValidationRuleAssignmentRow } from "../resources/promotions/validation-rule-assignments/store.ts";
import type { ValidationRuleRow } from "../resources/promotions/validation-rules/store.ts";
import { rulesFor, rulesOf } from "./rules.ts";

const NOW = "2026-01-01T12:00:00.000Z";

const row = (id: string, given: DefinitionBody = {}): ValidationRuleRow => ({
  project_id: "proj_1",
  id,
  name: id,
  ...parseDefinition(given, () => null),
  type: "expression",
  context_type: "global",
  created_at: NOW,
  updated_at: null,
});
const assigned = (id: string, rule_id: string, related_object_id: string): ValidationRuleAssignmentRow => ({
  project_id: "proj_1",
  id,
  rule_id,
  related_object_type: "campaign",
  related_object_id,
  created_at: NOW,
});
const catalogOf = (rows: readonly ValidationRuleRow[], assignments: readonly ValidationRuleAssignmentRow[]) => ({
  validation_rules: new Map(rows.map((one) => [one.id, one])),
  rules_of: Map.groupBy(assignments, ({ related_object_id }) => related_object_id),
});

const part = (id: string) => ({
  name: "order.items.any",
  conditions: { $is: [{ id, type: "product_or_sku", object: "product" }] },
});
const once = {
  rules: { "1": { name: "redemption.count.per_customer", conditions: { $less_than_or_equal: [1] } }, logic: "1" },
};

test("the rules of an object are those assigned to it, in the order of their assignment", () => {
  const catalog = catalogOf(
    [row("val_1"), row("val_2"), row("val_3")],
    [
      assigned("asgm_1", "val_2", "camp_1"),
      assigned("asgm_2", "val_1", "camp_1"),
      assigned("asgm_3", "val_3", "camp_2"),
    ],
  );
  const idsOf = (object: string) => rulesFor(catalog, object).map(({ id }) => id);
  assert.deepEqual(idsOf("camp_1"), ["val_2", "val_1"]);
  assert.deepEqual(idsOf("camp_2"), ["val_3"]);
  assert.deepEqual(idsOf("camp_3"), []);
});

test("a compiled rule is its definition and its bundle, as the engine asks them", () => {
  const bundle_rules = {
    "1": part("prod_a"),
    "2": {
      ...part("prod_b"),
      rules: { "1": { name: "order.items.aggregated_quantity", conditions: { $is: [3] } }, logic: "1" },
    },
    limit: 4,
  };
  const catalog = catalogOf(
    [row("val_1", once), row("val_2", { bundle_rules, error: { message: "No" } })],
    [assigned("asgm_1", "val_1", "camp_1"), assigned("asgm_2", "val_2", "camp_1")],
  );
  const [plain, bundled] = rulesFor(catalog, "camp_1");
  assert.equal(plain!.bundle, null);
  assert.deepEqual(Object.keys(plain!.definition).sort(), ["applicable_to", "bundle_rules", "error", "rules"]);
  assert.equal(bundled!.bundle!.limit, 4);
  assert.deepEqual(
    bundled!.bundle!.parts.map(({ entry, quantity }) => [entry.object, entry.id, quantity]),
    [
      ["product", "prod_a", 1],
      ["product", "prod_b", 3],
    ],
  );
  assert.deepEqual(bundled!.definition.error, { message: "No" });

  const facts = (existing: number) =>
    completeFacts({ customer: {}, counts: { incentive_customer: { total: existing } } });
  assert.equal(evaluateRules(plain!.definition, facts(0), { phase: "before" }).holds, true);
  assert.deepEqual(evaluateRules(plain!.definition, facts(1), { phase: "before" }), {
    holds: false,
    key: "redemption_rules_violated",
    message: null,
  });
});

test("a refreshed catalog compiles what changed, and nothing else again", () => {
  const [first, second] = [row("val_1", once), row("val_2", once)];
  const assignments = [assigned("asgm_1", "val_1", "camp_1"), assigned("asgm_2", "val_2", "camp_1")];
  const before = rulesFor(catalogOf([first, second], assignments), "camp_1");
  const changed = row("val_2", { error: { message: "New" } });
  const after = rulesFor(catalogOf([first, changed], assignments), "camp_1");
  assert.equal(after[0], before[0]);
  assert.notEqual(after[1], before[1]);
  assert.equal(after[1]!.definition.error!.message, "New");
});

test("assignments of vouchers, read from the database, find the same rules; one that is newer than the catalog waits", () => {
  const catalog = catalogOf([row("val_1", once)], [assigned("asgm_1", "val_1", "camp_1")]);
  const found = rulesOf(catalog, [{ rule_id: "val_1" }, { rule_id: "val_new" }]);
  assert.deepEqual(found, rulesFor(catalog, "camp_1"));
  assert.equal(found[0], rulesFor(catalog, "camp_1")[0]);
});

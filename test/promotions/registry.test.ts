import assert from "node:assert/strict";
import { test } from "node:test";
import { DISCOUNTS } from "../../src/core/discounts/registry.ts";
import { FUNCTIONS } from "../../src/core/formula/functions.ts";
import { VARIABLES } from "../../src/core/formula/variables.ts";
import { RULE_OPERATORS } from "../../src/core/rules/operators.ts";
import { RULES } from "../../src/core/rules/registry.ts";
import { testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const namesOf = (entries: { name: string }[]) => entries.map(({ name }) => name);

test("registry: it has everything that the code knows, each with help", async () => {
  const { ok } = await testShop(db);
  const registry = await ok("GET /v1/registry");
  assert.deepEqual(namesOf(registry.rules), namesOf([...RULES]));
  assert.deepEqual(namesOf(registry.operators), namesOf([...RULE_OPERATORS]));
  assert.deepEqual(namesOf(registry.formula_functions), [...FUNCTIONS.keys(), "SWITCH", "SWITCH_CASE"]);
  assert.deepEqual(namesOf(registry.formula_variables), [...VARIABLES.keys()]);
  assert.deepEqual(
    namesOf(registry.discounts),
    DISCOUNTS.map(({ type }) => type),
  );
  const { discounts, object: _, ...helped } = registry;
  for (const { name, help } of [
    ...Object.values(helped).flat(),
    ...discounts.flatMap((one: any) => one.effects),
  ] as any[])
    assert.ok(help.length > 0, name);
  const known = new Set(namesOf(registry.operators));
  for (const { name, operators } of registry.rules)
    assert.ok(operators.length > 0 && operators.every((one: string) => known.has(one)), name);
});

test("registry: it says which numbers are amounts", async () => {
  const { ok } = await testShop(db);
  const registry = await ok("GET /v1/registry");
  const rule = (name: string) => registry.rules.find((one: any) => one.name === name);
  assert.deepEqual([rule("order.amount").unit, rule("order.items.count").unit], ["amount", "count"]);
  assert.equal(rule("customer.segment").unit, null);
  const amounts = registry.formula_variables.filter(({ kind }: any) => kind === "amount");
  assert.ok(namesOf(amounts).includes("ORDER_AMOUNT") && !namesOf(amounts).includes("ORDER_UNITS_QUANTITY"));
  const kinds = registry.discounts.map(({ value, fields }: any) => fields.find((one: any) => one.name === value).kind);
  assert.deepEqual(kinds, ["amount", "percent", "amount", "count"]);
});

test("registry: the examples of rules and discounts can be sent as they are", async () => {
  const { ok, call } = await testShop(db);
  const { rules, discounts } = await ok("GET /v1/registry");
  for (const { name, example } of rules) {
    const { status, text } = await call("POST /v1/validation-rules", { name, rules: { "1": example } });
    assert.equal(status, 200, `${name}: ${text}`);
  }
  for (const { discount } of discounts.flatMap(({ examples }: any) => examples)) {
    const { status, body, text } = await call("POST /v1/vouchers", { type: "DISCOUNT_VOUCHER", discount });
    // Goods that are not in the catalogue of this shop are all that may be missing.
    assert.ok(status === 200 || body.key === "not_found", text);
  }
});

test("registry: only a server-side key reads it", async () => {
  const { call, project } = await testShop(db);
  assertRefused(await call("GET /v1/registry", undefined, { "x-app-token": "wrong" }), "unauthorized");
  const asClient = { "x-app-id": project.client.id, "x-app-token": project.client.secret };
  assertRefused(await call("GET /v1/registry", undefined, asClient), "unauthorized");
});

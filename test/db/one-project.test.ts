import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createLanes } from "../../src/db/batches/batch.ts";
import { createBehind } from "../../src/db/batches/behind.ts";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { okOf } from "../support/shop.ts";

// Every statement of a hot operation is about one project, and says so with the project's id. A database that is spread
// over machines by project then runs it on one of them.
const { db, open } = await testDatabase();
type Statement = { text: string; parameters: readonly unknown[] };

/** Why a statement is not one about this project, or null. */
function fault({ text, parameters }: Statement, tables: readonly string[], projectId: string): string | null {
  const named = tables.filter((table) => new RegExp(`\\b(?:from|join|into|update) "?${table}"?\\b`, "i").test(text));
  if (named.length === 0) return null;
  const asked = [...text.matchAll(/\bproject_id"? = (\S+?)(?:[\s),;`]|$)/g)].map(([, value]) => value!);
  const isOwn = (value: string) => parameters[Number(value.slice(1)) - 1] === projectId;
  // A select may say of two tables that they agree, as long as one of them is compared with the project.
  const isJoined = (value: string) => /^\s*select/i.test(text) && /^\w+\.project_id$/.test(value);
  const others = asked.filter((value) => !isOwn(value) && !isJoined(value));
  // Columns of rows that are inserted by their values.
  const isInserted = /^\s*insert into .* values /is.test(text) && parameters.includes(projectId);
  if (!asked.some(isOwn) && !isInserted) return `names no project: ${text}`;
  return others.length > 0 ? `compares with ${others.join(", ")}: ${text}` : null;
}

test("every statement of a hot operation names its project, and no other", async () => {
  const tables = [...(await tenantTables(db)), "tenants"];
  const seen: Statement[] = [];
  const hot = open({ max: 4, onQuery: (text, parameters) => void seen.push({ text, parameters }) });
  const project = await testProject(db);
  const flows = new Set<string>();
  const report = (error: unknown) => console.error(error);
  const behind = createBehind(hot, { waitingMax: 0, report });
  const { call } = await testEngine(db, project, {
    submit: createLanes(hot, { behind, report, observe: (flow) => void flows.add(flow) }),
    behind,
  });
  const ok = okOf(call);
  const hotly = async (id: string, line: string, body?: unknown, headers?: Record<string, string>) => {
    assert.equal(ALL_ROUTES.find((route) => route.id === id)?.runs, "hot", id);
    return ok(line, body, headers);
  };

  const discount = { type: "PERCENT", percent_off: 10 };
  await ok("POST /v1/products", { source_id: "shoe", name: "Shoe", price: 5000 });
  const rule = await ok("POST /v1/validation-rules", {
    name: "Twice",
    rules: { 1: { name: "redemption.count.per_customer", conditions: { $less_than_or_equal: [9] } }, logic: "1" },
  });
  await ok("POST /v1/vouchers/TEN", { discount, validation_rules: [rule.id] });
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 5000 } });
  const promotion = await ok("POST /v1/campaigns", { name: "Tiers", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${promotion.id}/tiers`, { name: "Tier", action: { discount } });
  const loyalty = await ok("POST /v1/campaigns", {
    name: "Points",
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 100 } },
  });
  const visit = await ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, {
    name: "visit",
    schema: { properties: {} },
  });
  await ok(`POST /v1/loyalties/${loyalty.id}/earning-rules`, [
    { event: "order.paid", loyalty: { type: "FIXED", points: 5 } },
    { event: "visit", custom_event: { schema_id: visit.id }, loyalty: { type: "FIXED", points: 1 } },
  ]);
  await ok(`POST /v1/loyalties/${loyalty.id}/members`, { customer: { source_id: "anna" } });
  const codes = await ok("POST /v1/campaigns", {
    name: "Codes",
    campaign_type: "DISCOUNT_COUPONS",
    vouchers_count: 5,
    voucher: { type: "DISCOUNT_VOUCHER", discount },
  });

  seen.length = 0;
  const customer = { source_id: "anna" };
  const order = { source_id: "o-1", items: [{ source_id: "shoe", product_id: "shoe", quantity: 2, price: 5000 }] };
  const redeemables = [
    { object: "voucher", id: "TEN" },
    { object: "voucher", id: "CARD", gift: { credits: 100 } },
    { object: "promotion_tier", id: tier.id },
  ];
  const session = { type: "LOCK", key: "s-1", ttl: 5, ttl_unit: "MINUTES" };
  await hotly("validateStackedDiscounts", "POST /v1/validations", { redeemables, customer, order });
  await hotly("validateStackedDiscounts", "POST /v1/validations", { redeemables, customer, order, session });
  const options = { at: "2026-02-01T00:00:00.000Z" };
  await hotly("validateStackedDiscounts", "POST /v1/validations", { redeemables, customer, order, options });
  await hotly("checkEligibility", "POST /v1/qualifications", { customer, order, scenario: "ALL" });
  const made = await hotly(
    "redeemStackedDiscounts",
    "POST /v1/redemptions",
    { redeemables, customer, order, session },
    {
      "idempotency-key": "k-1",
    },
  );
  await hotly("rollbackStackedRedemptions", `POST /v1/redemptions/${made.parent_redemption.id}/rollbacks`);
  await hotly("trackCustomEvent", "POST /v1/events", { event: "visit", customer });
  await hotly("createPublication", "POST /v1/publications", { customer, campaign: { name: "Codes" } });
  assert.ok(codes.id && seen.length > 40, `${seen.length} statements`);
  const names = globSync("src/flows/**/*.ts")
    .map((file) => readFileSync(file, "utf8"))
    .flatMap((text) =>
      [...text.matchAll(/(?:hotFlow<[^;]*?|ReadFlow<[^;]*?= )\(?\{\s*name: "([\w-]+)"/g)].map(([, name]) => name!),
    );
  assert.ok(names.length >= 7);
  assert.deepEqual([...flows].sort(), names.sort(), "every flow was run");
  for (const statement of seen) assert.equal(fault(statement, tables, project.id), null);

  // What the check finds.
  const planted: [string, unknown[]][] = [
    ["select * from vouchers where id = $1", ["v"]],
    ["select * from vouchers v join campaigns c on c.project_id = v.project_id where v.id = $1 ", ["v"]],
    [
      "update vouchers v set a = (select 1 from b where b.project_id = v.project_id) where project_id = $1 ",
      [project.id],
    ],
    ["select * from vouchers where project_id = $1 ", ["proj_other"]],
  ];
  for (const [text, parameters] of planted)
    assert.notEqual(fault({ text, parameters }, tables, project.id), null, text);
});

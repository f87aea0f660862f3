import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Trigger } from "../../src/core/loyalty/earning/earning-rule.ts";
import {
  CAMPAIGN_TRIGGERS,
  campaignTriggerNamed,
  findTrigger,
  PROGRAM_TRIGGERS,
  startsCampaignRule,
  TRIGGERS,
} from "../../src/core/loyalty/earning/triggers.ts";
import { EVENTS } from "../../src/events/kinds.ts";
import { CampaignEarningRuleCreate } from "../../src/resources/loyalty-v1/earning-rules/schema.ts";
import { ExamineEarnings } from "../../src/resources/loyalty-v2/examine/schema.ts";
import { CONTEXT_TYPES } from "../../src/resources/promotions/validation-rules/schema.ts";
import { sources, withoutComments } from "./source.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the interface lets an earning rule name. */
const V1_NAMES = [
  "order.paid",
  "customer.segment.entered",
  ...["joined", "left", "upgraded", "downgraded", "prolonged"].map((move) => `customer.loyalty.tier.${move}`),
];
const V2_NAMES = ["customer.order.paid", "customer.custom_event", "customer.segment.entered"];

test("every event that an earning rule of a campaign or a program can name has a row, and is recorded", () => {
  for (const kind of Object.keys(TRIGGERS)) assert.ok(kind in EVENTS, `${kind} is no kind of event`);
  assert.deepEqual([...CAMPAIGN_TRIGGERS.keys()], V1_NAMES);
  assert.deepEqual(PROGRAM_TRIGGERS, V2_NAMES);
  const { description } = CampaignEarningRuleCreate.properties.event as unknown as { description: string };
  for (const [, name] of description.matchAll(/`([^`]+)`/g))
    assert.ok(CAMPAIGN_TRIGGERS.has(name!), `${name} has no row`);
  const { enum: named } = Trigger.properties.event as unknown as { enum: string[] };
  for (const kind of named) assert.equal(findTrigger(kind)?.v2?.wakes, "rules", kind);
});

test("the context of a validation rule names an event that earns, or one that is recorded", () => {
  const named = (prefix: string) =>
    CONTEXT_TYPES.filter((context) => context.startsWith(prefix)).map((context) => context.slice(prefix.length));
  assert.deepEqual(
    named("earning_rule."),
    ["order.paid", "custom_event", ...V1_NAMES.slice(1)].map((name) => name.replace(".loyalty.", ".")),
  );
  const distributed = named("distribution.");
  assert.equal(distributed.length, 5);
  for (const name of distributed) assert.ok(`customer.${name}` in EVENTS, name);
});

test("a name that has no row is that of a custom event, and only its schema starts such a rule", () => {
  assert.equal(campaignTriggerNamed("visited"), "customer.custom_event");
  const rule = { campaign_id: "camp_1", event: "visited", segment_id: null, loyalty_tier_id: null };
  const starts = (custom_event_schema_id: string | null) =>
    startsCampaignRule({ ...rule, custom_event_schema_id }, { event: "customer.custom_event", schema_id: "ms_1" });
  assert.deepEqual([starts("ms_1"), starts("ms_2"), starts(null)], [true, false, false]);
});

/** Files that name a kind because they record it or ask for just that event, and not because points follow from it. */
const RECORD = [
  /^src\/events\//,
  "src/flows/redeem/succeed.ts",
  "src/flows/roll-back/plan.ts",
  "src/flows/save-order/save.ts",
  /^src\/flows\/track-event\//,
  "src/steps/customers/segment-membership.ts",
  // Friends count when their order is paid; an estimation is about an order that would be paid.
  "src/steps/referrals/referrals.ts",
  "src/flows/loyalty-v1/estimate-points.ts",
  // Activities of a customer are read and erased by kind.
  "src/resources/customers/customers/erasure-store.ts",
  "src/resources/customers/customers/summary-store.ts",
  // Figures count redemptions by the events that tell of them.
  "src/core/rollups/metrics.ts",
  /^src\/demo\//,
];
test("no other file says which events earn", () => {
  const quoted = new RegExp(`["'\`](?:${Object.keys(TRIGGERS).join("|").replaceAll(".", "\\.")})["'\`]`);
  const naming = sources()
    .filter(({ text }) => quoted.test(withoutComments(text)))
    .map(({ path }) => path)
    .filter((path) => !RECORD.some((may) => (typeof may === "string" ? may === path : may.test(path))));
  assert.deepEqual(naming, ["src/core/loyalty/earning/triggers.ts"]);
});

const PLANTED =
  '  "customer.order.fulfilled": { about: "order", brings: "order", v1: rulesNaming("order.fulfilled"), v2: RULES },\n';

test("a planted row is enough: schemas, matchers, calculations and the events that are noticed follow", async (t) => {
  const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-trigger-"));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  for (const path of [
    "src/core",
    "src/http/schemas.ts",
    "src/resources/loyalty-v1/earning-rules/schema.ts",
    "src/resources/loyalty-v2/examine/schema.ts",
    "src/resources/promotions/validation-rules/schema.ts",
    "src/steps/points/earning-triggers.ts",
    "package.json",
  ])
    fs.cpSync(join(ROOT, path), join(dir, path), { recursive: true });
  fs.symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const table = join(dir, "src/core/loyalty/earning/triggers.ts");
  const before = fs.readFileSync(table, "utf8");
  const head = "export const TRIGGERS = {\n";
  assert.equal(before.split(head).length, 2);
  fs.writeFileSync(table, before.replace(head, `${head}${PLANTED}`));
  const inCopy = (path: string) => import(pathToFileURL(join(dir, "src", path)).href);

  const { startsCampaignRule: starts, startsProgramRule } = await inCopy("core/loyalty/earning/triggers.ts");
  const occurrence = { event: "customer.order.fulfilled" };
  const rule = { campaign_id: "camp_1", segment_id: null, custom_event_schema_id: null, loyalty_tier_id: null };
  assert.equal(starts({ ...rule, event: "order.fulfilled" }, occurrence), true);
  assert.equal(starts({ ...rule, event: "order.paid" }, occurrence), false);

  const v2 = await inCopy("core/loyalty/earning/earning-rule.ts");
  assert.ok(v2.Trigger.properties.event.enum.includes("customer.order.fulfilled"));
  const trigger = v2.parseTrigger({ event: "customer.order.fulfilled" });
  assert.equal(startsProgramRule({ trigger }, occurrence), true);
  assert.equal(startsProgramRule({ trigger }, { event: "customer.order.paid" }), false);
  const counted = {
    calculation_type: "POST_DISCOUNT_ORDER_AMOUNT",
    card_definition_id: "lcdef_1",
    order: { total_amount: { every: 100, value: 1 } },
  };
  const effects = [{ type: "POINTS_PROPORTIONAL", points_proportional: counted }];
  const rules = { logic: "1", "1": { name: "order.total_amount", conditions: { $more_than: [1] } } };
  const [earning] = v2.parseEarnings([{ effects, rules }], trigger, () => "lernei_1");
  assert.equal(
    earning.effects[0].type,
    "POINTS_PROPORTIONAL",
    "the order that it brings can be counted and asked about",
  );

  const v1 = await inCopy("resources/loyalty-v1/earning-rules/schema.ts");
  assert.match(v1.CampaignEarningRuleCreate.properties.event.description, /`order\.fulfilled`/);
  const examine = await inCopy("resources/loyalty-v2/examine/schema.ts");
  assert.ok("order" in examine.ExamineEarnings.properties.customer_order_fulfilled.properties);
  assert.ok(!("customer_order_fulfilled" in ExamineEarnings.properties), "the tree itself has no such row");

  const { CONTEXT_TYPES: contexts } = await inCopy("resources/promotions/validation-rules/schema.ts");
  assert.ok(contexts.includes("earning_rule.order.fulfilled"));

  const { orderMoves } = await inCopy("steps/points/earning-triggers.ts");
  const order = { id: "ord_1" };
  const [noticed] = orderMoves([{ id: "ev_1", kind: "customer.order.fulfilled" }], order, { of: {} });
  assert.deepEqual([noticed.kind, noticed.order], ["customer.order.fulfilled", order]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { rollBack } from "../../src/flows/roll-back/roll-back.ts";
import type { RollBackRequest } from "../../src/flows/roll-back/state.ts";
import type { Project } from "../../src/request.ts";
import { vouchersOf } from "../../src/resources/promotions/vouchers/state-store.ts";
import { assertBatchLaw } from "../laws/batch-law.ts";
import { type Call, NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { kindsOf } from "../support/events.ts";
import { okOf } from "../support/shop.ts";

const { db, open } = await testDatabase();

// BATCH_RUNS raises the number of mixes.
const RUNS = Number(process.env.BATCH_RUNS ?? 4);

const percent = (percent_off: number, more: object = {}) => ({ type: "PERCENT", percent_off, ...more });
const amountOff = (amount_off: number, more: object = {}) => ({ type: "AMOUNT", amount_off, ...more });
const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
const credits = (id: string, amount: number) => ({ ...voucher(id), gift: { credits: amount } });
const atMost = (name: string, n: number) => ({ 1: { name, conditions: { $less_than_or_equal: [n] } }, logic: "1" });

async function world({ engines: many = 1 } = {}) {
  const project = await testProject(db);
  let now = NOW;
  const engines = await Promise.all(
    Array.from({ length: many }, () =>
      testEngine(db, project, { now: () => now, ...(many > 1 && { hot: open({ max: 3 }) }) }),
    ),
  );
  const { call } = engines[0]!;
  const ok = (request: string, body?: unknown, by: Call = call) => okOf(by)(request, body);
  const rule = async (rules: object): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name: "r", rules })).id;
  const code = (name: string, discount: object, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount, ...more });
  const gift = (name: string, amount: number, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift: { amount, balance: amount }, ...more });
  const redeem = (redeemables: readonly object[], order: object | null = { amount: 10_000 }, more: object = {}) =>
    ok("POST /v1/redemptions", { redeemables, ...(order && { order }), ...more });
  /** The id of the one redemption, or of the stack. */
  const redeemed = async (...given: Parameters<typeof redeem>): Promise<string> => {
    const { redemptions, parent_redemption } = await redeem(...given);
    return (parent_redemption ?? redemptions[0]).id;
  };
  const undo = (id: string, body?: object, by: Call = call) => by(`POST /v1/redemptions/${id}/rollback`, body);
  const undoAll = (id: string, body?: object, by: Call = call) => by(`POST /v1/redemptions/${id}/rollbacks`, body);
  const rows = (table: string) => db`select * from ${db(table)} where project_id = ${project.id} order by id`;
  const withoutOrder = () =>
    ok(`POST /management/v1/projects/${project.id}/stacking-rules`, {
      redeemables_rollback_order_mode: "WITHOUT_ORDER",
    });
  const goTo = (to: string) => {
    now = to;
  };
  return { project, engines, call, ok, rule, code, gift, redeem, redeemed, undo, undoAll, rows, withoutOrder, goTo };
}

test("one code: the rollback, the order, the customer, and the code can be redeemed again", async () => {
  const { project, ok, code, redeem, undo, call } = await world();
  const made = await code("TEN", percent(10), { redemption: { quantity: 1 } });
  const order = { source_id: "o-1", amount: 2000, metadata: { gift: true } };
  const more = { customer: { source_id: "anna", name: "Anna" }, metadata: { store: "Berlin" } };
  const [redemption] = (await redeem([voucher("TEN")], order, more)).redemptions;
  const { status, body } = await undo(redemption.id, { reason: "returned", metadata: { desk: 4 } });
  assert.equal(status, 200, JSON.stringify(body));
  const stored = await ok("GET /v1/orders/o-1");
  const { validation_rules_assignments: _, ...record } = await ok("GET /v1/vouchers/TEN");
  assert.match(body.id, /^rr_[0-9a-f]{24}$/);
  assert.deepEqual(body, {
    id: body.id,
    object: "redemption_rollback",
    date: NOW,
    customer_id: redemption.customer_id,
    tracking_id: redemption.tracking_id,
    metadata: { desk: 4 },
    redemption: redemption.id,
    result: "SUCCESS",
    status: "SUCCEEDED",
    reason: "returned",
    order: stored,
    channel: { channel_id: project.app.id, channel_type: "API" },
    customer: redemption.customer,
    related_object_type: "voucher",
    related_object_id: made.id,
    voucher: record,
  });
  assert.deepEqual(stored, {
    id: stored.id,
    source_id: "o-1",
    status: "CANCELED",
    amount: 2000,
    initial_amount: 2000,
    total_amount: 2000,
    metadata: { gift: true },
    customer_id: redemption.customer_id,
    customer: { id: redemption.customer_id, object: "customer" },
    referrer_id: null,
    redemptions: {
      [redemption.id]: {
        date: NOW,
        related_object_type: "voucher",
        related_object_id: made.id,
        related_object_parent_id: null,
        rollback_id: body.id,
        rollback_date: NOW,
      },
    },
    created_at: NOW,
    updated_at: NOW,
    object: "order",
  });
  const read = await ok(`GET /v1/redemptions/${redemption.id}`);
  assert.deepEqual(
    [read.status, read.result, read.related_redemptions],
    ["ROLLED_BACK", "SUCCESS", { rollbacks: [{ id: body.id, date: NOW, rollback_order_mode: "WITH_ORDER" }] }],
  );
  assert.deepEqual(await ok(`GET /v1/redemptions/${body.id}`), body);
  assert.equal((await ok("GET /v1/vouchers/TEN")).redemption.redeemed_quantity, 0);
  assert.equal(
    (await call("POST /v1/redemptions", { redeemables: [voucher("TEN")], order: { amount: 1 } })).status,
    200,
  );
});

test("credits go back to the card they came from, and the ledger says so", async () => {
  const { ok, gift, redeemed, undo, rows } = await world();
  const { id: card } = await gift("CARD", 2000);
  const id = await redeemed([credits("CARD", 2000)], { amount: 6000 });
  const { body } = await undo(id, { reason: "again" });
  assert.deepEqual([body.amount, body.gift, body.reason], [-2000, { amount: -2000 }, "again"]);
  const { status, amount, total_amount, discount_amount } = body.order;
  assert.deepEqual([status, amount, total_amount, discount_amount], ["CANCELED", 6000, 6000, undefined]);
  const after = await ok("GET /v1/vouchers/CARD");
  assert.deepEqual(
    [after.gift.balance, after.redemption.redeemed_amount, after.redemption.redeemed_quantity],
    [2000, 0, 0],
  );
  const entries = await rows("ledger_entries");
  assert.deepEqual(
    entries.map((one) => [one.kind, one.amount, one.balance, one.redemption_id, one.rollback_id, one.account_id]),
    [
      ["opening", 2000, 2000, null, null, card],
      ["redemption", -2000, 0, id, null, card],
      ["refund", 2000, 2000, id, body.id, card],
    ],
  );
  const lots = await rows("ledger_lots");
  assert.deepEqual(
    lots.map(({ remaining }) => remaining),
    [2000],
  );
});

test("a stack is rolled back as a whole: a rollback for each part, one for all, and the order", async () => {
  const { ok, code, gift, redeem, undoAll } = await world();
  await gift("CARD", 500);
  await code("TWENTY", percent(20));
  const { redemptions, parent_redemption: parent } = await redeem([credits("CARD", 300), voucher("TWENTY")]);
  const { status, body } = await undoAll(parent.id);
  assert.equal(status, 200, JSON.stringify(body));
  const { rollbacks, parent_rollback, order } = body;
  assert.deepEqual(
    rollbacks.map((one: any) => [one.redemption, one.amount ?? null, one.order.amount, one.order.total_amount]),
    [
      [redemptions[0].id, -300, 10_000, 10_000],
      [redemptions[1].id, null, 10_000, 10_000],
    ],
  );
  assert.deepEqual(
    [parent_rollback.redemption, parent_rollback.related_object_type, parent_rollback.related_object_id],
    [parent.id, "redemption", parent.id],
  );
  assert.deepEqual([order.status, order.amount, order.total_amount], ["CANCELED", 10_000, 10_000]);
  assert.deepEqual(order.redemptions, {
    [parent.id]: {
      date: NOW,
      related_object_type: "redemption",
      related_object_id: parent.id,
      stacked: redemptions.map(({ id }: any) => id),
      rollback_id: parent_rollback.id,
      rollback_date: NOW,
      rollback_stacked: rollbacks.map(({ id }: any) => id),
    },
  });
  assert.equal("reason" in parent_rollback, false);
  for (const { id } of [...redemptions, parent])
    assert.equal((await ok(`GET /v1/redemptions/${id}`)).status, "ROLLED_BACK");
  assert.equal((await ok("GET /v1/vouchers/CARD")).gift.balance, 500);
  assert.equal((await ok("GET /v1/vouchers/TWENTY")).redemption.redeemed_quantity, 0);
});

test("the operation for stacks takes a single redemption too, and answers with a list", async () => {
  const { code, redeemed, undoAll } = await world();
  await code("A", percent(10));
  const id = await redeemed([voucher("A")], null);
  const { status, body } = await undoAll(id);
  assert.deepEqual(
    [status, body.rollbacks[0].redemption, body.order, "parent_rollback" in body],
    [200, id, null, false],
  );
});

test("each refusal has its key and its words, and changes nothing", async () => {
  const { call, ok, code, redeem, redeemed, undo, undoAll, rows } = await world();
  await code("A", percent(10), { redemption: { quantity: 3 } });
  await code("B", percent(10));
  const anna = { customer: { source_id: "anna" } };
  const id = await redeemed([voucher("A")], { source_id: "o-1", amount: 1000 }, anna);
  await ok("POST /v1/orders", { source_id: "o-2", amount: 1 });
  const { id: bob } = await ok("POST /v1/customers", { source_id: "bob" });
  const { redemptions, parent_redemption } = await redeem([voucher("A"), voucher("B")]);
  await redeemed([voucher("A")]);
  const { body: failure } = await call("POST /v1/redemptions", { redeemables: [voucher("A")], order: { amount: 1 } });
  assert.match(failure.resource_id, /^rf_/);
  const tables = ["redemptions", "vouchers", "orders", "customers", "counters", "events", "redemption_tallies"];
  const all = async () => JSON.stringify(await Promise.all(tables.filter((t) => t !== "counters").map(rows)));
  const before = await all();
  const child = "You can rollback only a redemption that does not have parent redemption.";
  const stack = "You can rollback only a single redemption. Use different endpoint for stacked redemption.";
  const foreign = "Customer is not related with redemption.";
  const order = "Order is not related with redemption.";
  const cases: [reply: ReturnType<typeof undo>, status: number, key: string, details: string][] = [
    [undo(redemptions[0].id), 400, "invalid_redemption_parent", child],
    [undoAll(redemptions[1].id), 400, "invalid_redemption_parent", child],
    [undo(parent_redemption.id), 400, "invalid_redemption", stack],
    [undo(failure.resource_id), 400, "invalid_redemption", "You can rollback only a redemption that succeeded."],
    [undo(id, { customer: { id: bob } }), 400, "invalid_customer", foreign],
    [undo(id, { customer: { source_id: "bob" } }), 400, "invalid_customer", foreign],
    [undo(id, { customer: "bob" }), 400, "invalid_customer", foreign],
    [undo(id, { tracking_id: "bob" }), 400, "invalid_customer", foreign],
    [undoAll(parent_redemption.id, { customer: { id: bob } }), 400, "invalid_customer", foreign],
    [undo(id, { customer: { id: "cust_x" } }), 404, "not_found", "Cannot find customer with id cust_x"],
    [undo(id, { customer: { source_id: "new" } }), 404, "not_found", "Cannot find customer with id new"],
    [undo(id, { order: { id: "ord_x" } }), 400, "invalid_order", order],
    [undo(id, { order: { source_id: "o-2" } }), 400, "invalid_order", order],
    [undo("r_x"), 404, "not_found", "Cannot find redemption with id r_x"],
    [undoAll("r_x"), 404, "not_found", "Cannot find redemption with id r_x"],
  ];
  for (const [sent, status, key, details] of cases) {
    const { body, status: actual } = await sent;
    assert.deepEqual([actual, body.key, body.details], [status, key, details]);
  }
  const ambiguous = await undo(id, { ...anna, tracking_id: "bob" });
  assert.deepEqual([ambiguous.status, ambiguous.body.key], [400, "ambiguous_tracking_id"]);
  assert.equal(await all(), before);
  const other = await world();
  for (const one of [id, parent_redemption.id])
    for (const reply of [await other.undo(one), await other.undoAll(one)])
      assert.deepEqual([reply.status, reply.body.key], [404, "not_found"]);
  assert.equal(await all(), before);
});

test("a second rollback is refused, and kept as a failed one", async () => {
  const { project, call, ok, code, gift, redeem, redeemed, undo, undoAll, rows } = await world();
  await code("A", percent(10));
  await gift("CARD", 100);
  const id = await redeemed([voucher("A")], { amount: 100 }, { customer: { source_id: "anna" } });
  const { body: first } = await undo(id);
  const { status, body } = await undo(id, { reason: "twice" });
  const { resource_id, request_id: _, ...rest } = body;
  assert.equal(status, 400);
  assert.match(resource_id, /^rrf_[0-9a-f]{24}$/);
  assert.deepEqual(rest, {
    code: 400,
    key: "already_rolled_back",
    message: "Already rolled back",
    details: "Redemption has been already rolled back.",
    resource_type: "redemption_rollback",
  });
  const kept = await ok(`GET /v1/redemptions/${resource_id}`);
  assert.deepEqual(
    [kept.object, kept.result, kept.status, kept.failure_code, kept.failure_message, kept.redemption, kept.reason],
    ["redemption_rollback", "FAILURE", "FAILED", "already_rolled_back", "Already rolled back", id, "twice"],
  );
  assert.deepEqual(
    (await ok(`GET /v1/redemptions/${id}`)).related_redemptions.rollbacks.map((one: any) => one.id),
    [first.id],
  );
  assert.equal((await undo(first.id)).status, 404, "a rollback is no redemption");
  const { parent_redemption, redemptions } = await redeem([voucher("A"), credits("CARD", 50)]);
  assert.equal((await undoAll(parent_redemption.id)).status, 200);
  assert.equal((await undoAll(parent_redemption.id)).body.key, "already_rolled_back");
  assert.equal((await undo(redemptions[0].id)).body.key, "invalid_redemption_parent");
  assert.equal((await ok("GET /v1/vouchers/CARD")).gift.balance, 100);
  assert.equal((await ok("GET /v1/vouchers/A")).redemption.redeemed_quantity, 0);
  const lists = await Promise.all(
    ["SUCCESS", "FAILURE"].map((result) =>
      call(`GET /v1/redemptions?filters[object][conditions][$is]=redemption_rollback&result=${result}`),
    ),
  );
  assert.deepEqual(
    lists.map(({ body: list }) => list.total),
    [4, 2],
  );
  const tallies = await rows("redemption_tallies");
  const tallied = (result: string) =>
    tallies
      .filter((one) => one.object === "redemption_rollback" && one.result === result)
      .reduce((sum, { count }) => sum + count, 0);
  assert.deepEqual([tallied("SUCCESS"), tallied("FAILURE")], [4, 2]);
  const happened = await kindsOf(db, project.id);
  const count = (kind: string) => happened.filter((one) => one === `customer.redemption.rollback.${kind}`).length;
  assert.deepEqual([count("succeeded"), count("failed")], [4, 2]);
});

test("without its order: credits and counters go back, the order stays as it is", async () => {
  const { ok, gift, redeemed, undo, withoutOrder } = await world();
  await withoutOrder();
  await gift("CARD", 500);
  const id = await redeemed([credits("CARD", 300)], { source_id: "o", amount: 1000 });
  const before = await ok("GET /v1/orders/o");
  const { status, body } = await undo(id, { order: { status: "FULFILLED" } });
  assert.equal(status, 200);
  assert.deepEqual(await ok("GET /v1/orders/o"), before);
  assert.deepEqual([body.order.status, body.order.total_amount, body.amount], ["PAID", 700, -300]);
  assert.equal((await ok("GET /v1/vouchers/CARD")).gift.balance, 500);
  const { rollbacks } = (await ok(`GET /v1/redemptions/${id}`)).related_redemptions;
  assert.deepEqual(rollbacks, [{ id: body.id, date: NOW, rollback_order_mode: "WITHOUT_ORDER" }]);
});

test("what is sent of the order and of the customer is taken over; reason and tracking id may stand in the query", async () => {
  const { project, ok, call, code, redeemed, undo } = await world();
  await code("A", percent(10));
  const order = { source_id: "o", amount: 1000, metadata: { a: 1, b: 1 } };
  const id = await redeemed([voucher("A")], order, { customer: { source_id: "anna", name: "Anna" } });
  const sent = { source_id: "o", status: "CREATED", metadata: { b: 2 }, amount: 5, items: [{ product_id: "x" }] };
  const reply = await call(`POST /v1/redemptions/${id}/rollback?reason=query&tracking_id=anna`, {
    customer: { source_id: "anna", name: "Anna B." },
    order: sent,
    reason: null,
  });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.body.reason, reply.body.customer.name], ["query", "Anna B."]);
  const stored = await ok("GET /v1/orders/o");
  assert.deepEqual([stored.status, stored.amount, stored.metadata], ["CREATED", 1000, { a: 1, b: 2 }]);
  assert.equal((await ok("GET /v1/customers/anna")).name, "Anna B.");
  const kinds = await kindsOf(db, project.id);
  for (const kind of ["customer.updated", "customer.redemption.rollback.succeeded", "customer.order.updated"])
    assert.ok(kinds.includes(kind), kind);
  const guest = await redeemed([voucher("A")], { amount: 1 }, { tracking_id: "visitor" });
  assert.equal((await undo(guest, { tracking_id: "visitor", customer: {}, order: {} })).status, 200);
  const late = await redeemed([voucher("A")], { amount: 1 }, { tracking_id: "visitor" });
  await ok("POST /v1/customers", { source_id: "visitor" });
  assert.equal((await undo(late, { tracking_id: "visitor" })).status, 200, "the visitor became a customer");
});

test("a body that is not as it should be is a 400, and nothing is rolled back", async () => {
  const { project, call, ok, code, redeemed } = await world();
  await code("A", percent(10));
  const id = await redeemed([voucher("A")]);
  const schema = { properties: { size: { type: "number", optional: true, array: false } }, allow_defined_only: true };
  for (const related_object of ["redemption", "order", "customer"])
    await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, { related_object, ...schema });
  const bodies: unknown[] = [
    [],
    "text",
    { reason: 5 },
    { reason: "x".repeat(2001) },
    { reason: "\u0000" },
    { reason: "\ud800" },
    { customer: 5 },
    { order: { status: "LOST" } },
    { order: { id: 5 } },
    { metadata: [] },
    { tracking_id: {} },
    { metadata: { size: "large" } },
    { metadata: { other: 1 } },
    { order: { metadata: { size: "large" } } },
  ];
  for (const body of bodies)
    for (const path of ["rollback", "rollbacks"]) {
      const reply = await call(
        `POST /v1/redemptions/${id}/${path}`,
        typeof body === "string" ? JSON.stringify(body) : body,
      );
      assert.equal(reply.status, 400, `${JSON.stringify(body)}: ${reply.text}`);
    }
  assert.equal((await call(`POST /v1/redemptions/${id}/rollback?reason=${"x".repeat(2001)}`)).status, 400);
  for (const odd of ["%00", "%ED%A0%80", "x".repeat(5000)])
    assert.ok([400, 404, 414].includes((await call(`POST /v1/redemptions/${odd}/rollback`)).status));
  assert.equal((await ok("GET /v1/vouchers/A")).redemption.redeemed_quantity, 1);
  const empty = { reason: null, tracking_id: null, customer: null, order: null, metadata: null };
  assert.equal((await call(`POST /v1/redemptions/${id}/rollback`, empty)).status, 200);
});

test("units that a redemption added go with it; what others gave stays", async () => {
  const { ok, code, redeemed, undo } = await world();
  const { id: mug } = await ok("POST /v1/products", { name: "Mug", source_id: "mug", price: 700 });
  const { id: pen } = await ok("POST /v1/products", { name: "Pen", source_id: "pen", price: 100 });
  const unit = (unit_type: string) => ({ type: "UNIT", unit_off: 1, unit_type, effect: "ADD_NEW_ITEMS" });
  await code("MUG", unit(mug));
  await code("PEN", unit(pen));
  await code("ITEMS", amountOff(150, { effect: "APPLY_TO_ITEMS" }));
  const order = { source_id: "o", items: [{ source_id: "x", related_object: "product", price: 1000, quantity: 2 }] };
  const first = await redeemed([voucher("MUG")], order);
  const second = await redeemed([voucher("PEN")], { source_id: "o" });
  const third = await redeemed([voucher("ITEMS")], { source_id: "o" });
  const shape = async () => {
    const { amount, total_amount, total_discount_amount = 0, items } = await ok("GET /v1/orders/o");
    const lines = items.map((one: any) => [one.source_id, one.quantity, one.amount, one.discount_amount ?? 0]);
    return [amount, total_discount_amount, total_amount, lines];
  };
  const full = await shape();
  assert.equal(full[0], 2800);
  assert.equal((await undo(first)).status, 200);
  const [amount, , , lines] = await shape();
  assert.deepEqual([amount, lines.map(([name]: [string]) => name)], [2100, ["x", "pen"]]);
  assert.equal((await undo(second)).status, 200);
  const [, , , left] = await shape();
  assert.deepEqual(
    left.map(([name, quantity]: [string, number]) => [name, quantity]),
    [["x", 2]],
  );
  assert.equal((await undo(third)).status, 200);
  assert.deepEqual(await shape(), [2000, 0, 2000, [["x", 2, 2000, 0]]]);
});

test("a redemption of another day, week and month is taken out of the periods in which it was made", async () => {
  const { ok, call, rule, code, redeemed, undo, goTo } = await world();
  await code("DAY", percent(10), { validation_rules: [await rule(atMost("redemption.count.daily", 1))] });
  await code("MONTH", percent(10), { validation_rules: [await rule(atMost("redemption.count.monthly", 1))] });
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const daily = await rule(atMost("redemption.count.daily", 1));
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, {
    name: "T",
    action: { discount: percent(10) },
    validation_rules: [daily],
  });
  const all = [voucher("DAY"), voucher("MONTH"), { object: "promotion_tier", id: tier.id }];
  const old = [];
  for (const one of all) old.push(await redeemed([one]));
  goTo("2026-02-10T12:00:00.000Z");
  for (const one of all) await redeemed([one]);
  for (const id of old) assert.equal((await undo(id)).status, 200);
  for (const one of all) {
    const reply = await call("POST /v1/redemptions", { redeemables: [one], order: { amount: 100 } });
    assert.equal(reply.body.key, "redemption_rules_violated", "what was made today still counts");
  }
  const counts = await db`select period_kind, period_start::text, redemptions from counters
    where subject_id = ${tier.id} and period_kind in ('total', 'day') order by period_kind, period_start`;
  assert.deepEqual(
    counts.map(({ period_kind, period_start, redemptions }) => [period_kind, period_start, redemptions]),
    [
      ["day", "2026-01-01", 0],
      ["day", "2026-02-10", 1],
      ["total", "1970-01-01", 1],
    ],
  );
});

test("a rollback right after midnight gives the day before back", async () => {
  const { rule, code, redeemed, undo, goTo, call } = await world();
  await code("DAY", percent(10), { validation_rules: [await rule(atMost("redemption.count.daily", 1))] });
  const id = await redeemed([voucher("DAY")]);
  goTo("2026-01-02T00:00:01.000Z");
  assert.equal((await undo(id)).status, 200);
  const again = () => call("POST /v1/redemptions", { redeemables: [voucher("DAY")], order: { amount: 100 } });
  assert.deepEqual([(await again()).status, (await again()).status], [200, 400]);
});

test("limits of a customer, of a key, of a campaign's budget count what was rolled back no more", async () => {
  const { ok, call, rule, code, redeemed, undo } = await world();
  const limits: [name: string, limit: number][] = [
    ["redemption.count.per_customer", 1],
    ["redemption.count.per_api_key", 1],
    ["redemption.count.weekly", 1],
  ];
  for (const [n, [name, limit]] of limits.entries())
    await code(`C${n}`, percent(10), { validation_rules: [await rule(atMost(name, limit))] });
  const campaign = await ok("POST /v1/campaigns", {
    name: "Budget",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(10) },
    validation_rules: [await rule(atMost("campaign.orders.amount_discounted", 150))],
  });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/B`, {});
  const more = { customer: { source_id: "anna" } };
  for (const id of ["C0", "C1", "C2", "B"]) {
    const again = () => call("POST /v1/redemptions", { redeemables: [voucher(id)], order: { amount: 1000 }, ...more });
    const first = await redeemed([voucher(id)], { amount: 1000 }, more);
    assert.equal((await again()).body.key, "redemption_rules_violated", id);
    assert.equal((await undo(first)).status, 200);
    assert.equal((await again()).status, 200, id);
    assert.equal((await again()).status, 400, id);
  }
});

test("a code in the bin, and one that is gone, can be rolled back: nothing is left behind", async () => {
  const { project, ok, gift, code, redeemed, undo } = await world();
  const { id: card } = await gift("CARD", 100);
  const { id: gone } = await code("GONE", percent(10));
  const [first, second] = [await redeemed([credits("CARD", 60)]), await redeemed([voucher("GONE")])];
  await ok("DELETE /v1/vouchers/CARD");
  await ok("DELETE /v1/vouchers/GONE?force=true");
  assert.equal((await undo(first)).status, 200);
  assert.equal((await undo(second)).status, 200);
  const found = await db`select id, redeemed_quantity, account from ${vouchersOf(db, project.id)} as v`;
  assert.deepEqual(
    found.map(({ id, redeemed_quantity, account }) => [id, redeemed_quantity, account.available]),
    [[card, 0, 100]],
  );
  assert.notEqual(gone, card);
});

test("a repeated request with its key is answered as the first was, and undoes nothing twice", async () => {
  const { ok, call, gift, redeemed } = await world();
  await gift("CARD", 100);
  const id = await redeemed([credits("CARD", 60)]);
  const send = () => call(`POST /v1/redemptions/${id}/rollback`, {}, { "idempotency-key": "once" });
  const [first, second] = [await send(), await send()];
  assert.deepEqual([first.status, second.text, second.headers["idempotent-replayed"]], [200, first.text, "true"]);
  assert.equal((await ok("GET /v1/vouchers/CARD")).gift.balance, 100);
});

test("who is in a segment because of an order leaves it with the rollback", async () => {
  const { project, ok, code, redeemed, undo } = await world();
  await code("A", percent(10));
  await ok("POST /v1/customers", { source_id: "anna" });
  const segment = await ok("POST /v1/segments", {
    name: "Buyers",
    type: "auto-update",
    filter: { junction: "and", "summary.orders.total_count": { conditions: { $more_than: [0] } } },
  });
  const ids = [];
  for (const _ of [1, 2])
    ids.push(await redeemed([voucher("A")], { amount: 100 }, { customer: { source_id: "anna" } }));
  const members = () => db`select 1 from segment_members where segment_id = ${segment.id}`;
  assert.equal((await members()).length, 1);
  assert.equal((await undo(ids[0]!)).status, 200);
  assert.equal((await members()).length, 1);
  assert.equal((await undo(ids[1]!)).status, 200);
  assert.equal((await members()).length, 0);
  assert.ok((await kindsOf(db, project.id)).includes("customer.order.canceled"));
});

test("16 rollbacks of one redemption at once, over two processes: one succeeds", async () => {
  const { engines, ok, gift, code, redeemed, undo, undoAll, rows } = await world({ engines: 2 });
  await gift("CARD", 1000);
  await code("A", percent(10));
  for (const stack of [[credits("CARD", 400)], [voucher("A"), credits("CARD", 400)]]) {
    const id = await redeemed(stack, { amount: 5000 }, { customer: { source_id: "anna" } });
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, n) => (stack.length > 1 ? undoAll : undo)(id, {}, engines[n % 2]!.call)),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array.from({ length: 15 }, () => 400)]);
    assert.ok(replies.every(({ status, body }) => status === 200 || body.key === "already_rolled_back"));
    const card = await ok("GET /v1/vouchers/CARD");
    assert.deepEqual([card.gift.balance, card.redemption.redeemed_quantity], [1000, 0]);
  }
  const refunds = (await rows("ledger_entries")).filter(({ kind }) => kind === "refund");
  assert.equal(refunds.length, 2);
});

test("redemptions and rollbacks at once keep every limit exact", async () => {
  const { engines, ok, code, gift, undo, rows, rule } = await world({ engines: 2 });
  await code("TWO", percent(10), {
    redemption: { quantity: 2 },
    validation_rules: [await rule(atMost("redemption.count.daily", 2))],
  });
  await gift("CARD", 500);
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, {
    name: "T",
    action: { discount: percent(10) },
    validation_rules: [await rule(atMost("campaign.redemptions.count", 2))],
  });
  const things = [voucher("TWO"), credits("CARD", 200), { object: "promotion_tier", id: tier.id }];
  const statuses: number[] = [];
  const client = async (n: number) => {
    const { call } = engines[n % 2]!;
    for (let round = 0; round < 6; round += 1) {
      const redeemables = [things[(n + round) % 3]!, ...(n % 4 === 0 ? [things[(n + round + 1) % 3]!] : [])];
      const order = n % 3 === 0 ? { source_id: `o${n}`, amount: 1000 } : { amount: 1000 };
      const customer = { source_id: `c${n % 3}` };
      const made = await call("POST /v1/redemptions", { redeemables, order, customer });
      statuses.push(made.status);
      if (made.status !== 200) continue;
      const { redemptions, parent_redemption } = made.body;
      const path = parent_redemption ? `${parent_redemption.id}/rollbacks` : `${redemptions[0].id}/rollback`;
      const back = await Promise.all([0, 1].map((m) => engines[m]!.call(`POST /v1/redemptions/${path}`, {})));
      assert.deepEqual(back.map(({ status }) => status).sort(), [200, 400]);
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, n) => client(n)));
  assert.ok(
    statuses.every((status) => status === 200 || status === 400),
    String(statuses),
  );
  assert.ok(statuses.includes(200));
  const [two, card] = [await ok("GET /v1/vouchers/TWO"), await ok("GET /v1/vouchers/CARD")];
  assert.deepEqual([two.redemption.redeemed_quantity, card.gift.balance, card.redemption.redeemed_amount], [0, 500, 0]);
  const counters =
    await db`select sum(redemptions)::bigint as n, sum(order_amount)::bigint as a, sum(discount_amount)::bigint as d
    from counters where subject_id in (${tier.id}, ${campaign.id})`;
  assert.deepEqual({ ...counters[0] }, { n: 0, a: 0, d: 0 });
  // The limits are as before: exactly what they say can be redeemed.
  const fill = async (redeemable: object) => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        engines[n % 2]!.call("POST /v1/redemptions", { redeemables: [redeemable], order: { amount: 1000 } }),
      ),
    );
    return replies.filter(({ status }) => status === 200);
  };
  for (const one of things) {
    const made = await fill(one);
    assert.equal(made.length, 2);
    assert.equal((await undo(made[0]!.body.redemptions[0].id)).status, 200);
    assert.equal((await fill(one)).length, 1, "one came back, one can be redeemed");
  }
  const lots = await rows("ledger_lots");
  assert.ok(lots.every(({ remaining, amount }) => remaining >= 0 && remaining <= amount));
});

/** What of a project must be as before: all but what tells of the past. */
const PAST = new Set([
  "redemptions",
  "redemption_tallies",
  "ledger_entries",
  "events",
  "idempotency_keys",
  "validations",
  "validation_tallies",
  "config_fragments",
  "catalog_changes",
]);

/** Rows in a form in which nothing and zero are the same: a counter of nothing is none, a card that was opened holds what it held. */
async function stateOf(projectId: string): Promise<Record<string, unknown[]>> {
  const state: Record<string, unknown[]> = {};
  for (const table of (await tenantTables(db)).filter((one) => !PAST.has(one))) {
    const found = await db<{ row: Record<string, any> }[]>`
      select to_jsonb(t) as row from ${db(table)} t where project_id = ${projectId} order by to_jsonb(t)::text`;
    state[table] = found.flatMap(({ row }) => {
      if (table === "counters")
        return row.redemptions + row.order_amount + row.discount_amount + row.gift_amount > 0 ? [row] : [];
      if (table === "unit_counters") return row.units > 0 ? [row] : [];
      if (table === "vouchers") return [{ ...row, uses: usesOf(row.uses) }];
      if (table !== "orders") return [row];
      // An order says that it was redeemed on, and is cancelled.
      const { status: _, updated_at: __, redemptions: ___, items, ...order } = row;
      return [{ ...order, items: items.map(({ collections: ____, id: _____, ...item }: any) => item) }];
    });
  }
  return state;
}
const usesOf = (uses: Record<string, any> | null) => {
  const { keys = {}, ...periods } = uses ?? {};
  return {
    ...Object.fromEntries(Object.entries(periods).filter(([, [, count, before]]: any) => count + before > 0)),
    keys: Object.fromEntries(Object.entries(keys).filter(([, count]) => (count as number) > 0)),
  };
};

const NAMES = [
  "PERCENT",
  "AMOUNT",
  "ITEMS",
  "MUG",
  "UNITS",
  "LIMITED",
  "MINE",
  "CARD",
  "PURSE",
  "POOL",
  "TIER",
  "BUDGET",
] as const;

test("law: with time standing still, redeeming and rolling back leaves all as it was, for random stacks", async () => {
  const { project, ok, call, rule, code, gift, undoAll } = await world();
  const { id: mug } = await ok("POST /v1/products", { name: "Mug", source_id: "mug", price: 700 });
  await code("PERCENT", percent(15));
  await code("AMOUNT", amountOff(900));
  await code("ITEMS", percent(30, { effect: "APPLY_TO_ITEMS" }));
  await code("MUG", { type: "UNIT", unit_off: 2, unit_type: mug, effect: "ADD_NEW_ITEMS" });
  await code("LIMITED", percent(5), { redemption: { quantity: 1 } });
  await code("MINE", percent(5), { validation_rules: [await rule(atMost("redemption.count.per_customer", 2))] });
  const counted = {
    object: "product",
    id: mug,
    product_campaign_quantity_limit: 40,
    product_customer_campaign_quantity_limit: 30,
  };
  const limited = await ok("POST /v1/validation-rules", { name: "r", applicable_to: { included: [counted] } });
  await code("UNITS", percent(50, { effect: "APPLY_TO_ITEMS" }), { validation_rules: [limited.id] });
  await gift("CARD", 3000);
  await gift("PURSE", 500, { gift: { amount: 500, balance: 500, effect: "APPLY_TO_ITEMS" } });
  const pool = await ok("POST /v1/campaigns", {
    name: "Pool",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(10) },
    validation_rules: [await rule(atMost("campaign.orders.amount_discounted", 5000))],
  });
  await ok(`POST /v1/campaigns/${pool.id}/vouchers/POOL`, {});
  const promotion = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tierOf = async (name: string, more: object) =>
    (await ok(`POST /v1/promotions/${promotion.id}/tiers`, { name, action: { discount: percent(10) }, ...more })).id;
  const tiers: Record<string, string> = {
    TIER: await tierOf("tier", {}),
    BUDGET: await tierOf("budget", { validation_rules: [await rule(atMost("redemption.count.daily", 3))] }),
  };
  await ok("POST /v1/customers", { source_id: "anna" });
  await ok("POST /v1/orders", {
    source_id: "there",
    customer: { source_id: "anna" },
    amount: 4000,
    items: [{ source_id: "mug", related_object: "product", price: 700, quantity: 3 }],
  });
  await ok("POST /v1/segments", {
    name: "Buyers",
    type: "auto-update",
    filter: { junction: "and", "summary.orders.total_count": { conditions: { $more_than: [0] } } },
  });
  // Cards are opened and codes keep their settings with the first redemption: the law is about all that come after it.
  const named = (name: string) => (name in tiers ? { object: "promotion_tier", id: tiers[name] } : voucher(name));
  for (const name of NAMES) {
    const first = await ok("POST /v1/redemptions", {
      redeemables: [named(name)],
      customer: { source_id: "anna" },
      order: { amount: 4000, items: [{ source_id: "mug", related_object: "product", price: 700 }] },
    });
    const { id } = first.redemptions[0];
    assert.equal((await undoAll(id)).status, 200);
  }
  const ask = async () => {
    const order = { amount: 4000, items: [{ source_id: "mug", related_object: "product", price: 700 }] };
    const asked = NAMES.flatMap((name) => [{ name }, { name, customer: { source_id: "anna" } }]);
    const answers = await Promise.all(
      asked.map(async ({ name, ...more }) => {
        const { body } = await call("POST /v1/validations", { redeemables: [named(name)], order, ...more });
        return [name, body.valid, body.order?.total_amount, body.redeemables, body.inapplicable_redeemables];
      }),
    );
    return JSON.parse(JSON.stringify(answers).replace(/v-[0-9a-f]{24}|(?:valid|ordli)_[0-9a-f]{24}/g, "x"));
  };
  const request = fc.record({
    names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6 }),
    credits: fc.integer({ min: 1, max: 800 }),
    customer: fc.boolean(),
    order: fc.constantFrom("new", "there", "amount"),
    lines: fc.array(fc.record({ price: fc.integer({ min: 0, max: 2000 }), quantity: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  let redeemedAny = 0;
  const requests = fc.array(request, { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(requests, fc.infiniteStream(fc.nat()), async (given, choices) => {
      await db`delete from orders where project_id = ${project.id} and source_id is distinct from 'there'`;
      const [before, asked] = [await stateOf(project.id), await ask()];
      const made: { id: string; isStack: boolean }[] = [];
      for (const { names, credits: wanted, customer, order, lines } of given) {
        const items = lines.map((line, n) => ({
          source_id: n === 0 ? "mug" : `p${n}`,
          related_object: "product",
          ...line,
        }));
        const cart = { new: { items }, there: { source_id: "there" }, amount: { amount: 5000 } }[order];
        const redeemables = names.map((name) => (name === "CARD" ? credits(name, wanted) : named(name)));
        const body = { redeemables, order: cart, ...(customer && { customer: { source_id: "anna" } }) };
        const reply = await call("POST /v1/redemptions", body);
        assert.ok([200, 400].includes(reply.status), reply.text);
        if (reply.status !== 200) continue;
        const { parent_redemption: parent, redemptions } = reply.body;
        made.push({ id: (parent ?? redemptions[0]).id, isStack: Boolean(parent) });
        redeemedAny += 1;
      }
      while (made.length > 0) {
        const [one] = made.splice(choices.next().value % made.length, 1);
        const reply = await call(`POST /v1/redemptions/${one!.id}/${one!.isStack ? "rollbacks" : "rollback"}`, {});
        assert.equal(reply.status, 200, reply.text);
      }
      await db`delete from orders where project_id = ${project.id} and source_id is distinct from 'there'`;
      assert.deepEqual(await stateOf(project.id), before);
      assert.deepEqual(await ask(), asked);
    }),
    // What one run breaks stays broken, so there is nothing to shrink.
    { numRuns: RUNS * 2, endOnFailure: true },
  );
  assert.ok(redeemedAny > RUNS, `${redeemedAny} redemptions`);
});

// Commands carry the project, its catalog and the ids of its redemptions, which are other ones for each world.
type Place = Pick<RollBackRequest, "project" | "catalog"> & { ids: string[] };
const places = new Map<string, Place>();

type Shop = { isSegmented: boolean; hasCards: boolean };

async function setUp({ isSegmented, hasCards }: Shop): Promise<string> {
  const { project, ok, code, gift, redeem } = await world();
  await code("A", percent(10), { redemption: { quantity: 9 } });
  await gift("CARD", 1000);
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount: percent(10) } });
  if (isSegmented)
    await ok("POST /v1/segments", {
      name: "Buyers",
      type: "auto-update",
      filter: { junction: "and", "summary.orders.total_count": { conditions: { $more_than: [0] } } },
    });
  const customer = { customer: { source_id: "anna" } };
  const paying = hasCards ? await payingWithPoints(ok) : [];
  const stacks = [
    [voucher("A")],
    [credits("CARD", 100)],
    [voucher("A"), credits("CARD", 200)],
    [{ object: "promotion_tier", id: tier.id }],
    [credits("CARD", 50), { object: "promotion_tier", id: tier.id }, voucher("A")],
    ...paying,
  ];
  const ids: string[] = [];
  for (const [n, stack] of stacks.entries()) {
    const order = n % 2 === 0 ? { source_id: "o", amount: 5000 } : { amount: 5000 };
    const { redemptions, parent_redemption } = await redeem(stack, order, n === 3 ? {} : customer);
    ids.push((parent_redemption ?? redemptions[0]).id, ...(parent_redemption ? [redemptions[0].id] : []));
  }
  const [row] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${project.id}`;
  const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf(row!);
  places.set(project.id, { project: row!, catalog, ids });
  return project.id;
}

/** A loyalty card that earns by orders, in tiers that give points too, and pays for some of the next ones. */
async function payingWithPoints(ok: (line: string, body?: unknown) => Promise<any>): Promise<object[][]> {
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 20 } },
  });
  await ok(`POST /v1/campaigns/${club.id}/vouchers/LOYAL`, {});
  await ok("POST /v1/publications", { voucher: "LOYAL", customer: { source_id: "anna" } });
  const [, high] = await ok(`POST /v1/loyalties/${club.id}/tiers`, [
    { name: "Low", points: { from: 0, to: 69 } },
    { name: "High", points: { from: 70 } },
  ]);
  const loyalty = {
    type: "PROPORTIONAL",
    calculation_type: "ORDER_AMOUNT",
    order: { amount: { every: 100, points: 1 } },
  };
  await ok(`POST /v1/loyalties/${club.id}/earning-rules`, [
    { event: "order.paid", loyalty },
    { event: "order.paid", loyalty, pending_points: { period_type: "DAY", period_value: 2 } },
    { event: "customer.loyalty.tier.upgraded", loyalty_tier: { id: high.id }, loyalty: { type: "FIXED", points: 9 } },
  ]);
  const coin = await ok("POST /v1/rewards", {
    name: "Coin",
    parameters: { coin: { exchange_ratio: 1, points_ratio: 1 } },
  });
  await ok(`POST /v1/rewards/${coin.id}/assignments`, { campaign: club.id });
  return [45, 30].map((points) => [voucher("LOYAL", { reward: { id: coin.id, points } })]);
}

/** What was stored comes back with its keys in another order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, sorted(inner)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

test("a batch of rollbacks gives the same rows and answers as one after the other", async () => {
  const stable = (text: string) =>
    text
      .replace(/\b([a-z]+)_[0-9a-f]{24}/g, "$1_x")
      .replace(/track_[\w-]+/g, "track_x")
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "key_x")
      .replace(/\bWy[\w-]+\.[\w-]{43}/g, "picture")
      // Moments that the database makes unique have microseconds.
      .replace(/\.\d+(?=Z|\+00:00)/g, "")
      .replace(/("(?:group_id|request_id)": ?"v-)[0-9a-f]{24}/g, "$1x");
  type Input = { n: number; isStack: boolean; repeat: boolean };
  await assertBatchLaw<Shop, Input, { n: number; input: Input }, { status: number; body: string }>({
    db,
    flow: {
      name: "roll-back",
      failed: () => assert.fail(),
      run: async (tx, projectId, commands) => {
        const { project, catalog, ids } = places.get(projectId)!;
        const own = commands.map(({ n, input }): RollBackRequest => {
          let count = 0;
          return {
            project,
            catalog,
            now: new Date(Date.parse(NOW) + n * 60_000).toISOString(),
            request_id: `v-${n}`,
            newId: (prefix) => `${prefix}_own_${n}_${++count}`,
            newSecret: () => "0".repeat(64),
            api_key_id: "key",
            forCaller: (shown) => shown,
            redemption_id: ids[input.n] ?? "r_nobody",
            takes_stacks: input.isStack,
            sent: n % 3 === 0 ? { customer: { source_id: "anna", name: `Anna ${n}` } } : {},
            reason: `because ${n}`,
            claim: input.repeat
              ? { caller_id: "app a", key: `k${input.n}`, input_hash: "h", sealed_with: null, received_at: NOW }
              : null,
          };
        });
        const answers = await rollBack.run(tx, projectId, own);
        return answers.map(({ body, ...rest }) => ({
          ...rest,
          body: stable(JSON.stringify(sorted(JSON.parse(body)))),
        }));
      },
    },
    world: fc.record({ isSegmented: fc.boolean(), hasCards: fc.boolean() }),
    setUp,
    input: fc.record({ n: fc.integer({ min: 0, max: 9 }), isStack: fc.boolean(), repeat: fc.boolean() }),
    command: (n, input) => ({ n, input }),
    commandsMax: 8,
    numRuns: RUNS,
    same: stable,
    alike: {
      // A batch adds its totals together; what they say is the same.
      redemption_tallies: (rows) =>
        [...Map.groupBy(rows, ({ object, result, campaign_id }) => `${object} ${result} ${campaign_id}`)].map(
          ([name, group]) => [name, group.reduce((sum, { count }) => sum + count, 0)],
        ),
      idempotency_keys: (rows) => rows.map((row) => ({ ...row, body: sorted(JSON.parse(row.body)) })),
    },
  });
});

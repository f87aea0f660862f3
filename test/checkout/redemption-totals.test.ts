import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { okOf, testShop } from "../support/shop.ts";
import { NO_KEYS } from "../support/sign-in.ts";

const { db } = await testDatabase();

const NOTHING = { count: 0, orders: 0, order_amount: 0, discount_amount: 0, gift_amount: 0, points: 0 };
const percent = (percent_off: number) => ({ type: "PERCENT", percent_off });
const is = (field: string, value: string) => `filters[${field}][conditions][$is][0]=${encodeURIComponent(value)}`;

async function world() {
  const project = await testProject(db);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const ok = okOf(call);
  const summer = await ok("POST /v1/campaigns", { name: "Summer", voucher: { discount: percent(10) } });
  await ok(`POST /v1/campaigns/${summer.id}/vouchers/S1`, {});
  await ok("POST /v1/vouchers/A", { discount: percent(20) });
  await ok("POST /v1/vouchers/ONCE", { discount: percent(50), redemption: { quantity: 1 } });
  await ok("POST /v1/vouchers/GIFT", { gift: { amount: 100_000 } });
  const redeem = (ids: readonly string[], more: object = {}) =>
    call("POST /v1/redemptions", {
      redeemables: ids.map((id) => ({ object: "voucher", id })),
      order: { amount: 1000 },
      ...more,
    });
  const totals = (query = "") => ok(`GET /v1/redemptions/totals?${query}`);
  return { project, clock, call, ok, summer, redeem, totals };
}

test("totals: what succeeded, failed and was undone is told apart, and no project sees another's", async () => {
  const { call, ok, redeem, totals } = await world();
  assert.deepEqual(await totals(), {
    ...{ total: 0, is_complete: true, succeeded: NOTHING, rolled_back: NOTHING, failed: { count: 0 } },
    object: "redemption_totals",
  });
  const first = await redeem(["A"], { customer: { source_id: "anna" } });
  await redeem(["S1"], { customer: { source_id: "bob" } });
  await redeem(["GIFT"], { order: { amount: 300 } });
  await redeem(["nobody"]);
  await ok(`POST /v1/redemptions/${first.body.redemptions[0].id}/rollback`);
  assert.deepEqual(await totals(), {
    total: 4,
    is_complete: true,
    succeeded: { count: 2, orders: 2, order_amount: 1300, discount_amount: 100, gift_amount: 300, points: 0 },
    rolled_back: { ...NOTHING, count: 1, orders: 1, order_amount: 1000, discount_amount: 200 },
    failed: { count: 1 },
    object: "redemption_totals",
  });
  assert.equal((await totals("customer=anna")).rolled_back.discount_amount, 200);
  assert.equal((await totals("customer=whoever")).total, 0);
  assert.equal((await totals("campaign=Summer")).succeeded.discount_amount, 100);
  assert.equal((await totals("result=FAILURE")).total, 1);
  assert.equal((await totals(is("voucher_code", "gift"))).succeeded.gift_amount, 300);
  assert.equal((await totals("created_at[after]=2100-01-01")).total, 0);
  for (const query of ["result=x", "filters[colour][conditions][$is][0]=red", "created_at[after]=soon"])
    assertRefused(await call(`GET /v1/redemptions/totals?${query}`), "invalid_query_params");
  const other = await testShop(db);
  assert.equal((await other.ok("GET /v1/redemptions/totals")).total, 0);
});

test("totals: the order of a stack is added once, and each cent of its parts once", async () => {
  const { redeem, totals } = await world();
  await redeem(["A", "S1"]);
  const { total, succeeded } = await totals();
  // The stack and its two parts: 10.00, of which 2.00 and then 0.80 come off.
  assert.equal(total, 3);
  assert.deepEqual(succeeded, { ...NOTHING, count: 3, orders: 1, order_amount: 1000, discount_amount: 280 });
  assert.equal((await totals("campaign=Summer")).succeeded.discount_amount, 80);
});

test("totals: a code and a campaign that are deleted are left out, as in the list", async () => {
  const { ok, redeem, totals, summer } = await world();
  await redeem(["A"]);
  await redeem(["S1"]);
  await ok("DELETE /v1/vouchers/A");
  assert.deepEqual([(await totals()).total, (await totals()).succeeded.discount_amount], [1, 100]);
  await ok(`DELETE /v1/campaigns/${summer.id}`);
  assert.equal((await totals()).total, 0);
});

test("law: totals are what the rows of the list add up to, whatever is asked for", async () => {
  const { clock, redeem, ok, totals } = await world();
  const attempt = fc.record({
    code: fc.constantFrom("A", "S1", "ONCE", "nobody"),
    amount: fc.integer({ min: 100, max: 100_000 }),
    customer: fc.constantFrom("anna", "bob"),
    isUndone: fc.boolean(),
  });
  const [attempts] = fc.sample(fc.array(attempt, { minLength: 12, maxLength: 12 }), 1);
  for (const [second, { code, amount, customer, isUndone }] of attempts!.entries()) {
    clock.now = new Date(Date.parse(NOW) + second * 1000).toISOString();
    const { body } = await redeem([code], { order: { amount }, customer: { source_id: customer } });
    const [made] = body.redemptions ?? [];
    if (made && isUndone) await ok(`POST /v1/redemptions/${made.id}/rollback`);
  }
  const queries = ["", "customer=anna", "result=SUCCESS", "result=FAILURE", "campaign=Summer", is("voucher_code", "A")];
  for (const query of queries) {
    const { redemptions, total } = await ok(`GET /v1/redemptions?limit=100&${query}`);
    const sums = await totals(query);
    assert.equal(sums.total, total, query);
    for (const [status, name] of Object.entries({ SUCCEEDED: "succeeded", ROLLED_BACK: "rolled_back" })) {
      const rows = redemptions.filter((one: any) => one.status === status);
      const sum = (field: string) => rows.reduce((all: number, { order }: any) => all + (order?.[field] ?? 0), 0);
      assert.equal(sums[name].count, rows.length, `${query} ${name}`);
      assert.equal(sums[name].order_amount, sum("amount"), `${query} ${name} ${JSON.stringify(attempts)}`);
      if (status === "SUCCEEDED") assert.equal(sums[name].discount_amount, sum("total_applied_discount_amount"), query);
    }
  }
});

test("totals: only for who may read redemptions", async () => {
  const { call } = await testShop(db);
  const read = (headers: Record<string, string>) => call("GET /v1/redemptions/totals", undefined, headers);
  assert.equal((await read(NO_KEYS)).status, 401);
  const bearer = async (scope: string) => ({ ...NO_KEYS, authorization: `Bearer ${await tokenOf(call, scope)}` });
  assert.equal((await read(await bearer("campaigns"))).status, 403);
  assert.equal((await read(await bearer("redemptions"))).status, 200);
});

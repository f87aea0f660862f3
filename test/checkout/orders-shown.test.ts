import assert from "node:assert/strict";
import { test } from "node:test";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

/** A shop whose redemptions are looked at after every step: each must show its order as it was when it was made. */
async function world() {
  const { project, call, ok } = await testShop(db);
  for (const [name, percent_off] of Object.entries({ TEN: 10, FIVE: 5 }))
    await ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off } });
  await ok("POST /v1/products", { source_id: "shoe", name: "Shoe", price: 1000 });
  const shown = new Map<string, unknown>();
  const note = (rows: readonly { id: string; order: unknown }[]) => {
    for (const { id, order } of rows) shown.set(id, order);
  };
  const redeem = async (codes: readonly string[], order: object, more: object = {}) => {
    const redeemables = codes.map((id) => ({ object: "voucher", id }));
    const answer = await ok("POST /v1/redemptions", { redeemables, order, ...more });
    note([...answer.redemptions, answer.parent_redemption].filter(Boolean));
    return answer;
  };
  const rollBack = async (id: string) => {
    const answer = await ok(`POST /v1/redemptions/${id}/rollbacks`, {});
    note([...answer.rollbacks, answer.parent_rollback].filter(Boolean));
    return answer;
  };
  const look = async (when: string) => {
    const filters =
      "filters[object][conditions][$in][0]=redemption&filters[object][conditions][$in][1]=redemption_rollback";
    const { redemptions } = await ok(`GET /v1/redemptions?limit=100&${filters}`);
    const listed = new Map(redemptions.map((one: any) => [one.id, one.order]));
    for (const [id, order] of shown) {
      assert.deepEqual((await ok(`GET /v1/redemptions/${id}`)).order, order, `${id} ${when}`);
      assert.deepEqual(listed.get(id), order, `${id} in the list ${when}`);
    }
    for (const [name, find] of Object.entries(INVARIANTS)) assert.equal((await find(db))[0]!.count, 0, name);
  };
  /** How many redemptions have a copy of their order's lines. */
  const copies = async () =>
    (
      await db`select count(*)::int as count from redemptions
      where project_id = ${project.id} and json_typeof(order_shown) = 'object'`
    )[0]!.count;
  return { project, call, ok, redeem, rollBack, look, copies, shown };
}
const ITEMS = [{ source_id: "shoe", related_object: "product", quantity: 3 }];

test("a redemption has no copy of its order until the order changes", async () => {
  const { ok, redeem, look, copies } = await world();
  const { order } = await redeem(["TEN"], { items: ITEMS });
  assert.equal(await copies(), 0);
  await look("at first");
  await ok(`PUT /v1/orders/${order.id}`, { status: "FULFILLED", metadata: { parcel: 7 } });
  assert.equal(await copies(), 1);
  await look("after its status changed");
  await ok(`PUT /v1/orders/${order.id}`, { items: [{ source_id: "shoe", related_object: "product", quantity: 1 }] });
  await look("after its lines changed");
});

test("redemptions of one order show it each as they left it, and so do their rollbacks", async () => {
  const { redeem, rollBack, look, copies } = await world();
  const first = await redeem(["TEN"], { source_id: "o-1", items: ITEMS }, { customer: { source_id: "anna" } });
  const second = await redeem(["FIVE"], { source_id: "o-1" });
  assert.equal(await copies(), 1, "the last one shows the order as it is");
  await look("after the second");
  await rollBack(first.redemptions[0].id);
  await look("after the first was rolled back");
  await rollBack(second.redemptions[0].id);
  await look("after both were rolled back");
});

test("a stack keeps what its parts left between them, and no more", async () => {
  const { ok, redeem, rollBack, look, copies } = await world();
  const { order, parent_redemption } = await redeem(["TEN", "FIVE"], { items: ITEMS });
  assert.equal(await copies(), 2, "what each part applied is its own");
  await look("at first");
  await ok(`PUT /v1/orders/${order.id}`, { status: "FULFILLED" });
  await look("after its status changed");
  await rollBack(parent_redemption.id);
  await look("after it was rolled back");
  await ok(`PUT /v1/orders/${order.id}`, { metadata: { late: true } });
  await look("after the order changed once more");
});

test("redemptions of one order that are made in one batch show it each as they left it", async () => {
  const { redeem, look, copies } = await world();
  const orders = Array.from({ length: 6 }, (_, n) => ({ source_id: "o-1", ...(n === 0 && { items: ITEMS }) }));
  await redeem(["TEN"], orders[0]!);
  await Promise.all(orders.map((order, n) => redeem([n % 2 ? "TEN" : "FIVE"], order)));
  await look("after the batch");
  assert.equal(await copies(), 6);
});

test("a rollback that leaves the order alone keeps what it shows", async () => {
  const { project, ok, redeem, rollBack, look } = await world();
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, {
    redeemables_rollback_order_mode: "WITHOUT_ORDER",
  });
  const { order, redemptions } = await redeem(["TEN"], { items: ITEMS });
  await rollBack(redemptions[0].id);
  await ok(`PUT /v1/orders/${order.id}`, { status: "FULFILLED" });
  await look("after the order changed");
});

test("a second rollback shows no order, whatever becomes of the order", async () => {
  const { call, ok, redeem, rollBack, shown } = await world();
  const { redemptions } = await redeem(["TEN"], { items: ITEMS });
  await rollBack(redemptions[0].id);
  const refused = await call(`POST /v1/redemptions/${redemptions[0].id}/rollbacks`, {});
  assert.equal(refused.body.resource_type, "redemption_rollback");
  assert.equal(shown.size, 2);
  assert.equal((await ok(`GET /v1/redemptions/${refused.body.resource_id}`)).order, null);
});

test("who deletes a customer leaves the orders that redemptions show", async () => {
  const { ok, redeem, look } = await world();
  const mine = await redeem(["TEN"], { items: ITEMS }, { customer: { source_id: "anna" } });
  await redeem(["FIVE"], { items: ITEMS, referrer: { source_id: "anna" } }, { customer: { source_id: "ben" } });
  await ok(`DELETE /v1/customers/${mine.redemptions[0].customer_id}`);
  await look("after the customer was deleted");
});

test("an erased customer is in no copy of an order", async () => {
  const { project, ok, redeem } = await world();
  const mine = await redeem(["TEN"], { source_id: "o-1", items: ITEMS }, { customer: { source_id: "anna" } });
  const friend = { items: ITEMS, source_id: "o-2", referrer: { source_id: "anna" } };
  const theirs = await redeem(["FIVE"], friend, { customer: { source_id: "ben" } });
  const again = await redeem(["TEN"], { source_id: "o-2" }, { customer: { source_id: "ben" } });
  const anna = mine.redemptions[0].customer_id;
  await ok(`POST /v1/customers/${anna}/permanent-deletion`);
  assert.equal((await ok(`GET /v1/redemptions/${mine.redemptions[0].id}`)).order, null);
  for (const { redemptions } of [theirs, again]) {
    const { order } = await ok(`GET /v1/redemptions/${redemptions[0].id}`);
    assert.deepEqual(order.items, redemptions[0].order.items);
    assert.equal(JSON.stringify(order).includes(anna), false);
  }
  const [{ count }] = (await db`select count(*)::int as count from redemptions r
    where r.project_id = ${project.id} and position(${anna} in r::text) > 0`) as any;
  assert.equal(count, 0);
});

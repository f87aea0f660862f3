import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { friends, refused, SHOP } from "../support/friends.ts";

// The referrer of an order, in what is asked about a cart and in what is redeemed with one.
const { db } = await testDatabase();

async function shop(more: object = {}) {
  const world = await friends(db, { client_redeem_enabled: true, ...more });
  await world.ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const redeem = (order: object, more: object = {}) =>
    world.redeem("TEN", "bob", { order: { amount: 1000, ...order }, ...more });
  const stored = (id: string) => world.ok(`GET /v1/orders/${id}`);
  return { ...world, redeem, stored };
}

test("a redemption takes the referrer of its order, however they are named, and a validation says the same", async () => {
  const { ann, ok, redeem, stored, customer } = await shop();
  for (const named of [
    { referrer: { source_id: "ann" } },
    { referrer: "ann" },
    { referrer: ann },
    { referrer_id: ann },
  ]) {
    const { status, text, body } = await redeem(named);
    assert.equal(status, 200, text);
    assert.deepEqual(
      [body.order.referrer_id, body.redemptions[0].order.referrer_id],
      [ann, ann],
      JSON.stringify(named),
    );
    assert.equal((await stored(body.order.id)).referrer_id, ann);
    const redeemables = [{ object: "voucher", id: "TEN" }];
    const { order } = await ok("POST /v1/validations", { redeemables, order: { amount: 1000, ...named } });
    assert.equal(order.referrer_id, ann);
  }
  // They are created or changed with the order, as where orders are saved.
  const made = (await redeem({ referrer: { source_id: "zoe", name: "Zoe" } })).body.order;
  assert.equal((await customer("zoe")).id, made.referrer_id);
  await redeem({ referrer: { source_id: "ann", name: "Ann" } });
  assert.equal((await customer("ann")).name, "Ann");
  // What is not sent stays as it was; another one takes their place.
  assert.equal((await redeem({ id: made.id })).body.order.referrer_id, made.referrer_id);
  assert.equal((await redeem({ id: made.id, referrer: "ann" })).body.order.referrer_id, ann);
});

test("a referrer who is not there, or is wrongly described, refuses the redemption, and one that fails makes nobody", async () => {
  const { project, call, redeem } = await shop();
  refused(await redeem({ referrer: "nobody" }), 404, "not_found");
  refused(await redeem({ referrer_id: "cust_nobody" }), 404, "not_found");
  const failed = { redeemables: [{ object: "voucher", id: "NONE" }] };
  refused(await redeem({ referrer: { source_id: "new" } }, failed), 404, "not_found");
  refused(await call("GET /v1/customers/new"), 404, "not_found");
  const [kept] = await db`select count(*) as count from orders where project_id = ${project.id}`;
  assert.equal(kept!.count, 0);
});

test("who is customer and referrer at once is one customer, and does not bring themselves", async () => {
  const { project, redeem, customer } = await shop({ program: { conversion_event_type: "order.paid" } });
  const me = { source_id: "me", name: "Me" };
  const { body } = await redeem({ referrer: { source_id: "me", name: "Another" } }, { customer: me });
  assert.equal(body.order.referrer_id, body.order.customer_id);
  const { name, referrals } = await customer("me");
  assert.deepEqual([name, referrals.total], ["Me", 0]);
  const rows = await db`select id from customers where project_id = ${project.id} and source_id = 'me'`;
  assert.equal(rows.length, 1);
});

test("a paid order converts through the referrer that its redemption names", async () => {
  const { ann, redeem, customer } = await shop({ program: { conversion_event_type: "order.paid" } });
  assert.equal((await redeem({ referrer: "ann" })).status, 200);
  const { referrals } = await customer("bob");
  assert.deepEqual([referrals.total, referrals.campaigns[0].referrer_id], [1, ann]);
});

test("a client application that may not write customers names a referrer who is there, and does not change them", async () => {
  const { call, customer, ann, stored } = await shop({ client_create_customer_enabled: false });
  const redeem = (referrer: unknown) =>
    call(
      "POST /client/v1/redemptions",
      { redeemables: [{ object: "voucher", id: "TEN" }], order: { amount: 1000, referrer } },
      { origin: SHOP },
    );
  refused(await redeem({ source_id: "new" }), 404, "not_found");
  for (const referrer of [
    { source_id: "ann", name: "Mallory" },
    { id: "cust_nobody", source_id: "ann" },
  ]) {
    const { status, text, body } = await redeem(referrer);
    assert.equal(status, 200, text);
    assert.equal((await stored(body.order.id)).referrer_id, ann);
  }
  assert.notEqual((await customer("ann")).name, "Mallory");
});

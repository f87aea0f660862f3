import assert from "node:assert/strict";
import { test } from "node:test";
import { transaction } from "../../src/db/batches/commit.ts";
import { trackingIdOf } from "../../src/resources/customers/customers/store.ts";
import { upsertCustomers } from "../../src/steps/customers/customers.ts";
import { NOW, newId, testDatabase, testProject } from "../support/engine.ts";
import { friends, refused } from "../support/friends.ts";

const { db } = await testDatabase();
const SECRET = "of the project";

test("a tracking id that is sent as a source id names the customer whom it was made for, wherever it is sent", async () => {
  const world = await friends(db);
  const { call, ok, redeem, track } = world;
  await ok("POST /v1/vouchers/PLAIN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const first = await redeem("PLAIN", "bob");
  const { customer_id: id, tracking_id: tracked } = first.body.redemptions[0];
  assert.match(tracked, /^track_/);
  const total = async () => (await ok("GET /v1/customers")).total;
  const before = await total();
  const again = await redeem("PLAIN", tracked);
  assert.deepEqual([again.body.redemptions[0].customer_id, again.body.redemptions[0].tracking_id], [id, tracked]);
  const saved = await ok("POST /v1/customers", { source_id: tracked, name: "Bob" });
  assert.deepEqual([saved.id, saved.source_id, saved.name], [id, "bob", "Bob"]);
  assert.equal((await track(tracked, { referral: null })).body.customer.id, id);
  assert.equal((await ok("POST /v1/orders", { customer: { source_id: tracked }, amount: 1 })).customer_id, id);
  assert.equal((await ok(`GET /v1/customers/${tracked}`)).id, id);
  const holders = await ok("POST /v1/referrals/members/ANN/holders", { holders: [{ source_id: tracked }] });
  assert.equal(holders.holders[0].customer_id, id);
  await ok("POST /v1/campaigns/Friends/vouchers/NEW", {});
  assert.equal((await world.publish("NEW", tracked)).customer_id, id);
  const redeemables = [{ object: "voucher", id: "NEW" }];
  const asked = { redeemables, customer: { source_id: tracked }, order: { amount: 100 } };
  const checked = await ok("POST /v1/validations", asked);
  assert.equal(checked.redeemables[0].result.error.key, "referrer_not_permitted_to_redeem");
  assert.equal((await ok("POST /v1/validations", { ...asked, tracking_id: "bob" })).tracking_id, tracked);
  refused(await call("POST /v1/validations", { ...asked, tracking_id: "cleo" }), 400, "ambiguous_tracking_id");
  assert.equal(await total(), before);
});

test("who has a tracking id as the source id comes before the customer whose tracking id it is", async () => {
  const { ok, redeem, customer } = await friends(db);
  await ok("POST /v1/vouchers/PLAIN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const { customer_id: id, tracking_id: tracked } = (await redeem("PLAIN", "bob")).body.redemptions[0];
  // Made before tracking ids were taken for source ids.
  await db`update customers set source_id = ${tracked}, tracking_id = 'track_other' where id = ${(await customer("ann")).id}`;
  const ann = await ok("POST /v1/customers", { source_id: tracked, name: "Real" });
  assert.notEqual(ann.id, id);
  assert.deepEqual([ann.name, (await ok(`GET /v1/customers/${tracked}`)).id], ["Real", ann.id]);
  assert.equal((await customer("bob")).name ?? null, null);
});

test("customers of one batch who are named by a source id and by its tracking id are one", async () => {
  const project = await testProject(db);
  const made = { secret: SECRET, now: NOW, newId };
  const tracked = trackingIdOf(SECRET, "dora");
  const given = [{ source_id: "dora" }, { source_id: tracked, name: "Dora" }];
  const [first, second] = await transaction(db, (tx) => upsertCustomers(tx, project.id, given, made));
  assert.ok(first && second && "row" in first && "row" in second);
  assert.deepEqual([second.row.id, second.created, second.row.source_id], [first.row.id, false, "dora"]);
  assert.equal((await db`select from customers where project_id = ${project.id}`).count, 1);
});

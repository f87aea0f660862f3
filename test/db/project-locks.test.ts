import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { listeningShop } from "../support/webhook-story.ts";

// A foreign key locks the row that it refers to: all requests of a project would share one, and each would leave a record in the log.
const { db } = await testDatabase();
const items = [{ source_id: "p1", price: 1200, quantity: 2 }];
const discount = { type: "PERCENT", percent_off: 10 };

test("what shops send by the thousand locks no row of a project", async () => {
  const { ok, project, told } = await listeningShop(db, ["redemption.succeeded", "redemption.rollback.succeeded"]);
  await ok("POST /v1/vouchers/ONE", { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 100 } });
  const redeemables = [{ object: "voucher", id: "ONE" }];
  const session = { type: "LOCK", key: "mine", ttl: 1, ttl_unit: "HOURS" };
  const customer = { source_id: "new" };
  const locker = async () => (await db`select xmax::text from projects where id = ${project.id}`)[0]!.xmax;
  const before = await locker();
  await ok("POST /v1/validations", { redeemables, session, order: { items } });
  const { redemptions } = await ok("POST /v1/redemptions", { redeemables, session, customer, order: { items } });
  await ok(`POST /v1/redemptions/${redemptions[0].id}/rollback`, {});
  assert.equal((await told()).length, 2);
  assert.equal(await locker(), before);
});

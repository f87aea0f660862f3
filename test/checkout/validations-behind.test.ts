import assert from "node:assert/strict";
import { test } from "node:test";
import { createLanes } from "../../src/db/batches/batch.ts";
import { createBehind } from "../../src/db/batches/behind.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { hold } from "../support/hold.ts";
import { okOf } from "../support/shop.ts";

// A validation is answered before it is stored, and whoever redeems by it finds it. `test/laws/two-processes.test.ts` does it many
// times on two processes.
const { db, open } = await testDatabase();
const report = (error: unknown) => console.error(error);
const redeemables = [{ object: "voucher", id: "TEN" }];
const order = { amount: 1000 };

/** Two servers of one project, in this process, that write behind their answers. */
async function twoServers(now = () => performance.now()) {
  const project = await testProject(db);
  const start = async () => {
    const hot = open({ max: 4 });
    const behind = createBehind(hot, { report });
    const submit = createLanes(hot, { behind, report, now, timeoutMs: 120_000 });
    return { behind, ...(await testEngine(db, project, { submit, behind })) };
  };
  const [a, b] = [await start(), await start()];
  const ok = okOf(a.call);
  await ok("POST /v1/vouchers/TEN", { discount: { type: "PERCENT", percent_off: 10 } });
  const validate = async () => (await ok("POST /v1/validations", { redeemables, order })).id as string;
  const redeem = (validation_id: string) =>
    b.call("POST /v1/redemptions", { redeemables, order, options: { validation_id } });
  const stored = async (id: string) =>
    (await db`select id from validations where project_id = ${project.id} and id = ${id}`).length;
  return { project, a, b, validate, redeem, stored };
}

/** Nobody can store a validation until it is released. */
const holdValidations = () => hold(db, (tx) => tx`lock table validations in share row exclusive mode`);

test("a validation is answered before it is stored, and a redemption by it waits until it is", async () => {
  const { a, validate, redeem, stored } = await twoServers();
  const release = await holdValidations();
  const id = await validate();
  const redeemed = redeem(id);
  assert.equal(await stored(id), 0);
  await release();
  const reply = await redeemed;
  assert.equal(reply.status, 200, reply.text);
  await a.behind.end();
  assert.equal(await stored(id), 1);
});

test("a validation that does not come is refused after two seconds, and those of the same batch are not", async () => {
  // A clock that runs 40 times as fast.
  const { validate, redeem } = await twoServers(() => performance.now() * 40);
  const id = await validate();
  const time = Date.parse("2026-01-01T12:00:00Z").toString(16).padStart(12, "0");
  const [gone, old, good] = await Promise.all([
    redeem(`valid_${time}${"0".repeat(12)}`),
    redeem(`valid_${(Number.parseInt(time, 16) - 2_001).toString(16).padStart(12, "0")}${"0".repeat(12)}`),
    redeem(id),
  ]);
  for (const reply of [gone, old]) assert.deepEqual([reply.status, reply.body.key], [404, "not_found"]);
  assert.equal(good.status, 200, good.text);
});

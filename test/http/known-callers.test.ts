import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { okOf } from "../support/shop.ts";
import { until } from "../support/storage.ts";

// A validation begins while its credentials are checked, when its key was let in before. Whoever is not let in gets nothing of it.
const { db, open } = await testDatabase();

const discount = { type: "PERCENT", percent_off: 10 };

/** A server that has let in the key of a project, with a code to validate; `read` are the statements of its lanes. */
async function world(options: Parameters<typeof testEngine>[2] = {}) {
  const project = await testProject(db);
  const ok = okOf((await testEngine(db, project)).call);
  await ok("POST /v1/vouchers/CODE", { type: "DISCOUNT_VOUCHER", discount });
  const read: string[] = [];
  const hot = open({ max: 2, onQuery: (text: string) => void read.push(text) });
  const { app, call } = await testEngine(db, project, { hot, ...options });
  const sent = { redeemables: [{ object: "voucher", id: "CODE" }], order: { amount: 10_000 } };
  const validate = (headers: Record<string, string> = {}, body: unknown = sent) => {
    read.length = 0;
    return call("POST /v1/validations", body, headers);
  };
  const stored = async () =>
    (await db`select count(*)::int as count from validations where project_id = ${project.id}`)[0]!.count;
  assert.equal((await validate()).status, 200);
  return { project, ok, app, call, validate, stored, read };
}
const WRONG = { "x-app-token": "wrong" };

test("a wrong secret of a known key: 401, and for a minute keys are checked first at that address, and at no other", async () => {
  const clock = { ms: Date.parse(NOW) };
  const { validate, stored, read, app, project } = await world({ now: () => new Date(clock.ms).toISOString() });
  const elsewhere = async (headers: object) => {
    read.length = 0;
    const { statusCode } = await app.inject({
      ...{ method: "POST", url: "/v1/validations", remoteAddress: "203.0.113.7" },
      headers: { ...project.headers, "content-type": "application/json", ...headers },
      payload: { redeemables: [{ object: "voucher", id: "CODE" }], order: { amount: 10_000 } },
    });
    return statusCode;
  };
  const before = await stored();
  const first = await validate(WRONG);
  assert.deepEqual([first.status, first.body.key], [401, "unauthorized"]);
  assert.equal(first.headers["x-rate-limit-limit"], undefined);
  // Here nothing is read any more for a stranger, until the minute is over.
  for (const afterMs of [0, 59_999]) {
    clock.ms += afterMs;
    assert.equal((await validate(WRONG)).status, 401);
    assert.deepEqual(read, []);
  }
  // With the right secret it works at once, here and elsewhere.
  assert.equal((await validate()).status, 200);
  assert.equal(await elsewhere({}), 200);
  assert.equal(await stored(), before + 2);
  /** While this is held, nobody is checked: what is read meanwhile does not wait for it. */
  const beginsEarly = (send: () => Promise<number>) =>
    db.begin(async (tx) => {
      await tx`lock table keys in access exclusive mode`;
      const status = send();
      await until("it begins", () => read.length > 0);
      return { status };
    });
  assert.equal(await (await beginsEarly(() => elsewhere(WRONG))).status, 401);
  clock.ms += 2;
  assert.equal(await (await beginsEarly(async () => (await validate(WRONG)).status)).status, 401);
  assert.equal(await stored(), before + 2);
});

test("whoever is not let in is told that, and not what is wrong with the body or the query", async () => {
  for (const [body, line] of [
    ["{", "POST /v1/validations"],
    [{ redeemables: 3 }, "POST /v1/validations"],
    [{}, "POST /v1/validations?filters[a]=%00"],
  ] as const) {
    const { call } = await world();
    assert.equal((await call(line, body, WRONG)).status, 401, line);
    assert.notEqual((await call(line, body)).status, 401, line);
  }
});

test("a key that is disabled elsewhere stops at once", async () => {
  const { validate, project, stored } = await world();
  const before = await stored();
  await db`update keys set disabled_at = now() where id = ${project.app.id}`;
  assert.equal((await validate()).status, 401);
  await db`update keys set disabled_at = null where id = ${project.app.id}`;
  assert.equal((await validate()).status, 200);
  assert.equal(await stored(), before + 1);
});

test("what was configured elsewhere holds with the next answer, and one validation is stored", async () => {
  const { ok, call, project, stored } = await world();
  const promotion = { tiers: [{ name: "t", banner: "b", action: { discount } }] };
  const made = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion });
  const { id } = made.promotion.tiers[0];
  const amount = async () => {
    const body = { redeemables: [{ object: "promotion_tier", id }], order: { amount: 10_000 } };
    return (await call("POST /v1/validations", body)).body.order.total_discount_amount;
  };
  assert.equal(await amount(), 1_000);
  const before = await stored();
  await ok(`PUT /v1/promotions/tiers/${id}`, { action: { discount: { type: "PERCENT", percent_off: 20 } } });
  assert.equal(await amount(), 2_000);
  await ok(`PUT /management/v1/projects/${project.id}`, { timezone: "Asia/Tokyo" });
  assert.equal(await amount(), 2_000);
  assert.equal(await stored(), before + 2);
});

test("a caller who has had enough is refused, and nothing is read for the next one", async () => {
  const { validate, read, stored } = await world({ rateLimits: { app: 2, client: 0, management: 0, bulk: 0 } });
  const before = await stored();
  assert.equal((await validate()).headers["x-rate-limit-remaining"], "0");
  for (let n = 0; n < 2; n += 1) assert.equal((await validate()).status, 429);
  assert.deepEqual(read, []);
  assert.equal(await stored(), before + 1);
});

test("a large body is read when its sender is known", async () => {
  const { validate, read, stored } = await world();
  const large = { redeemables: [{ object: "voucher", id: "CODE" }], order: { amount: 10_000 }, metadata: {} };
  const before = await stored();
  const padded = `${JSON.stringify(large).slice(0, -1)}${" ".repeat(70_000)}}`;
  assert.equal((await validate(WRONG, padded)).status, 401);
  assert.deepEqual(read, []);
  assert.equal((await validate({}, padded)).status, 200);
  assert.equal(await stored(), before + 1);
});

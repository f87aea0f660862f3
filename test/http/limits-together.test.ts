import assert from "node:assert/strict";
import { test } from "node:test";
import { createSharedCounts } from "../../src/http/limits/limit-counts.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";

const { db, open } = await testDatabase();
const SHOP = "https://shop.example";
const at = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();
/** Nobody waits for the clock of this test: it is told when to tell. */
const NEVER_MS = 2 ** 31 - 1;

/** Two machines with one database and one clock. They tell each other what they counted when the test says so. */
async function machines(options: Parameters<typeof testEngine>[2]) {
  const project = await testProject(db, { client_trusted_domains: [SHOP] });
  const clock = { now: NOW };
  const errors: unknown[] = [];
  const both = await Promise.all(
    [0, 1].map(async () => {
      const pool = open({ max: 1 });
      const report = (error: unknown) => errors.push(error);
      const sharedCounts = createSharedCounts(pool, { now: () => clock.now, report, everyMs: NEVER_MS });
      const { call } = await testEngine(db, project, { ...options, sharedCounts, processes: 4, now: () => clock.now });
      return { call, pool, sharedCounts };
    }),
  );
  return { project, clock, errors, calls: both.map(({ call }) => call), both };
}
const rateLimits = { app: 10, client: 0, management: 0, bulk: 0 };

test("a limit on requests holds for all machines together: each learns with what it tells", async () => {
  const { calls, clock, both } = await machines({ rateLimits });
  const [first, second] = calls as [(typeof calls)[0], (typeof calls)[0]];
  const left = async (call: (typeof calls)[0]) => (await call("GET /v1/categories")).headers["x-rate-limit-remaining"];
  for (const n of ["9", "8", "7", "6"]) assert.equal(await left(first), n, "each has the whole limit");
  for (const n of ["9", "8", "7", "6", "5"]) assert.equal(await left(second), n);
  for (const { sharedCounts } of both) await sharedCounts.flush();
  assert.equal(await left(second), "0", "the second knows of all nine");
  assertRefused(await second("GET /v1/categories"), "too_many_requests");
  assert.equal(await left(first), "5", "the first has told before, and learns with what it tells next");
  for (const { sharedCounts } of both.toReversed()) await sharedCounts.flush();
  for (const call of [first, second]) {
    const refused = await call("GET /v1/categories");
    assertRefused(refused, "too_many_requests");
    assert.equal(refused.headers["retry-after"], "60", "windows are full minutes, for all of them");
  }
  clock.now = at(60);
  assert.equal(await left(second), "9");
  for (const { sharedCounts } of both) await sharedCounts.flush();
  assert.equal(await left(first), "9");
  await both[0]!.sharedCounts.flush();
  assert.equal(await left(first), "7", "what was counted in the minute before is forgotten, by all of them");
});

test("what a machine counts while it tells the others is not lost", async () => {
  const { calls, both } = await machines({ rateLimits: { ...rateLimits, app: 1000 } });
  await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      assert.equal((await calls[n % 2]!("GET /v1/categories")).status, 200);
      await both[n % 2]!.sharedCounts.flush();
    }),
  );
  await Promise.all(both.map(({ sharedCounts }) => sharedCounts.flush()));
  await calls[0]!("GET /v1/categories");
  await both[0]!.sharedCounts.flush();
  assert.equal((await calls[0]!("GET /v1/categories")).headers["x-rate-limit-remaining"], "938");
});

test("wrong codes at one machine keep an address from guessing on at the other", async () => {
  const { calls, clock, both } = await machines({ wrongCodesMax: 5 });
  const wrong = (call: (typeof calls)[0], n: number) =>
    call("POST /client/v1/validations", { redeemables: [{ object: "voucher", id: `WRONG-${n}` }] }, { origin: SHOP });
  for (let n = 0; n < 4; n += 1) assert.equal((await wrong(calls[0]!, n)).status, 200);
  await both[0]!.sharedCounts.flush();
  assert.equal((await wrong(calls[1]!, 0)).status, 200, "the first one that the second machine sees");
  await both[1]!.sharedCounts.flush();
  assertRefused(await wrong(calls[1]!, 9), "too_many_requests", "Too many wrong codes from this address");
  clock.now = at(5);
  assert.equal((await wrong(calls[1]!, 9)).status, 200);
});

test("while the database is away each machine counts alone, and tells later", async () => {
  const { calls, both, errors } = await machines({ rateLimits });
  // As if it could not be reached.
  await db`alter table limit_counts rename to limit_counts_away`;
  for (let n = 0; n < 6; n += 1) assert.equal((await calls[0]!("GET /v1/categories")).status, 200);
  await both[0]!.sharedCounts.flush();
  assert.equal(errors.length, 1);
  await db`alter table limit_counts_away rename to limit_counts`;
  assert.equal((await calls[1]!("GET /v1/categories")).status, 200);
  for (const { sharedCounts } of both) await sharedCounts.flush();
  assert.equal((await calls[1]!("GET /v1/categories")).headers["x-rate-limit-remaining"], "2");
});

test("no address is stored, and counts go when their time is over", async () => {
  const { calls, both } = await machines({ wrongCodesMax: 5 });
  const body = { redeemables: [{ object: "voucher", id: "NOT-THERE" }] };
  await calls[0]!("POST /client/v1/validations", body, { origin: SHOP });
  await both[0]!.sharedCounts.flush();
  const stored = await db<{ name: string }[]>`select name from limit_counts`;
  assert.ok(stored.length > 0);
  for (const { name } of stored) assert.match(name, /^[0-9a-f]{64}$/);
  await purgeExpired.run({ db, now: () => at(3600), newId, random: () => 0 } as never);
  assert.deepEqual([...(await db`select name from limit_counts`)], []);
});

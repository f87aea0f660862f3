import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { NOW, newId, testDatabase, type testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const run = (now: string, pool = db) => advanceCards.run({ db: pool, newId, now: () => now, random: Buffer.alloc });

async function world(given: Parameters<typeof testProject>[1] = {}) {
  const { call, project } = await testShop(db, given);
  const segment = async (filter: object) =>
    (await call("POST /v1/segments", { name: "S", filter: { junction: "and", ...filter } })).body.id as string;
  const statusOf = async (id: string) => (await call(`GET /v1/segments/${id}`)).body.initial_sync_status;
  const count = async (id: string) => {
    const reply = await call(`GET /v1/customers?segment_id=${id}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.total;
  };
  const events = async () => {
    const rows = await db`
      select kind, group_id, created_at from events
      where project_id = ${project.id} and kind like 'customer.segment.%' order by id`;
    return rows.map(({ kind, created_at }) => `${kind.split(".")[2]} ${created_at.slice(0, 10)}`);
  };
  const fill = (rows: number, name: string) => db`
    insert into customers (project_id, id, name, created_at)
    select ${project.id}, 'cust_' || ${name}::text || lpad(n::text, 8, '0'), ${name}, ${NOW}::timestamptz - interval '1 second'
    from generate_series(1, ${rows}::int) n`;
  return { project, call, segment, statusOf, count, events, fill };
}
const named = (name: string) => ({ name: { conditions: { $is: name } } });

test("the first members of a large project are found in batches, silently, once the segment has settled; a second run finds nothing", async () => {
  const { project, call, segment, statusOf, count, events, fill } = await world();
  await fill(1_201, "ann");
  await fill(3_800, "ben");
  const id = await segment(named("ann"));
  await run("2026-01-01T12:00:14.999Z");
  assert.deepEqual([await statusOf(id), await count(id)], ["IN_PROGRESS", 0], "a request under way may still write");
  await call("POST /v1/customers", { source_id: "new", name: "ann" });
  assert.deepEqual(await events(), ["entered 2026-01-01"], "who is created after the segment enters it");
  await call("PUT /v1/customers/cust_ben00000001", { phone: "1" });
  await run("2026-01-01T12:00:15.000Z");
  assert.deepEqual([await statusOf(id), await count(id)], ["DONE", 1_202]);
  const stored = async () => [
    ...(await db`select segment_id, customer_id, entered_at from segment_members
      where project_id = ${project.id} order by 1, 2`),
  ];
  const before = await stored();
  await run("2026-01-03T00:00:00.000Z");
  assert.deepEqual(await stored(), before);
  assert.deepEqual(await events(), ["entered 2026-01-01"]);
  assert.equal((await call("GET /v1/customers/cust_ann00000001/segments")).body.total, 1);
});

test("a request that began before the segment was made, and did not know it, is seen once it has settled", async () => {
  const { project, segment, statusOf, count, events, fill } = await world();
  await fill(2, "ann");
  await fill(1, "ben");
  const id = await segment(named("ann"));
  assert.deepEqual([await statusOf(id), await count(id)], ["DONE", 2]);
  await db`update customers set name = 'ann' where project_id = ${project.id} and name = 'ben'`;
  await run("2026-01-01T12:00:14.999Z");
  assert.equal(await count(id), 2);
  await run("2026-01-01T12:00:15.000Z");
  await run("2026-01-01T12:01:00.000Z");
  assert.deepEqual([await count(id), await events()], [3, ["entered 2026-01-01"]]);
});

test("run by several at once and beside writers, it finds the same members and tells nothing twice", async () => {
  const { call, segment, count, events, fill } = await world();
  await fill(5_001, "ann");
  const id = await segment(named("ann"));
  const pools = [open(), open()];
  const later = "2026-01-01T12:01:00.000Z";
  const writes = Array.from({ length: 20 }, (_, n) =>
    call(`PUT /v1/customers/cust_ann${String(n * 50 + 1).padStart(8, "0")}`, { name: "gone" }),
  );
  const replies = await Promise.all([...writes, ...pools.map((pool) => run(later, pool).then(() => null))]);
  assert.ok(replies.every((reply) => reply === null || reply.status === 200));
  assert.equal(await count(id), 4_981);
  assert.ok((await events()).every((event) => event === "left 2026-01-01"));
});

test("time moves customers in and out: each at its midnight in the zone of the project, and told once", async () => {
  const { call, segment, count, events } = await world({ timezone: "Asia/Tokyo" });
  await call("POST /v1/customers", { source_id: "a", birthdate: "1990-01-03" });
  const id = await segment({ birthdate: { conditions: { $today: true } } });
  const plain = await segment(named("nobody"));
  await run("2026-01-01T12:01:00.000Z");
  assert.equal(await count(id), 0);
  await run("2026-01-02T14:59:00.000Z");
  assert.deepEqual(await events(), [], "still the 2nd in Tokyo");
  await run("2026-01-02T15:00:00.000Z");
  assert.equal(await count(id), 1);
  await run("2026-01-02T15:01:00.000Z");
  await run("2026-01-05T00:00:00.000Z");
  assert.equal(await count(id), 0);
  assert.deepEqual(await events(), ["entered 2026-01-02", "left 2026-01-03"]);
  const rows = await db`select id, recalculated_at from segments where id in ${db([id, plain])} order by id`;
  assert.deepEqual(
    rows.map((row) => row.recalculated_at),
    ["2026-01-04T15:00:00.000Z", "2026-01-01T12:00:15.000Z"],
    "a filter that does not look at the time is not asked again",
  );
});

test("a project that is deleted is left alone", async () => {
  const { project, segment, fill } = await world();
  await segment(named("ann"));
  await fill(1, "ann");
  await db`update projects set deleted_at = ${NOW} where id = ${project.id}`;
  await run("2026-01-01T12:01:00.000Z");
  assert.equal((await db`select 1 from segment_members where project_id = ${project.id}`).length, 0);
});

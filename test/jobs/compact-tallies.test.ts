import assert from "node:assert/strict";
import { test } from "node:test";
import { compactTallies } from "../../src/jobs/compact-tallies.ts";
import { NOW, newId, testDatabase, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const run = (pool = db) => compactTallies.run({ db: pool, now: () => NOW, newId, random: Buffer.alloc });

type Tally = { object: string; result: string; campaign_id: string; count: number };
const kindOf = ({ object, result, campaign_id }: Tally) => `${object} ${result} ${campaign_id}`;
/** What a list reads, in one statement: the sum and the rows of each kind. */
async function read(projectId: string) {
  const rows = await db<(Tally & { rows: number })[]>`
    select object, result, campaign_id, sum(count)::bigint as count, count(*) as rows
    from redemption_tallies where project_id = ${projectId} group by object, result, campaign_id`;
  return new Map(rows.map((row) => [kindOf(row), row]));
}
async function scatter(projectId: string, kind: Omit<Tally, "count">, n: number) {
  await db`
    insert into redemption_tallies (project_id, id, object, result, campaign_id, count)
    select ${projectId}, ${newId("r")} || g, ${kind.object}, ${kind.result}, ${kind.campaign_id}, 1 + g % 3
    from generate_series(1, ${n}::int) g`;
}
const SUCCESS = { object: "redemption", result: "SUCCESS", campaign_id: "" };

test("many rows of a kind become one with their sum, kinds and projects are kept apart, a second run changes nothing", async () => {
  const [one, other] = [await testProject(db), await testProject(db)];
  await scatter(one.id, SUCCESS, 12_000);
  await scatter(one.id, { ...SUCCESS, campaign_id: "camp_1" }, 7);
  await scatter(one.id, { ...SUCCESS, result: "FAILURE" }, 3);
  await scatter(one.id, { ...SUCCESS, object: "deleted" }, 2);
  await scatter(other.id, SUCCESS, 5);
  const before = [await read(one.id), await read(other.id)];
  const expected = before.map((kinds) => new Map([...kinds].map(([kind, row]) => [kind, { ...row, rows: 1 }])));
  await run();
  assert.deepEqual([await read(one.id), await read(other.id)], expected);
  const rows = await db`select * from redemption_tallies order by project_id, id`;
  await run();
  assert.deepEqual(await db`select * from redemption_tallies order by project_id, id`, rows);
});

test("the total of the list is the same before and after", async () => {
  const { call, project } = await testShop(db);
  await call("POST /v1/vouchers/A", { discount: { type: "PERCENT", percent_off: 10 }, redemption: { quantity: 3 } });
  for (let n = 0; n < 5; n += 1) await call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "A" }] });
  const totals = async () =>
    Promise.all(
      ["", "result=SUCCESS", "result=FAILURE"].map(async (q) => (await call(`GET /v1/redemptions?${q}`)).body.total),
    );
  assert.deepEqual(await totals(), [5, 3, 2]);
  await run();
  assert.deepEqual(await totals(), [5, 3, 2]);
  assert.equal((await read(project.id)).get("redemption SUCCESS ")?.rows, 1);
  await call("DELETE /v1/vouchers/A");
  await run();
  assert.deepEqual(await totals(), [0, 0, 0]);
});

test("three machines at once, while rows are added and read: no sum is ever wrong, and one row is left", async () => {
  const project = await testProject(db);
  await scatter(project.id, SUCCESS, 4_000);
  const sum = async () => (await read(project.id)).get(kindOf({ ...SUCCESS, count: 0 }))!.count;
  const start = await sum();
  let [added, isOver] = [0, false];
  const add = async () => {
    while (!isOver) {
      const id = newId("r");
      await db`
        insert into redemption_tallies (project_id, id, object, result, campaign_id, count)
        values (${project.id}, ${id}, 'redemption', 'SUCCESS', '', 1)`;
      added += 1;
    }
  };
  const look = async () => {
    while (!isOver) {
      const least = start + added;
      const found = await sum();
      // One more may be written and not counted here yet.
      assert.ok(found >= least && found <= start + added + 1, `${found} is not ${least} to ${start + added + 1}`);
    }
  };
  const machines = async () => {
    const pools = [1, 2, 3].map(() => open({ max: 2 }));
    for (let n = 0; n < 10; n += 1) await Promise.all(pools.map((pool) => run(pool)));
    isOver = true;
  };
  await Promise.all([machines(), add(), look()].map((one) => one.finally(() => (isOver = true))));
  await run();
  const row = (await read(project.id)).get(kindOf({ ...SUCCESS, count: 0 }))!;
  assert.deepEqual([row.count, row.rows], [start + added, 1]);
});

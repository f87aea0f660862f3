import assert from "node:assert/strict";
import { test } from "node:test";
import { adjust } from "../../src/core/loyalty/card/manual.ts";
import { earn } from "../../src/core/loyalty/earning/earn.ts";
import { sampleCard, sampleWorld } from "../../src/core/loyalty/program/sample.ts";
import { loadLots, lotsOfBucket, lotsOfOrders, saveMoves } from "../../src/resources/ledger/ledger/store.ts";
import { testDatabase, testProject } from "../support/engine.ts";

const { db } = await testDatabase();
const { id: PROJECT } = await testProject(db);

test("what a card moves is kept: lots with their buckets, orders and settings, and entries with their details", async () => {
  const sliding = {
    type: "SLIDING_EXPIRATION" as const,
    sliding_expiration: {
      ...{ earning_activity: true, spending_activity: false, custom_activity: false, custom_activity_types: [] },
      period: { value: 10, unit: "DAY" as const },
    },
  };
  const world = sampleWorld({ wallet: { points_expiration: sliding } });
  const first = earn(sampleCard(world), world, {
    points: 30,
    effect: sliding,
    order_id: "ord_1",
    reason: "P / R",
    orderTotal: 9,
  });
  await db.begin((tx) => saveMoves(tx, PROJECT, [first.change]));
  const own = ({ id, lots }: typeof first.change.card) => lots.map((lot) => ({ ...lot, account_id: id }));
  const kept = await loadLots(db, PROJECT, ["lcrd_1"]);
  assert.deepEqual([...kept], own(first.change.card));
  const { bucket_id, expiration, order_id } = kept[0]!;
  assert.deepEqual([expiration, order_id], [sliding, "ord_1"]);

  // The next day's earning moves the first lot, and both are one bucket.
  const next = { ...world, now: "2026-01-02T12:00:00.000Z" };
  const second = earn({ ...first.change.card, lots: kept }, next, {
    points: 5,
    order_id: "ord_2",
    reason: null,
    orderTotal: 9,
  });
  await db.begin((tx) => saveMoves(tx, PROJECT, [second.change]));
  assert.deepEqual([...(await loadLots(db, PROJECT, ["lcrd_1"]))], own(second.change.card));
  const bucket = await lotsOfBucket(db, PROJECT, { accountId: "lcrd_1", bucketId: bucket_id! });
  assert.deepEqual(
    bucket.map(({ bucket_date, remaining }) => [bucket_date, remaining]),
    [
      ["2026-01-12", 30],
      ["2026-01-12", 5],
    ],
  );

  // What is spent is still known as what an order earned.
  const taken = adjust(second.change.card, next, { points: -30, reason: null });
  await db.begin((tx) => saveMoves(tx, PROJECT, [taken]));
  const [earned] = await lotsOfOrders(db, PROJECT, ["ord_1"]);
  assert.deepEqual([earned?.amount, earned?.remaining], [30, 0]);
  const entries = await db`
    select id, kind, amount, balance, order_id, reason, details from ledger_entries
    where project_id = ${PROJECT} order by id`;
  assert.deepEqual(
    entries.map(({ kind, amount, balance, order_id: of, reason }) => [kind, amount, balance, of, reason]),
    [
      ["accrual", 30, 30, "ord_1", "P / R"],
      ["accrual", 5, 35, "ord_2", null],
      ["removal", -30, 5, null, null],
    ],
  );
  assert.deepEqual(entries[0]?.details, {
    points: { total: 30, expiration_date: "2026-01-11" },
    metadata: {},
    rejection: null,
  });
  assert.deepEqual([...(await loadLots(db, "proj_other", ["lcrd_1"]))], []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { comparable, copyOf, idsIn, rowsOf, stepClock, sweepLate, timedProject } from "./time-law.ts";

// Time passes alike however it is stepped: random programs and segments, a month and more, and the same rows.
//   TIME_LAW_SEED=7 TIME_LAW_RUNS=1 npm test -- time-law     one again
//   TIME_LAW_RUNS=100 npm test -- time-law                   a long run
const SEED = Number(process.env.TIME_LAW_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.TIME_LAW_RUNS ?? 2);
const { db } = await testDatabase();

test(`one jump, daily steps, steps of 37 hours and one late sweep leave the same rows (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + RUNS; seed += 1) {
    const { id, start, end } = await timedProject(db, seed);
    const base = idsIn(await rowsOf(db, id));
    const ways = { "one jump": 2 * 366 * 24, "daily steps": 24, "steps of 37 hours": 37 };
    const copies = Object.fromEntries(
      await Promise.all(Object.keys(ways).map(async (name) => [name, await copyOf(db, id)] as const)),
    );
    const left: Record<string, Record<string, unknown[]>> = {};
    for (const [name, hours] of Object.entries(ways)) {
      await stepClock(db, copies[name]!, { start, end, hours });
      left[name] = comparable(await rowsOf(db, copies[name]!), base);
      await db`update projects set deleted_at = ${end} where id = ${copies[name]!}`;
    }
    await sweepLate(db, end);
    left["one late sweep"] = comparable(await rowsOf(db, id), base);
    await db`update projects set deleted_at = ${end} where id = ${id}`;
    const { "daily steps": expected, ...others } = left;
    for (const [name, rows] of Object.entries(others))
      assert.deepEqual(rows, expected, `${name} is not what daily steps are: TIME_LAW_SEED=${seed} TIME_LAW_RUNS=1`);
  }
});

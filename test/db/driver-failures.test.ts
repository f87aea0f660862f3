import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withinTime } from "../../src/db/batches/commit.ts";
import type { Pool } from "../../src/db/db.ts";
import { testDatabase } from "../support/engine.ts";
import { FAILURES } from "./driver-failures.ts";
import { QUERIES, SETUP } from "./driver-queries.ts";

// Whatever failed on a connection, the next query on it gives exactly what it gives on a fresh connection.
// DRIVER_RUNS raises the number of random sequences, DRIVER_SEED repeats one.
const RUNS = Number(process.env.DRIVER_RUNS ?? 10);
// The gate tries the same sequences each time, so that a change is not held up by what another one broke.
const SEED = { seed: Number(process.env.DRIVER_SEED ?? 1) };
const ROWS = 12;
const HANGS_MS = 600_000;

const { db, open } = await testDatabase();
await db.unsafe(SETUP);

const onFresh = new Map<string, unknown>();
for (const [name, query] of Object.entries(QUERIES)) {
  const pool = open({ max: 1 });
  onFresh.set(name, await query(pool));
  await pool.end();
}

async function ends<T>(what: string, step: Promise<T>): Promise<T> {
  const ended = await withinTime(
    HANGS_MS,
    step.then((value) => ({ value })),
  );
  assert.ok(ended, `${what} never ends`);
  return ended.value;
}

const asks = async (pool: Pool, name: string, after: string) =>
  assert.deepEqual(await ends(name, QUERIES[name]!(pool)), onFresh.get(name), `${name} after ${after}`);
const fails = (pool: Pool, name: string, row: number) => ends(name, FAILURES[name]!(pool, row, db));

for (const failure of Object.keys(FAILURES))
  test(`${failure}: every query after it, or sent together with it, is answered as on a fresh connection`, async () => {
    const pool = open({ max: 1 });
    for (const query of Object.keys(QUERIES)) {
      await fails(pool, failure, 3);
      await asks(pool, query, failure);
    }
    const all: Promise<unknown>[] = Object.keys(QUERIES).map((query) => asks(pool, query, failure));
    await Promise.all([fails(pool, failure, 4), ...all, fails(pool, failure, 5)]);
    await pool.end();
  });

const Step = fc.oneof(
  fc.record({ query: fc.constantFrom(...Object.keys(QUERIES)) }),
  fc.record({ failure: fc.constantFrom(...Object.keys(FAILURES)), row: fc.integer({ min: 1, max: ROWS }) }),
);

test("random queries and failures on one connection, in turn or together: every query is answered as on a fresh one", async () => {
  const steps = fc.array(fc.array(Step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(steps, async (groups) => {
      const pool = open({ max: 1 });
      for (const group of groups) {
        const ended = await Promise.allSettled(
          group.map((step) =>
            "query" in step ? asks(pool, step.query, "all of this") : fails(pool, step.failure, step.row),
          ),
        );
        for (const one of ended) if (one.status === "rejected") throw one.reason;
      }
      await pool.end();
    }),
    { numRuns: RUNS, ...SEED },
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pool } from "../../src/db/db.ts";
import { testDatabase } from "../support/engine.ts";

const { open } = await testDatabase();

test("a statement that fails after some rows leaves the rows of the next one as they are", async () => {
  const pool = open({ max: 1 });
  const failing = (row: number) => pool`select 1 / (${row}::int - n) from generate_series(1, 10) n`;
  for (const row of [1, 2, 5, 10]) {
    await assert.rejects(failing(row), { code: "22012" });
    const after = await pool`select n from generate_series(1, 3) n`;
    assert.deepEqual([...after], [{ n: 1 }, { n: 2 }, { n: 3 }], `after a failure in row ${row}`);
  }
  // The same when the next one was sent before the failure was known.
  const [failed, together] = await Promise.allSettled([failing(5), pool`select 'mine' as whose`.execute()]);
  assert.equal(failed.status, "rejected");
  assert.deepEqual([...(together as PromiseFulfilledResult<object[]>).value], [{ whose: "mine" }]);
});

test("a list that runs into the statement timeout leaves the lists of others whole", async () => {
  const pool = open({ max: 1, statementTimeoutMs: 100 });
  const slow = () => pool`select n, case n when 5 then pg_sleep(60) end from generate_series(1, 10) n`;
  // On a busy machine the short one may take too long as well: then both are asked again.
  const whole = async (db: Pool): Promise<object[]> => {
    await assert.rejects(slow(), { code: "57014" });
    const next = await db`select n from generate_series(1, 3) n`.catch((error) => error.code);
    return next === "57014" ? whole(db) : [...next];
  };
  assert.deepEqual(await whole(pool), [{ n: 1 }, { n: 2 }, { n: 3 }]);
});

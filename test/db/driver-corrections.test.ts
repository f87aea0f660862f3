import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CORRECTIONS } from "../../src/db/driver-corrections.ts";
import { testDatabase } from "../support/engine.ts";
import { SETUP } from "./driver-queries.ts";
import { play, SCENARIOS } from "./driver-scenarios.ts";

// Each correction of the driver is needed: what it mends goes wrong when one of its edits is left out.
const PLAYER = fileURLToPath(new URL("driver-scenarios.ts", import.meta.url));
const HANGS_MS = 600_000;
const { db, url } = await testDatabase();
await db.unsafe(SETUP);

test("every correction has a scenario", () => {
  assert.deepEqual(Object.keys(SCENARIOS).sort(), CORRECTIONS.map(({ name }) => name).sort());
});

/** Plays it in a process of its own, since a driver without a correction may end it. Gives what it said last. */
async function playWithout(name: string, edit: number): Promise<{ holds: boolean; why: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [PLAYER, url, name, String(edit)], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  return { holds: code === 0, why: /^(?:\w*Error|.*\[ERR_).*/m.exec(said)?.[0] ?? said.slice(0, 300) };
}

for (const { name, edits } of CORRECTIONS)
  test(name, async (t) => {
    await play(name, url, HANGS_MS);
    for (const [n, [, to]] of edits.entries()) {
      const { holds, why } = await playWithout(name, n);
      assert.ok(!holds, `nothing goes wrong without edit ${n}: ${to}`);
      t.diagnostic(`without edit ${n}: ${why}`);
    }
  });

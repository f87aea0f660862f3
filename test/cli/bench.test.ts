import assert from "node:assert/strict";
import { test } from "node:test";
import type { Line, Measured } from "../../bench/line.ts";
import { reaches } from "../../bench/line.ts";
import { LINES, runBench, tableOf } from "../../bench/run.ts";

// All of them, with `npm run bench -- --quick`: here one proves that the harness works, and one more in the gate.
// They use the server of the tests, as they would any that is named.
process.env.DATABASE_URL = process.env.TEST_SERVER_URL;
const QUICK = [LINES[0]!.name, ...(process.env.GATE === "1" ? ["redemptions"] : [])];

test("lines of the bench run, their own checks hold, and the table shows them", { timeout: 900_000 }, async () => {
  const printed: string[] = [];
  const { rows } = await runBench(QUICK, { quick: true, print: (text) => printed.push(text) });
  assert.deepEqual(
    rows.map(({ line }) => line.name),
    QUICK,
  );
  for (const { line, measured } of rows) {
    assert.ok(measured.engine > 0, line.name);
    assert.equal(measured.ratio === null, measured.baseline === null, line.name);
    assert.ok(measured.ratio === null || Number.isFinite(measured.ratio), line.name);
    assert.match(printed.at(-1)!, new RegExp(`^\\| ${line.name} `, "m"));
  }
  assert.notEqual(rows[0]!.measured.ratio, null);
  assert.match(printed[0]!, /^Laurel .* \(.+\), Node \S+, PostgreSQL \S+/);
});

test("a line that is not there is refused, with the names of those that are", async () => {
  await assert.rejects(runBench(["nothing"], { quick: true, print: () => {} }), /no line nothing[\s\S]*validations/);
});

test("a floor is missed from below, or from above where less is better; without a baseline it cannot be", () => {
  const line = (better: Line["better"]): Line => ({
    name: "example",
    floor: 0.5,
    aim: 0.7,
    better,
    run: () => assert.fail(),
  });
  assert.ok(!reaches(line("higher"), 0.49, 0.5));
  assert.ok(reaches(line("higher"), 0.5, 0.5));
  assert.ok(!reaches(line("lower"), 0.51, 0.5));
  assert.ok(reaches(line("higher"), null, 0.5));
  const measured = (ratio: number | null): Measured => ({ title: "", unit: "x", baseline: null, engine: 1, ratio });
  const shown = (ratio: number | null) => tableOf([{ line: line("higher"), measured: measured(ratio) }]);
  assert.match(shown(0.49), /0\.49 .*MISSED/);
  assert.match(shown(0.5), /0\.50 .*floor/);
  assert.match(shown(0.7), /0\.70 .*aim/);
  assert.match(shown(null), /no baseline/);
});

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import skipped from "../../scripts/skipped-reporter.ts";

const summary = async (events: object[]) => (await Array.fromAsync(skipped(Readable.from(events) as never))).join("");
const passed = (name: string, skip?: string | boolean) => ({ type: "test:pass", data: { name, skip } });

test("a run ends with what it skipped and why, each once", async () => {
  assert.equal(await summary([passed("runs")]), "\nNothing was skipped.\n");
  const events = [passed("runs"), passed("needs a browser", "no Chromium"), passed("needs a browser", "no Chromium")];
  assert.equal(
    await summary([...events, passed("silent", true), { type: "test:diagnostic", data: { message: "x" } }]),
    "\nSkipped (2):\n  needs a browser: no Chromium\n  silent: no reason given\n",
  );
});

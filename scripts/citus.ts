import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { howToBuild } from "../test/ops/lab/citus.ts";

// npm run test:citus: all tests on a Citus cluster, also those that are left to the gate. With words, the files chosen as by `npm test`.
const HOW = `TEST_NODES names no cluster: the addresses of its machines, the coordinator first, with commas in between.

With Citus installed in Debian's PostgreSQL 15 this starts one, as root:

  test/ops/lab/citus.sh start /tmp/laurel-citus      prints TEST_NODES=…
  TEST_NODES=… npm run test:citus -- redemptions
  test/ops/lab/citus.sh stop /tmp/laurel-citus

${howToBuild()}`;
if (!process.env.TEST_NODES) {
  console.error(HOW);
  process.exit(2);
}
const words = process.argv.slice(2);
const chosen = words.length > 0 ? words : fs.globSync(["src/**/*.test.ts", "test/**/*.test.ts"]);
if (words.length === 0)
  console.log(
    "Left out: dashboard/. Its pages send the requests that the tests in test/ send as well, and no statement of their own.",
  );
const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "test.ts"), ...chosen], {
  stdio: "inherit",
});
process.exit(status ?? 1);

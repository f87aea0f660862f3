import { spawnSync } from "node:child_process";
import { join } from "node:path";

// npm run test:citus -- WORDS: the tests on a Citus cluster, the files chosen as by `npm test`.
const HOW = `TEST_NODES names no cluster: the addresses of its machines, the coordinator first, with commas in between.

With Citus installed in Debian's PostgreSQL 15 (docs/guides/citus.md says how it is built) this starts one, as root:

  test/ops/lab/citus.sh start /tmp/laurel-citus      prints TEST_NODES=…
  TEST_NODES=… npm run test:citus -- redemptions
  test/ops/lab/citus.sh stop /tmp/laurel-citus
`;
if (!process.env.TEST_NODES) {
  console.error(HOW);
  process.exit(2);
}
const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "test.ts"), ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);

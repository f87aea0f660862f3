import "./temp-dir.ts";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { parseArgs } from "node:util";
import { ALL_ROUTES } from "../src/routes.ts";
import { INTERFACE } from "../test/house/interface.ts";
import { globalSetup, globalTeardown } from "../test/support/server.ts";
import { undocumentedRefusals } from "./refusals.ts";
import skipped from "./skipped-reporter.ts";

// Runs the tests, tells what was skipped and why, then looks whether every refusal that was seen is documented, and whether
// every operation answered with success at least once.
//   npm test                      everything but what is left to the gate
//   GATE=1 npm test               everything, as .ci/run does
//   npm test -- categories        the files whose path holds "categories"; operations are not counted then
const { positionals } = parseArgs({ allowPositionals: true });
const files = fs.globSync(["src/**/*.test.ts", "test/**/*.test.ts", "dashboard/{src,test}/**/*.test.ts"]).sort();

// Two thirds of the CPU of all tests: the browser, the commands of the documents, whole programs, walks of every operation,
// hashes of passwords and laws that try random mixes. A change rarely breaks one of them alone. A developer waits for the others, and the gate runs all.
const LEFT_TO_THE_GATE = [
  "dashboard/test/bundle",
  "dashboard/test/screens",
  "dashboard/test/stories-of-marketers",
  "dashboard/test/stories-of-operators",
  "src/core/formula/properties",
  "test/checkout/auto-redeem",
  "test/checkout/auto-redeem-batch",
  "test/checkout/client-side-answers",
  "test/checkout/code-guessing",
  "test/checkout/event-rows",
  "test/checkout/offers-hold",
  "test/checkout/redemptions-batch",
  "test/checkout/reference/reference-calculator",
  "test/checkout/reference/reference-calculator-http",
  "test/checkout/request-steps",
  "test/checkout/validation-law",
  "test/checkout/validations-batch",
  "test/cli/backup",
  "test/cli/bench",
  "test/cli/cli",
  "test/cli/dashboard",
  "test/cli/doctor",
  "test/cli/first-minute",
  "test/cli/pack",
  "test/cli/requests",
  "test/cli/start-cost",
  "test/cli/top",
  "test/cli/user",
  "test/cli/webhooks",
  "test/customers/erasure",
  "test/customers/events-batch",
  "test/db/driver-corrections",
  "test/db/driver-failures",
  "test/db/embedded",
  "test/db/migrate",
  "test/db/reconnect",
  "test/docs/browser",
  "test/docs/demo",
  "test/docs/docs",
  "test/docs/examples",
  "test/docs/recipes",
  "test/house/discount-registry",
  "test/house/new",
  "test/http/drain",
  "test/http/http-limits",
  "test/http/list-pages",
  "test/http/openapi",
  "test/http/versions",
  "test/jobs/run-async-actions",
  "test/jobs/run-exports",
  "test/laws/faults",
  "test/laws/fuzz",
  "test/laws/import-law",
  "test/laws/linearizability",
  "test/laws/rollup-law",
  "test/laws/simulation/loyalty",
  "test/laws/simulation/simulation",
  "test/laws/time-law",
  "test/ledger/card-figures",
  "test/loyalty-v1/card-earning-once",
  "test/platform/audit-walk",
  "test/platform/event-feed",
  "test/platform/exports",
  "test/platform/feed-data",
  "test/platform/files",
  "test/platform/import-files",
  "test/platform/request-log",
  "test/platform/roles-walk",
  "test/platform/scopes",
  "test/platform/second-factor",
  "test/platform/single-sign-on",
  "test/platform/tenancy",
  "test/platform/test-clock",
  "test/platform/wrong-passwords",
  "test/promotions/publications-batch",
  "test/promotions/referrals-batch",
  "test/promotions/voucher-states",
  "test/sdk/sdk-exports",
  "test/sdk/sdk-imports",
].map((name) => `${name}.test.ts`);
const isLeft = (file: string) => process.env.GATE !== "1" && LEFT_TO_THE_GATE.includes(file);
const chosen =
  positionals.length === 0
    ? files.filter((file) => !isLeft(file))
    : files.filter((file) => positionals.some((part) => file.includes(part)));
if (chosen.length === 0) {
  console.error(`No test file has ${positionals.join(" or ")} in its path.`);
  process.exit(2);
}

// Each of these has a process of its own: they start others, cut connections, or measure what a process does. They are the
// longest as well, so they come first, and no core waits for one of them at the end. All others share processes.
const ALONE = [
  ...["stories-of-operators", "stories-of-marketers", "screens"].map((file) => `../dashboard/test/${file}`),
  ...[
    "laws/mutants",
    "cli/first-minute",
    "docs/docs",
    "cli/cli",
    "laws/faults",
    "docs/browser",
    "cli/bench",
    "cli/user",
    "cli/webhooks",
  ],
  ...["laws/fuzz", "docs/examples", "db/driver-corrections", "laws/simulation/simulation"],
  ...["laws/linearizability", "laws/two-processes", "checkout/auto-redeem", "loyalty-v1/card-earning-once"],
  ...["loyalty-v2/loyalty-concurrency", "checkout/redemptions-batch", "checkout/redemptions-concurrency"],
  ...["promotions/referral-races", "db/embedded", "http/drain", "cli/start-cost", "docs/recipes"],
  ...[
    "http/openapi",
    "house/discount-registry",
    "house/new",
    "house/subjects",
    "db/reconnect",
    "db/lost-commit",
    "db/standby-commit",
    "db/driver",
  ],
  ...["db/driver-failures", "http/fairness", "http/warm-up", "http/http-limits", "http/http-errors"],
  ...[
    "customers/erasure",
    "jobs/run-async-actions",
    "jobs/run-exports",
    "platform/import-files",
    "sdk/sdk",
    "sdk/sdk-client-side",
    "sdk/sdk-exports",
    "sdk/sdk-imports",
    "sdk/sdk-loyalties",
    "sdk/sdk-rewards",
  ],
  "cli/dashboard",
  "../dashboard/test/bundle",
].map((name) => join("test", `${name}.test.ts`));
const gone = [...ALONE, ...LEFT_TO_THE_GATE].filter((file) => !files.includes(file));
if (gone.length > 0) throw new Error(`scripts/test.ts names files that are not there: ${gone.join(", ")}`);
const alone = ALONE.filter((file) => chosen.includes(file));
const shared = chosen.filter((file) => !ALONE.includes(file));

const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-run-"));
process.once("exit", () => fs.rmSync(dir, { recursive: true, force: true }));
const inDir = (name: string) => join(dir, name);
for (const name of ["operations", "refusals", "rows"]) fs.writeFileSync(inDir(name), "");
fs.mkdirSync(inDir("taken"));
Object.assign(process.env, {
  // Many processes load the same sources: compiled once, they start in half the time.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? inDir("compiled"),
  SEEN_FILE: inDir("operations"),
  REFUSED_FILE: inDir("refusals"),
  ROWS_FILE: inDir("rows"),
  SHARED_FILES: JSON.stringify(shared),
  TAKEN_DIR: inDir("taken"),
});
// A test waits for its database half of the time. One more file at a time makes the gate no faster.
const concurrency = os.availableParallelism() + 2;
const workers = Array.from({ length: Math.min(concurrency, shared.length) }, () => "scripts/test-worker.ts");
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopped.abort());
let failures = 0;
await globalSetup();
try {
  const events = run({
    files: [...alone, ...workers],
    concurrency,
    signal: stopped.signal,
    // Most of what a request leaves behind is thrown away before it is ever moved.
    execArgv: ["--max-semi-space-size=64"],
  });
  events.on("test:fail", ({ todo }) => {
    if (todo === undefined) failures += 1;
  });
  const told = [events.compose(new spec()), events.compose(skipped)];
  await Promise.all(told.map((lines) => pipeline(lines, process.stdout, { end: false })));
} finally {
  await globalTeardown();
}
const linesIn = (name: string) => fs.readFileSync(inDir(name), "utf8").split("\n").filter(Boolean);
if (failures > 0 || stopped.signal.aborted) process.exit(1);
const undocumented = undocumentedRefusals(linesIn("refusals"));
for (const line of undocumented)
  console.error(`not in the OpenAPI document, see src/http/documents/operation-errors.ts: ${line}`);
if (undocumented.length > 0) process.exitCode = 1;
const ran = fs.readdirSync(inDir("taken")).length;
if (ran !== shared.length) throw new Error(`${shared.length - ran} test files were not run`);
if (positionals.length === 0) {
  const seen = new Set(linesIn("operations"));
  // An operation whose answer is `Never` is there only to refuse.
  const missing = ALL_ROUTES.filter(({ id, ok }) => !seen.has(id) && !("not" in ok));
  for (const { id, method, path } of missing) console.error(`never answered with success: ${id} (${method} ${path})`);
  console.log(`${ALL_ROUTES.length - missing.length} of ${ALL_ROUTES.length} operations answered with success.`);
  const rows = new Set(linesIn("rows"));
  const unheld = INTERFACE.filter(
    ({ id, tests }) => tests.some((named) => named.endsWith(` › ${id}`)) && !rows.has(id),
  );
  for (const { id } of unheld) console.error(`no subtest of this row of the interface ran: ${id}`);
  if (missing.length + unheld.length > 0) process.exitCode = 1;
  const left = files.filter(isLeft);
  if (left.length > 0)
    console.log(`Left to the gate (GATE=1 npm test):\n${left.map((file) => `  ${file}\n`).join("")}`);
}

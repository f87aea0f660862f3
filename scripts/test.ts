import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ALL_ROUTES } from "../src/routes.ts";
import { undocumentedRefusals } from "./refusals.ts";

// Runs the tests, tells what was skipped and why, then looks whether every refusal that was seen is documented, and whether
// every operation answered with success at least once.
//   npm test                      everything
//   npm test -- categories        the files whose path holds "categories"; operations are not counted then
const { positionals } = parseArgs({ allowPositionals: true });
const files = [...fs.globSync("src/**/*.test.ts"), ...fs.globSync("test/**/*.test.ts")].sort();
const chosen =
  positionals.length === 0 ? files : files.filter((file) => positionals.some((part) => file.includes(part)));
if (chosen.length === 0) {
  console.error(`No test file has ${positionals.join(" or ")} in its path.`);
  process.exit(2);
}
const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-seen-"));
const seenFile = join(dir, "operations");
fs.writeFileSync(seenFile, "");
const refusedFile = join(dir, "refusals");
fs.writeFileSync(refusedFile, "");
const args = ["--test", "--test-global-setup=test/server.ts", `--test-concurrency=${os.availableParallelism() + 1}`];
const reporters = [
  ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
  ...["--test-reporter=./scripts/skipped-reporter.ts", "--test-reporter-destination=stdout"],
];
const run = spawnSync(process.execPath, [...args, ...reporters, ...chosen], {
  stdio: "inherit",
  // A hundred files load the same sources: compiled once, they start in half the time.
  env: { NODE_COMPILE_CACHE: join(dir, "compiled"), ...process.env, SEEN_FILE: seenFile, REFUSED_FILE: refusedFile },
});
const seen = new Set(fs.readFileSync(seenFile, "utf8").split("\n"));
const refusals = fs.readFileSync(refusedFile, "utf8").split("\n").filter(Boolean);
fs.rmSync(dir, { recursive: true });
if (run.status !== 0) process.exit(run.status ?? 1);
// They are printed and do not fail the run: random requests find different ones each time.
for (const line of undocumentedRefusals(refusals))
  console.error(`not in the OpenAPI document, see src/http/documents/operation-errors.ts: ${line}`);
if (chosen.length === files.length) {
  // An operation whose answer is `Never` is there only to refuse.
  const missing = ALL_ROUTES.filter(({ id, ok }) => !seen.has(id) && !("not" in ok));
  for (const { id, method, path } of missing) console.error(`never answered with success: ${id} (${method} ${path})`);
  console.log(`${ALL_ROUTES.length - missing.length} of ${ALL_ROUTES.length} operations answered with success.`);
  if (missing.length > 0) process.exit(1);
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { MUTANTS, type Mutant } from "./mutants.ts";

// Each guard is taken out of a copy of the tree, and the tests of the copy must fail: a test that cannot fail proves
// nothing. MUTANTS=all runs all of them, any other text those whose description holds it.
const CHOSEN = process.env.MUTANTS ?? "";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COPIED = ["src", "test", "migrations", "package.json"];

// A race that a missing lock allows is not met each time; one that is never met is not tested.
const ATTEMPTS_MAX = 8;

// One copy for all of them: where the path is the same, what was compiled before need not be compiled again.
const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-mutant-"));
after(() => fs.rmSync(dir, { recursive: true, force: true }));
for (const name of COPIED) fs.cpSync(join(ROOT, name), join(dir, name), { recursive: true });
fs.symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));

/** Takes the guard out of the copy, and gives what puts it back. */
function plant({ edits }: Mutant): () => void {
  const before = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const searched = file ? [file] : fs.globSync("src/**/*.ts", { cwd: dir });
    const found = searched.filter((one) => fs.readFileSync(join(dir, one), "utf8").includes(from));
    assert.equal(found.length, 1, `the guard is in one file: ${from}`);
    const path = join(dir, found[0]!);
    const text = fs.readFileSync(path, "utf8");
    if (!before.has(path)) before.set(path, text);
    assert.equal(text.split(from).length, 2, `the guard is found once in ${found[0]}: ${from}`);
    fs.writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return () => {
    for (const [path, text] of before) fs.writeFileSync(path, text);
  };
}

test("the guards that are taken out are all where they are looked for", () => {
  for (const { edits, without } of MUTANTS)
    for (const { file, from } of edits) {
      const searched = file ? [file] : fs.globSync("src/**/*.ts", { cwd: ROOT });
      const found = searched.flatMap((one) => fs.readFileSync(join(ROOT, one), "utf8").split(from).slice(1));
      assert.equal(found.length, 1, `${without}: ${from}`);
    }
});

/** Runs tests of the copy on the database server of this run. */
async function runTests({ file, tests }: Mutant["caughtBy"]): Promise<string> {
  const { NODE_TEST_CONTEXT: _, SEEN_FILE: __, REFUSED_FILE: ___, ...env } = process.env;
  const child = spawn(process.execPath, ["--test", "--test-reporter=tap", `--test-name-pattern=${tests}`, file], {
    cwd: dir,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Only so that one which hangs ends the run: nothing is slow enough to meet it.
  const hangs = setTimeout(() => child.kill("SIGKILL"), 900_000);
  let seen = "";
  child.stdout.on("data", (chunk) => {
    seen += chunk;
  });
  await once(child, "close");
  clearTimeout(hangs);
  return seen;
}

for (const mutant of MUTANTS) {
  const { without, with: runner, caughtBy } = mutant;
  const isRunner = runner === "npm test" || (runner === "gate" && process.env.GATE === "1");
  const isChosen = CHOSEN === "" ? isRunner : CHOSEN === "all" || without.includes(CHOSEN);
  test(`without ${without} a test fails`, { skip: isChosen ? false : "npm run test:mutants" }, async (t) => {
    const putBack = plant(mutant);
    try {
      let [seen, failed] = ["", [] as string[]];
      const isCaught = () => failed.some((name) => new RegExp(caughtBy.tests).test(name));
      for (let attempt = 1; attempt <= ATTEMPTS_MAX && !isCaught(); attempt += 1) {
        seen = await runTests(caughtBy);
        failed = [...seen.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name!);
      }
      assert.ok(isCaught(), `nothing noticed it:\n${seen}`);
      const [why] = /(?<=error: )[^\n]*\n?[^\n]*/.exec(seen) ?? [""];
      t.diagnostic(`caught by: ${failed.join("; ")}: ${why.trim().slice(0, 200)}`);
    } finally {
      putBack();
    }
  });
}

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { longSubjects } from "../../scripts/subjects.ts";
import { tempDir } from "../support/child.ts";

const [FITS, LONG] = ["ä".repeat(70), "a".repeat(71)];

/** A repository with these commits, oldest first, and the id of each. */
function repository(subjects: readonly string[]) {
  const dir = tempDir();
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: dir, stdio: ["ignore", "pipe", "pipe"] }).toString();
  git("init", "--quiet");
  const commit = ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--allow-empty", "--quiet", "-m"];
  const ids = subjects.map((subject) => {
    git(...commit, subject);
    return git("rev-parse", "HEAD").trim();
  });
  return { dir, ids };
}

test("subjects of commits: of those after the base, one with more than 70 characters is found; before it none", () => {
  const { dir, ids } = repository([LONG, FITS, LONG, FITS]);
  assert.deepEqual(longSubjects(dir, ids[1]), [LONG]);
  assert.deepEqual(longSubjects(dir, ids[2]), []);
});

test("subjects of commits: in a shallow clone without the base only the last one is looked at", () => {
  const { dir, ids } = repository([FITS, LONG, FITS]);
  const shallow = join(tempDir(), "clone");
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${dir}`, shallow], { stdio: "ignore" });
  assert.deepEqual(longSubjects(shallow, ids[0]), []);
  assert.deepEqual(longSubjects(repository([FITS, LONG]).dir, ids[0]), [LONG], "the last one is too long");
});

test("subjects of commits: the gate looks at them", () => {
  assert.match(readFileSync(".ci/run", "utf8"), /^PATH=\$PWD\/node_modules\/\.bin:\$PATH node scripts\/subjects\.ts$/m);
});

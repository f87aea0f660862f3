import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { packProgram } from "../../scripts/prepack.ts";
import { changelogFault, changelogSection } from "../../scripts/release.ts";
import { eventually, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The files of the package, as npm would put them into it, in a folder of their own beside the packages they need. */
async function unpacked(): Promise<{ folder: string; files: string[] }> {
  await packProgram();
  const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files }] = JSON.parse(listed.toString()) as [{ files: { path: string }[] }];
  const folder = tempDir();
  for (const { path } of files) {
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    fs.copyFileSync(join(ROOT, path), join(folder, path));
  }
  fs.symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return { folder, files: files.map(({ path }) => path) };
}

test("the package has all that the program needs, and nothing of the workshop", async () => {
  const { folder, files } = await unpacked();
  assert.deepEqual(
    files.filter((path) => /^(?:test|bench|scripts|docs|ops)\/|\.ts$|\.env|^data\//.test(path)),
    [],
  );
  const { bin } = JSON.parse(fs.readFileSync(join(folder, "package.json"), "utf8"));
  const { url: DATABASE_URL } = await testDatabase();
  const LAUREL_DATA_DIR = tempDir();
  const env = {
    PATH: process.env.PATH,
    PORT: "0",
    LAUREL_DRAIN_S: "0",
    DATABASE_URL,
    LAUREL_DATA_DIR,
    LAUREL_DASHBOARD: "off",
    LAUREL_SECRET_KEY: "5e".repeat(32),
  };
  const child = spawn(process.execPath, [join(folder, bin.laurel), "serve"], { cwd: LAUREL_DATA_DIR, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = once(child, "close");
  await eventually(() => child.exitCode !== null || /http:\/\/127\.0\.0\.1:\d+/.test(said), "it listens");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
  assert.ok(url, said);
  for (const path of ["/welcome", "/docs", "/openapi.json", "/health/live"])
    assert.equal((await fetch(url + path)).status, 200, path);
  child.kill();
  assert.deepEqual(await ended, [0, null], said);
});

test("the notes of a release are the section of its version", () => {
  const changelog =
    "# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0, 2026-05-01\n\n### Added\n\n- b\n\n## 0.1.0\n\n- a\n";
  assert.equal(changelogSection(changelog, "0.2.0"), "### Added\n\n- b");
  assert.equal(changelogSection(changelog, "0.1.0"), "- a");
  assert.equal(changelogSection(changelog, "0.3.0"), null);
  assert.equal(changelogSection(changelog, "0.2"), null, "a version that begins like another one");
});

test("a release is refused while its changes are unreleased, and without a section of its version", () => {
  const section = (name: string) => `\n## ${name}\n\n### Added\n\n- a\n`;
  const before = section("0.2.0 (17 November 2026)");
  assert.match(changelogFault(`# Changelog\n${section("Unreleased")}${before}`, "0.2.0")!, /below "## Unreleased"/);
  assert.match(changelogFault(`# Changelog\n${before}`, "0.3.0")!, /no section "## 0\.3\.0"/);
  assert.equal(changelogFault(`# Changelog\n${before}`, "0.2.0"), null);
  const empty = "\n## Unreleased\n\n### Added\n";
  assert.equal(changelogFault(`# Changelog\n${empty}${before}`, "0.2.0"), null, "headings alone are no changes");
});

test("the version stands in every file that names it, and is newer than what the changelog released", () => {
  const read = (path: string) => fs.readFileSync(join(ROOT, path), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const lock = JSON.parse(read("package-lock.json"));
  assert.deepEqual([lock.version, lock.packages[""].version], [version, version]);
  assert.equal(parse(read("ops/helm/laurel/Chart.yaml")).appVersion, version);
  const guide = read("docs/guides/deploying.md");
  assert.deepEqual(
    [...guide.matchAll(/\blaurel[-:](\d+\.\d+\.\d+)/g)].map(([, named]) => named),
    [version, version, version],
  );
  const changelog = read("CHANGELOG.md");
  if (changelogSection(changelog, "Unreleased") !== null)
    assert.equal(changelogSection(changelog, version), null, "changes after a release are of another version");
});

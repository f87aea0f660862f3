import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { packProgram } from "../../scripts/prepack.ts";
import { changelogFault, changelogSection, importedByDashboard, shippedOf } from "../../scripts/release.ts";
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

test("the list of packages has what the dashboard was built from, and none of the tools", () => {
  const tool = { properties: [{ name: "cdx:npm:package:development" }] };
  const component = (ref: string, more = {}) => ({ "bom-ref": ref, name: ref.replace(/(?<=.)@.*$/, ""), ...more });
  const shipped = shippedOf(
    {
      metadata: { component: component("laurel@1.0.0") },
      components: [
        component("fastify@5.0.0"),
        component("@ui/core@1.0.0", tool),
        component("react@19.0.0", tool),
        component("vite@8.0.0", tool),
        component("rolldown@1.0.0", tool),
      ],
      dependencies: [
        { ref: "laurel@1.0.0", dependsOn: ["fastify@5.0.0", "@ui/core@1.0.0", "vite@8.0.0"] },
        { ref: "fastify@5.0.0" },
        { ref: "@ui/core@1.0.0", dependsOn: ["react@19.0.0"] },
        { ref: "react@19.0.0", dependsOn: ["@ui/core@1.0.0"] },
        { ref: "vite@8.0.0", dependsOn: ["rolldown@1.0.0", "react@19.0.0"] },
      ],
    },
    new Set(["@ui/core", "./screen", "core"]),
  );
  assert.deepEqual(
    shipped.components.map(({ name }) => name),
    ["fastify", "@ui/core", "react"],
  );
  assert.deepEqual(shipped.dependencies[0], { ref: "laurel@1.0.0", dependsOn: ["fastify@5.0.0", "@ui/core@1.0.0"] });
  assert.equal(shipped.dependencies.length, 4);
  const imported = importedByDashboard();
  for (const name of ["react", "react-dom", "@mantine/core", "@codemirror/view"]) assert.ok(imported.has(name), name);
  for (const name of ["typescript", "vite", "fast-check"]) assert.ok(!imported.has(name), name);
});

test("a release tags the commit with its notes, and is refused where there are changes or the tag", () => {
  const folder = tempDir();
  const write = (path: string, text: string, mode = 0o644) => {
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    fs.writeFileSync(join(folder, path), text, { mode });
  };
  // npm packs for minutes, and another test sees to what it packs.
  const npm = '#!/bin/sh\nif [ "$1" = pack ]; then echo packed > "$4/laurel-1.2.3.tgz"; else cat sbom.json; fi\n';
  write("bin/npm", npm, 0o755);
  const sbom = { metadata: { component: { "bom-ref": "laurel@1.2.3" } }, components: [], dependencies: [] };
  write("sbom.json", JSON.stringify(sbom));
  write("package.json", '{ "version": "1.2.3", "type": "module" }');
  write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 1.2.3\n\n### Added\n\n- a\n\n## 1.2.2\n\n- b\n");
  write(".gitignore", "release\n");
  write("scripts/release.ts", fs.readFileSync(join(ROOT, "scripts/release.ts"), "utf8"));
  const who = { NAME: "A Tester", EMAIL: "tester@shop.example" };
  const env = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    HOME: folder,
    ...Object.fromEntries(
      Object.entries(who).flatMap(([name, value]) => ["AUTHOR", "COMMITTER"].map((of) => [`GIT_${of}_${name}`, value])),
    ),
  };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env }).toString();
  const release = () => spawnSync(process.execPath, ["scripts/release.ts"], { cwd: folder, env, encoding: "utf8" });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "Begin");
  write("package.json", '{ "version": "1.2.3", "type": "module", "private": true }');
  assert.match(release().stderr, /^The checkout has changes/);
  git("commit", "--quiet", "--all", "--message", "Go on");
  assert.equal(git("tag", "--list"), "");
  const done = release();
  assert.equal(done.status, 0, done.stderr);
  assert.equal(git("rev-parse", "v1.2.3^{commit}"), git("rev-parse", "HEAD"));
  assert.equal(git("cat-file", "-t", "v1.2.3").trim(), "tag");
  const notes = git("for-each-ref", "--format=%(contents)", "refs/tags/v1.2.3").trim();
  assert.equal(notes, "### Added\n\n- a");
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: join(folder, "release") });
  const sums = fs.readFileSync(join(folder, "release/SHA256SUMS"), "utf8");
  assert.deepEqual(sums.match(/\S+$/gm), ["laurel-1.2.3.sbom.json", "laurel-1.2.3.tgz", "notes.md"]);
  const again = release();
  assert.deepEqual([again.status, again.stderr], [1, "The tag v1.2.3 exists. Raise the version.\n"]);
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

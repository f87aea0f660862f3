import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bundled } from "../../src/cli/bundle.ts";
import { eventually, serve, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

const PACKAGES_MAX = 800;
const HOLDER_MAX = 250;
const BUNDLED_MAX = 80;
/** Packages that a server needs later or never, and parts of packages. */
const LATER = [
  "/node_modules/pg-boss/",
  "/node_modules/pg/",
  "/node_modules/luxon/",
  "/node_modules/bwip-js/",
  "/typebox/build/value/",
];

/** Every module that is loaded with a source. */
function modulesOf(source: string): string[] {
  const script = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    await import(${JSON.stringify(new URL(source, import.meta.url).href)});
    console.log(JSON.stringify(urls));
    process.exit(0);`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
}

// Our own sources are as many as the tree has. A start from the bundle finds them in a few files, see below.
test("a start loads only what it needs of packages: every module costs about a third of a millisecond", () => {
  const urls = modulesOf("../../src/main.ts");
  for (const part of LATER) assert.deepEqual(urls.filter((url) => url.includes(part)).slice(0, 1), [], part);
  const ofPackages = urls.filter((url) => url.includes("/node_modules/")).length;
  assert.ok(ofPackages <= PACKAGES_MAX, `${ofPackages} modules`);
});

test("a process that only holds the database and the others loads no server", () => {
  const urls = modulesOf("../../src/cli/serve.ts");
  for (const part of ["/src/main.ts", "/src/routes.ts", "/node_modules/fastify/", "/node_modules/typebox/"])
    assert.deepEqual(urls.filter((url) => url.includes(part)).slice(0, 1), [], part);
  assert.ok(urls.length <= HOLDER_MAX, `${urls.length} modules`);
});

test("a server is run from a bundle, and loads some files instead of all sources and packages", async () => {
  // While another test makes it, there is none yet.
  await eventually(() => bundled());
  const { url: databaseUrl } = await testDatabase();
  const dir = tempDir();
  const list = join(dir, "modules");
  const hook = `
    import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    const note = (line) => appendFileSync(${JSON.stringify(list)}, line + "\\n");
    registerHooks({ load: (url, context, next) => { note(url); return next(url, context); } });
    const { write } = process.stdout;
    process.stdout.write = function (text, ...rest) { note(text.split("\\n")[0]); return write.call(this, text, ...rest); };`;
  const server = await serve({
    DATABASE_URL: databaseUrl,
    LAUREL_DATA_DIR: dir,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  });
  assert.equal((await fetch(`${server.url}/health/ready`)).status, 200);
  const notes = () => fs.readFileSync(list, "utf8").trim().split("\n");
  const urls = notes();
  const files = urls.filter((url) => url.startsWith("file:"));
  assert.deepEqual(
    files.filter((url) => url.includes("/src/") && !url.includes("/node_modules/")).map((url) => url.split("/src/")[1]),
    ["cli/laurel.ts", "cli/bundle.ts", "sources.ts", "core/ids.ts"],
  );
  assert.ok(files.length <= BUNDLED_MAX, `${files.length} files`);
  // The jobs load what sends webhooks. Who waits for the server is answered before that.
  const isJob = (line: string) => /\/transport-\w+\.mjs$/.test(line);
  await eventually(() => notes().some(isJob));
  const all = notes();
  assert.ok(all.findIndex((line) => line.startsWith("Laurel listens on")) < all.findIndex(isJob), all.join("\n"));
});

test("a killed server leaves its compiled sources to the next start", async () => {
  const { url } = await testDatabase();
  const dir = tempDir();
  const compiled = join(dir, "compiled");
  const server = await serve({ DATABASE_URL: url, LAUREL_DATA_DIR: dir, NODE_COMPILE_CACHE: compiled });
  await server.stop("SIGKILL");
  const kept = fs.readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = kept.reduce((sum, { parentPath, name }) => sum + fs.statSync(join(parentPath, name)).size, 0);
  assert.ok(bytes > 1_000_000, `${bytes} bytes in ${kept.length} files`);
});

import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fastify from "fastify";
import { dashboardKey, keepDashboard, readBuilt } from "../../src/cli/dashboard.ts";
import { builtDashboard } from "../../src/http/dashboard/dashboard.ts";
import { serve, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

const HTML = { accept: "text/html,application/xhtml+xml" };

/** A folder with what a dashboard is made of, but for the builder. */
function sources(builder?: string): string {
  const root = tempDir();
  const files = {
    "dashboard/index.html": "<p>",
    "dashboard/src/main.tsx": "1",
    "openapi.json": "{}",
    "package-lock.json": "{}",
    "node_modules/vite/package.json": "{}",
    ...(builder && { "dashboard/build.ts": builder }),
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(join(root, name, ".."), { recursive: true });
    fs.writeFileSync(join(root, name), text);
  }
  return root;
}
const BUILDS = `import fs from "node:fs";
fs.mkdirSync("dashboard/dist", { recursive: true });
fs.appendFileSync("built", "x");
fs.rmdirSync("dashboard/dist.next");
fs.writeFileSync("dashboard/dist/built.json", JSON.stringify({ key: process.argv[2], assets: [] }));`;

test("the dashboard is built when its sources, the interface or the packages have changed, and only then", async () => {
  const root = sources(BUILDS);
  const said: string[] = [];
  const keep = () => keepDashboard((line) => said.push(line), { nowMs: Date.now(), root });
  assert.equal(await keep(), true);
  assert.match(said.join("\n"), /^Building the dashboard…\nThe dashboard is built \([\d.]+ s\)\.$/);
  assert.equal(readBuilt(root)!.key, dashboardKey(root));
  await keep();
  assert.equal(fs.readFileSync(join(root, "built"), "utf8"), "x", "nothing changed, nothing is built");
  for (const name of ["dashboard/src/main.tsx", "openapi.json", "package-lock.json"]) {
    fs.appendFileSync(join(root, name), " ");
    await keep();
  }
  assert.equal(fs.readFileSync(join(root, "built"), "utf8"), "xxxx");
  fs.writeFileSync(join(root, "dashboard/README.md"), "more");
  await keep();
  assert.equal(fs.readFileSync(join(root, "built"), "utf8"), "xxxx", "documents are no sources");
});

test("a build that fails is told, and one that another process is at is left to it", async () => {
  const said: string[] = [];
  const failing = sources(`console.error("no such component"); process.exit(1);`);
  assert.equal(await keepDashboard((line) => said.push(line), { nowMs: Date.now(), root: failing }), false);
  assert.match(said.at(-1)!, /^The dashboard could not be built\. The API does not need it\.\nno such component$/);
  const busy = sources(BUILDS);
  fs.mkdirSync(join(busy, "dashboard/dist.next"));
  const at = (nowMs: number) => keepDashboard(() => {}, { nowMs, root: busy });
  assert.equal(await at(Date.now()), false);
  assert.equal(await at(Date.now() + 600_000), true, "a builder that was killed keeps nobody waiting");
  const shared = sources(BUILDS);
  const both = [1, 2].map(() => keepDashboard(() => {}, { nowMs: Date.now(), root: shared }));
  assert.deepEqual(await Promise.all(both), [true, false], "of two that start at once one builds");
  assert.equal(fs.readFileSync(join(shared, "built"), "utf8"), "x");
  const image = tempDir();
  assert.equal(await keepDashboard(() => {}, { nowMs: Date.now(), root: image }), false, "an image has no sources");
});

test("a dashboard that cannot be written is told, and the API goes on", async () => {
  const root = sources(BUILDS);
  const said: string[] = [];
  fs.chmodSync(join(root, "dashboard"), 0o555);
  // Root may write anywhere. What matters happens before `keepDashboard` gives its promise.
  const isRoot = process.geteuid!() === 0;
  if (isRoot) process.seteuid!(65_534);
  const kept = keepDashboard((line) => said.push(line), { nowMs: Date.now(), root });
  if (isRoot) process.seteuid!(0);
  fs.chmodSync(join(root, "dashboard"), 0o755);
  assert.equal(await kept, false);
  assert.match(said.join("\n"), /^The dashboard could not be built\. The API does not need it\.\nEACCES: .*dist\.next/);
});

test("a page carries a nonce of its own, files are kept for a year, and until the build ends a page waits", async () => {
  const folder = join(tempDir(), "dist");
  let drawn = 0;
  const dashboard = builtDashboard(folder, () => {
    drawn += 1;
    return `nonce${drawn}`;
  });
  const app = fastify();
  await dashboard.mount(app);
  app.setNotFoundHandler((request, reply) =>
    dashboard.takes(request) ? dashboard.send(request, reply) : reply.code(404).send({ key: "not_found" }),
  );
  const waiting = await app.inject({ url: "/campaigns/camp_1", headers: HTML });
  assert.match(waiting.body, /http-equiv="refresh"/);
  fs.mkdirSync(join(folder, "assets"), { recursive: true });
  fs.writeFileSync(join(folder, "index.html"), `<script nonce="__LAUREL_NONCE__"></script>`);
  fs.writeFileSync(join(folder, "assets/main-1.js"), "plain");
  fs.writeFileSync(join(folder, "assets/main-1.js.br"), "brotli");
  const [first, second] = [
    await app.inject({ url: "/", headers: HTML }),
    await app.inject({ url: "/", headers: HTML }),
  ];
  assert.equal(first.body, `<script nonce="nonce1"></script>`);
  assert.equal(second.body, `<script nonce="nonce2"></script>`);
  assert.equal(
    first.headers["content-security-policy"],
    "default-src 'self'; style-src 'self' 'nonce-nonce1'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  const asset = await app.inject({ url: "/assets/main-1.js", headers: { "accept-encoding": "br, gzip" } });
  assert.deepEqual([asset.body, asset.headers["content-encoding"]], ["brotli", "br"]);
  assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal((await app.inject({ url: "/assets/gone.js", headers: HTML })).statusCode, 404);
  for (const url of ["/v1/nothing", "/v2", "/management/v1/x", "/client/v1/x", "/docs/x", "/health/x", "/metrics/x"])
    assert.equal((await app.inject({ url, headers: HTML })).statusCode, 404, url);
  assert.equal((await app.inject({ url: "/campaigns" })).statusCode, 404, "who does not take HTML gets no page");
  assert.equal((await app.inject({ url: "/campaigns", method: "POST", headers: HTML })).statusCode, 404);
  await app.close();
});

test("a server without the dashboard shows what it is at /, and the same is always at /welcome", async () => {
  const { url: DATABASE_URL } = await testDatabase();
  const { url } = await serve({ DATABASE_URL, LAUREL_DATA_DIR: tempDir() });
  const read = async (path: string) => {
    const reply = await fetch(url + path, { headers: HTML });
    return { status: reply.status, text: await reply.text() };
  };
  assert.match((await read("/")).text, /Laurel is running/);
  assert.deepEqual(await read("/welcome"), await read("/"));
  assert.equal((await read("/campaigns")).status, 404);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serve, tempDir } from "./child.ts";
import { testDatabase } from "./support.ts";

const MODULES_MAX = 1_500;
/** Packages that a server needs later or never, and parts of packages. */
const LATER = ["/node_modules/pg-boss/", "/node_modules/pg/", "/node_modules/luxon/", "/typebox/build/value/"];

/** Every module that is loaded before `laurel serve` can begin to work. */
function modulesOfStart(): string[] {
  const serveFile = new URL("../src/cli/serve.ts", import.meta.url).href;
  const script = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    await import(${JSON.stringify(serveFile)});
    console.log(JSON.stringify(urls));
    process.exit(0);`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
}

test("a start loads only what it needs: every module costs about a third of a millisecond", () => {
  const urls = modulesOfStart();
  assert.ok(urls.some((url) => url.endsWith("/src/main.ts")));
  for (const part of LATER) assert.deepEqual(urls.filter((url) => url.includes(part)).slice(0, 1), [], part);
  assert.ok(urls.length <= MODULES_MAX, `${urls.length} modules`);
});

test("a killed server leaves its compiled sources to the next start", async () => {
  const { url } = await testDatabase();
  const dir = tempDir();
  const compiled = join(dir, "compiled");
  const server = await serve({ DATABASE_URL: url, LAUREL_DATA_DIR: dir, NODE_COMPILE_CACHE: compiled });
  await server.stop("SIGKILL");
  const kept = fs.readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(kept.length > 500, `${kept.length} compiled sources`);
});

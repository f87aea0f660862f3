import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dashboardFolder } from "../../src/cli/dashboard.ts";
import { SCREENS } from "../src/routes/routes.ts";
import { buildOnce } from "./built.ts";

// Sizes as they are sent, gzipped, in bytes.
const SHELL_MAX = 170_000;
/** Any page, opened by its address in a browser that has nothing yet. From another page it loads the difference. */
const FIRST_LOAD_MAX = 250_000;

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[] };

test("the first load of every page stays small", async () => {
  await buildOnce();
  const folder = dashboardFolder();
  const manifest = JSON.parse(fs.readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Record<string, Chunk>;
  const bytesOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => {
      const path = join(folder, manifest[name]!.file);
      return sum + fs.statSync(fs.existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
    }, 0);
  const withImports = (names: readonly string[]): Set<string> => {
    const all = new Set<string>();
    const add = (name: string): void => {
      if (all.has(name)) return;
      all.add(name);
      for (const one of manifest[name]!.imports ?? []) add(one);
    };
    for (const name of names) add(name);
    return all;
  };
  const shell = bytesOf(withImports(["index.html"]));
  assert.ok(shell <= SHELL_MAX, `the shell has ${shell} bytes`);
  // The texts and what the header shows by itself come with every page.
  const always = ["index.html", "src/text/en.ts", "src/layout/jobs.tsx", "src/layout/test-clock.tsx"];
  assert.ok(bytesOf(withImports([...always, "src/screens/sign-in/sign-in.tsx"])) <= FIRST_LOAD_MAX, "signing in");
  for (const { screen, path } of SCREENS) {
    const [, file] = /import\("\.\.\/(.+)"\)/.exec(screen.toString())!;
    const first = bytesOf(withImports([...always, `src/${file}`]));
    assert.ok(first <= FIRST_LOAD_MAX, `${path} loads ${first} bytes`);
  }
});

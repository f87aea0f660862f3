import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { bundled } from "../../src/cli/bundle.ts";

/** A command line of two modules, in a folder of its own. */
function tinyTree(): { root: string; write(name: string, text: string): void } {
  const root = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "laurel-bundle-")));
  after(() => fs.rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    fs.mkdirSync(dirname(join(root, name)), { recursive: true });
    fs.writeFileSync(join(root, name), text);
  };
  write("node_modules/.package-lock.json", "{}");
  write(
    "src/cli/commands.ts",
    'import { said } from "../core/said.ts";\nconst text: string = said;\nconsole.log(text);\n',
  );
  write("src/core/said.ts", 'export const said = "one";\n');
  return { root, write };
}
const run = (file: string | null): string => execFileSync(process.execPath, [file!], { encoding: "utf8" }).trim();
const bundlesOf = (root: string) => fs.readdirSync(join(root, "node_modules/.cache/laurel-bundle"));

test("a bundle is made once, and says what the sources say", async () => {
  const { root, write } = tinyTree();
  const first = await bundled(root);
  assert.equal(run(first), "one");
  const made = fs.statSync(first!).mtimeMs;
  assert.equal(await bundled(root), first);
  assert.equal(fs.statSync(first!).mtimeMs, made);
  write("src/core/said.test.ts", "a test is no part of it");
  assert.equal(await bundled(root), first);
});

test("an old bundle is never found, whatever the times and sizes of the files say", async () => {
  const { root, write } = tinyTree();
  const first = await bundled(root);
  const file = join(root, "src/core/said.ts");
  const { atime, mtime } = fs.statSync(file);
  write("src/core/said.ts", 'export const said = "two";\n');
  fs.utimesSync(file, atime, mtime);
  const second = await bundled(root);
  assert.equal(run(second), "two");
  write("node_modules/.package-lock.json", "{ }");
  const third = await bundled(root);
  assert.equal(new Set([first, second, third]).size, 3);
});

test("sources find the files beside them, also when all of it was moved", async () => {
  const { root, write } = tinyTree();
  write("src/core/said.ts", "export const said = import.meta.dirname;\n");
  const file = await bundled(root);
  const there = (folder: string) => fs.realpathSync(run(folder));
  assert.equal(there(file!), join(root, "src/core"));
  const moved = `${root}-moved`;
  after(() => fs.rmSync(moved, { recursive: true, force: true }));
  fs.cpSync(root, moved, { recursive: true });
  assert.equal(there((await bundled(moved))!), join(moved, "src/core"));
});

test("without a bundle the sources are run: it cannot be written, or made, or is just being made", async () => {
  const { root, write } = tinyTree();
  write("node_modules/.cache", "a file where the folder should be");
  assert.equal(await bundled(root), null);
  fs.rmSync(join(root, "node_modules/.cache"));
  write("src/core/said.ts", "this is not TypeScript\n");
  assert.equal(await bundled(root), null);
  assert.deepEqual(bundlesOf(root), []);
  fs.rmSync(join(root, "node_modules/.package-lock.json"));
  assert.equal(await bundled(root), null);
});

test("one process makes it; one that was killed in the middle does not keep others from it", async () => {
  const { root } = tinyTree();
  const both = await Promise.all([bundled(root), bundled(root)]);
  assert.equal(both.filter((file) => file === null).length, 1);
  const [name] = bundlesOf(root);
  const [folder, making] = [name!, `${name}.making`].map((one) => join(root, "node_modules/.cache/laurel-bundle", one));
  fs.renameSync(folder!, making!);
  assert.equal(await bundled(root), null);
  const long = Date.now() / 1000 - 61;
  fs.utimesSync(making!, long, long);
  assert.equal(run(await bundled(root)), "one");
});

test("the last three bundles stay", async () => {
  const { root, write } = tinyTree();
  const made: (string | null)[] = [];
  for (const word of ["a", "b", "c", "d", "e"]) {
    write("src/core/said.ts", `export const said = "${word}";\n`);
    made.push(await bundled(root));
    // Of the same moment, none would be the older one.
    const then = Date.now() / 1000 - 100 + made.length;
    fs.utimesSync(dirname(made.at(-1)!), then, then);
  }
  assert.deepEqual(
    made.map((file) => fs.existsSync(file!)),
    [false, false, true, true, true],
  );
});

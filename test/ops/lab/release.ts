import fs from "node:fs";
import { join } from "node:path";
import { type Lab, ROOT } from "./lab.ts";
import { run } from "./processes.ts";

/** The tree of a revision, with the packages of its own lock file. */
export function checkOut(lab: Lab, revision: string): string {
  const tree = join(lab.dir, "release-before");
  fs.mkdirSync(tree);
  run(["sh", "-c", 'git -C "$0" archive "$1" | tar -x -C "$2"', ROOT, revision, tree]);
  const isSame = ["package-lock.json"].every((name) =>
    fs.readFileSync(join(tree, name)).equals(fs.readFileSync(join(ROOT, name))),
  );
  if (isSame) fs.symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  else run(["npm", "ci", "--ignore-scripts", "--omit=dev", "--prefix", tree]);
  return tree;
}

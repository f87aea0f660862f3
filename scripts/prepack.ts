import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { bundle } from "../src/cli/bundle.ts";
import { dashboardKey, readBuilt } from "../src/cli/dashboard.ts";

// Makes what a package needs and a checkout does not: `npm pack` calls it. Node does not strip types below node_modules, so
// the package brings the bundle that a checkout makes at its first start, and the dashboard ready-built.
const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

const START = `#!/usr/bin/env node
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("./commands.mjs");
`;

/** The command line as a few files in `dist`. */
export async function packProgram(): Promise<void> {
  fs.rmSync(DIST, { recursive: true, force: true });
  fs.mkdirSync(DIST);
  await bundle(ROOT, DIST);
  fs.writeFileSync(join(DIST, "laurel.mjs"), START, { mode: 0o755 });
}

if (import.meta.main) {
  await packProgram();
  if (readBuilt()?.key !== dashboardKey()) {
    const { status } = spawnSync(process.execPath, [join(ROOT, "dashboard/build.ts")], { stdio: "inherit" });
    if (status !== 0) throw new Error("the dashboard could not be built");
  }
}

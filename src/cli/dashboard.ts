import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** What the dashboard is made of, beside its own sources: a change of one of them makes the built one old. */
const BESIDE = ["openapi.json", "package-lock.json"];
const SOURCES = /^(?:src|public)\/|^[^/]+\.(?:ts|html)$/;
/** A builder that has not ended after this long was killed. */
const BUILDING_MS = 300_000;

export const dashboardFolder = (root = ROOT): string => join(root, "dashboard/dist");

/** Names a build by the content of all that goes into it. Null: there are no sources, as in the container image. */
export function dashboardKey(root = ROOT): string | null {
  const folder = join(root, "dashboard");
  if (!fs.existsSync(join(folder, "index.html"))) return null;
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  const sources = names.filter((name) => SOURCES.test(name) && fs.statSync(join(folder, name)).isFile()).sort();
  const key = createHash("sha1");
  for (const name of BESIDE) key.update(`\0${name}\0`).update(fs.readFileSync(join(root, name)));
  for (const name of sources) key.update(`\0${name}\0`).update(fs.readFileSync(join(folder, name)));
  return key.digest("hex");
}

export type Built = { key: string; assets: readonly string[] };
export function readBuilt(root = ROOT): Built | null {
  const file = join(dashboardFolder(root), "built.json");
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as Built) : null;
}

const nextFolder = (root: string): string => join(root, "dashboard/dist.next");

/** Takes the folder to build into: one process builds for all that are started from here. False: somebody else is at it. */
function takeNextFolder(root: string, nowMs: number): boolean {
  const folder = nextFolder(root);
  const started = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  if (started !== undefined && nowMs - started >= BUILDING_MS) fs.rmSync(folder, { recursive: true, force: true });
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

type Say = (line: string) => void;

type Options = { signal?: AbortSignal; nowMs: number; root?: string };

/**
 * Builds the dashboard when what there is was built from something else. In a process of its own, which steps back for the
 * server; whatever becomes of it, the API goes on. Holds with whether the dashboard is there.
 */
export async function keepDashboard(say: Say, options: Options): Promise<boolean> {
  try {
    return await buildWhenOld(say, options);
  } catch (error) {
    // For example where nothing can be written beside the program.
    sayFailed(say, (error as Error).message);
    return false;
  }
}

const sayFailed = (say: Say, why: string): void =>
  say(`The dashboard could not be built. The API does not need it.\n${why.trim()}`);

async function buildWhenOld(say: Say, { signal, nowMs, root = ROOT }: Options): Promise<boolean> {
  const key = dashboardKey(root);
  const built = readBuilt(root);
  if (key === null || built?.key === key) return built !== null;
  if (!fs.existsSync(join(root, "node_modules/vite"))) {
    say("The dashboard is not built: its packages are not installed. `npm ci` without --omit=dev installs them.");
    return built !== null;
  }
  if (!takeNextFolder(root, nowMs)) return false;
  say("Building the dashboard…");
  const began = performance.now();
  const { code, text } = await runBuild(root, key, signal);
  if (code === 0) say(`The dashboard is built (${((performance.now() - began) / 1000).toFixed(1)} s).`);
  else if (!signal?.aborted) sayFailed(say, text);
  return code === 0;
}

async function runBuild(root: string, key: string, signal: AbortSignal | undefined) {
  const child = spawn(process.execPath, [join(root, "dashboard/build.ts"), key], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", NODE_ENV: "production" },
    ...(signal && { signal }),
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
  if (child.pid !== undefined) stepBack(child.pid);
  const code = await new Promise<number | null>((resolve) => {
    child.on("error", (error) => {
      text += error.message;
      resolve(null);
    });
    child.on("close", resolve);
  });
  return { code, text };
}

/** The server goes first. Where this is not allowed, nobody is worse off. */
function stepBack(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It may have ended already.
  }
}

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { processInfo } from "../../src/db/processes.ts";

const LAUREL = fileURLToPath(new URL("../../src/cli/laurel.ts", import.meta.url));
const BOUND_MS = 600_000; // Only so that what never comes is told: on a busy machine a start takes minutes.

type Env = Record<string, string>;
type Who = Pick<SpawnOptions, "uid" | "gid" | "cwd" | "detached" | "stdio">;
export type Ended = { code: number | null; stdout: string; stderr: string };

/** A folder that is gone afterwards, with whatever database still runs in it. */
export function tempDir(mode = 0o755): string {
  const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-child-"));
  fs.chmodSync(dir, mode); // Started by root, the database runs as a user that must reach it.
  after(async () => {
    const pid = databasePid(dir);
    if (pid !== null) process.kill(pid, "SIGKILL");
    await eventually(() => databasePid(dir) === null);
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return dir;
}

/** The embedded database that runs in a data directory, or null. */
export function databasePid(dataDir: string): number | null {
  const cluster = join(dataDir, "postgres/cluster");
  const lock = join(cluster, "postmaster.pid");
  if (!fs.existsSync(lock)) return null;
  const pid = Number.parseInt(fs.readFileSync(lock, "utf8"), 10);
  return processInfo(pid)?.command.includes(cluster) ? pid : null;
}

/** Whether a process is there and no zombie. */
export const isRunning = (pid: number): boolean => (processInfo(pid)?.command ?? "") !== "";

/** The server processes that a first one started. */
export function workersOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  const children = fs.existsSync(list)
    ? fs.readFileSync(list, "utf8").split(" ")
    : spawnSync("pgrep", ["-P", `${pid}`], { encoding: "utf8" }).stdout.split("\n");
  return children
    .filter(Boolean)
    .map(Number)
    .filter((one) => processInfo(one)?.command.includes("laurel.ts"));
}

/** Waits until something holds, and says so when it never does. */
export async function eventually(holds: () => unknown, what = holds.toString()): Promise<void> {
  for (const end = Date.now() + BOUND_MS; !(await holds()); await wait(20))
    if (Date.now() > end) throw new Error(`never held: ${what}`);
}

// Nothing of the developer's own environment, nor a `.env` of theirs, reaches the child.
const elsewhere = fs.mkdtempSync(join(os.tmpdir(), "laurel-cwd-"));
fs.chmodSync(elsewhere, 0o755);
process.on("exit", () => fs.rmSync(elsewhere, { recursive: true, force: true }));

/** Starts a command and does not wait for it. */
export function start(args: readonly string[], env: Env, who: Who = {}) {
  const child = spawn(process.execPath, [LAUREL, ...args], {
    cwd: elsewhere,
    // Building the dashboard is one test, and no other waits for it, nor for the history of the demo.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LAUREL_DASHBOARD: "off",
      LAUREL_DEMO_DAYS: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...who,
  }) as ChildProcess;
  const seen = { stdout: "", stderr: "" };
  // Decoded as a whole: a letter of several bytes may come in two pieces.
  for (const stream of ["stdout", "stderr"] as const)
    child[stream]!.setEncoding("utf8").on("data", (chunk) => {
      seen[stream] += chunk;
    });
  const ended = once(child, "close").then(([code]): Ended => ({ code, ...seen }));
  return { child, seen, ended };
}

/** Runs a command to its end. */
export async function laurel(args: readonly string[], env: Env = {}, who: Who = {}): Promise<Ended> {
  const { child, ended } = start(args, env, who);
  const slow = setTimeout(() => child.kill("SIGKILL"), BOUND_MS);
  return ended.finally(() => clearTimeout(slow));
}

/** A server of a test that is not about limits: it refuses nobody because the machine is busy with all the others. */
export const PATIENT: Env = {
  LAUREL_STATEMENT_TIMEOUT_MS: "60000",
  LAUREL_REQUEST_TIMEOUT_MS: "120000",
  LAUREL_EVENT_LOOP_DELAY_MAX_MS: "0",
  LAUREL_DRAIN_S: "0",
};

export type Served = {
  url: string;
  pid: number;
  seen: { stdout: string; stderr: string };
  ended: Promise<Ended>;
  /** Sends a signal and gives what the process ends with. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
};

/** Starts a server and waits until it says where it is. It is stopped at the end of the file at the latest. */
export async function serve(env: Env, { args = [], ...who }: Who & { args?: string[] } = {}): Promise<Served> {
  const { child, seen, ended } = start(
    ["serve", ...args],
    // Without a key a server with a database of its own warns, and tests look for warnings.
    {
      ...PATIENT,
      PORT: "0",
      LAUREL_LOG_LEVEL: "warn",
      ...(env.DATABASE_URL && { LAUREL_SECRET_KEY: "5e".repeat(32) }),
      ...env,
    },
    who,
  );
  const pid = child.pid!;
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  after(async () => {
    if (child.exitCode === null && child.signalCode === null) await stop("SIGKILL");
  });
  const early = ended.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stderr}`)));
  early.catch(() => {});
  await Promise.race([
    early,
    eventually(() => /^Credentials: .*\n(?:Try it[\s\S]*\n)?/m.test(seen.stdout), "listening"),
  ]);
  return { url: /^Laurel listens on (\S+)$/m.exec(seen.stdout)![1]!, pid, seen, ended, stop };
}

/** The headers of a credentials file. */
export const headersIn = (file: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(": ") as [string, string]),
  );

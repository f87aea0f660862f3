import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import { join } from "node:path";
import type { Lab } from "./lab.ts";

export type Started = {
  pid: number;
  /** Holds with the exit code once it is gone. */
  ended: Promise<number | null>;
  isGone(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end, and waits; what does not end is killed. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};
type Command = { name: string; command: readonly string[]; env?: Record<string, string | undefined>; cwd?: string };

const STOP_MS = 60_000;

/** Starts a program whose output goes to a log of its name. It is ended with the run. */
export function start(lab: Lab, { name, command, env = {}, cwd }: Command): Started {
  fs.mkdirSync(join(lab.dir, "logs"), { recursive: true });
  const log = fs.openSync(join(lab.dir, "logs", `${name}.log`), "a");
  const [file, ...args] = command;
  const child: ChildProcess = spawn(file!, args, {
    cwd: cwd ?? lab.dir,
    // Nothing of the developer's own settings reaches it.
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...env,
    },
    stdio: ["ignore", log, log],
  });
  fs.closeSync(log);
  const ended = once(child, "close").then(([code]) => code as number | null);
  ended.catch(() => {});
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (isGone()) return ended;
    child.kill(signal);
    const slow = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    return ended.finally(() => clearTimeout(slow));
  };
  lab.atEnd(() => (isGone() ? undefined : stop(name.startsWith("patroni") ? "SIGKILL" : "SIGTERM")));
  return { pid: child.pid!, ended, isGone, kill: (signal) => void child.kill(signal), stop };
}

/** The end of a program's log, for a message. */
export function logOf(lab: Lab, name: string, bytes = 3_000): string {
  const file = join(lab.dir, "logs", `${name}.log`);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").slice(-bytes) : "";
}

/** Runs a program to its end and gives what it printed. */
export function run(
  command: readonly string[],
  { input, env }: { input?: string; env?: Record<string, string> } = {},
): string {
  const [file, ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(file!, args, {
    encoding: "utf8",
    ...(input !== undefined && { input }),
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${command.join(" ")} failed: ${error?.message ?? ""}${stdout}${stderr}`);
  return stdout;
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}

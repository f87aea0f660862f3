import fs from "node:fs";
import { join } from "node:path";
import { START_FLAGS } from "../../../bench/lab.ts";
import { openDb, type Pool } from "../../../src/db/db.ts";
import { startEmbedded } from "../../../src/db/embedded.ts";
import { type Lab, ROOT, until } from "./lab.ts";
import { logOf, run, type Started, start } from "./processes.ts";

export type Machine = {
  name: string;
  url: string;
  /** Starts it, and waits until it says that it is ready. */
  up(tree?: string): Promise<void>;
  /** Asks it to end, and waits until it has drained. Gives its exit code. */
  down(): Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  pid(): number;
  /** How often it was ready, and ended though nobody asked it to. */
  endedByItself(): number;
};
type Options = {
  name: string;
  port: number;
  databaseUrl: string;
  host?: string;
  /** The words before the command: those of a network namespace. */
  prefix?: readonly string[];
  /** Settings beside the ones of all machines; undefined takes one of these away, for a release that does not know it. */
  env?: Record<string, string | undefined>;
};

const SECRET_KEY = "5e".repeat(32);

/** A PostgreSQL with the binaries that Laurel brings. Without a disk to wait for, a run is short. */
export async function startDatabase(lab: Lab, flags: readonly string[] = [], name = "database") {
  const database = await startEmbedded(join(lab.dir, name), ["max_connections=200", ...flags]);
  lab.atEnd(() => database.stop());
  return database;
}

export function openAdmin(lab: Lab, url: string): Pool {
  const db = openDb(url, { max: 2, statementTimeoutMs: 0 });
  lab.atEnd(() => db.end({ timeout: 1 }));
  return db;
}

/** A server of Laurel as operators run it: one process, the default settings, its own data directory. */
export function laurelMachine(
  lab: Lab,
  { name, port, databaseUrl, host = "127.0.0.1", prefix = [], env = {} }: Options,
): Machine {
  const url = `http://${host}:${port}`;
  let process_: Started | null = null;
  let endedByItself = 0;
  const asked = new WeakSet<Started>();
  const settings = {
    DATABASE_URL: databaseUrl,
    LAUREL_DATA_DIR: join(lab.dir, name),
    LAUREL_DASHBOARD: "off",
    LAUREL_DEMO: "off",
    LAUREL_LOG_LEVEL: "warn",
    LAUREL_PROCESSES: "1",
    LAUREL_SECRET_KEY: SECRET_KEY,
    LAUREL_TRUST_PROXY: "on",
    HOST: host,
    PORT: `${port}`,
    ...env,
  };
  return {
    name,
    url,
    up: async (tree = ROOT) => {
      const command = [...prefix, process.execPath, ...START_FLAGS, join(tree, "src/cli/laurel.ts"), "serve"];
      const started = start(lab, { name, command, env: settings });
      process_ = started;
      await until(`${name} is ready`, async () => {
        if (started.isGone()) throw new Error(`${name} ended:\n${logOf(lab, name)}`);
        return (await statusOf(`${url}/health/ready`)) === 200;
      });
      void started.ended.then(() => {
        if (!asked.has(started)) endedByItself += 1;
      });
    },
    down: async () => {
      asked.add(process_!);
      return process_!.stop("SIGTERM");
    },
    kill: (signal) => {
      // One that is gone already ended by itself.
      if (!process_!.isGone()) asked.add(process_!);
      process_!.kill(signal);
    },
    pid: () => process_!.pid,
    endedByItself: () => endedByItself,
  };
}

/** What an address answers with; 0: nobody is there. */
export const statusOf = async (url: string): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    async (reply) => {
      await reply.arrayBuffer();
      return reply.status;
    },
    () => 0,
  );

/** The credentials that the first start of a machine wrote down. */
export const headersOf = (
  lab: Lab,
  { name }: Pick<Machine, "name">,
  kind: "app" | "management" = "app",
): Record<string, string> =>
  Object.fromEntries(
    fs
      .readFileSync(join(lab.dir, name, "credentials", `${kind}.headers`), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(": ") as [string, string]),
  );

/** Runs a command of Laurel to its end and gives what it printed. */
export const laurel = (args: readonly string[], databaseUrl: string, input?: string): string =>
  run([process.execPath, join(ROOT, "src/cli/laurel.ts"), ...args], {
    env: { DATABASE_URL: databaseUrl, LAUREL_SECRET_KEY: SECRET_KEY },
    ...(input !== undefined && { input }),
  });

/** Runs `laurel doctor` and notes what it says. */
export function tellDoctor(lab: Lab, databaseUrl: string): void {
  let says = "clean";
  try {
    laurel(["doctor"], databaseUrl);
  } catch (error) {
    says = "not clean";
    lab.say((error as Error).message);
  }
  lab.figure("laurel doctor", says, { is: "clean" });
}

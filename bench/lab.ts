import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import manifest from "../package.json" with { type: "json" };
import { openDb, type Pool } from "../src/db/db.ts";
import { startEmbedded } from "../src/db/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { createSecretBox } from "../src/db/secrets/secret-box.ts";
import { createProject } from "../src/flows/platform/create-project.ts";
import { newId, newSecret, now, random } from "../src/sources.ts";
import { cpuOf, cpuOfFamily, postmasterOf } from "./cpu.ts";
import type { Cpu } from "./line.ts";
import { type Amount, answerOf, drive, type Outcome, type Requests, requestBytes } from "./load.ts";
import type { Order, Reply } from "./orders.ts";

/** What `npm start` gives to Node. */
export const START_FLAGS = manifest.scripts.start.split(" ").filter((word) => word.startsWith("--"));
const BUSY_MAX = 10;
const BUSY_MS = 1000;

/** A project with its key. */
export type BenchProject = { id: string; headers: Record<string, string> };
/** A server process and the way to ask it. */
export type Server = {
  url: string;
  pid: number;
  call<T = unknown>(project: BenchProject, request: string, body?: object): Promise<T>;
  /** A request as bytes: a POST with a body, a GET without one. */
  request(project: BenchProject, path: string, body?: object, headers?: Record<string, string>): Buffer;
  /** Runs a load and says what it took. */
  measure(requests: Requests, amount: Amount, connections?: number): Promise<Outcome & { cpu: Cpu }>;
  /** Bytes in use after a forced collection, and as they are now. */
  heap(): Promise<number>;
  used(): Promise<number>;
  /** The body of one answer. */
  answer(requests: Requests): Promise<string>;
  /** What the last request cost, in steps of its budget. */
  steps(): Promise<number>;
  setConstant(text: string): Promise<void>;
  /** Does all async actions that wait, in the process of the server, as a server does. */
  runJobs(): Promise<void>;
  /** Counts what happened into the rollups, and goes on with it every two seconds until it is asked again. */
  countRollups(goesOn: boolean): Promise<void>;
  stop(): Promise<void>;
};
/** Variables of the environment that a server gets. */
type Settings = Readonly<Record<string, string>>;

/** What a line is given: a database of this run, and servers on it. */
export type Lab = {
  db: Pool;
  /** Of the database of this run. */
  url: string;
  /** The process that all processes of the database are children of, where it is on this machine. */
  postmaster: number | null;
  postgresVersion: string;
  /**
   * Tells the planner how much there is now, as the server itself would within a minute. Like the server it leaves empty
   * tables alone: one that is known to be empty is planned for as if it stayed so.
   */
  settle(): Promise<void>;
  createProject(name: string): Promise<BenchProject>;
  /** On the database of this run, or on the same through what stands in between. */
  startServer(flags?: readonly string[], databaseUrl?: string, settings?: Settings): Promise<Server>;
};

/** Opens a database for this run: on the server that DATABASE_URL names, or on an embedded one, and drops it after. */
export async function withLab<T>(databaseUrl: string | undefined, use: (lab: Lab) => Promise<T>): Promise<T> {
  const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-bench-"));
  fs.chmodSync(dir, 0o755); // Started by root, the database runs as a user that must reach it.
  const embedded = databaseUrl ? null : await startEmbedded(dir);
  const admin = openDb(databaseUrl ?? embedded!.url, { max: 1, statementTimeoutMs: 120_000 });
  const name = `laurel_bench_${process.pid}`;
  await admin`create database ${admin(name)}`;
  const url = new URL(databaseUrl ?? embedded!.url);
  url.pathname = `/${name}`;
  const db = openDb(url.href, { max: 4, statementTimeoutMs: 600_000 });
  const servers = new Set<Server>();
  try {
    await migrate(db);
    const [row] = await db`select pg_backend_pid() as pid, current_setting('server_version') as version`;
    const postmaster = postmasterOf(row!.pid);
    const startServer: Lab["startServer"] = async (flags = [], databaseUrl = url.href, settings = {}) => {
      const server = await launch({ ...settings, DATABASE_URL: databaseUrl }, postmaster, flags);
      servers.add(server);
      return server;
    };
    const settle = async () => {
      const tables = await db<{ name: string }[]>`
        select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'laurel' and c.relkind = 'r' and pg_relation_size(c.oid) > 0`;
      for (const { name } of tables) await db`vacuum analyze ${db(name)}`;
    };
    const postgresVersion = row!.version;
    const createProject = (as: string) => project(db, as);
    return await use({ db, url: url.href, postmaster, postgresVersion, settle, startServer, createProject });
  } finally {
    await Promise.all([...servers].map((server) => server.stop()));
    await db.end({ timeout: 5 });
    await admin`drop database ${admin(name)} with (force)`;
    await admin.end({ timeout: 5 });
    await embedded?.stop();
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

const project = (db: Pool, name: string) =>
  db.begin(async (tx) => {
    const sources = { newId, newSecret, secretBox: createSecretBox(null, random), now: now(), is_sandbox: true };
    const settings = { name, timezone: "Europe/Warsaw", currency: "EUR", case_sensitive_codes: false };
    const { project: made, app } = await createProject(tx, sources, settings);
    return { id: made.id, headers: { "X-App-Id": app.id, "X-App-Token": app.secret } };
  }) as Promise<BenchProject>;

async function launch(settings: Settings, postmaster: number | null, flags: readonly string[]): Promise<Server> {
  const child = fork(join(import.meta.dirname, "server.ts"), {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
    execArgv: ["--expose-gc", ...START_FLAGS, ...flags],
    // Its log goes nowhere, but it is written.
    stdio: ["ignore", "ignore", process.env.BENCH_SERVER_LOG ? "inherit" : "ignore", "ipc"],
  });
  const { url } = await answered<{ url: string }>(child);
  const told = <R extends Reply>(order: Order) => {
    child.send(order);
    return answered<R>(child);
  };
  const call: Server["call"] = async (who, request, body) => {
    const [method, path] = request.split(" ") as [string, string];
    // The server closes a connection that is idle for long, as it is while the bench calculates.
    const headers = { ...who.headers, Connection: "close", ...(body && { "Content-Type": "application/json" }) };
    const send = () => fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    let reply = await send();
    // On a busy machine a server that has just compiled all promotions refuses for a moment.
    for (let again = 0; reply.status === 503 && again < BUSY_MAX; again += 1) {
      await wait(BUSY_MS);
      reply = await send();
    }
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${request}: ${reply.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  const spent = () => ({ node: cpuOf(child.pid!), postgres: postmaster === null ? null : cpuOfFamily(postmaster) });
  let stopped = false;
  return {
    url,
    pid: child.pid!,
    call,
    request: (who, path, body, headers = {}) => requestBytes(url, path, { ...who.headers, ...headers }, body),
    measure: async (requests, amount, connections) => {
      const before = spent();
      const outcome = await drive(url, requests, amount, connections);
      const after = spent();
      const each = (part: keyof Cpu) =>
        before[part] === null || after[part] === null
          ? null
          : ((after[part] - before[part]) * 1_000_000) / Math.max(1, outcome.count);
      return { ...outcome, cpu: { node: each("node"), postgres: each("postgres") } };
    },
    answer: async (requests) => answerOf(url, requests),
    used: async () => (await told<{ heap: number }>({ ask: "used" })).heap,
    heap: async () => (await told<{ heap: number }>({ ask: "heap" })).heap,
    steps: async () => (await told<{ steps: number }>({ ask: "steps" })).steps,
    setConstant: async (text) => void (await told({ ask: "constant", text })),
    runJobs: async () => void (await told({ ask: "jobs" })),
    countRollups: async (goesOn) => void (await told({ ask: "count", goesOn })),
    stop: async () => {
      if (stopped) return;
      stopped = true;
      const ended = once(child, "exit");
      if (child.exitCode === null && child.send({ ask: "stop" } satisfies Order)) await ended;
    },
  };
}

/** The next message of the server. It is asked one thing at a time. */
function answered<R extends Reply>(child: ChildProcess): Promise<R> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the server ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (reply) => {
      child.off("exit", ended);
      resolve(reply as R);
    });
  });
}

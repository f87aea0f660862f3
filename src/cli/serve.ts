import cluster, { type Worker } from "node:cluster";
import { AggregatorRegistry } from "prom-client";
import type { Config } from "../config.ts";
import { openDb } from "../db/db.ts";
import { migrate } from "../db/migrate.ts";
import { createLogger, startServer } from "../main.ts";
import { credentialsFile, readCredentials } from "./credentials.ts";
import { checkServer, type Database, startDatabase } from "./database.ts";
import { firstStart } from "./first-start.ts";

const STOP_MS = 20_000;
const RESTART_MS = 1_000;

type Running = { url: string; stop(): Promise<void> };
type Message = { laurel: "listening"; url: string } | { laurel: "metrics"; id: number; text?: string };

/** Starts everything, prints where it is, and stops it in order when the process is asked to end. */
export async function serve(config: Config): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(config);
  const database = await startDatabase(config);
  let running: Running;
  try {
    await prepare(config, database);
    running = config.LAUREL_PROCESSES > 1 ? await startWorkers(config, database) : await startAlone(config, database);
  } catch (error) {
    await database.stop();
    throw error;
  }
  console.log(welcome(config, running.url));
  stopOnSignal(async () => {
    await running.stop();
    await database.stop();
  });
}

async function prepare(config: Config, { url }: Database): Promise<void> {
  const db = openDb(url, { max: 4, statementTimeoutMs: 0 });
  try {
    await checkServer(db);
    await migrate(db);
    await firstStart(config, db);
  } finally {
    await db.end({ timeout: 5 });
  }
}

function welcome(config: Config, url: string): string {
  const [app, management] = (["app", "management"] as const).map((kind) =>
    credentialsFile(config.LAUREL_DATA_DIR, kind),
  );
  return [
    `Laurel listens on ${url}`,
    ...(config.LAUREL_DOCS === "on" ? [`API reference:  ${url}/docs`] : []),
    `Credentials:    ${app} (and client.headers, management.headers beside it)`,
    `Try it:         curl -H @${quoted(app!)} ${url}/v1/categories`,
    `                curl -H @${quoted(management!)} ${url}/management/v1/projects`,
  ].join("\n");
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

async function startAlone(config: Config, { url: databaseUrl }: Database): Promise<Running> {
  const server = await startServer(config, { databaseUrl, prefill: readCredentials(config.LAUREL_DATA_DIR) });
  return { url: server.url, stop: server.close };
}

/** One process that holds the database and starts the others again when they end. */
async function startWorkers(config: Config, { url }: Database): Promise<Running> {
  const log = createLogger(config.LAUREL_LOG_LEVEL);
  const aggregator = new AggregatorRegistry();
  let stopping = false;
  const listening = Promise.withResolvers<string>();
  const start = () => {
    const worker = cluster.fork({ DATABASE_URL: url, LAUREL_DEMO: config.LAUREL_DEMO ?? "" });
    worker.on("message", (message: Message) => {
      if (message.laurel === "listening") listening.resolve(message.url);
      if (message.laurel === "metrics")
        void aggregator.clusterMetrics().then((text) => worker.send({ ...message, text }));
    });
    return worker;
  };
  cluster.on("exit", (worker: Worker, code, signal) => {
    if (stopping) return;
    listening.reject(new Error(`A server process ended before it was ready (${signal ?? code}); its reason is above.`));
    log.error({ worker: worker.process.pid, code, signal }, "a server process ended; starting another");
    setTimeout(() => stopping || start(), RESTART_MS);
  });
  for (let i = 0; i < config.LAUREL_PROCESSES; i += 1) start();
  const stop = async () => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(
      workers.map((worker) => {
        const gone = new Promise((resolve) => void worker.once("exit", resolve));
        worker.process.kill("SIGTERM");
        return gone;
      }),
    );
  };
  try {
    return { url: await listening.promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function serveAsWorker(config: Config): Promise<void> {
  const waiting = new Map<number, (text: string) => void>();
  let asked = 0;
  const metricsText = () =>
    new Promise<string>((resolve) => {
      asked += 1;
      waiting.set(asked, resolve);
      process.send!({ laurel: "metrics", id: asked } satisfies Message);
    });
  process.on("message", (message: Message) => {
    if (message.laurel !== "metrics") return;
    waiting.get(message.id)?.(message.text ?? "");
    waiting.delete(message.id);
  });
  const surroundings = {
    databaseUrl: config.DATABASE_URL!,
    prefill: readCredentials(config.LAUREL_DATA_DIR),
    metricsText,
  };
  const server = await startServer(config, surroundings);
  process.send!({ laurel: "listening", url: server.url } satisfies Message);
  // Without the process that holds the database, this one has nothing to serve.
  process.once("disconnect", () => process.exit(1));
  stopOnSignal(server.close);
}

/** Ctrl-C and SIGTERM: requests under way end, then the database. A second signal, or too long a wait, ends at once. */
function stopOnSignal(stop: () => Promise<void>): void {
  let asked = false;
  const onSignal = async () => {
    if (asked) process.exit(1);
    asked = true;
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void onSignal());
}

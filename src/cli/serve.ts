import cluster, { type Worker } from "node:cluster";
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { AggregatorRegistry } from "prom-client";
import { type Config, ConfigError, connectionsMax, flagOf, isDemo } from "../config.ts";
import { ApiError } from "../core/errors.ts";
import { invitationLink } from "../core/users/invitation-link.ts";
import { openDb, type Pool } from "../db/db.ts";
import { examineSecrets, sealStored } from "../db/secrets/stored-secrets.ts";
import type { Server, Surroundings } from "../main.ts";
import { now } from "../sources.ts";
import { credentialsFile, readCredentials, secretBoxOf } from "./credentials.ts";
import { keepDashboard } from "./dashboard.ts";
import { checkServer, type Database, migrateDatabase, startDatabase } from "./database.ts";
import { firstStart } from "./first-start.ts";
import { createLogger } from "./log.ts";

const STOP_MS = 20_000;
const RESTART_MS = 1_000;
// npm passes Ctrl-C on to a process that the terminal has told already: a repetition this soon is the same wish.
const SAME_WISH_MS = 1_000;

/**
 * It listens; `warm` holds once it is ready. `stop` answers on for as long as it is told, saying that it is not ready; then
 * requests under way end.
 */
type Running = { url: string; ownerToken?: string | null; warm: Promise<void>; stop(drainMs: number): Promise<void> };
type Message =
  | { laurel: "listening"; url: string }
  | { laurel: "warm" }
  | { laurel: "metrics"; id: number; text?: string | null }
  | { laurel: "stop" };

/** Starts everything, prints where it is, and stops it in order when the process is asked to end. */
export async function serve(config: Config): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(config);
  const interrupt = new AbortController();
  const begun = Promise.withResolvers<Running | null>();
  // Before anything is started: whoever is asked to end from here on leaves no database behind.
  stopOnSignal({ SIGINT: 0, SIGTERM: drainOf(config) }, async (drainMs) => {
    interrupt.abort();
    await (await begun.promise)?.stop(drainMs);
  });
  begun.resolve(
    start(config, interrupt.signal).catch((error) => {
      if (!interrupt.signal.aborted) throw error;
      console.error("Stopped before it was ready. The next start picks up from here.");
      return null;
    }),
  );
  const running = await begun.promise;
  await running?.warm;
  if (!running || interrupt.signal.aborted) return;
  console.log(welcome(config, running));
  // Requests go first: the build begins when the server is quick.
  if (config.LAUREL_DASHBOARD === "on")
    await keepDashboard((line) => console.error(line), { signal: interrupt.signal, nowMs: Date.parse(now()) });
}

/** `signal` ends it in the middle; the database is stopped and not left behind. */
async function start(config: Config, signal: AbortSignal): Promise<Running> {
  const database = await startDatabase(config, signal);
  try {
    const interrupted = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
    signal.throwIfAborted();
    const ownerToken = await Promise.race([prepare(config, database), interrupted]);
    const { url, warm, stop } = await (config.LAUREL_PROCESSES > 1 ? startWorkers : startAlone)(config, database);
    return { url, ownerToken, warm, stop: (drainMs) => stop(drainMs).finally(database.stop) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Returns the token with which the owner signs in, after a first start of the embedded database. */
async function prepare(config: Config, { url }: Database): Promise<string | null> {
  const db = openDb(url, { max: 4, statementTimeoutMs: 0 });
  try {
    await checkServer(db);
    const [schema] = await db`select to_regclass('laurel.migrations') is not null as there`;
    if (!schema!.there) console.error("Creating the tables…");
    await migrateDatabase(db);
    const ownerToken = await firstStart(config, db);
    for (const line of await keepSecrets(config, db)) console.error(line);
    const few = await connectionsMissing(config, db);
    if (few) console.error(few);
    return ownerToken;
  } finally {
    await db.end({ timeout: 5 });
  }
}

/** Encrypts what was stored before there was a key, and says what is not as it should be. */
async function keepSecrets(config: Config, db: Pool): Promise<string[]> {
  const secretBox = secretBoxOf(config);
  await sealStored(db, secretBox);
  const { unreadable } = await examineSecrets(db, secretBox);
  return [
    ...(secretBox.hasKey
      ? []
      : ["LAUREL_SECRET_KEY is not set: secrets of webhooks and second factors are stored without encryption."]),
    ...(unreadable.length > 0
      ? [`${unreadable.length} secrets cannot be read with this LAUREL_SECRET_KEY; \`laurel doctor\` names them.`]
      : []),
  ];
}

/** Says that the server takes fewer connections than we may open; null: it takes enough. */
async function connectionsMissing(config: Config, db: Pool): Promise<string | null> {
  const [server] = await db<{ max: number }[]>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max`;
  const own = connectionsMax(config);
  if (own <= server!.max) return null;
  return (
    `LAUREL_PROCESSES=${config.LAUREL_PROCESSES} opens up to ${own} connections, and the database takes ${server!.max}. ` +
    "Requests may fail when it is busy: start fewer processes, or raise max_connections of the database."
  );
}

function welcome(config: Config, { url, ownerToken }: Running): string {
  const [app, management] = (["app", "management"] as const).map((kind) =>
    credentialsFile(config.LAUREL_DATA_DIR, kind),
  );
  // The project may have been made elsewhere, on a database that is shared or was restored.
  const credentials = existsSync(app!)
    ? [
        `Credentials:    ${app} (and client.headers, management.headers beside it)`,
        `Try it:         curl -H @${quoted(app!)} ${url}/v1/categories`,
        `                curl -H @${quoted(management!)} ${url}/management/v1/projects`,
      ]
    : ["Credentials:    not in this data directory; `npm run laurel -- key create --help` shows how to make new ones"];
  return [
    `Laurel listens on ${url}`,
    ...(config.LAUREL_DASHBOARD === "off" ? [] : [`Dashboard:      ${url}/`]),
    ...(config.LAUREL_DOCS === "on" ? [`API reference:  ${url}/docs`] : []),
    ...(isDemo(config) ? [`In a browser:   ${url}/demo`] : []),
    ...(ownerToken
      ? [
          `Sign in once:   ${invitationLink(config.LAUREL_PUBLIC_URL ?? url, ownerToken)} (as the owner, within 24 hours)`,
        ]
      : []),
    ...credentials,
  ].join("\n");
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

async function startAlone(config: Config, { url: databaseUrl }: Database): Promise<Running> {
  const surroundings = { databaseUrl, prefill: readCredentials(config.LAUREL_DATA_DIR) };
  const server = await startServer(config, surroundings);
  return { url: server.url, warm: server.warm, stop: (drainMs) => drainAndClose(server, drainMs) };
}

/** Loaded here: a process that only holds the database and the others needs nothing of it. */
async function startServer(config: Config, surroundings: Surroundings): Promise<Server> {
  const main = await import("../main.ts");
  return main.startServer(config, surroundings).catch((error) => refuseTaken(config, error));
}

const drainOf = ({ LAUREL_DRAIN_S }: Config): number => LAUREL_DRAIN_S * 1000;

/** Meanwhile a load balancer learns that this server takes no more requests. */
async function drainAndClose(server: { drain(): void; close(): Promise<void> }, drainMs: number): Promise<void> {
  server.drain();
  await wait(drainMs);
  await server.close();
}

function refuseTaken({ HOST, PORT }: Config, error: NodeJS.ErrnoException): never {
  if (error.code === "ENOTFOUND" || error.code === "EADDRNOTAVAIL" || error.code === "EAI_AGAIN")
    throw new ConfigError(`HOST: ${HOST} is not an address of this machine.`);
  if (error.code !== "EADDRINUSE" && error.code !== "EACCES") throw error;
  const why = error.code === "EACCES" ? "may not be used by this user" : "is taken by another process";
  throw new ConfigError(`Port ${PORT} of ${HOST} ${why}. Choose another with PORT or ${flagOf("PORT")}.`);
}

/** One process that holds the database and starts the others again when they end. */
async function startWorkers(config: Config, { url }: Database): Promise<Running> {
  const log = createLogger(config.LAUREL_LOG_LEVEL);
  const aggregator = new AggregatorRegistry();
  let stopping = false;
  const listening = Promise.withResolvers<string>();
  const warm = Promise.withResolvers<void>();
  const start = () => {
    const worker = cluster.fork({ DATABASE_URL: url, LAUREL_DEMO: isDemo(config) ? "on" : "off" });
    worker.on("message", async (message: Message) => {
      if (message.laurel === "listening") listening.resolve(message.url);
      if (message.laurel === "warm") warm.resolve();
      if (message.laurel !== "metrics") return;
      // A process that ends while it is asked never answers.
      const text = await aggregator.clusterMetrics().catch(() => null);
      if (worker.isConnected()) worker.send({ ...message, text } satisfies Message, () => {});
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
  const stop = async (drainMs: number) => {
    stopping = true;
    // One that has ended may still be listed, until its channel is closed. It will not tell its end again.
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker && !worker.isDead()) as Worker[];
    await Promise.all(
      workers.map((worker) => {
        const gone = new Promise((resolve) => void worker.once("exit", resolve));
        // They wait by themselves after SIGTERM. Some supervisors send it to all processes: then they have it already.
        if (drainMs > 0 || !worker.isConnected()) worker.process.kill("SIGTERM");
        // It may be ending by itself. Then there is nobody to tell, which without this function would be an error.
        else worker.send({ laurel: "stop" } satisfies Message, () => {});
        return gone;
      }),
    );
  };
  try {
    return { url: await listening.promise, warm: warm.promise, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

async function serveAsWorker(config: Config): Promise<void> {
  const waiting = new Map<number, (text: string | null) => void>();
  let asked = 0;
  const metricsText = async () => {
    asked += 1;
    const answer = Promise.withResolvers<string | null>();
    waiting.set(asked, answer.resolve);
    process.send!({ laurel: "metrics", id: asked } satisfies Message);
    const text = await answer.promise;
    if (text === null) throw new ApiError("overloaded", { details: "A server process did not answer" });
    return text;
  };
  const started = Promise.withResolvers<Server>();
  // Ctrl-C reaches every process of a terminal; the first one tells the others when to end.
  process.on("SIGINT", () => {});
  const stop = stopOnSignal({ SIGTERM: drainOf(config) }, async (drainMs) =>
    drainAndClose(await started.promise, drainMs),
  );
  process.on("message", (message: Message) => {
    if (message.laurel === "stop") stop(0);
    if (message.laurel !== "metrics") return;
    waiting.get(message.id)?.(message.text ?? null);
    waiting.delete(message.id);
  });
  new AggregatorRegistry(); // Answers the first process when it gathers what all of them counted.
  const surroundings = {
    databaseUrl: config.DATABASE_URL!,
    prefill: readCredentials(config.LAUREL_DATA_DIR),
    metricsText,
  };
  const server = await startServer(config, surroundings);
  started.resolve(server);
  AggregatorRegistry.setRegistries(server.registry);
  process.send!({ laurel: "listening", url: server.url } satisfies Message);
  // Without the process that holds the database, this one has nothing to serve.
  process.once("disconnect", () => process.exit(1));
  await server.warm;
  process.send!({ laurel: "warm" } satisfies Message, () => {});
}

/**
 * Each signal with the milliseconds that the server answers on after it. Then requests under way end, then the database.
 * A second signal, or too long a wait, ends at once. Returns what a signal does.
 */
function stopOnSignal(
  signals: Partial<Record<NodeJS.Signals, number>>,
  stop: (drainMs: number) => Promise<void>,
): (drainMs: number) => void {
  let asked: number | undefined;
  const onSignal = (drainMs: number) => {
    if (asked !== undefined && performance.now() - asked > SAME_WISH_MS) process.exit(1);
    if (asked !== undefined) return;
    asked = performance.now();
    setTimeout(() => process.exit(1), drainMs + STOP_MS).unref();
    stop(drainMs).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const [signal, drainMs] of Object.entries(signals)) process.on(signal, () => onSignal(drainMs));
  return onSignal;
}

import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createCatalogs } from "./catalog/catalog.ts";
import { secretBoxOf } from "./cli/credentials.ts";
import { createLogger, createRequestLog } from "./cli/log.ts";
import { CONNECTIONS, type Config, ConfigError, isDemo, isLoopback, publicUrlOf } from "./config.ts";
import type { SingleSignOn } from "./ctx.ts";
import { createLanes } from "./db/batches/batch.ts";
import { createBehind } from "./db/batches/behind.ts";
import { openDb, type Pool } from "./db/db.ts";
import { createShares } from "./db/shares.ts";
import { demoPage } from "./demo/page.ts";
import type { Dashboard } from "./http/dashboard/dashboard.ts";
import { createReference, type Prefill } from "./http/documents/reference.ts";
import { staticFile } from "./http/documents/static-files.ts";
import type { Engine } from "./http/engine.ts";
import { createSharedCounts } from "./http/limits/limit-counts.ts";
import { listen } from "./http/listen.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { buildServer } from "./http/mount.ts";
import { clockSkew, mountOpenRoutes } from "./http/open-routes.ts";
import { createRefusalQueue } from "./http/refusals/queue.ts";
import { createRequestQueue } from "./http/request-log/queue.ts";
import { createSendInvitation } from "./http/users/invitations.ts";
import { CALLBACK_PATH, createSingleSignOn } from "./http/users/oidc.ts";
import { lagOfJobs } from "./jobs/lag.ts";
import { JOB_NAMES, JOBS } from "./jobs/registry.ts";
import { keepWorker } from "./jobs/worker.ts";
import { createMailer, type Mailer } from "./mail.ts";
import { saveRefusals } from "./resources/checkout/refusals/keeping-store.ts";
import { insertRequests } from "./resources/platform/request-log/store.ts";
import { ALL_ROUTES } from "./routes.ts";
import { newId, newRequestId, newSecret, now, random } from "./sources.ts";
import { isTraced, loadTracing, type Tracing } from "./tracing.ts";
import { VERSION } from "./version.ts";
import { createWarmUp } from "./warm-up.ts";
import type { Transport } from "./webhooks/transport.ts";

// The only place that wires.

/** Nobody waits for the answer to a statement of a job. */
const JOB_STATEMENT_MS = 60_000;

export const openDbPools = (config: Config, url: string): Pools => {
  const options = { prepare: config.LAUREL_PREPARE === "on", statementTimeoutMs: config.LAUREL_STATEMENT_TIMEOUT_MS };
  return {
    // One connection each: an operation has one for itself, and its project a share of them.
    general: Array.from({ length: config.LAUREL_POOL_GENERAL }, () => openDb(url, { ...options, max: 1 })),
    // The lanes have a pool of their own, so that a slow list cannot keep a redemption waiting for a connection. Two
    // connections more than lanes: one asks what became of a commit, one writes behind the answers.
    hot: openDb(url, { ...options, max: config.LAUREL_LANES + CONNECTIONS.besideLanes }),
    // What the lanes do with their connections is nothing to the reserve.
    reserve: openDb(url, { ...options, max: CONNECTIONS.reserve }),
    // Credentials and the catalog as well: a write that waits for the catalog must not wait for other writes to end.
    directory: openDb(url, { ...options, max: CONNECTIONS.directory }),
    // The log waits for nobody, and nobody for the log.
    requestLog: openDb(url, { ...options, max: CONNECTIONS.requestLog }),
    // Long work keeps no request waiting either. It connects when there is a job.
    jobs: openDb(url, {
      ...options,
      max: CONNECTIONS.jobs,
      statementTimeoutMs: Math.max(options.statementTimeoutMs, JOB_STATEMENT_MS),
    }),
  };
};
type Pools = {
  general: readonly Pool[];
  hot: Pool;
  reserve: Pool;
  directory: Pool;
  requestLog: Pool;
  jobs: Pool;
};
/** Without connections for it, no request is logged. */
type EnginePools = Omit<Pools, "jobs" | "requestLog"> & { requestLog?: Pool };

export const closePools = (pools: Pools): Promise<unknown> =>
  Promise.all(
    Object.values(pools)
      .flat()
      .map((pool) => pool.end({ timeout: 5 })),
  );

/** Null: there is no mail server. */
const mailerOf = ({ LAUREL_SMTP_URL: url, LAUREL_MAIL_FROM: from }: Config): Mailer | null =>
  url === null ? null : createMailer(url, from);

/** Nothing: people sign in with passwords only. */
function singleSignOnOf(config: Config, log: Logger): { singleSignOn?: SingleSignOn } {
  const { LAUREL_OIDC_ISSUER: issuer, LAUREL_OIDC_CLIENT_ID: clientId } = config;
  if (issuer === null) return {};
  if (clientId === null) throw new ConfigError("LAUREL_OIDC_ISSUER needs LAUREL_OIDC_CLIENT_ID.");
  const listed = (text: string) => text.split(",").map((one) => one.trim());
  const singleSignOn = createSingleSignOn({
    ...{ issuer, clientId, clientSecret: config.LAUREL_OIDC_CLIENT_SECRET, log },
    name: config.LAUREL_OIDC_NAME ?? new URL(issuer).hostname,
    domains: config.LAUREL_OIDC_DOMAINS === "none" ? [] : listed(config.LAUREL_OIDC_DOMAINS),
    role: config.LAUREL_OIDC_ROLE,
    projects: config.LAUREL_OIDC_PROJECTS === "all" ? "all" : listed(config.LAUREL_OIDC_PROJECTS),
    redirectUri: `${publicUrlOf(config)}${CALLBACK_PATH}`,
  });
  return { singleSignOn };
}

/** A command has its answer before its request is given up: then it is `overloaded`, and nobody has to wonder. */
const LANE_PART = 0.9;

const rateLimitsOf = (config: Config): Engine["rateLimits"] => ({
  app: config.LAUREL_RATE_LIMIT_APP,
  client: config.LAUREL_RATE_LIMIT_CLIENT,
  management: config.LAUREL_RATE_LIMIT_MANAGEMENT,
  session: config.LAUREL_RATE_LIMIT_USER,
  bulk: config.LAUREL_RATE_LIMIT_BULK,
});

/** What is written behind the answers: the request log, where it is kept, and refusals. */
function logQueues(config: Config, requestPool: Pool, { log, metrics }: { log: Logger; metrics: Metrics }) {
  const requests =
    config.LAUREL_REQUEST_LOG_DAYS > 0 &&
    createRequestQueue({
      save: (projectId, rows) => insertRequests(requestPool, projectId, rows),
      now,
      countDropped: metrics.countDroppedRequests,
      report: (error) => log.warn({ err: error }, "requests could not be logged"),
      perSecond: config.LAUREL_REQUEST_LOG_RATE,
    });
  const refusals = createRefusalQueue(requestPool, {
    save: (tx, projectId, batch) => saveRefusals(tx, projectId, batch, { now: now() }),
    newId,
    now,
    report: (error) => log.warn({ err: error }, "refusals could not be kept"),
  });
  return { refusals, ...(requests && { requests }) };
}

/** What the database is asked each time that somebody reads the numbers, whether jobs run here or not. */
const measuring =
  ({ directory, requestLog }: Pools, metrics: Metrics) =>
  async (): Promise<void> => {
    // The log waits for nobody, and nobody for the log: the connection for it may take a statement in between.
    const [skew, lag] = await Promise.allSettled([clockSkew(directory, now), lagOfJobs(requestLog, now())]);
    if (skew.status === "fulfilled") metrics.observeClockSkew(skew.value);
    metrics.observeLag(lag.status === "fulfilled" ? lag.value : null);
  };

/** The engine of one process over its pools. */
export function createEngine(
  config: Config,
  pools: EnginePools,
  log: Logger,
  { requestLog = log, tracing }: { requestLog?: Engine["requestLog"]; tracing?: Tracing | null } = {},
): Engine {
  const { general, hot, reserve, directory, requestLog: requestPool } = pools;
  const metrics = createMetrics();
  const report = (error: unknown) => {
    metrics.countBatchFailure();
    log.error({ err: error }, "a batch failed");
  };
  const countReport = (error: unknown) => log.warn({ err: error }, "limits are not counted with the other machines");
  const behind = createBehind(hot, { report });
  const submit = createLanes(hot, {
    behind,
    lanes: config.LAUREL_LANES,
    reserve,
    sizeMax: config.LAUREL_BATCH_MAX,
    waitingMax: config.LAUREL_WAITING_MAX,
    timeoutMs: LANE_PART * config.LAUREL_REQUEST_TIMEOUT_MS,
    observe: metrics.observeBatch,
    observeSetAside: metrics.observeSetAside,
    ...(tracing && { trace: tracing.traceBatch }),
    report,
  });
  const proxy = config.LAUREL_TRUST_PROXY;
  return {
    ...(requestPool && logQueues(config, requestPool, { log, metrics })),
    ...(config.LAUREL_RATE_LIMIT_SHARED === "on" && {
      sharedCounts: createSharedCounts(directory, { now, report: countReport }),
    }),
    ...singleSignOnOf(config, log),
    ...(tracing && { traceRequests: tracing.traceRequests }),
    share: createShares(general, metrics.observeConnections),
    submit,
    behind,
    directory,
    catalogs: createCatalogs(directory, {
      bytesMax: config.LAUREL_CATALOG_MB * 1_048_576,
      observe: metrics.countCatalogLoad,
    }),
    metrics,
    newId,
    newSecret,
    secretBox: secretBoxOf(config),
    newRequestId,
    now,
    // Port 0 is another one at each start: nobody knows it here, and addresses are relative.
    publicUrl: config.PORT === 0 && !config.LAUREL_PUBLIC_URL ? "" : publicUrlOf(config),
    sendsMail: config.LAUREL_SMTP_URL !== null,
    sendInvitation: createSendInvitation({ log, publicUrl: publicUrlOf(config), sendMail: mailerOf(config) }),
    log,
    requestLog,
    v2Auth: config.LAUREL_V2_AUTH,
    bodyLimitBytes: config.LAUREL_BODY_LIMIT_BYTES,
    importLimitBytes: config.LAUREL_IMPORT_LIMIT_BYTES,
    requestTimeoutMs: config.LAUREL_REQUEST_TIMEOUT_MS,
    rateLimits: rateLimitsOf(config),
    strangersMax: config.LAUREL_RATE_LIMIT_STRANGERS,
    wrongPasswordsMax: config.LAUREL_WRONG_PASSWORDS_MAX,
    wrongCodesMax: config.LAUREL_WRONG_CODES_MAX,
    vouchersCountMax: config.LAUREL_VOUCHERS_COUNT_MAX,
    filesBytesMax: config.LAUREL_FILES_MB * 1_048_576,
    processes: config.LAUREL_PROCESSES,
    trustProxy: proxy === "off" ? false : proxy === "on" ? true : proxy,
    requestsMax: config.LAUREL_REQUESTS_MAX,
    eventLoopDelayMaxMs: config.LAUREL_EVENT_LOOP_DELAY_MAX_MS,
  };
}

const SWEEP_MS = 20;
/** What a redemption does not need, or not yet, comes this long after the server is ready. */
const LATER_MS = 100;

export type Server = {
  url: string;
  registry: Registry;
  /** Holds once redemptions are quick. Until then the server answers, and says that it is not ready. */
  warm: Promise<void>;
  /** From now on it says that it is not ready, and asks clients to connect anew. It answers on. */
  drain(): void;
  close(): Promise<void>;
};
/** What a process is told by the one that started it. */
export type Surroundings = { databaseUrl: string; prefill: Prefill | null; metricsText?: () => Promise<string> };

type Jobs = { started: Promise<unknown>; stop(): Promise<void> };

/** Loads what does jobs and sends webhooks, which no start waits for. What it gives starts them. */
async function loadJobs(
  config: Config,
  log: Logger,
  { metrics, tracing }: { metrics: Metrics; tracing: Tracing | null },
): Promise<(databaseUrl: string, db: Pool) => Jobs> {
  const { createTransport } = await import("./webhooks/transport.ts");
  const { createSendWebhooks } = await import("./jobs/send-webhooks.ts");
  const { deactivationMail } = await import("./webhooks/notify.ts");
  const mailer = mailerOf(config);
  return (databaseUrl, db) => {
    const transport = tracedTransport(createTransport({ allow: config.LAUREL_WEBHOOK_ALLOW }), tracing);
    const sendWebhooks = createSendWebhooks({
      ...{ secretBox: secretBoxOf(config), transport, userAgent: `Laurel/${VERSION}`, log },
      observe: metrics.observeAttempt,
      notify: async (c, webhook) => {
        metrics.countWebhookOff();
        const mail = mailer && (await deactivationMail(c.db, webhook));
        if (mail) await mailer(mail);
      },
    });
    const limits = {
      filesBytesMax: config.LAUREL_FILES_MB * 1_048_576,
      requestLogDays: config.LAUREL_REQUEST_LOG_DAYS,
    };
    const worker = keepWorker(
      databaseUrl,
      { jobs: [...JOBS, sendWebhooks] },
      {
        ...{ db, now, newId, random, log, ...limits },
        observe: metrics.observeJob,
        observePart: metrics.observeJobPart,
        countNotStarted: metrics.countJobsNotStarted,
      },
    );
    const stop = async () => {
      await worker.stop();
      // What is being sent ends within ten seconds, and is written down.
      await sendWebhooks.idle();
      await transport.close();
    };
    return { started: worker.started, stop };
  };
}

const DASHBOARD = join(import.meta.dirname, "../dashboard");

/** The pages at `/`: as they were built, or from their sources. Loaded only where there are any. */
async function loadDashboard({ LAUREL_DASHBOARD }: Config): Promise<Dashboard | null> {
  if (LAUREL_DASHBOARD === "off") return null;
  if (LAUREL_DASHBOARD === "dev") {
    const { sourceDashboard } = await import(pathToFileURL(join(DASHBOARD, "dev.ts")).href);
    return sourceDashboard(newSecret);
  }
  const { builtDashboard } = await import("./http/dashboard/dashboard.ts");
  return builtDashboard(join(DASHBOARD, "dist"), newSecret);
}

/** Receivers of webhooks may go on with the trace of an attempt. */
const tracedTransport = (transport: Transport, tracing: Tracing | null): Transport =>
  tracing === null
    ? transport
    : {
        ...transport,
        send: (of, { headers, ...rest }) =>
          tracing.traceSending("webhook", (more) => transport.send(of, { ...rest, headers: { ...headers, ...more } })),
      };

/** Starts the HTTP server of this process. `close` lets the requests under way end first. */
export async function startServer(config: Config, surroundings: Surroundings): Promise<Server> {
  const log = createLogger(config.LAUREL_LOG_LEVEL);
  const pools = openDbPools(config, surroundings.databaseUrl);
  const tracing = isTraced(process.env) ? await loadTracing(pools.directory) : null;
  const requestLog = createRequestLog(config.LAUREL_LOG_LEVEL);
  const engine = createEngine(config, pools, log, { requestLog, tracing });
  engine.metrics.expectJobs(JOB_NAMES);
  engine.metrics.measureWith(measuring(pools, engine.metrics));
  const dashboard = await loadDashboard(config);
  const app = await buildServer(ALL_ROUTES, { ...engine, ...(dashboard && { dashboard }) });
  let isDraining = false;
  app.addHook("onRequest", async (_, reply) => {
    if (isDraining) reply.header("Connection", "close");
  });
  const warmUp = createWarmUp(ALL_ROUTES, engine, {
    ...{ hot: pools.hot, reserve: pools.reserve, lanes: config.LAUREL_LANES },
    all: Object.values(pools).flat(),
  });
  const prefill = isDemo(config) && isLoopback(config.HOST) ? surroundings.prefill : null;
  mountOpenRoutes(app, {
    db: pools.directory,
    now,
    warmUp: warmUp.once,
    isDraining: () => isDraining,
    metricsText: surroundings.metricsText ?? (() => engine.metrics.registry.metrics()),
    metricsFor: config.LAUREL_METRICS,
    openApi: staticFile("application/json", async () => (await import("./cli/openapi.ts")).openApiJson(now())),
    reference: config.LAUREL_DOCS === "on" ? createReference(prefill) : null,
    demo: isDemo(config) ? demoPage(prefill) : null,
    processes: config.LAUREL_PROCESSES,
    dashboard,
    landing: {
      version: VERSION,
      docs: config.LAUREL_DOCS === "on",
      demo: isDemo(config),
      dataDir: config.LAUREL_DATA_DIR,
    },
  });
  const url = await listen(app, { host: config.HOST, port: config.PORT });
  let jobs: Jobs | null = null;
  let isClosing = false;
  // The log says what failed, and whoever asks whether the server is ready tries again.
  const warm = warmUp.once().catch(() => {});
  void warm.then(async () => {
    // Node keeps compiled sources when it ends, which a killed process never does: the next start should find them.
    flushCompileCache();
    // Whoever waited for the server is answered first.
    await wait(LATER_MS, undefined, { ref: false });
    if (isClosing) return;
    if (config.LAUREL_JOBS === "on") {
      const start = await loadJobs(config, log, { metrics: engine.metrics, tracing });
      if (isClosing) return;
      jobs = start(surroundings.databaseUrl, pools.jobs);
    }
    await warmUp.all().catch(() => {});
    app.compileHotBodies();
    await jobs?.started;
    flushCompileCache();
  });
  return {
    url,
    registry: engine.metrics.registry,
    warm,
    drain: () => {
      isDraining = true;
    },
    close: async () => {
      isClosing = true;
      // A connection whose request ends from now on would be kept open for the next one, and the server with it.
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
      await app.close().finally(() => clearInterval(sweep));
      await engine.behind.end();
      await engine.sharedCounts?.close();
      await jobs?.stop();
      await closePools(pools);
      await tracing?.close().catch((error) => log.warn({ err: error }, "traces could not be sent"));
    },
  };
}

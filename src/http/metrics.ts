import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

type Metric = {
  kind: "counter" | "gauge" | "histogram";
  /** A sentence for who reads the numbers. */
  help: string;
  labels?: readonly string[];
  buckets?: readonly number[];
  /** How the values of several processes become one; unless told they are added. */
  aggregator?: "max";
};

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Work that nobody waits for: from milliseconds to a day. */
const LONG_SECONDS = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400];

/** What a process counts, beside what Node tells of itself. docs/reference/metrics.md is made from this. */
export const METRICS = {
  laurel_http_request_duration_seconds: {
    kind: "histogram",
    help: "Time to answer a request.",
    labels: ["operation", "status"],
    buckets: SECONDS,
  },
  laurel_errors_total: { kind: "counter", help: "Requests that were answered with 500, whatever they asked for." },
  laurel_batch_commands: {
    kind: "histogram",
    help: "Commands that went together in one transaction.",
    labels: ["flow"],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  laurel_batch_wait_seconds: {
    kind: "histogram",
    help: "How long the oldest command of a batch waited for a lane.",
    labels: ["flow"],
    buckets: SECONDS,
  },
  laurel_batch_duration_seconds: {
    kind: "histogram",
    help: "How long a batch took, nearly all of it in the database.",
    labels: ["flow"],
    buckets: SECONDS,
  },
  laurel_lanes_busy: {
    kind: "gauge",
    help: "Batches under way. `LAUREL_LANES` and one more is the most of a process.",
  },
  laurel_batch_failures_total: { kind: "counter", help: "Batches that failed for a reason that is not passing." },
  laurel_batch_set_aside_total: {
    kind: "counter",
    help: "Commands that were set aside because somebody held a row or a key that they need.",
    labels: ["flow"],
  },
  laurel_connections_busy: {
    kind: "gauge",
    help: "Connections for lists and changes that are in use, of `LAUREL_POOL_GENERAL` for each process.",
  },
  laurel_connections_waiting: { kind: "gauge", help: "Operations that wait for such a connection." },
  laurel_connection_held_seconds: {
    kind: "histogram",
    help: "How long an operation held such a connection, nearly all of it in the database: `read`, `list` or `write`.",
    labels: ["runs"],
    buckets: SECONDS,
  },
  laurel_catalog_loads_total: {
    kind: "counter",
    help: "Loads of what a project has configured: `all` of it, or only the `changes`.",
    labels: ["part"],
  },
  laurel_redemptions_total: { kind: "counter", help: "Requests that redeemed." },
  laurel_refusals_total: {
    kind: "counter",
    help: "Refused validations and redemptions, by the key of the reason.",
    labels: ["kind", "reason"],
  },
  laurel_job_duration_seconds: {
    kind: "histogram",
    help: "How long a run of a job took, and whether it was `done` or `failed`.",
    labels: ["job", "outcome"],
    buckets: LONG_SECONDS,
  },
  laurel_job_last_success_timestamp_seconds: {
    kind: "gauge",
    help: "When a job, or a part of its work, last ended well, in seconds since 1970. 0: not since the process began.",
    labels: ["job"],
    aggregator: "max",
  },
  laurel_job_lag_seconds: {
    kind: "gauge",
    help: "How long the work of a job that has waited longest has been waiting for its turn. 0: nothing waits.",
    labels: ["job"],
    aggregator: "max",
  },
  laurel_jobs_start_failures_total: {
    kind: "counter",
    help: "Times that a process could not start its jobs. It tries again every five seconds.",
  },
  laurel_webhook_attempts_total: {
    kind: "counter",
    help: "Attempts to deliver to a webhook: `delivered` or `failed`.",
    labels: ["outcome"],
  },
  laurel_webhook_lag_seconds: {
    kind: "histogram",
    help: "From the time that an attempt was due to its start.",
    buckets: LONG_SECONDS,
  },
  laurel_webhooks_switched_off_total: {
    kind: "counter",
    help: "Webhooks that were switched off because they had failed for a day.",
  },
  laurel_clock_skew_seconds: {
    kind: "gauge",
    help: "How far the clocks of this machine and of the database are apart, whichever is ahead.",
    aggregator: "max",
  },
  laurel_idempotency_mismatches_total: {
    kind: "counter",
    help: "Repeated requests whose answer could not be made again as it was sent.",
  },
  laurel_request_log_dropped_total: {
    kind: "counter",
    help: "Requests that were not written to the request log: there were too many, the database did not take them, or they were refused with 429.",
  },
} as const satisfies Record<string, Metric>;

const OUTCOMES = ["done", "failed"] as const;

type Name = keyof typeof METRICS;
type Of<K extends Metric["kind"]> = { [N in Name]: (typeof METRICS)[N]["kind"] extends K ? N : never }[Name];
const KINDS = { counter: Counter, gauge: Gauge, histogram: Histogram };

export type Metrics = ReturnType<typeof createMetrics>;

/** Counts for one process, in the form that Prometheus reads. */
export function createMetrics(registry = new Registry()) {
  collectDefaultMetrics({ register: registry });
  let measure = async () => {};
  let isMeasuring = false;
  // Whoever reads the numbers waits for no database: they get what the reading before has asked for.
  const collect = () => {
    if (isMeasuring) return;
    isMeasuring = true;
    void measure().finally(() => {
      isMeasuring = false;
    });
  };
  for (const [name, { kind, labels = [], ...rest }] of Object.entries<Metric>(METRICS)) {
    const asks = name === "laurel_clock_skew_seconds" && { collect };
    new KINDS[kind]({ ...(rest as { help: string }), name, labelNames: [...labels], registers: [registry], ...asks });
  }
  const counter = (name: Of<"counter">) => registry.getSingleMetric(name) as Counter;
  const gauge = (name: Of<"gauge">) => registry.getSingleMetric(name) as Gauge;
  const histogram = (name: Of<"histogram">) => registry.getSingleMetric(name) as Histogram;

  const requests = histogram("laurel_http_request_duration_seconds");
  const [sizes, waits] = [histogram("laurel_batch_commands"), histogram("laurel_batch_wait_seconds")];
  const [durations, lanes] = [histogram("laurel_batch_duration_seconds"), gauge("laurel_lanes_busy")];
  const [held, asked] = [gauge("laurel_connections_busy"), gauge("laurel_connections_waiting")];
  const [errors, holding] = [counter("laurel_errors_total"), histogram("laurel_connection_held_seconds")];
  const [jobs, jobsDone] = [
    histogram("laurel_job_duration_seconds"),
    gauge("laurel_job_last_success_timestamp_seconds"),
  ];
  const [attempts, lag] = [counter("laurel_webhook_attempts_total"), histogram("laurel_webhook_lag_seconds")];
  const [skew, jobLag] = [gauge("laurel_clock_skew_seconds"), gauge("laurel_job_lag_seconds")];
  // A series that is born with its first failure never rises, and no alert sees it.
  for (const outcome of ["delivered", "failed"]) attempts.inc({ outcome }, 0);
  const [redemptions, refusals] = [counter("laurel_redemptions_total"), counter("laurel_refusals_total")];
  return {
    registry,
    observeRequest: (operation: string, status: number, ms: number) => {
      requests.observe({ operation, status: `${status}` }, ms / 1000);
      if (status === 500) errors.inc();
    },
    /** A batch begins. What this gives is called at its end. */
    observeBatch: (flow: string, size: number, waitedMs: number) => {
      sizes.observe({ flow }, size);
      waits.observe({ flow }, waitedMs / 1000);
      lanes.inc();
      const end = durations.startTimer({ flow });
      return () => {
        lanes.dec();
        end();
      };
    },
    observeSetAside: (flow: string, count: number) => counter("laurel_batch_set_aside_total").inc({ flow }, count),
    countBatchFailure: () => counter("laurel_batch_failures_total").inc(),
    observeConnections: (busy: number, waiting: number) => {
      held.set(busy);
      asked.set(waiting);
    },
    /** An operation begins that has a connection. What this gives is called at its end. */
    observeHolding: (runs: "read" | "list" | "write") => holding.startTimer({ runs }),
    countCatalogLoad: (part: "all" | "changes") => counter("laurel_catalog_loads_total").inc({ part }),
    countRedemption: () => redemptions.inc(),
    countRefusal: (kind: string, reason: string) => refusals.inc({ kind, reason }),
    /** The jobs that there are, whether they run here or not: one that never ends well is seen as well. */
    expectJobs: (names: readonly string[]) => {
      for (const job of names) {
        for (const outcome of OUTCOMES) jobs.zero({ job, outcome });
        jobsDone.set({ job }, 0);
      }
    },
    observeJob: (job: string, seconds: number, isDone: boolean) => {
      jobs.observe({ job, outcome: OUTCOMES[isDone ? 0 : 1] }, seconds);
      if (isDone) jobsDone.setToCurrentTime({ job });
    },
    /** A part of what a job does ended well. A run may take hours. */
    observeJobPart: (job: string) => jobsDone.setToCurrentTime({ job }),
    countJobsNotStarted: () => counter("laurel_jobs_start_failures_total").inc(),
    /** What is asked of the database each time that somebody reads the numbers. It does not fail. */
    measureWith: (ask: () => Promise<void>) => {
      measure = ask;
    },
    observeClockSkew: (ms: number) => skew.set(Math.abs(ms) / 1000),
    /** Null: it could not be asked. An old number would say that all is well. */
    observeLag: (secondsOf: Readonly<Record<string, number>> | null) => {
      jobLag.reset();
      for (const [job, seconds] of Object.entries(secondsOf ?? {})) jobLag.set({ job }, seconds);
    },
    observeAttempt: (outcome: "delivered" | "failed", lagSeconds: number) => {
      attempts.inc({ outcome });
      lag.observe(Math.max(0, lagSeconds));
    },
    countWebhookOff: () => counter("laurel_webhooks_switched_off_total").inc(),
    countMismatch: () => counter("laurel_idempotency_mismatches_total").inc(),
    countDroppedRequests: (count: number) => counter("laurel_request_log_dropped_total").inc(count),
  };
}

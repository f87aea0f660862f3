import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** What this process counts, in the form that Prometheus reads. */
export function createMetrics(registry = new Registry()) {
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "laurel_http_request_duration_seconds",
    help: "Time to answer a request.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  });
  const batches = new Histogram({
    name: "laurel_batch_commands",
    help: "Commands that went together in one transaction.",
    labelNames: ["flow"],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [registry],
  });
  const failures = new Counter({
    name: "laurel_batch_failures_total",
    help: "Batches that failed for a reason that is not passing.",
    registers: [registry],
  });
  const setAside = new Counter({
    name: "laurel_batch_set_aside_total",
    help: "Commands that were set aside because somebody held a row or a key that they need.",
    labelNames: ["flow"],
    registers: [registry],
  });
  const mismatches = new Counter({
    name: "laurel_idempotency_mismatches_total",
    help: "Repeated requests whose answer could not be made again as it was sent.",
    registers: [registry],
  });
  const dropped = new Counter({
    name: "laurel_request_log_dropped_total",
    help: "Requests that were not written to the request log, because there were too many, the database did not take them, or they were refused with 429.",
    registers: [registry],
  });
  return {
    registry,
    countDroppedRequests: (count: number) => dropped.inc(count),
    countMismatch: () => mismatches.inc(),
    observeRequest: (operation: string, status: number, ms: number) =>
      requests.observe({ operation, status: `${status}` }, ms / 1000),
    observeBatch: (flow: string, size: number) => batches.observe({ flow }, size),
    observeSetAside: (flow: string, count: number) => setAside.inc({ flow }, count),
    countBatchFailure: () => failures.inc(),
  };
}

// What `laurel top` shows, worked out of two readings of /metrics. Pure: the same text gives the same figures.

type Sample = { name: string; labels: Readonly<Record<string, string>>; value: number };
export type MetricsReading = { at: number; samples: readonly Sample[] };

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The text that Prometheus reads, as samples. */
export function parseMetrics(text: string, at: number): MetricsReading {
  const samples = text.split("\n").flatMap((line): Sample[] => {
    const [, name, labels = "", value] = line.startsWith("#") ? [] : (LINE.exec(line) ?? []);
    if (!name) return [];
    return [
      {
        name,
        labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, key, text]) => [key, text])),
        value: Number(value),
      },
    ];
  });
  return { at, samples };
}

type Where = (labels: Sample["labels"]) => boolean;
const EVERY: Where = () => true;

const sum = ({ samples }: MetricsReading, name: string, where: Where = EVERY): number =>
  samples.reduce((total, one) => total + (one.name === name && where(one.labels) ? one.value : 0), 0);

/** How much a counter rose. A server that was started anew counts from zero. */
const rise = (before: MetricsReading, after: MetricsReading, name: string, where: Where = EVERY): number => {
  const [from, to] = [sum(before, name, where), sum(after, name, where)];
  return to >= from ? to - from : to;
};

/**
 * The time that a part of all took at most, in milliseconds: the border of the bucket, so "≤ 25 ms". Of 100 requests, 97
 * within 10 ms and 3 within 25 ms: the 99th took at most 25 ms. Null when there were none.
 */
function quantile(
  part: number,
  readings: [MetricsReading, MetricsReading],
  name: string,
  where: Where = EVERY,
): number | null {
  const borders = [
    ...new Set(readings[1].samples.filter((one) => one.name === `${name}_bucket`).map(({ labels }) => labels.le!)),
  ];
  const counts = borders
    .map((le) => ({
      le: Number(le.replace("+Inf", "Infinity")),
      count: rise(...readings, `${name}_bucket`, (labels) => labels.le === le && where(labels)),
    }))
    .sort((a, b) => a.le - b.le);
  const all = counts.at(-1)?.count ?? 0;
  return all === 0 ? null : counts.find(({ count }) => count >= part * all)!.le * 1000;
}

const REQUESTS = "laurel_http_request_duration_seconds";
const SHOWN = 10;

export type Figures = {
  perSecond: number;
  /** Of the answers: refused (4xx), and failed (5xx). */
  refused: number;
  failed: number;
  p50: number | null;
  p99: number | null;
  redemptions: number;
  operations: { name: string; perSecond: number; p50: number | null; p99: number | null; failed: number }[];
  flows: { name: string; perSecond: number; size: number; waitP99: number | null; p99: number | null }[];
  lanes: { busy: number; failures: number; aside: number };
  connections: { busy: number; waiting: number };
  jobs: { name: string; done: number; failed: number; agoSeconds: number | null }[];
  webhooks: { delivered: number; failed: number };
  memoryBytes: number;
  loopLagMs: number;
};

const namesOf = ({ samples }: MetricsReading, metric: string, label: string): string[] =>
  [...new Set(samples.filter(({ name }) => name === metric).map(({ labels }) => labels[label]!))].sort();

/** What happened between two readings. */
export function figuresOf(before: MetricsReading, after: MetricsReading): Figures {
  const seconds = Math.max(0.001, (after.at - before.at) / 1000);
  const both: [MetricsReading, MetricsReading] = [before, after];
  const count = (name: string, where?: Where) => rise(before, after, name, where);
  const status = (first: string) => count(`${REQUESTS}_count`, (labels) => labels.status!.startsWith(first)) / seconds;
  const operations = namesOf(after, `${REQUESTS}_count`, "operation").map((name) => {
    const where: Where = ({ operation }) => operation === name;
    return {
      name,
      perSecond: count(`${REQUESTS}_count`, where) / seconds,
      p50: quantile(0.5, both, REQUESTS, where),
      p99: quantile(0.99, both, REQUESTS, where),
      failed: count(`${REQUESTS}_count`, (labels) => where(labels) && labels.status!.startsWith("5")) / seconds,
    };
  });
  const flows = namesOf(after, "laurel_batch_commands_count", "flow").map((name) => {
    const where: Where = ({ flow }) => flow === name;
    const batches = count("laurel_batch_commands_count", where);
    return {
      name,
      perSecond: batches / seconds,
      size: batches === 0 ? 0 : count("laurel_batch_commands_sum", where) / batches,
      waitP99: quantile(0.99, both, "laurel_batch_wait_seconds", where),
      p99: quantile(0.99, both, "laurel_batch_duration_seconds", where),
    };
  });
  const outcome = (metric: string, wanted: string, where = EVERY) =>
    sum(after, metric, (labels) => labels.outcome === wanted && where(labels));
  const busiest = <T extends { perSecond: number }>(rows: readonly T[]) =>
    rows
      .filter(({ perSecond }) => perSecond > 0)
      .sort((a, b) => b.perSecond - a.perSecond)
      .slice(0, SHOWN);
  return {
    perSecond: count(`${REQUESTS}_count`) / seconds,
    refused: status("4"),
    failed: status("5"),
    p50: quantile(0.5, both, REQUESTS),
    p99: quantile(0.99, both, REQUESTS),
    redemptions: count("laurel_redemptions_total") / seconds,
    operations: busiest(operations),
    flows: busiest(flows),
    lanes: {
      busy: sum(after, "laurel_lanes_busy"),
      failures: count("laurel_batch_failures_total"),
      aside: count("laurel_batch_set_aside_total") / seconds,
    },
    connections: { busy: sum(after, "laurel_connections_busy"), waiting: sum(after, "laurel_connections_waiting") },
    jobs: namesOf(after, "laurel_job_duration_seconds_count", "job").map((name) => {
      const where: Where = ({ job }) => job === name;
      const last = sum(after, "laurel_job_last_success_timestamp_seconds", where);
      return {
        name,
        done: outcome("laurel_job_duration_seconds_count", "done", where),
        failed: outcome("laurel_job_duration_seconds_count", "failed", where),
        agoSeconds: last === 0 ? null : Math.max(0, Math.round(after.at / 1000 - last)),
      };
    }),
    webhooks: {
      delivered: outcome("laurel_webhook_attempts_total", "delivered"),
      failed: outcome("laurel_webhook_attempts_total", "failed"),
    },
    memoryBytes: sum(after, "process_resident_memory_bytes"),
    loopLagMs: sum(after, "nodejs_eventloop_lag_p99_seconds") * 1000,
  };
}

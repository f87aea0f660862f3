import { setTimeout as wait } from "node:timers/promises";
import { withinTime } from "../db/batches/commit.ts";
import type { Job, JobCtx } from "./job.ts";

const SCHEMA = "laurel_jobs";
const POLL_S = 5;
const STOP_MS = 10_000;
const AGAIN_MS = 5_000;

type Log = { error(fields: object, message: string): void };
type WorkerCtx = JobCtx & {
  log: Log;
  /** Told of each run of a job, of each part of one that ended well, and of each start that failed. */
  observe?: (job: string, seconds: number, isDone: boolean) => void;
  observePart?: (job: string) => void;
  countNotStarted?: () => void;
};

/**
 * Ticks the jobs of this process. pg-boss keeps the time and sees to it that one of several processes takes each tick;
 * what is due stands in our own tables. A start that `signal` ends leaves out what it has not begun.
 */
export async function startWorker(
  databaseUrl: string,
  { jobs, pollSeconds = POLL_S }: { jobs: readonly Job[]; pollSeconds?: number },
  c: WorkerCtx,
  signal?: AbortSignal,
) {
  // Loaded here: the server listens before its jobs need a queue.
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({ connectionString: databaseUrl, schema: SCHEMA, max: 2, application_name: "laurel jobs" });
  boss.on("error", (error) => c.log.error({ err: error }, "the job queue has a problem"));
  await boss.start();
  const ending = new AbortController();
  const run = async (job: Job) => {
    const began = performance.now();
    const observe = (isDone: boolean) => c.observe?.(job.name, (performance.now() - began) / 1000, isDone);
    try {
      await job.run({ ...c, signal: ending.signal, progress: () => c.observePart?.(job.name) });
      observe(true);
    } catch (error) {
      observe(false);
      c.log.error({ err: error, job: job.name }, "a job failed; it is tried again");
      throw error;
    }
  };
  const loops: Promise<void>[] = [];
  for (const job of jobs) {
    if (signal?.aborted) break;
    if ("everyMs" in job) {
      loops.push(repeat(() => run(job), job.everyMs, ending.signal));
      continue;
    }
    await boss.createQueue(job.name, { retryLimit: 3, retryDelay: 1, retryBackoff: true, deleteAfterSeconds: 3600 });
    await boss.schedule(job.name, job.cron);
    await boss.work(job.name, { pollingIntervalSeconds: pollSeconds }, () => run(job));
  }
  // A job of an earlier version that is gone would be ticked for ever, and nobody would take it.
  const names = new Set(jobs.map(({ name }) => name));
  const schedules = signal?.aborted ? [] : await boss.getSchedules();
  for (const { name } of schedules) if (!names.has(name)) await boss.unschedule(name);
  return {
    stop: async () => {
      ending.abort();
      await Promise.all([
        boss.stop({ graceful: true, timeout: STOP_MS, close: true }),
        withinTime(STOP_MS, Promise.all(loops)),
      ]);
    },
  };
}

/**
 * Starts the worker beside a server that answers already, and tries again while it cannot: checkouts go on without jobs.
 * `started` holds once they run, or were stopped.
 */
export function keepWorker(databaseUrl: string, work: { jobs: readonly Job[] }, c: WorkerCtx) {
  const ending = new AbortController();
  const start = async () => {
    while (!ending.signal.aborted) {
      try {
        return await startWorker(databaseUrl, work, c, ending.signal);
      } catch (error) {
        c.countNotStarted?.();
        c.log.error({ err: error }, "the jobs could not be started; this is tried again");
        await wait(AGAIN_MS, undefined, { signal: ending.signal }).catch(() => {});
      }
    }
    return null;
  };
  const started = start();
  return {
    started,
    stop: async () => {
      ending.abort();
      await (await started)?.stop();
    },
  };
}

async function repeat(run: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // It was logged, and the next run tries again.
    await run().catch(() => {});
    await wait(everyMs, undefined, { signal }).catch(() => {});
  }
}

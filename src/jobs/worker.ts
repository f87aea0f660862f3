import { PgBoss } from "pg-boss";
import type { Job, JobCtx } from "./job.ts";

const SCHEMA = "laurel_jobs";
const POLL_S = 5;
const STOP_MS = 10_000;

type Log = { error(fields: object, message: string): void };

/**
 * Ticks the jobs of this process. pg-boss keeps the time and sees to it that one of several processes takes each tick;
 * what is due stands in our own tables.
 */
export async function startWorker(
  databaseUrl: string,
  { jobs, pollSeconds = POLL_S }: { jobs: readonly Job[]; pollSeconds?: number },
  c: JobCtx & { log: Log },
) {
  const boss = new PgBoss({ connectionString: databaseUrl, schema: SCHEMA, max: 2, application_name: "laurel jobs" });
  boss.on("error", (error) => c.log.error({ err: error }, "the job queue has a problem"));
  await boss.start();
  for (const job of jobs) {
    await boss.createQueue(job.name, { retryLimit: 3, retryDelay: 1, retryBackoff: true, deleteAfterSeconds: 3600 });
    await boss.schedule(job.name, job.cron);
    await boss.work(job.name, { pollingIntervalSeconds: pollSeconds }, async () => {
      try {
        await job.run(c);
      } catch (error) {
        c.log.error({ err: error, job: job.name }, "a job failed; it is tried again");
        throw error;
      }
    });
  }
  return { stop: () => boss.stop({ graceful: true, timeout: STOP_MS, close: true }) };
}

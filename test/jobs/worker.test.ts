import assert from "node:assert/strict";
import { test } from "node:test";
import { PgBoss } from "pg-boss";
import type { Job } from "../../src/jobs/job.ts";
import { startWorker } from "../../src/jobs/worker.ts";
import { newId, testDatabase } from "../support.ts";

const { db, url } = await testDatabase();

test("a tick runs its job once over two workers, and a job that fails is tried again", async () => {
  let [runs, fails] = [0, 1];
  const ran = Promise.withResolvers<void>();
  const job: Job = {
    name: "count-runs",
    cron: "0 0 1 1 *",
    run: async () => {
      if (fails-- > 0) throw new Error("planted");
      runs += 1;
      ran.resolve();
    },
  };
  const logged: string[] = [];
  const c = {
    db,
    now: () => "2026-01-01T00:00:00.000Z",
    newId,
    log: { error: (_: object, text: string) => void logged.push(text) },
  };
  const workers = [
    await startWorker(url, { jobs: [job], pollSeconds: 0.5 }, c),
    await startWorker(url, { jobs: [job], pollSeconds: 0.5 }, c),
  ];
  const boss = new PgBoss({ connectionString: url, schema: "laurel_jobs", max: 1, supervise: false, schedule: false });
  boss.on("error", () => {});
  await boss.start();
  await boss.send(job.name, {});
  await ran.promise;
  await Promise.all(workers.map((worker) => worker.stop()));
  await boss.stop({ graceful: false, close: true });
  assert.equal(runs, 1);
  assert.deepEqual(logged, ["a job failed; it is tried again"]);
});

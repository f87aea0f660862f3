import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { PgBoss } from "pg-boss";
import type { Job } from "../../src/jobs/job.ts";
import { keepWorker, startWorker } from "../../src/jobs/worker.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";

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
    random: Buffer.alloc,
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

test("a job with a pause runs again and again, also after it failed, and hears when its process ends", async () => {
  let [runs, ended] = [0, false];
  const third = Promise.withResolvers<void>();
  const job: Job = {
    name: "look-often",
    everyMs: 1,
    run: async ({ signal }) => {
      runs += 1;
      if (runs === 1) throw new Error("planted");
      if (runs < 3) return;
      const aborted = once(signal!, "abort");
      third.resolve();
      await aborted;
      ended = true;
    },
  };
  const logged: string[] = [];
  const log = { error: (_: object, text: string) => void logged.push(text) };
  const worker = await startWorker(url, { jobs: [job] }, { db, now: () => NOW, newId, random: Buffer.alloc, log });
  await third.promise;
  await worker.stop();
  assert.deepEqual([runs, ended], [3, true]);
  assert.deepEqual(logged, ["a job failed; it is tried again"]);
});

test("parts of a job that end well are told, so that a run of hours is not taken for one that stands", async () => {
  const told: unknown[] = [];
  const over = Promise.withResolvers<void>();
  const job: Job = {
    name: "work-long",
    everyMs: 1,
    run: async ({ progress, signal }) => {
      progress!();
      over.resolve();
      await once(signal!, "abort");
    },
  };
  const c = {
    ...{ db, now: () => NOW, newId, random: Buffer.alloc, log: { error: () => {} } },
    observe: () => told.push("ended"),
    observePart: (name: string) => told.push(name),
  };
  const worker = await startWorker(url, { jobs: [job] }, c);
  await over.promise;
  assert.deepEqual(told, ["work-long"]);
  await worker.stop();
});

test("a job that a later version does not have is ticked no more", async () => {
  const job = (name: string): Job => ({ name, cron: "0 0 1 1 *", run: async () => {} });
  const c = { db, now: () => NOW, newId, random: Buffer.alloc, log: { error: () => {} } };
  const ticked = async (names: readonly string[]) => {
    const worker = await startWorker(url, { jobs: names.map(job) }, c);
    await worker.stop();
    return (await db`select name from laurel_jobs.schedule order by name`).map(({ name }) => name);
  };
  assert.deepEqual(await ticked(["kept", "gone"]), ["gone", "kept"]);
  assert.deepEqual(await ticked(["kept"]), ["kept"]);
});

test("jobs that are stopped while they start begin nothing, and a database that is away is told and waited for", async () => {
  const told = Promise.withResolvers<string>();
  const log = { error: (_: object, text: string) => told.resolve(text) };
  let failed = 0;
  const countNotStarted = () => {
    failed += 1;
  };
  const c = { db, now: () => NOW, newId, random: Buffer.alloc, log, countNotStarted };
  const jobs: Job[] = [{ name: "never-begun", cron: "0 0 1 1 *", run: async () => {} }];
  await keepWorker(url, { jobs }, c).stop();
  assert.deepEqual([...(await db`select name from laurel_jobs.schedule where name = 'never-begun'`)], []);
  const away = keepWorker("postgres://nobody@127.0.0.1:1/none", { jobs }, c);
  assert.match(await told.promise, /the jobs could not be started/);
  assert.equal(failed, 1);
  await away.stop();
  assert.equal(await away.started, null);
});

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { figuresOf, parseMetrics } from "../../src/cli/top/figures.ts";
import { screenOf } from "../../src/cli/top/screen.ts";
import { eventually, headersIn, laurel, serve, start, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

const LE = ["0.01", "0.025", "+Inf"];
const requests = (operation: string, status: number, counts: number[]) =>
  [
    ...LE.map(
      (le, n) =>
        `laurel_http_request_duration_seconds_bucket{le="${le}",operation="${operation}",status="${status}"} ${counts[n]}`,
    ),
    `laurel_http_request_duration_seconds_count{operation="${operation}",status="${status}"} ${counts.at(-1)}`,
  ].join("\n");

test("rates and quantiles are of the time between two readings", () => {
  const before = parseMetrics(`# HELP x y\n${requests("redeem", 200, [100, 100, 100])}\nlaurel_lanes_busy 3`, 10_000);
  const after = parseMetrics(
    [
      requests("redeem", 200, [197, 200, 200]),
      requests("list", 500, [0, 0, 2]),
      "laurel_redemptions_total 40",
      "laurel_lanes_busy 1",
      'laurel_job_duration_seconds_count{job="purge",outcome="done"} 4',
      'laurel_job_last_success_timestamp_seconds{job="purge"} 15',
    ].join("\n"),
    20_000,
  );
  const figures = figuresOf(before, after);
  assert.equal(figures.perSecond, 10.2);
  assert.equal(figures.failed, 0.2);
  assert.deepEqual(
    figures.operations.map(({ name, perSecond, p50, p99 }) => [name, perSecond, p50, p99]),
    [
      ["redeem", 10, 10, 25],
      ["list", 0.2, Infinity, Infinity],
    ],
  );
  assert.equal(figures.redemptions, 4);
  assert.deepEqual(figures.lanes, { busy: 1, failures: 0, aside: 0 });
  assert.deepEqual(figures.jobs, [{ name: "purge", done: 4, failed: 0, agoSeconds: 5 }]);
  assert.equal(figuresOf(after, before).redemptions, 0, "a server that was started anew counts from zero");
  const lines = screenOf(figures, null, { url: "http://x", time: "12:00", width: 60 });
  assert.ok(lines.every((line) => line.length <= 60));
  assert.ok(
    lines.some((line) => /redeem +10\.0 +≤ 10\.0 ms +≤ 25\.0 ms/.test(line)),
    lines.join("\n"),
  );
});

test("laurel top starts without a database, goes on while the server is away, and ends with Ctrl-C", async () => {
  const answers = http.createServer((_, reply) => reply.end("laurel_lanes_busy 3\n"));
  const listen = async (port: number) => {
    await once(answers.listen(port, "127.0.0.1"), "listening");
    return (answers.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none";
  const top = start(["top", "--interval", "1", "--url", `http://127.0.0.1:${port}`], { DATABASE_URL });
  /** What it has shown since the last time that it was asked. */
  let from = 0;
  const shows = async (pattern: RegExp) => {
    const isShown = () => pattern.test(top.seen.stdout.slice(from));
    await eventually(() => isShown() || top.child.exitCode !== null, `${pattern}`);
    assert.ok(isShown(), `${pattern}, and not ${top.seen.stdout.slice(from)}${top.seen.stderr}`);
    from = top.seen.stdout.length;
  };
  await shows(/Lanes +3 busy[\s\S]*Database +not asked: it could not be reached/);
  answers.close();
  answers.closeAllConnections();
  await shows(/No server answers at .*--url[\s\S]*Database +not asked/);
  await listen(port);
  await shows(/Lanes +3 busy/);
  top.child.kill("SIGINT");
  const { code, stderr } = await top.ended;
  assert.deepEqual([code, stderr], [0, ""]);
  answers.close();
  answers.closeAllConnections();
});

test("laurel top shows a real server, and says what to do when there is none", async () => {
  const { url: DATABASE_URL, open, db } = await testDatabase();
  const LAUREL_DATA_DIR = tempDir();
  const server = await serve({ DATABASE_URL, LAUREL_DATA_DIR });
  // It is slow when the first picture is taken, and until it is ended.
  const sleeping = open({ max: 1, statementTimeoutMs: 0 })`select pg_sleep(86400), ${"a value"}::text`;
  const slept = assert.rejects(sleeping.execute(), { code: "57014" });
  await eventually(
    async () =>
      (await db`select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`).length > 0,
    "it sleeps",
  );
  const top = laurel(["top", "--once", "--interval", "2", "--url", server.url], { DATABASE_URL, LAUREL_DATA_DIR });
  const headers = headersIn(join(LAUREL_DATA_DIR, "credentials/app.headers"));
  let isOver = false;
  void top.finally(() => {
    isOver = true;
  });
  while (!isOver) assert.equal((await fetch(`${server.url}/v1/categories`, { headers })).status, 200);
  const { code, stdout, stderr } = await top;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Requests +(?!0\/s)[\d.]+\/s/);
  assert.match(stdout, /listCategories/);
  assert.match(stdout, /\d+ of \d+ connections/);
  const row = /^ {2}select pg_sleep\(86400\), \$1::text +active +Timeout PgSleep +(\d+)$/m.exec(stdout);
  assert.ok(Number(row?.[1]) > 100, stdout);
  sleeping.cancel();
  await slept;
  await server.stop();
  const none = await laurel(["top", "--once", "--url", server.url], { DATABASE_URL, LAUREL_DATA_DIR });
  assert.equal(none.code, 2);
  assert.match(none.stderr, /No server answers at .*--url/);
  const wrong = await laurel(["top", "--interval", "soon"], { DATABASE_URL, LAUREL_DATA_DIR });
  assert.equal(wrong.code, 2);
});

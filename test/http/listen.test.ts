import assert from "node:assert/strict";
import http from "node:http";
import { platform } from "node:process";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import fastify from "fastify";
import { listen } from "../../src/http/listen.ts";

const HOST = "127.0.0.1";
const CLIENTS = 500;
/** Connects, which the system does alone, and tells when all are connected. */
const CONNECT = `
  const { port, clients, done } = require("node:worker_threads").workerData;
  let connected = 0;
  for (let n = 0; n < clients; n += 1)
    require("node:net").connect(port, "${HOST}", () => {
      connected += 1;
      if (connected < clients) return;
      Atomics.store(done, 0, 1);
      Atomics.notify(done, 0);
    });`;

const portOf = (url: string) => Number(new URL(url).port);

test("of clients that come while the process is busy, many are accepted in a turn of its loop", {
  skip: platform !== "linux" && "this system has one socket that listens",
}, async () => {
  const app = fastify();
  let accepted = 0;
  app.server.on("connection", () => {
    accepted += 1;
  });
  const port = portOf(await listen(app, { host: HOST, port: 0 }));
  const done = new Int32Array(new SharedArrayBuffer(4));
  const clients = new Worker(CONNECT, { eval: true, workerData: { port, clients: CLIENTS, done } });
  Atomics.wait(done, 0, 0);
  let turns = 0;
  for (; accepted < CLIENTS && turns < CLIENTS; turns += 1) await turn();
  await clients.terminate();
  await app.close();
  // With one socket it is one in each turn. How connections are spread is by chance: 9 turns as a rule.
  assert.ok(turns < CLIENTS / 10, `${turns} turns`);
});

test("a port that somebody listens on is refused", async () => {
  const [first, second] = [fastify(), fastify()];
  const port = portOf(await listen(first, { host: HOST, port: 0 }));
  await assert.rejects(listen(second, { host: HOST, port }), { code: "EADDRINUSE" });
  await second.close();
  await first.close();
});

test("closing waits for every request under way, whichever socket its connection came by", async () => {
  const app = fastify();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: allHere, resolve: come } = Promise.withResolvers<void>();
  let here = 0;
  app.get("/", async () => {
    here += 1;
    if (here === 50) come();
    await released;
    return "done";
  });
  const port = portOf(await listen(app, { host: HOST, port: 0 }));
  const statuses = Array.from(
    { length: 50 },
    () =>
      new Promise<number>((resolve, reject) => {
        http
          .get({ host: HOST, port, agent: false }, (reply) => {
            reply.resume();
            resolve(reply.statusCode!);
          })
          .once("error", reject);
      }),
  );
  await allHere;
  let isClosed = false;
  const closing = app.close().then(() => {
    isClosed = true;
  });
  for (let n = 0; n < 20; n += 1) await turn();
  assert.equal(isClosed, false);
  release();
  assert.deepEqual(new Set(await Promise.all(statuses)), new Set([200]));
  await closing;
});

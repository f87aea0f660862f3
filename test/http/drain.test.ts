import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";
import { eventually, type Served, serve, tempDir } from "../support/child.ts";
import { testDatabase, testProject } from "../support/engine.ts";
import { lockWaits } from "../support/nodes.ts";
import { sender } from "../support/two-servers.ts";

// What a supervisor sees when it asks a server to end. The times are long: nothing here ends because they are over.
const { db, url: databaseUrl } = await testDatabase();
const LONG_S = "600";
const env = { DATABASE_URL: databaseUrl, LAUREL_DATA_DIR: tempDir(), LAUREL_JOBS: "off" };

type Seen = { status: number; connection: string | undefined; details: string | undefined };

/** Asks over a connection that is new, or over one of the agent. */
const ask = (server: Served, path: string, agent: http.Agent | false = false) =>
  new Promise<Seen>((resolve, reject) => {
    const sent = http.get(
      server.url + path,
      agent === false ? { agent, headers: { connection: "keep-alive" } } : { agent },
    );
    sent.once("error", reject);
    sent.once("response", async (reply) => {
      const text = (await reply.toArray()).join("");
      const body = text.startsWith("{") ? JSON.parse(text) : {};
      resolve({ status: reply.statusCode!, connection: reply.headers.connection, details: body.details });
    });
  });

/** Sends the signal until the process is gone: one that comes right after another means the same. */
async function insist(server: Served, signal: NodeJS.Signals) {
  let isGone = false;
  void server.ended.then(() => {
    isGone = true;
  });
  await eventually(() => {
    if (!isGone) void server.stop(signal);
    return isGone;
  }, "it ends");
  return (await server.ended).code;
}

for (const processes of ["1", "2"])
  test(`SIGTERM, ${processes} processes: not ready at once, the port stays open, connections are closed politely`, async () => {
    const server = await serve({ ...env, LAUREL_PROCESSES: processes, LAUREL_DRAIN_S: LONG_S });
    await eventually(async () => (await ask(server, "/health/ready")).status === 200, "it is ready");
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal((await ask(server, "/health/live", agent)).connection, "keep-alive");
    process.kill(server.pid, "SIGTERM");
    const isDraining = async () => {
      const { status, details } = await ask(server, "/health/ready");
      return status === 503 && details === "The server is shutting down";
    };
    // Each of several processes has heard of it.
    for (let n = 0; n < Number(processes) * 2; n += 1) await eventually(isDraining, "it is not ready");
    const kept = await ask(server, "/health/live", agent);
    assert.deepEqual([kept.status, kept.connection], [200, "close"]);
    const other = await ask(server, "/v1/categories");
    assert.deepEqual([other.status, other.connection], [401, "close"], "a new connection is answered");
    agent.destroy();
    assert.equal(await insist(server, "SIGTERM"), 1, "a second signal ends it at once");
  });

test("SIGTERM ends a server with the exit code 0 when its time to drain is over", async () => {
  const server = await serve({ ...env, LAUREL_DRAIN_S: "1" });
  assert.equal((await server.stop("SIGTERM")).code, 0);
});

for (const processes of ["1", "2"])
  test(`Ctrl-C, ${processes} processes: it does not wait`, async () => {
    const server = await serve({ ...env, LAUREL_PROCESSES: processes, LAUREL_DRAIN_S: LONG_S });
    assert.equal((await server.stop("SIGINT")).code, 0);
  });

test("SIGTERM: what waits behind its answer is written before the connections are closed", async () => {
  const project = await testProject(db);
  const server = await serve({ ...env, LAUREL_PROCESSES: "1" });
  const send = sender([server], project);
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const made = await send({ line: "POST /v1/vouchers/TEN", body: { discount: { type: "PERCENT", percent_off: 10 } } });
  assert.equal(made.status, 200, made.text);
  const isWaiting = async () => (await lockWaits(db)) > 0;
  let isGone = false;
  void server.ended.then(() => {
    isGone = true;
  });
  const { id } = await db.begin(async (tx) => {
    await tx`lock table validations in share row exclusive mode`;
    const validation = { line: "POST /v1/validations", body: { redeemables, order: { amount: 1000 } } };
    const { status, body, text } = await send(validation);
    assert.equal(status, 200, text);
    await eventually(isWaiting, "its record waits for the table");
    process.kill(server.pid, "SIGTERM");
    const isClosed = () =>
      ask(server, "/health/live").then(
        () => false,
        (error) => error.code === "ECONNREFUSED",
      );
    await eventually(isClosed, "the port is closed");
    // Its connection is lost, twice: it is tried again on another one, which only an open pool gives.
    for (let n = 0; n < 2; n += 1) {
      await db`
        select pg_terminate_backend(pid, 600000) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(async () => isGone || (await isWaiting()), "it is tried again");
      assert.equal(isGone, false, "the process has not ended");
    }
    return body;
  });
  assert.equal((await server.ended).code, 0);
  const rows = await db`select id from validations where project_id = ${project.id}`;
  assert.deepEqual(
    rows.map((row) => row.id),
    [id],
  );
});

const CLIENTS = 1_500;
const SOMAXCONN = "/proc/sys/net/core/somaxconn";
const queueMax = fs.existsSync(SOMAXCONN) ? Number(fs.readFileSync(SOMAXCONN, "utf8")) : 0;

test("clients that come at once are let in by the system while the process is busy", {
  skip: queueMax < CLIENTS && "this system lets fewer connections wait",
}, async () => {
  const server = await serve({ ...env, LAUREL_PROCESSES: "1" });
  // Whoever finds no place is not told: its connection is tried again and again, and ends with an error in the end.
  process.kill(server.pid, "SIGSTOP");
  const { hostname: host, port } = new URL(server.url);
  const sockets = Array.from({ length: CLIENTS }, () => net.connect({ host, port: Number(port) }));
  try {
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
  } finally {
    process.kill(server.pid, "SIGCONT");
    for (const socket of sockets) socket.destroy();
  }
  assert.equal((await ask(server, "/health/live")).status, 200);
  assert.equal((await server.stop("SIGINT")).code, 0);
});

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { RETRY_MINUTES } from "../../src/core/webhooks/retries.ts";
import { recordAll } from "../../src/events/events.ts";
import { createSendWebhooks } from "../../src/jobs/send-webhooks.ts";
import { createTransport } from "../../src/webhooks/transport.ts";
import { NOW, newId, secretBox, testDatabase } from "../support/engine.ts";
import { startReceiver } from "../support/receiver.ts";
import { until } from "../support/storage.ts";
import { listeningShop } from "../support/webhook-story.ts";

const { db } = await testDatabase();
const minutesLater = (minutes: number) => new Date(Date.parse(NOW) + minutes * 60_000).toISOString();

/** A project whose webhook leads to a receiver, and a process that sends. */
async function world(events: string[] = ["customer.created", "customer.updated"], path = "") {
  const receiver = await startReceiver();
  const shop = await listeningShop(db, events);
  const target_url = `${receiver.url}${path}`;
  const headers = { "x-shop": "berlin" };
  await shop.ok(`PUT ${shop.path}/${shop.webhook.id}`, { target_url, events, headers });
  const clock = { now: NOW };
  const job = (limitMs = 5_000) => {
    const errors: unknown[] = [];
    const log = { error: (fields: object) => void errors.push(fields) };
    const transport = createTransport({ allow: "loopback", limitMs });
    const own = createSendWebhooks({ secretBox, transport, userAgent: "Laurel/test", log });
    const c = { db, now: () => clock.now, newId, random: randomBytes };
    return {
      tick: () => own.run(c),
      /** Sends all that is due, and waits until it is sent. */
      send: async () => {
        await own.run(c);
        await own.idle();
        assert.deepEqual(errors, []);
      },
    };
  };
  const deliveries = () =>
    db`select * from webhook_deliveries where project_id = ${shop.project.id} order by number, id`;
  const attempts = () =>
    db`select * from webhook_attempts where project_id = ${shop.project.id} order by created_at, delivery_id, number`;
  const webhook = () => shop.ok(`GET ${shop.path}/${shop.webhook.id}`);
  return { ...shop, webhook_id: shop.webhook.id, receiver, clock, job, deliveries, attempts, webhook };
}

test("an event is sent once, as it was written, signed twice, and the attempt is kept", async () => {
  const { ok, project, receiver, job, told, attempts, deliveries, webhook } = await world(undefined, "/hooks?a=b");
  const { send } = job();
  receiver.answer = () => ({ status: 202, body: "x".repeat(5_000) });
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann Ⓐ" });
  await ok("PUT /v1/customers/ann", { name: "Anna" });
  await send();
  await send();
  assert.equal(receiver.received.length, 2);
  assert.deepEqual(receiver.bodies(), await told());
  const [first] = receiver.received;
  const { webhook_token } = await ok(`GET /management/v1/projects/${project.id}`);
  const { headers, body, path } = first!;
  assert.equal(path, "/hooks?a=b");
  assert.equal(headers["x-shop"], "berlin");
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["user-agent"], "Laurel/test");
  assert.equal(headers["x-voucherify-signature"], createHmac("sha256", webhook_token).update(body).digest("hex"));
  assert.equal(headers["webhook-id"], JSON.parse(body).id);
  assert.equal(headers["webhook-timestamp"], String(Date.parse(NOW) / 1000));
  const signed = new Webhook(webhook_token, { format: "raw" }).sign(headers["webhook-id"]!, new Date(NOW), body);
  assert.equal(headers["webhook-signature"], signed);
  const [kept] = await attempts();
  assert.deepEqual([kept!.number, kept!.status_code, kept!.error], [1, 202, null]);
  assert.equal(kept!.answer, "x".repeat(4_096));
  assert.equal(kept!.headers["x-shop"], "berlin");
  assert.equal(kept!.target_url, (await webhook()).target_url);
  assert.ok(kept!.latency_ms >= 0);
  assert.deepEqual(
    (await deliveries()).map(({ status, attempts: count, due_at }) => [status, count, due_at]),
    [
      ["DELIVERED", 1, null],
      ["DELIVERED", 1, null],
    ],
  );
});

test("what is not taken is sent twelve times more, at its times, the same to the byte; then the webhook is off", async () => {
  const { ok, receiver, job, clock, attempts, deliveries, webhook, project, path } = await world();
  const { send } = job();
  const failing = async () => (await ok(`GET ${path}/failing`)).data;
  assert.deepEqual(await failing(), []);
  receiver.answer = () => ({ status: 500, body: "broken" });
  await ok("POST /v1/customers", { source_id: "ann" });
  await send();
  const { id, target_url, events: types } = await webhook();
  const shown = { id, target_url, failed: 1, deliveries: 1, object: "failing_webhook" };
  assert.deepEqual(await failing(), [{ ...shown, reason: "FAILING", switched_off_at: null }]);
  for (const [n, minutes] of RETRY_MINUTES.entries()) {
    clock.now = new Date(Date.parse(minutesLater(minutes)) - 1).toISOString();
    await send();
    assert.equal(receiver.received.length, n + 1, `nothing before ${minutes} minutes`);
    assert.equal((await webhook()).active, true);
    clock.now = minutesLater(minutes);
    await send();
    assert.equal(receiver.received.length, n + 2, `again after ${minutes} minutes`);
  }
  assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 1);
  assert.deepEqual(
    (await attempts()).map(({ number, status_code }) => [number, status_code]),
    Array.from({ length: 13 }, (_, n) => [n + 1, 500]),
  );
  const [{ status, due_at }] = (await deliveries()) as any;
  assert.deepEqual([status, due_at], ["FAILED", null]);
  assert.equal((await webhook()).active, false);
  const events =
    await db`select kind, payload from events where project_id = ${project.id} and kind = 'webhook.deactivated'`;
  assert.equal(events.length, 1);
  const [entry] = (await ok("GET /v1/audit-log?kind=webhook")).data;
  assert.deepEqual([entry.action, entry.actor], ["UPDATED", { type: "engine", id: "send-webhooks", name: null }]);
  const { before, after } = await ok(`GET /v1/audit-log/${entry.id}`);
  assert.deepEqual([before.active, after.active], [true, false]);
  assert.deepEqual((await ok("GET /v1/audit-log?actor_type=engine")).data, [entry]);
  await ok("POST /v1/customers", { source_id: "later" });
  assert.equal((await deliveries()).length, 1, "it does not listen any more");
  assert.deepEqual(await failing(), [{ ...shown, reason: "SWITCHED_OFF", switched_off_at: entry.created_at }]);
  // Whoever switches it off need not be told that it is.
  for (const active of [true, false]) await ok(`PUT ${path}/${id}`, { target_url, events: types, active });
  assert.deepEqual(await failing(), []);
});

test("after a pause one retry is made, and the others keep their distance", async () => {
  const { ok, receiver, job, clock, webhook } = await world();
  const { send } = job();
  receiver.answer = () => ({ status: 500 });
  await ok("POST /v1/customers", { source_id: "ann" });
  await send();
  // Nobody sends for three days.
  clock.now = minutesLater(3 * 1440);
  for (let n = 0; n < 15; n += 1) await send();
  assert.equal(receiver.received.length, 2, "the retries that were missed are not made one after the other");
  assert.equal((await webhook()).active, true);
  for (let n = 0; n < 1440 * 2 && (await webhook()).active; n += 60) {
    clock.now = minutesLater(3 * 1440 + n);
    await send();
  }
  assert.equal(receiver.received.length, 13, "all of them are made in the end");
});

test("a webhook that is switched on sends what waits at once, with all retries again", async () => {
  const { ok, receiver, job, clock, webhook, deliveries, path } = await world();
  const { send } = job();
  receiver.answer = () => ({ status: 500 });
  await ok("POST /v1/customers", { source_id: "ann" });
  await send();
  for (const minutes of RETRY_MINUTES.slice(0, 9)) {
    clock.now = minutesLater(minutes);
    await send();
  }
  const { id, target_url, events } = await webhook();
  await ok(`PUT ${path}/${id}`, { target_url, events, active: false });
  await ok(`PUT ${path}/${id}`, { target_url, events, active: false });
  clock.now = minutesLater(300);
  await send();
  assert.equal(receiver.received.length, 10, "nothing is sent while it is off");
  await ok(`PUT ${path}/${id}`, { target_url, events, active: true });
  await send();
  assert.equal(receiver.received.length, 11);
  assert.equal(
    new Date((await deliveries())[0]!.due_at as string).toISOString(),
    minutesLater(301),
    "as after a first attempt",
  );
  await ok(`PUT ${path}/${id}`, { target_url, events, active: true });
  await send();
  assert.equal(receiver.received.length, 11, "one that is on stays as it is");
});

test("a failure in between is made good by a retry, and nothing else is sent again", async () => {
  const { ok, receiver, job, clock, deliveries } = await world();
  const { send } = job();
  let isBroken = true;
  receiver.answer = () => ({ status: isBroken ? 503 : 200 });
  await ok("POST /v1/customers", { source_id: "ann" });
  await send();
  isBroken = false;
  await ok("POST /v1/customers", { source_id: "bob" });
  await send();
  assert.deepEqual((await deliveries()).map(({ status }) => status).sort(), ["DELIVERED", "WAITING"]);
  clock.now = minutesLater(1);
  await send();
  clock.now = minutesLater(60);
  await send();
  assert.deepEqual(
    (await deliveries()).map(({ status }) => status),
    ["DELIVERED", "DELIVERED"],
  );
  assert.equal(receiver.received.length, 3);
});

test("a redirect is not followed, an endless answer is cut off, and silence is a failure", async () => {
  const { ok, receiver, job, attempts, clock } = await world();
  const other = await startReceiver();
  // As long as a busy machine may need for ten megabytes.
  const { send } = job(4_000);
  receiver.answer = () => ({ status: 302, headers: { location: other.url } });
  await ok("POST /v1/customers", { source_id: "ann" });
  await send();
  clock.now = minutesLater(1);
  receiver.answer = () => ({ status: 200, body: "y".repeat(10_000_000) });
  await send();
  await ok("PUT /v1/customers/ann", { name: "Anna" });
  clock.now = minutesLater(2);
  receiver.answer = () => ({ hangs: true });
  await send();
  receiver.letGo();
  assert.deepEqual(
    (await attempts()).map(({ status_code, error, answer }) => [status_code, error, answer.length]),
    [
      [302, null, 0],
      [200, null, 4_096],
      [null, "No answer within 4 seconds", 0],
    ],
  );
  assert.equal(other.received.length, 0);
});

test("first attempts for an object come in the order of its events, also while others are quicker", async () => {
  const { ok, receiver, job } = await world();
  const { send } = job();
  receiver.answer = async ({ body }) => {
    // The sooner an event was, the longer its answer takes.
    const turns = body.includes("customer.created") ? 50 : 1;
    for (let n = 0; n < turns; n += 1) await new Promise(setImmediate);
    return {};
  };
  for (const source_id of ["ann", "bob", "cid"]) await ok("POST /v1/customers", { source_id, name: "0" });
  for (let n = 1; n <= 12; n += 1)
    for (const source_id of ["ann", "bob", "cid"]) await ok(`PUT /v1/customers/${source_id}`, { name: String(n) });
  await send();
  await send();
  assert.equal(receiver.received.length, 39);
  for (const own of Map.groupBy(receiver.bodies(), ({ event }) => event.entity_id).values()) {
    assert.deepEqual(
      own.map(({ data }) => data.customer.name),
      Array.from({ length: 13 }, (_, n) => String(n)),
    );
    const numbers = own.map(({ event }) => event.number);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  }
});

test("who does not answer keeps nobody else waiting, however much waits for him", async () => {
  const [dead, alive] = [await world(), await world()];
  dead.receiver.answer = () => ({ hangs: true });
  const { tick } = dead.job(60_000);
  await dead.ok("POST /v1/customers", { source_id: "first" });
  await db`
    insert into webhook_deliveries (project_id, id, webhook_id, event_id, type, object_id, number, body, status, attempts, due_at,
      created_at)
    select project_id, id || n, webhook_id, event_id, type, object_id || n, number + n, body, status, attempts, due_at, created_at
    from webhook_deliveries cross join generate_series(1, 10000) as n where project_id = ${dead.project.id}`;
  await tick();
  await until("a request is under way", () => dead.receiver.received.length > 0);
  await alive.ok("POST /v1/customers", { source_id: "ann" });
  await tick();
  await until("the other is told", () => alive.receiver.received.length === 1);
  assert.ok(dead.receiver.received.length <= 8, "few at a time are under way");
  const [{ count }] = (await db`
    select count(*) from webhook_attempts where project_id = ${dead.project.id}`) as any;
  assert.equal(count, 0, "he has not answered yet");
  await db`update webhook_deliveries set due_at = null where project_id = ${dead.project.id}`;
  dead.receiver.answer = () => ({});
  dead.receiver.letGo();
});

test("many webhooks of one project that do not answer leave a place to the next: it is told in one look", async () => {
  const dead = await world();
  const { ok, path, receiver, project } = dead;
  const { target_url, events } = await dead.webhook();
  for (let n = 0; n < 9; n += 1) await ok(`POST ${path}`, { target_url, events });
  receiver.answer = () => ({ hangs: true });
  await ok("POST /v1/customers", { source_id: "first" });
  await db`
    insert into webhook_deliveries (project_id, id, webhook_id, event_id, type, object_id, number, body, status, attempts, due_at,
      created_at)
    select project_id, id || n, webhook_id, event_id, type, object_id || n, number + n, body, status, attempts, due_at, created_at
    from webhook_deliveries cross join generate_series(1, 1000) as n where project_id = ${project.id}`;
  const transport = createTransport({ allow: "loopback", limitMs: 60_000 });
  const log = { error: (fields: object) => assert.fail(JSON.stringify(fields)) };
  const own = createSendWebhooks({ secretBox, transport, userAgent: "x", places: 6, log });
  const look = () => own.run({ db, now: () => NOW, newId, random: randomBytes });
  await look();
  await look();
  const [{ count }] = (await db`select count(*) from webhook_senders where project_id = ${project.id}`) as any;
  assert.ok(count <= 3, `half of the places are for others: ${count}`);
  for (let n = 0; n < 3; n += 1) {
    const alive = await world();
    await alive.ok("POST /v1/customers", { source_id: "ann" });
    await look();
    await until("the other is told", () => alive.receiver.received.length === 1);
  }
  await db`update webhook_deliveries set due_at = null where project_id = ${project.id}`;
  receiver.answer = () => ({});
  receiver.letGo();
  await own.idle();
});

test("a change of a webhook counts from the next round on: another address, other headers", async () => {
  const { ok, receiver, job, webhook, path } = await world();
  const other = await startReceiver();
  for (let n = 0; n < 40; n += 1) await ok("POST /v1/customers", { source_id: `c${n}` });
  const { id, events } = await webhook();
  let isChanged = false;
  receiver.answer = async () => {
    if (isChanged) return {};
    isChanged = true;
    await ok(`PUT ${path}/${id}`, { target_url: other.url, events, headers: { "x-shop": "paris" } });
    return {};
  };
  await job().send();
  assert.equal(receiver.received.length, 16, "the round that was under way");
  assert.equal(other.received.length, 24);
  assert.ok(other.received.every(({ headers }) => headers["x-shop"] === "paris"));
});

for (const [what, change] of [
  ["deleted", (path: string) => [`DELETE ${path}`]],
  ["switched off", (path: string, body: object) => [`PUT ${path}`, { ...body, active: false }]],
] as const)
  test(`a webhook that is ${what} while it is sent to is not sent the rest`, async () => {
    const { call, ok, receiver, job, webhook, path, project } = await world();
    for (let n = 0; n < 40; n += 1) await ok("POST /v1/customers", { source_id: `c${n}` });
    const { id, target_url, events } = await webhook();
    receiver.answer = async () => {
      if (receiver.received.length === 1)
        await call(...(change(`${path}/${id}`, { target_url, events }) as [string, object?]));
      return {};
    };
    const { send } = job();
    await send();
    await send();
    assert.equal(receiver.received.length, 16, "the round that was under way");
    const senders = await db`select 1 from webhook_senders where project_id = ${project.id}`;
    assert.equal(senders.length, 0, "nobody holds it");
  });

/** Waits until an attempt is under way, does something meanwhile, and lets the answer come. */
async function meanwhile(w: Awaited<ReturnType<typeof world>>, status: number, what: () => Promise<unknown>) {
  const { receiver } = w;
  const { send, tick } = w.job();
  const count = receiver.received.length;
  let go = () => {};
  const held = new Promise<void>((done) => {
    go = done;
  });
  receiver.answer = () => held.then(() => ({ status }));
  await tick();
  await until("an attempt is under way", () => receiver.received.length > count);
  await what();
  go();
  receiver.answer = () => ({ status });
  return send;
}

test("a delivery that is sent again by hand during an attempt is sent once more, with all its retries", async () => {
  for (const status of [200, 500]) {
    const w = await world();
    await w.ok("POST /v1/customers", { source_id: "ann" });
    const [{ id }] = (await w.deliveries()) as any;
    const own = `${w.path}/${w.webhook_id}/deliveries/${id}`;
    const send = await meanwhile(w, status, () => w.ok(`POST ${own}/resend`));
    await until("it is sent again", async () => {
      await send();
      return (await w.attempts()).length === 2;
    });
    assert.equal(w.receiver.received.length, 2);
    const [after] = await w.deliveries();
    assert.deepEqual([after!.attempts, after!.resent_after], [2, 1], "the attempt that was under way does not count");
    assert.equal((await w.ok(`GET ${own}`)).status, status === 200 ? "DELIVERED" : "WAITING");
  }
});

test("what is erased during an attempt leaves no attempt", async () => {
  const w = await world();
  const { id } = await w.ok("POST /v1/customers", { source_id: "ann" });
  await w.ok("POST /v1/customers", { source_id: "bob" });
  const send = await meanwhile(w, 200, () => w.ok(`POST /v1/customers/${id}/permanent-deletion`));
  await send();
  await until("the other attempt is written", async () => (await w.attempts()).length >= 1);
  const kept = new Set((await w.deliveries()).map((row) => row.id));
  for (const { delivery_id } of await w.attempts()) assert.ok(kept.has(delivery_id), "an attempt of nothing");
});

test("a webhook is off exactly when its last retry is written, also when switching it off fails", async () => {
  const { ok, receiver, clock, deliveries, webhook, attempts, job, project } = await world();
  receiver.answer = () => ({ status: 500 });
  await ok("POST /v1/customers", { source_id: "ann" });
  await job().send();
  await db`update webhook_deliveries set attempts = 12 where project_id = ${project.id}`;
  clock.now = minutesLater(1440);
  const errors: object[] = [];
  const transport = createTransport({ allow: "loopback", limitMs: 500 });
  const log = { error: (fields: object) => void errors.push(fields) };
  const failing = createSendWebhooks({ secretBox, transport, userAgent: "x", log });
  const planted = () => {
    throw new Error("planted");
  };
  await failing.run({ db, now: () => clock.now, newId: planted, random: randomBytes });
  await failing.idle();
  assert.match(String((errors[0] as { err: unknown }).err), /planted/);
  assert.deepEqual([(await webhook()).active, (await deliveries())[0]!.status], [true, "WAITING"]);
  assert.equal((await attempts()).length, 1, "as if the last one had not been made");
  await job().send();
  assert.deepEqual([(await webhook()).active, (await deliveries())[0]!.status], [false, "FAILED"]);
});

test("two webhooks of one address have connections of their own", async () => {
  const receiver = await startReceiver();
  const transport = createTransport({ allow: "loopback" });
  receiver.answer = ({ body }) => ({ hangs: body === "slow" });
  const slow = Array.from({ length: 8 }, () =>
    transport.send("wh_slow", { url: receiver.url, headers: {}, body: "slow" }),
  );
  await until("all connections of one are taken", () => receiver.received.length === 8);
  const { status_code } = await transport.send("wh_other", { url: receiver.url, headers: {}, body: "quick" });
  assert.equal(status_code, 200);
  receiver.letGo();
  await Promise.all(slow);
  await transport.close();
});

test("two processes send each delivery once, and one that was killed is taken over", async () => {
  const { ok, receiver, job, clock, webhook, project } = await world();
  const senders = [job(), job(), job()];
  for (let n = 0; n < 30; n += 1) await ok("POST /v1/customers", { source_id: `c${n}` });
  await Promise.all(senders.map(({ send }) => send()));
  await senders[0]!.send();
  assert.equal(receiver.received.length, 30);
  const { id } = await webhook();
  const row = { project_id: project.id, webhook_id: id, sender: "killed", until: minutesLater(1) };
  await db`insert into webhook_senders ${db(row)}`;
  await ok("POST /v1/customers", { source_id: "waits" });
  await senders[0]!.send();
  assert.equal(receiver.received.length, 30, "somebody else has it");
  clock.now = minutesLater(1);
  await senders[0]!.send();
  assert.equal(receiver.received.length, 31);
});

test("what was rolled back is never told", async () => {
  const { project, deliveries, call, ok } = await world(["customer.created", "voucher.created"]);
  const of = { request_id: "r", now: NOW, newId };
  await assert.rejects(
    db.begin(async (tx) => {
      await recordAll(tx, project.id, [{ of, happened: [{ kind: "customer.created", customer_id: "cust_1" }] }]);
      assert.equal((await tx`select 1 from webhook_deliveries where project_id = ${project.id}`).length, 1);
      throw new Error("planted");
    }),
    /planted/,
  );
  await ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const twice = { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } };
  assert.equal((await call("POST /v1/vouchers/TEN", twice)).status, 409);
  assert.equal((await deliveries()).length, 1);
});

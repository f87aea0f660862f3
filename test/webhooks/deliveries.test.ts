import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { createSendWebhooks } from "../../src/jobs/send-webhooks.ts";
import { createTransport } from "../../src/webhooks/transport.ts";
import { NOW, newId, secretBox, testDatabase } from "../support/engine.ts";
import { startReceiver } from "../support/receiver.ts";
import { listeningShop } from "../support/webhook-story.ts";

const { db } = await testDatabase();
const later = (hours: number) => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();

/** A project whose webhook leads to a receiver, and what sends to it. */
async function world() {
  const receiver = await startReceiver();
  const events = ["customer.created", "customer.updated"];
  const shop = await listeningShop(db, events);
  await shop.ok(`PUT ${shop.path}/${shop.webhook.id}`, { target_url: receiver.url, events });
  const transport = createTransport({ allow: "loopback" });
  const job = createSendWebhooks({
    secretBox,
    transport,
    userAgent: "Laurel/test",
    log: { error: (fields) => assert.fail(JSON.stringify(fields)) },
  });
  const own = `${shop.path}/${shop.webhook.id}`;
  const send = async () => {
    await job.run({ db, now: () => shop.clock.now, newId, random: randomBytes });
    await job.idle();
  };
  const deliveries = async (query = "") =>
    (await shop.ok(`GET ${own}/deliveries?order=created_at&limit=100${query}`)).data;
  return { ...shop, receiver, own, send, deliveries };
}

test("deliveries are listed with their status, read with their body, and filtered; attempts are listed", async () => {
  const { ok, call, own, receiver, send, deliveries, webhook, clock } = await world();
  receiver.answer = ({ body }) => ({ status: body.includes("customer.updated") ? 500 : 200, body: "said" });
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann" });
  await ok("PUT /v1/customers/ann", { name: "Anna" });
  const [waiting] = await deliveries();
  assert.deepEqual([waiting.status, waiting.attempts, waiting.next_attempt_at], ["WAITING", 0, null]);
  await send();
  const all = await deliveries();
  const created = all.find((one: any) => one.type === "customer.created");
  const updated = all.find((one: any) => one.type === "customer.updated");
  assert.deepEqual([created.status, created.attempts, created.next_attempt_at], ["DELIVERED", 1, null]);
  assert.deepEqual(
    [updated.status, updated.attempts, updated.next_attempt_at],
    ["WAITING", 1, "2026-01-01T12:01:00.000Z"],
  );
  assert.deepEqual([created.webhook_id, created.object], [webhook.id, "webhook_delivery"]);
  const read = await ok(`GET ${own}/deliveries/${created.id}`);
  assert.deepEqual(read, { ...created, body: receiver.received[0]!.body });
  clock.now = later(1);
  await send();
  const { data, total } = await ok(`GET ${own}/deliveries/${updated.id}/attempts`);
  assert.equal(total, 2);
  assert.deepEqual(
    data.map((one: any) => [one.number, one.status_code, one.error, one.answer, one.target_url, one.created_at]),
    [
      [1, 500, null, "said", receiver.url, NOW],
      [2, 500, null, "said", receiver.url, later(1)],
    ],
  );
  assert.equal(data[0].headers["webhook-id"], updated.id);
  const ids = async (query: string) => (await deliveries(query)).map(({ id }: any) => id);
  assert.deepEqual(await ids("&filters[status][conditions][$is]=DELIVERED"), [created.id]);
  assert.deepEqual(await ids("&filters[type][conditions][$is]=customer.updated"), [updated.id]);
  assert.deepEqual(
    await ids(`&filters[object_id][conditions][$is]=${created.object_id}`).then((found) => found.length),
    2,
  );
  assert.equal((await call(`GET ${own}/deliveries?filters[colour][conditions][$is]=red`)).status, 400);
  const page = await ok(`GET ${own}/deliveries?limit=1`);
  assert.equal(page.data.length, 1);
  const next = await ok(`GET ${own}/deliveries?cursor=${page.cursor.next}`);
  assert.deepEqual([page.data[0].id, next.data[0].id].sort(), [created.id, updated.id].sort());
});

test("a delivery is sent again as it was, with the same id, and has all its retries again", async () => {
  const { ok, own, receiver, send, deliveries, clock } = await world();
  await ok("POST /v1/customers", { source_id: "ann" });
  await send();
  const [{ id }] = await deliveries();
  await ok("PUT /v1/customers/ann", { name: "Anna" });
  await send();
  const again = await ok(`POST ${own}/deliveries/${id}/resend`);
  assert.deepEqual([again.id, again.status, again.attempts], [id, "WAITING", 1]);
  await send();
  assert.equal(receiver.received.length, 3);
  assert.equal(receiver.received[2]!.body, receiver.received[0]!.body, "to the byte");
  assert.equal(receiver.received[2]!.headers["webhook-id"], id);
  // All retries of the first time are used up, and those of the second begin anew.
  await db`update webhook_deliveries set attempts = 13 where id = ${id}`;
  receiver.answer = () => ({ status: 500 });
  await ok(`POST ${own}/deliveries/${id}/resend`);
  await send();
  clock.now = later(0.02);
  await send();
  const { status, attempts } = await ok(`GET ${own}/deliveries/${id}`);
  assert.deepEqual([status, attempts], ["WAITING", 15]);
  assert.equal((await ok(`GET ${own}`)).active, true);
});

test("a delivery that was not tried yet keeps its turn when it is sent again", async () => {
  const { ok, own, receiver, send, deliveries } = await world();
  await ok("POST /v1/customers", { source_id: "ann" });
  await ok("PUT /v1/customers/ann", { name: "Anna" });
  const first = (await deliveries()).find((one: any) => one.type === "customer.created");
  const again = await ok(`POST ${own}/deliveries/${first.id}/resend`);
  assert.deepEqual([again.status, again.next_attempt_at], ["WAITING", null]);
  await send();
  assert.deepEqual(
    receiver.bodies().map(({ type }) => type),
    ["customer.created", "customer.updated"],
  );
});

test("the deliveries of a time are sent again, of one status if that is asked for", async () => {
  const { ok, call, own, receiver, send, clock } = await world();
  for (const hour of [0, 1, 2, 3]) {
    clock.now = later(hour);
    await ok("POST /v1/customers", { source_id: `c${hour}` });
  }
  await send();
  assert.equal(receiver.received.length, 4);
  const resend = (body: object) => call(`POST ${own}/resend`, body);
  assert.deepEqual((await resend({ from: later(1), to: later(3) })).body, { count: 2, has_more: false });
  await send();
  assert.deepEqual(
    receiver
      .bodies()
      .slice(4)
      .map(({ data }) => data.customer.source_id),
    ["c1", "c2"],
  );
  assert.deepEqual((await resend({ from: later(0), to: later(9), status: "FAILED" })).body.count, 0);
  for (const body of [{}, { from: later(1) }, { from: later(1), to: later(1) }, { from: "x", to: later(1) }])
    assert.equal((await resend(body)).status, 400, JSON.stringify(body));
  assert.equal((await resend({ from: later(0), to: later(9), status: "LOST" })).status, 400);
});

test("a resend of a long time keeps no new event waiting, and its rest can be asked for", async () => {
  const { ok, call, own, receiver, send, clock, project, deliveries } = await world();
  await ok("POST /v1/customers", { source_id: "first" });
  await send();
  const [{ id }] = await deliveries();
  // As many of one moment: the time alone does not say where to go on.
  await db`
    insert into webhook_deliveries (project_id, id, webhook_id, event_id, type, object_id, number, body, status, attempts, created_at)
    select project_id, id || lpad(n::text, 5, '0'), webhook_id, event_id, type, object_id || n, number, body, status, attempts,
      created_at
    from webhook_deliveries cross join generate_series(1, 10004) as n where project_id = ${project.id}`;
  const range = { from: later(0), to: later(1) };
  const first = await ok(`POST ${own}/resend`, range);
  assert.deepEqual(first, { count: 10_000, has_more: true, more_starting_after: `${id}09999` });
  assert.equal((await deliveries())[0].next_attempt_at, clock.now, "they are due now");
  await db`update webhook_deliveries set due_at = null where project_id = ${project.id} and id > ${`${id}00060`}`;
  const rest = await ok(`POST ${own}/resend`, { ...range, starting_after_id: first.more_starting_after });
  assert.deepEqual(rest, { count: 5, has_more: false });
  assert.equal((await call(`POST ${own}/resend`, { ...range, starting_after_id: "whs_none" })).status, 404);
  await ok("POST /v1/customers", { source_id: "new" });
  await send();
  assert.equal(receiver.received.length, 1 + 61 + 5 + 1);
  const place = receiver.bodies().findIndex(({ data }) => data.customer.source_id === "new");
  assert.ok(place <= 1 + 32, `the new event is in the first round: ${place}`);
});

test("a test event says that it is one, and is sent like any other", async () => {
  const { ok, call, own, receiver, send, webhook } = await world();
  const delivery = await ok(`POST ${own}/test`);
  assert.deepEqual([delivery.type, delivery.status], ["customer.created", "WAITING"]);
  await ok(`POST ${own}/test`, { type: "redemption.succeeded" });
  await send();
  const [first, second] = receiver.bodies().sort((one) => (one.id === delivery.id ? -1 : 1));
  assert.equal(first.id, delivery.id);
  assert.deepEqual([first.type, first.data.test, first.source.id], ["customer.created", true, webhook.id]);
  assert.deepEqual([second.type, second.event.type], ["redemption.succeeded", "redemption.succeeded"]);
  assert.equal(first.event.event_source.channel, "API");
  assert.equal((await call(`POST ${own}/test`, { type: "nothing" })).status, 400);
  const activity = await db`select 1 from events where project_id = ${first.project_id}`;
  assert.equal(activity.length, 0, "nothing happened");
});

test("a test is sent to a webhook that is off, once, and nothing else is; one that is not taken changes nothing", async () => {
  const { ok, own, receiver, send, clock, deliveries } = await world();
  const events = ["customer.created"];
  receiver.answer = () => ({ status: 500 });
  await ok("POST /v1/customers", { source_id: "waits" });
  await ok(`PUT ${own}`, { target_url: receiver.url, events, active: false });
  const { id } = await ok(`POST ${own}/test`);
  await send();
  clock.now = later(30);
  await send();
  assert.deepEqual(
    receiver.bodies().map((body) => body.id),
    [id],
  );
  const { status, attempts, next_attempt_at } = await ok(`GET ${own}/deliveries/${id}`);
  assert.deepEqual([status, attempts, next_attempt_at], ["FAILED", 1, null]);
  await ok(`PUT ${own}`, { target_url: receiver.url, events, active: true });
  await ok(`POST ${own}/test`);
  await send();
  assert.equal((await ok(`GET ${own}`)).active, true, "a test that fails switches nothing off");
  assert.deepEqual((await deliveries()).map((one: any) => one.status).sort(), ["FAILED", "FAILED", "WAITING"]);
});

test("after a change of the secret both sign for a day, and then only the new one", async () => {
  const { ok, project, receiver, send, clock } = await world();
  const inProject = `/management/v1/projects/${project.id}`;
  const { webhook_token: old } = await ok(`GET ${inProject}`);
  const rotated = await ok(`POST ${inProject}/webhook-secret/rotate`);
  assert.deepEqual(rotated, {
    webhook_token: (await ok(`GET ${inProject}`)).webhook_token,
    previous_until: later(24),
    object: "webhook_secret",
  });
  assert.notEqual(rotated.webhook_token, old);
  const signedWith = ({ headers, body }: (typeof receiver.received)[number]) => {
    const hmac = (secret: string) => createHmac("sha256", secret).update(body).digest("hex");
    const standard = (secret: string) =>
      createHmac("sha256", secret)
        .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
        .digest("base64");
    const signatures = headers["webhook-signature"]!.split(" ");
    return {
      older: [old, rotated.webhook_token].findIndex((secret) => hmac(secret) === headers["x-voucherify-signature"]),
      standard: [old, rotated.webhook_token].map((secret) => signatures.includes(`v1,${standard(secret)}`)),
    };
  };
  await ok("POST /v1/customers", { source_id: "ann" });
  clock.now = new Date(Date.parse(later(24)) - 1).toISOString();
  await send();
  assert.deepEqual(signedWith(receiver.received[0]!), { older: 0, standard: [true, true] });
  await ok("POST /v1/customers", { source_id: "bob" });
  clock.now = later(24);
  await send();
  assert.deepEqual(signedWith(receiver.received[1]!), { older: 1, standard: [false, true] });
});

test("a second change of the secret within a day is refused, unless it is asked for", async () => {
  const { ok, call, project, clock } = await world();
  const inProject = `/management/v1/projects/${project.id}`;
  const token = async () => (await ok(`GET ${inProject}`)).webhook_token;
  const { webhook_token: first } = await ok(`POST ${inProject}/webhook-secret/rotate`);
  clock.now = later(23);
  const refused = await call(`POST ${inProject}/webhook-secret/rotate`);
  assert.deepEqual([refused.status, refused.body.key], [400, "resource_protected"]);
  assert.match(refused.body.details, /end_overlap=true/);
  assert.equal(await token(), first);
  assert.equal((await call(`POST ${inProject}/webhook-secret/rotate?end_overlap=maybe`)).status, 400);
  const second = await ok(`POST ${inProject}/webhook-secret/rotate?end_overlap=true`);
  assert.equal(second.previous_until, later(47));
  assert.equal(await token(), second.webhook_token);
  clock.now = later(47);
  await ok(`POST ${inProject}/webhook-secret/rotate`);
});

test("deliveries of another project, of another webhook and unknown ones are 404; other keys are refused", async () => {
  const [mine, other] = [await world(), await world()];
  await mine.ok("POST /v1/customers", { source_id: "ann" });
  const [{ id }] = await mine.deliveries();
  const second = await mine.ok(`POST ${mine.path}`, { target_url: "https://a.example", events: ["customer.created"] });
  const lines = (own: string, delivery: string) => [
    `GET ${own}/deliveries/${delivery}`,
    `GET ${own}/deliveries/${delivery}/attempts`,
    `POST ${own}/deliveries/${delivery}/resend`,
  ];
  for (const line of [
    ...lines(other.own, id),
    ...lines(`${mine.path}/${second.id}`, id),
    ...lines(mine.own, "whs_none"),
    `GET ${mine.path}/wh_none/deliveries`,
    `POST ${mine.path}/wh_none/test`,
    "POST /management/v1/projects/proj_none/webhook-secret/rotate",
  ])
    assert.equal((await mine.call(line)).status, 404, line);
  const range = { from: later(0), to: later(1) };
  assert.equal((await mine.call(`POST ${mine.path}/wh_none/resend`, range)).status, 404);
  const { app } = mine.project;
  const wrong = { "x-management-id": app.id, "x-management-token": app.secret };
  for (const line of [...lines(mine.own, id), `GET ${mine.own}/deliveries`, `POST ${mine.own}/test`])
    assert.equal((await mine.call(line, undefined, wrong)).status, 401, line);
  assert.equal((await mine.call(`POST ${mine.own}/resend`, range, wrong)).status, 401);
});

test("a customer who is erased is in no delivery any more; one who is deleted is told of still", async () => {
  const { ok, deliveries, own, send } = await world();
  const { id } = await ok("POST /v1/customers", { source_id: "ann", name: "Ann of Green Gables" });
  await send();
  await ok("PUT /v1/customers/ann", { name: "Anne of Green Gables" });
  assert.equal((await deliveries()).length, 2);
  await ok(`POST /v1/customers/${id}/permanent-deletion`);
  assert.equal((await deliveries()).length, 0);
  assert.equal((await db`select 1 from webhook_attempts where webhook_id = ${own.split("/").at(-1)!}`).length, 0);
  await ok("POST /v1/customers", { source_id: "bob" });
  await ok("DELETE /v1/customers/bob");
  assert.deepEqual(
    (await deliveries()).map(({ type }: any) => type),
    ["customer.created"],
    "it waits still",
  );
  await send();
  await ok("POST /v1/customers", { source_id: "bob" });
  await ok("DELETE /v1/customers/bob");
});

test("deliveries and attempts are kept for 30 days", async () => {
  const { ok, deliveries, send, own } = await world();
  await ok("POST /v1/customers", { source_id: "ann" });
  await send();
  const [{ id }] = await deliveries();
  const purge = (hours: number) => purgeExpired.run({ db, now: () => later(hours), newId, random: randomBytes });
  await purge(30 * 24);
  assert.equal((await ok(`GET ${own}/deliveries/${id}/attempts`)).total, 1);
  await purge(30 * 24 + 1);
  assert.equal((await deliveries()).length, 0);
  assert.equal((await db`select 1 from webhook_attempts where delivery_id = ${id}`).length, 0);
});

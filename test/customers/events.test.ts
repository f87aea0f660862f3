import assert from "node:assert/strict";
import { test } from "node:test";
import { clubOf } from "../support/clubs.ts";
import { NOW, type Reply, testDatabase, type testProject } from "../support/engine.ts";
import { assertErrorBody, assertRefused } from "../support/http.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const SHOP = "https://shop.example";
const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};

/** A project with the event `visit`, of which a number is known. */
async function shop(given: Parameters<typeof testProject>[1] = {}) {
  const { call, project } = await testShop(db, { client_trusted_domains: [SHOP], ...given });
  const properties = {
    stars: { type: "number", optional: true },
    where: { type: "string", optional: false },
    gone: { type: "string", optional: false, deleted: true },
  };
  const line = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  const { body: schema } = await call(line, { name: "visit", schema: { properties } });
  const track = (more: object = {}) =>
    call("POST /v1/events", { event: "visit", customer: { source_id: "ann" }, metadata: { where: "Rome" }, ...more });
  const fromPage = (more: object = {}, headers: Record<string, string> = { origin: SHOP }) =>
    call(
      "POST /client/v1/events",
      { event: "visit", customer: { source_id: "ann" }, metadata: { where: "Rome" }, ...more },
      headers,
    );
  return { project, call, schema, track, fromPage };
}
const countOf = async (projectId: string): Promise<number> => {
  const [row] = await db<[{ count: number }]>`
    select count(*) as count from events where project_id = ${projectId} and kind = 'customer.custom_event'`;
  return row.count;
};

test("an event is answered with every field of the interface: its name, the customer, null for referral and loyalty", async (t) => {
  const { track } = await shop();
  const customer = { source_id: "ann", name: "Ann", email: "ann@example.com", metadata: { vip: true } };
  const reply = await track({ customer, metadata: { where: "Rome", stars: 5 }, unknown: 1 });
  await holdsRows(t, "event.post", { server: () => assert.equal(reply.status, 200, reply.text) });
  const { id } = reply.body.customer;
  const expected = {
    object: "event",
    type: "visit",
    customer: { id, ...customer, object: "customer" },
    referral: null,
    loyalty: null,
    metadata: { where: "Rome", stars: 5 },
  };
  await holdsFields(t, "event", reply.body, expected);
  await holdsRows(t, "event.post", { answer: () => assert.deepEqual(reply.body, expected) });
  assert.match(id, /^cust_/);
});

test("a customer is created by the source id or changed, and one with an unknown id is a 404 that records nothing", async () => {
  const { project, call, track } = await shop();
  const made = await track();
  const again = await track({ customer: { source_id: "ann", name: "Ann" } });
  const { id } = made.body.customer;
  assert.deepEqual([again.body.customer.id, again.body.customer.name], [id, "Ann"]);
  const byId = await track({ customer: { id, metadata: { a: 1 } } });
  assert.deepEqual(byId.body.customer.metadata, { a: 1 });
  assert.equal((await call(`GET /v1/customers/${id}`)).body.name, "Ann");
  const before = await countOf(project.id);
  const nobody = await track({ customer: { id: "cust_nobody" } });
  refused(nobody, 404, "not_found");
  assert.deepEqual([nobody.body.resource_type, nobody.body.resource_id], ["customer", "cust_nobody"]);
  assert.equal(await countOf(project.id), before);
  const other = await shop();
  refused(await other.track({ customer: { id } }), 404, "not_found");
});

test("the name is 1 to 300 characters and defined in the project", async (t) => {
  const { track, project, call } = await shop();
  const unknown = await track({ event: "nothing" });
  await holdsRows(t, "event.post", {
    defined: () => {
      refused(unknown, 404, "not_found");
      assert.deepEqual([unknown.body.resource_type, unknown.body.resource_id], ["custom_event_schema", "nothing"]);
    },
  });
  refused(await track({ event: "" }), 400, "invalid_payload", /event/);
  refused(await track({ event: "x".repeat(301) }), 400, "invalid_payload", /event/);
  refused(await track({ event: "x".repeat(300) }), 404, "not_found");
  const long = "y".repeat(300);
  const line = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await call(line, { name: long, schema: { properties: {} } });
  await holdsRows(t, "limit", {
    event_name: async () => {
      assert.equal((await track({ event: long })).body.type, long);
      refused(await track({ event: `${long}y` }), 400, "invalid_payload", /event/);
    },
  });
  assert.equal(await countOf(project.id), 1);
});

test("whatever is wrong with the body is a 400 that names the field, and nothing changes", async (t) => {
  const { call, track, project } = await shop();
  const wrong: [object, RegExp][] = [
    [{ event: undefined }, /event/],
    [{ event: null }, /event/],
    [{ event: 5 }, /event/],
    [{ customer: undefined }, /customer/],
    [{ customer: null }, /customer/],
    [{ customer: "ann" }, /customer/],
    [{ customer: { source_id: 5 } }, /customer/],
    [{ metadata: [] }, /metadata/],
    [{ metadata: "x" }, /metadata/],
    [{ loyalty: {} }, /loyalty/],
    [{ loyalty: { code: 5 } }, /loyalty/],
    [{ referral: {} }, /referral/],
    [{ referral: { code: "a", referrer_id: 5 } }, /referral/],
  ];
  for (const [name, cases] of Map.groupBy(wrong, ([more]) => Object.keys(more)[0]!))
    await holdsRows(t, "event.post", {
      [name]: async () => {
        for (const [more, field] of cases) refused(await track(more), 400, "invalid_payload", field);
      },
    });
  const faults: [object, RegExp][] = [
    [{}, /where/],
    [{ where: 5 }, /where/],
    [{ where: null }, /where/],
    [{ where: "Rome", stars: "5" }, /stars/],
  ];
  for (const [metadata, field] of faults) refused(await track({ metadata }), 400, "metadata_validation_failed", field);
  refused(await track({ metadata: null }), 400, "metadata_validation_failed", /where/);
  refused(
    await call("POST /v1/events", '{"event":"visit","customer":{"source_id":"\\u0000"}}'),
    400,
    "invalid_payload",
  );
  assert.equal(await countOf(project.id), 0);
  assert.equal((await call("GET /v1/customers")).body.total, 0);
});

test("metadata of the customer follow the schema of customers", async () => {
  const { call, track, project } = await shop();
  const properties = { age: { type: "number", optional: true, array: false } };
  await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, { related_object: "customer", properties });
  const reply = await track({ customer: { source_id: "ann", metadata: { age: "old" } } });
  refused(reply, 400, "metadata_validation_failed", /age/);
});

test("an event stands in the activity of the customer, as an action of the caller, with its metadata", async () => {
  const { call, track } = await shop();
  const { body } = await track({ metadata: { where: "Rome", note: "left" } });
  const { data } = (await call(`GET /v1/customers/${body.customer.id}/activity?category=ACTION`)).body;
  assert.deepEqual(
    data.map(({ type }: { type: string }) => type),
    ["customer.custom_event", "customer.created"],
  );
  assert.match(data[0].id, /^evcus_/);
  assert.match(data[0].data.event.id, /^event_/);
  assert.deepEqual(data[0].data, {
    event: { id: data[0].data.event.id, type: "visit", metadata: { where: "Rome", note: "left" } },
    event_schema: data[0].data.event_schema,
    customer: { id: body.customer.id, object: "customer" },
    referral: null,
    loyalty: null,
  });
  assert.equal(data[0].created_at, NOW);
});

test("segments count the events of a customer, and are entered by the event that makes it enough", async () => {
  const { call, track } = await shop();
  const filter = { junction: "AND", "events.visit.count": { conditions: { $more_than: [1] } } };
  const { body: segment } = await call("POST /v1/segments", { name: "often", type: "auto-update", filter });
  const { id } = (await track()).body.customer;
  const isIn = async () => (await call(`GET /v1/customers/${id}/segments`)).body.data.length === 1;
  assert.equal(await isIn(), false);
  await track();
  assert.equal(await isIn(), true);
  const { data } = (await call(`GET /v1/customers/${id}/activity?type=customer.segment.entered`)).body;
  assert.deepEqual(
    data.map((one: { data: { segment: { id: string } } }) => one.data.segment.id),
    [segment.id],
  );
});

test("the same key is answered with the first answer, and records one event", async () => {
  const { project, call } = await shop();
  const body = { event: "visit", customer: { source_id: "ann" }, metadata: { where: "Rome" } };
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => call("POST /v1/events", body, { "idempotency-key": "k" })),
  );
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  assert.equal(await countOf(project.id), 1);
  const other = await call("POST /v1/events", { ...body, metadata: { where: "Oslo" } }, { "idempotency-key": "k" });
  refused(other, 409, "idempotency_key_reused");
});

// From a page.

test("a page needs its own keys and a trusted origin", async (t) => {
  const { fromPage, track, call, project } = await shop({ client_create_customer_enabled: true });
  const made = await fromPage();
  await holdsRows(t, "event.post", { client: () => assert.equal(made.status, 200, made.text) });
  const { body } = await track();
  const { id, source_id, object } = body.customer;
  assert.deepEqual(made.body, { ...body, customer: { id, name: null, email: null, source_id, metadata: {}, object } });
  assert.equal(made.headers["access-control-allow-origin"], SHOP);
  await holdsRows(t, "event.post", {
    origin: async () => {
      for (const headers of [{}, { origin: "https://evil.example" }])
        assertRefused(await fromPage({}, headers as never), "unauthorized");
    },
  });
  const keys = { origin: SHOP, "x-client-token": project.app.secret };
  assertRefused(await fromPage({}, keys), "unauthorized");
  assertRefused(
    await call("POST /v1/events", { event: "visit", customer: {} }, { "x-app-token": project.client.secret }),
    "unauthorized",
  );
  assert.equal(await countOf(project.id), 2);
});

test("with the creation of customers off, a page neither creates nor changes one", async () => {
  const { fromPage, track, call, project } = await shop({ client_create_customer_enabled: false });
  const nobody = await fromPage();
  refused(nobody, 404, "not_found");
  assert.equal(nobody.body.resource_type, "customer");
  const { id } = (await track()).body.customer;
  const seen = await fromPage({ customer: { source_id: "ann", name: "Eve" } });
  assert.deepEqual([seen.status, seen.body.customer.id], [200, id]);
  assert.equal((await fromPage({ customer: { id } })).status, 200);
  refused(await fromPage({ customer: {} }), 400, "invalid_payload", /id or source_id/);
  assert.equal((await call(`GET /v1/customers/${id}`)).body.name, undefined);
  assert.equal(await countOf(project.id), 3);
});

test("with loyalty events off, an event of a page is recorded and earns nothing, and one about loyalty or a referral is forbidden", async () => {
  const given = { client_trusted_domains: [SHOP], client_create_customer_enabled: true };
  const club = await clubOf(db, { project: given });
  const visit = await club.define("visit");
  const trigger = { event: "customer.custom_event", custom_event: { schema_id: visit.id } };
  const { enrol } = await club.open([{ trigger, earnings: [{ effects: [club.points(5)] }] }]);
  const ann = await enrol("ann");
  const fromPage = (more: object = {}) =>
    club.call("POST /client/v1/events", { event: "visit", customer: { source_id: "ann" }, ...more }, { origin: SHOP });
  assert.equal((await fromPage()).status, 200);
  assert.equal((await ann.balance()).points, 0);
  assert.equal(await countOf(club.project.id), 1);
  const { code } = await ann.cardOf();
  refused(await fromPage({ loyalty: { code } }), 403, "forbidden", /client_loyalty_events_enabled/);
  refused(await fromPage({ referral: { code: "x" } }), 403, "forbidden", /client_loyalty_events_enabled/);
  assert.equal(await countOf(club.project.id), 1);
  await club.ok(`PUT /management/v1/projects/${club.project.id}`, { client_loyalty_events_enabled: true });
  assert.equal((await fromPage({ loyalty: { code } })).status, 200);
  assert.equal((await fromPage()).status, 200);
  assert.equal((await ann.balance()).points, 10);
});

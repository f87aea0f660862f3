import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { commit, transaction } from "../../src/db/batches/commit.ts";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { upsertCustomers } from "../../src/steps/customers/customers.ts";
import { type Call, NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { lockWaits } from "../support/nodes.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();

const NOTHING_DONE = {
  summary: {
    redemptions: {
      total_redeemed: 0,
      total_failed: 0,
      total_succeeded: 0,
      total_rolled_back: 0,
      total_rollback_failed: 0,
      total_rollback_succeeded: 0,
      gift: { redeemed_amount: 0, amount_to_go: 0 },
      loyalty_card: { redeemed_points: 0, points_to_go: 0 },
    },
    orders: { total_amount: 0, total_count: 0, average_amount: 0, last_order_amount: 0 },
  },
  loyalty: { points: 0, referred_customers: 0, campaigns: {} },
  referrals: { total: 0, campaigns: [] },
  system_metadata: {},
  assets: {},
};
const EVERYTHING = {
  source_id: "crm/1?ä",
  name: "Ann",
  description: "likes tea",
  email: "Ann@shop.example",
  phone: "+49 30 1",
  birthdate: "1990-02-28",
  birthday: "1990-03-01",
  address: { city: "Berlin", state: "BE", line_1: "A 1", line_2: "2nd floor", country: "DE", postal_code: "10115" },
  metadata: { colour: "red", nested: { a: [1, null] } },
};
const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, "0")}:00:00.000Z`;

/** A project with a clock that can be set. */
async function world(given: Parameters<typeof testProject>[1] = {}) {
  const project = await testProject(db, given);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const make = async (body: object, now = NOW) => {
    clock.now = now;
    const reply = await call("POST /v1/customers", body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  return { project, clock, call, make };
}
const eventsOf = (projectId: string, customerId: string) =>
  db`select kind, payload from events where project_id = ${projectId} and customer_id = ${customerId} order by id`;
const order = (projectId: string, row: object) =>
  db`insert into orders ${db({ project_id: projectId, id: newId("ord"), created_at: NOW, ...row } as never)}`;
const defineMetadata = async (call: Call, projectId: string, properties: object, more: object = {}) => {
  const body = { related_object: "customer", properties, ...more };
  const reply = await call(`POST /management/v1/projects/${projectId}/metadata-schemas`, body);
  assert.equal(reply.status, 200, reply.text);
};

test("a customer with every field, read by id and by source id, updated, deleted", async () => {
  const { project, call, clock } = await world();
  const created = await call("POST /v1/customers", { ...EVERYTHING, colour: "ignored" });
  assert.equal(created.status, 200, created.text);
  const { id } = created.body;
  assert.match(id, /^cust_[0-9a-f]{24}$/);
  const { created_at } = created.body;
  assert.equal(created_at, NOW);
  const expected = { id, ...EVERYTHING, ...NOTHING_DONE, created_at, object: "customer" };
  assert.deepEqual(created.body, expected);
  for (const ref of [id, encodeURIComponent(EVERYTHING.source_id)])
    assert.deepEqual((await call(`GET /v1/customers/${ref}`)).body, expected);
  assert.deepEqual((await call("GET /v1/customers")).body, {
    object: "list",
    data_ref: "customers",
    customers: [expected],
    total: 1,
    has_more: false,
  });

  clock.now = at(13);
  const updated = await call(`PUT /v1/customers/${encodeURIComponent(EVERYTHING.source_id)}`, {
    name: "Anna",
    description: null,
    source_id: "ignored",
    address: { city: "Bonn", line_2: null },
    metadata: { nested: null, size: 4 },
  });
  const { description: _, ...rest } = expected;
  const { line_2: __, ...address } = expected.address;
  const after = {
    ...rest,
    name: "Anna",
    address: { ...address, city: "Bonn" },
    metadata: { colour: "red", nested: null, size: 4 },
    updated_at: at(13),
  };
  assert.deepEqual(updated.body, after);
  assert.deepEqual((await call(`PUT /v1/customers/${id}`, { address: null })).body, { ...after, address: null });

  const secret = (await db`select secret from projects where id = ${project.id}`)[0]!.secret as string;
  const hash = createHmac("sha256", secret).update(EVERYTHING.source_id).digest("base64url");
  const [row] = await db`select tracking_id from customers where project_id = ${project.id}`;
  assert.equal(row!.tracking_id, `track_${hash}`);

  const deleted = await call(`DELETE /v1/customers/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assertRefused(await call(`GET /v1/customers/${id}`), "not_found", `Cannot find customer with id ${id}`);
});

test("what is not set is left out, and the address is null", async () => {
  const { make } = await world();
  const { id, ...shown } = await make({});
  const { created_at } = shown;
  assert.deepEqual(shown, { address: null, metadata: {}, ...NOTHING_DONE, created_at, object: "customer" });
});

test("an upsert finds the customer by id, then by source id; without either each one is new", async () => {
  const { make, call } = await world();
  const first = await make({ source_id: "a", name: "Ann" });
  assert.equal((await make({ source_id: "a", email: "a@b.example" })).id, first.id);
  const both = await make({ id: first.id, source_id: "other", phone: "1" });
  assert.deepEqual(
    [both.id, both.source_id, both.name, both.email, both.phone],
    [first.id, "a", "Ann", "a@b.example", "1"],
  );
  assert.notEqual((await make({ source_id: "A" })).id, first.id, "source ids differ by case");
  const anonymous = [await make({ name: "Ann" }), await make({ name: "Ann" })];
  assert.notEqual(anonymous[0].id, anonymous[1].id);
  assert.equal((await make({ id: null, source_id: null, name: "Ann" })).source_id, undefined);
  assert.equal((await call("GET /v1/customers")).body.total, 5);
  // A source id that is another customer's id: the id comes first.
  const shadow = await make({ source_id: first.id });
  assert.notEqual(shadow.id, first.id);
  assert.equal((await call(`GET /v1/customers/${first.id}`)).body.id, first.id);
});

test("a write that changes no value leaves the customer as it was and records nothing", async () => {
  const { project, make, call } = await world();
  const { id } = await make(EVERYTHING);
  await make({ ...EVERYTHING, metadata: { nested: { a: [1, null] } } }, at(14));
  await call(`PUT /v1/customers/${id}`, {});
  assert.equal((await call(`GET /v1/customers/${id}`)).body.updated_at, undefined);
  await call(`PUT /v1/customers/${id}`, { name: "Anna", phone: EVERYTHING.phone, metadata: { colour: "blue" } });
  const customer = { id, object: "customer" };
  assert.deepEqual(
    [...(await eventsOf(project.id, id))],
    [
      { kind: "customer.created", payload: { customer } },
      { kind: "customer.updated", payload: { customer, changed: ["name", "metadata"] } },
    ],
  );
});

test("every refusal has the error body and changes nothing", async (t) => {
  const { project, call, make } = await world();
  const { id } = await make({ source_id: "a" });
  await defineMetadata(call, project.id, { size: { type: "number", optional: true, array: false } });
  const unknown = "cust_ffffffffffffffffffffffff";
  const payload = (details: string) => ["invalid_payload", details] as const;
  const query = (details: string) => ["invalid_query_params", details] as const;
  const missing = (ref: string) => ["not_found", `Cannot find customer with id ${ref}`] as const;
  const longer = (field: string, max: number) =>
    payload(`Property .${field} must NOT have more than ${max} characters`);
  const date = "cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31";
  const moment = `${date}, or a time such as 2027-01-01T00:00:00Z`;
  const cases: [string, unknown, readonly [string, string]][] = [
    ["POST /v1/customers", { id: unknown }, missing(unknown)],
    ["POST /v1/customers", { id: "a" }, missing("a")],
    ["POST /v1/customers", { id: "" }, payload("Property .id must NOT have fewer than 1 characters")],
    ["POST /v1/customers", { source_id: "" }, payload("Property .source_id must NOT have fewer than 1 characters")],
    ["POST /v1/customers", { source_id: 1 }, payload("Property .source_id must be string,null")],
    ["POST /v1/customers", { source_id: "x".repeat(501) }, longer("source_id", 500)],
    ["POST /v1/customers", { name: "x".repeat(501) }, longer("name", 500)],
    ["POST /v1/customers", { name: 5 }, payload("Property .name must be string,null")],
    ["POST /v1/customers", { birthdate: "1990-02-30" }, payload(`Property .birthdate ${date}`)],
    ["POST /v1/customers", { birthday: "yesterday" }, payload(`Property .birthday ${date}`)],
    ["POST /v1/customers", { address: "Berlin" }, payload("Property .address must be object,null")],
    ["POST /v1/customers", { address: { city: 1 } }, payload("Property .address.city must be string,null")],
    ["POST /v1/customers", { metadata: null }, payload("Property .metadata must be object")],
    ["POST /v1/customers", { name: "a\u0000b" }, payload("Property .name must not hold U+0000")],
    [
      "POST /v1/customers",
      { source_id: "b", metadata: { size: "5" } },
      ["metadata_validation_failed", "size: must be a number (actual value is '5')"],
    ],
    [
      `PUT /v1/customers/${id}`,
      { metadata: { size: true } },
      ["metadata_validation_failed", "size: must be a number (actual value is 'true')"],
    ],
    [`PUT /v1/customers/${unknown}`, {}, missing(unknown)],
    [`DELETE /v1/customers/${unknown}`, undefined, missing(unknown)],
    [`POST /v1/customers/${unknown}/permanent-deletion`, undefined, missing(unknown)],
    [`GET /v1/customers/${unknown}`, undefined, missing(unknown)],
    [`GET /v1/customers/${unknown}/activity`, undefined, missing(unknown)],
    [
      `GET /v1/customers/${id}/activity?starting_after_id=ev_1`,
      undefined,
      query("Property .starting_after_id names no entry: ev_1"),
    ],
    [`GET /v1/customers/${id}/activity?limit=101`, undefined, query("Property .limit must be <= 100")],
    [
      `GET /v1/customers/${id}/activity?category=OTHER`,
      undefined,
      query("Property .category must be equal to one of the allowed values [ ACTION, EFFECT ]"),
    ],
    [`GET /v1/customers/${id}/activity?start_date=x`, undefined, query(`Property .start_date ${moment}`)],
    ["GET /v1/customers?limit=0", undefined, query("Property .limit must be >= 1")],
    ["GET /v1/customers?page=100", undefined, query("Property .page must be <= 99")],
    ["GET /v1/customers?starting_after=x", undefined, query(`Property .starting_after ${moment}`)],
    [
      "GET /v1/customers?starting_after=2026-01-01&order=source_id",
      undefined,
      query("Property .starting_after takes the order created_at or -created_at"),
    ],
    [
      "GET /v1/customers?order=name",
      undefined,
      query(
        "Property .order must be equal to one of the allowed values [ created_at, -created_at, updated_at, -updated_at, source_id, -source_id ]",
      ),
    ],
  ];
  const rows = () => db`select * from customers where project_id = ${project.id}`;
  const before = await rows();
  for (const [request, body, [key, details]] of cases)
    await t.test(`${request} ${JSON.stringify(body)?.slice(0, 80)}`, async () =>
      assertRefused(await call(request, body), key as "not_found", details),
    );
  assert.deepEqual(await rows(), before);
});

test("required metadata is asked of a new customer, and cannot be taken away from one that is there", async () => {
  const { project, call, make } = await world();
  const old = await make({ source_id: "old" });
  await defineMetadata(call, project.id, { club: { type: "string", optional: false, array: false } });
  const says = (value: string) => `club: must be a string, property is required (actual value is '${value}')`;
  assertRefused(await call("POST /v1/customers", { source_id: "n" }), "metadata_validation_failed", says("undefined"));
  assertRefused(
    await call("POST /v1/customers", { source_id: "old", metadata: { club: null } }),
    "metadata_validation_failed",
    says("null"),
  );
  assert.equal((await call("POST /v1/customers", { source_id: "old", name: "Old" })).body.id, old.id);
  assert.deepEqual((await make({ source_id: "new", metadata: { club: "Gold" } })).metadata, { club: "Gold" });
});

test("a list in every order, by pages and by cursor; what is not set comes last", async () => {
  const { call, make, clock } = await world();
  const made: string[] = [];
  for (const [n, source_id] of ["c", "a", undefined, "b"].entries())
    made.push((await make({ ...(source_id && { source_id }), name: `${n}` }, at(n))).created_at);
  clock.now = at(20);
  await call("PUT /v1/customers/a", { phone: "1" });
  clock.now = at(21);
  await call("PUT /v1/customers/c", { phone: "1" });
  const listed = async (query: string) => {
    const { customers, total, has_more } = (await call(`GET /v1/customers?${query}`)).body;
    assert.equal(total, 4);
    return `${customers.map((one: { name: string }) => one.name).join("")}${has_more ? "…" : ""}`;
  };
  const cases: [string, string][] = [
    ["", "3210"],
    ["order=created_at", "0123"],
    ["order=source_id", "1302"],
    ["order=-source_id", "0312"],
    ["order=updated_at", "1023"],
    ["order=-updated_at", "0132"],
    ["limit=3", "321…"],
    ["limit=3&page=2", "0"],
    ["limit=2&page=2", "10"],
    ["limit=2&page=3", ""],
    [`starting_after=${made[2]}`, "10"],
    [`starting_after=${made[2]}&limit=1`, "1…"],
    [`starting_after=${made[1]}&order=created_at`, "23"],
  ];
  for (const [query, names] of cases) assert.equal(await listed(query), names, query);
});

/** Reads the list page by page, each from the last `created_at` of the one before it. */
async function readOn(call: Call, order: string, limit: number): Promise<string[]> {
  const read: string[] = [];
  for (let query = ""; ; ) {
    const { customers, has_more } = (await call(`GET /v1/customers?order=${order}&limit=${limit}${query}`)).body;
    read.push(...customers.map(({ id }: { id: string }) => id));
    if (!has_more) return read;
    query = `&starting_after=${customers.at(-1).created_at}`;
  }
}

test("customers made in the same millisecond are read one by one with a cursor, each exactly once", async () => {
  const { call } = await world();
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, n) => call("POST /v1/customers", { source_id: `s${n}` })),
  );
  const made = replies.map(({ body }) => body.id as string);
  for (const [order, limit] of [
    ["created_at", 7],
    ["-created_at", 1],
  ] as const) {
    const read = await readOn(call, order, limit);
    assert.deepEqual([read.length, new Set(read)], [60, new Set(made)], order);
  }
  for (const { body } of replies)
    assert.equal(
      (await call(`GET /v1/customers/${body.id}`)).body.created_at,
      body.created_at,
      "shown as it is stored",
    );
});

test("only who may be new waits for the last created_at that was given", async () => {
  const { call, project } = await testShop(db);
  await call("POST /v1/customers", { source_id: "known" });
  const made = { secret: "s", now: NOW, newId };
  const holder = open({ max: 1 });
  await holder.begin(async (tx) => {
    await tx`select last_at from customer_stamps where project_id = ${project.id} for no key update`;
    await transaction(db, (own) => upsertCustomers(own, project.id, [{ source_id: "known", name: "Ann" }], made));
    const waited = await commit(
      db,
      (own) => upsertCustomers(own, project.id, [{ source_id: "known" }, { source_id: "new" }], made),
      { lockMs: 1, projectId: project.id },
    );
    assert.equal(waited.kind === "aborted" && (waited.error as { code: string }).code, "55P03");
  });
});

test("a list of those with an e-mail address, a city, a name, or written in a span of time", async () => {
  const { call, make, clock } = await world();
  const ann = { source_id: "a", name: "Ann", email: "Ann@shop.example", address: { city: "Berlin" } };
  const { created_at } = await make(ann, at(1));
  await make({ source_id: "b", name: "Ben", email: "ben@shop.example", address: { city: "berlin" } }, at(2));
  await make({ source_id: "c", name: "100%", email: "x" }, at(3));
  clock.now = at(20);
  await call("PUT /v1/customers/b", { phone: "1" });
  const cases: [string, string][] = [
    ["email=ann@SHOP.example", "a"],
    ["email=shop", ""],
    ["city=Berlin", "ba"],
    ["city=Berlin&name=ben", "b"],
    ["name=100%25", "c"],
    ["name=%25", ""],
    [`created_at[after]=${created_at}`, "cb"],
    [`created_at[after]=${created_at}&created_at[before]=${at(3)}`, "b"],
    [`updated_at[after]=${at(19)}`, "b"],
    [`updated_at[before]=${at(19)}`, ""],
    ["created_at[before]=2026-01-01", ""],
    ["segment_id=nope", ""],
    ["q=b", "b"],
    ["q=AN", "a"],
    ["q=ANN@shop", "a"],
    ["q=100%25", "c"],
    ["q=nn", ""],
    ["q=1", "cb"],
    ["q=b&city=Paris", ""],
  ];
  for (const [query, ids] of cases) {
    const { customers, total } = (await call(`GET /v1/customers?${query}`)).body;
    assert.equal(customers.map((one: { source_id: string }) => one.source_id).join(""), ids, query);
    assert.equal(total, ids.length, query);
  }
});

test("the summary of orders counts those that are paid or fulfilled, for a whole page in one statement", async () => {
  const { project, call, make } = await world();
  const [ann, ben] = [await make({ source_id: "a" }, at(1)), await make({ source_id: "b" }, at(2))];
  await order(project.id, { customer_id: ann.id, status: "PAID", amount: 200000, created_at: at(1) });
  await order(project.id, { customer_id: ann.id, status: "FULFILLED", amount: 3900, created_at: at(2) });
  await order(project.id, { customer_id: ann.id, status: "CREATED", amount: 77, created_at: at(3) });
  await order(project.id, { customer_id: ann.id, status: "CANCELED", amount: 88, created_at: at(4) });
  await order(project.id, { customer_id: ben.id, status: "PAID", amount: 1, created_at: at(1) });
  await order(project.id, { customer_id: ben.id, status: "PAID", amount: 2, created_at: at(2) });
  const summed = (amounts: number[]) => {
    const [total_amount, total_count, average_amount, last_order_amount] = amounts;
    return { total_amount, total_count, average_amount, last_order_amount, last_order_date: at(2) };
  };
  assert.deepEqual((await call(`GET /v1/customers/${ann.id}`)).body.summary.orders, summed([203900, 2, 101950, 3900]));
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  const engine = await testEngine(watched, project);
  const { customers } = (await engine.call("GET /v1/customers")).body;
  assert.deepEqual(
    customers.map((one: any) => one.summary.orders),
    [summed([3, 2, 2, 2]), summed([203900, 2, 101950, 3900])],
  );
  assert.equal(seen.filter((text) => text.includes("from orders")).length, 1);
  const most = Number.MAX_SAFE_INTEGER;
  await order(project.id, { customer_id: ben.id, status: "PAID", amount: most, created_at: at(2) });
  assert.equal((await call("GET /v1/customers/b")).body.summary.orders.total_amount, most);
});

test("activity is read on from an entry, in both directions, and by time, category, type and campaign", async () => {
  const { project, call, make, clock } = await world();
  const { id } = await make({ source_id: "a", name: "0" }, at(0));
  for (let n = 1; n <= 4; n += 1) {
    clock.now = at(n);
    await call("PUT /v1/customers/a", { name: `${n}` });
  }
  await db`insert into events ${db({
    project_id: project.id,
    id: newId("ev"),
    kind: "customer.segment.entered",
    group_id: "v-1",
    customer_id: id,
    campaign_id: "camp_1",
    created_at: at(5),
  })}`;
  const all = (await call("GET /v1/customers/a/activity")).body;
  assert.deepEqual(
    [all.object, all.data_ref, all.has_more, all.more_starting_after],
    ["list", "data", false, undefined],
  );
  const [entered, last] = all.data;
  assert.deepEqual(entered, {
    id: entered.id,
    type: "customer.segment.entered",
    data: {},
    created_at: at(5),
    group_id: "v-1",
  });
  assert.match(last.id, /^evcus_[0-9a-f]{24}$/);
  assert.match(last.group_id, /^v-/);
  assert.deepEqual(last.data, { customer: { id, object: "customer" }, changed: ["name"] });
  const hours = async (query: string) => {
    const { data, has_more, more_starting_after } = (await call(`GET /v1/customers/${id}/activity?${query}`)).body;
    assert.equal(more_starting_after, has_more ? data.at(-1).id : undefined);
    const text = data.map((one: { created_at: string }) => Number(one.created_at.slice(11, 13))).join("");
    return `${text}${has_more ? "…" : ""}`;
  };
  const at3 = all.data[2].id;
  const cases: [string, string][] = [
    ["", "543210"],
    ["order=created_at", "012345"],
    ["limit=2", "54…"],
    [`starting_after_id=${at3}`, "210"],
    [`starting_after_id=${at3}&limit=1`, "2…"],
    [`starting_after_id=${at3}&order=created_at`, "45"],
    [`start_date=${at(2)}&end_date=${at(4)}`, "432"],
    ["category=EFFECT", "5"],
    ["category=ACTION", "43210"],
    ["type=customer.created", "0"],
    ["type=customer.nothing", ""],
    ["campaign_id=camp_1", "5"],
    ["campaign_id=camp_2", ""],
    ["campaign_type=GIFT_VOUCHERS", ""],
  ];
  for (const [query, expected] of cases) assert.equal(await hours(query), expected, query);
  const path = `GET /v1/customers/${id}/activity`;
  assertRefused(
    await call(`${path}?campaign_type=OTHER`),
    "invalid_query_params",
    /^Property .campaign_type must be equal to one of the allowed values/,
  );
  const campaign = { project_id: project.id, id: "camp_1", name: "C", campaign_type: "GIFT_VOUCHERS" };
  await db`insert into campaigns ${db({ ...campaign, type: "STATIC", voucher_type: "GIFT_VOUCHER", created_at: NOW } as never)}`;
  assert.equal(await hours("campaign_type=GIFT_VOUCHERS"), "5");
  assert.equal(await hours("campaign_type=PROMOTION"), "");

  const older = async (query: string) => {
    const { data, total, ...rest } = (await call(`GET /v1/customers/a/activities?${query}`)).body;
    assert.deepEqual(rest, { object: "list", data_ref: "data" });
    return `${data.map((one: { created_at: string }) => Number(one.created_at.slice(11, 13))).join("")} of ${total}`;
  };
  assert.deepEqual((await call("GET /v1/customers/a/activities")).body.data, all.data);
  const olderCases: [string, string][] = [
    ["limit=2", "54 of 6"],
    [`starting_after_id=${at3}&limit=1`, "2 of 6"],
    [`starting_after=${at(2)}`, "10 of 6"],
    [`starting_after=${at(2)}&order=created_at`, "345 of 6"],
    [`start_date=${at(2)}&end_date=${at(4)}`, "432 of 3"],
    ["campaign_id=camp_1", "5 of 1"],
    ["campaign_type=GIFT_VOUCHERS", "5 of 1"],
    ["product_id=prod_1", " of 0"],
  ];
  for (const [query, expected] of olderCases) assert.equal(await older(query), expected, query);
  assert.equal((await call("GET /v1/customers/nobody/activities")).status, 404);
  assert.equal((await call("GET /v1/customers/a/activities?campaign_type=OTHER")).status, 400);
});

test("deleting takes the events, orders and memberships along and frees the source id", async () => {
  const { project, call, make } = await world();
  const [ann, ben] = [await make({ source_id: "a" }), await make({ source_id: "b" })];
  await order(project.id, { customer_id: ann.id, status: "PAID", amount: 1 });
  await order(project.id, { customer_id: ben.id, referrer_id: ann.id, status: "PAID", amount: 1 });
  const { body: segment } = await call("POST /v1/segments", { name: "VIP", customers: [ann.id, ben.id] });
  assert.equal((await call("DELETE /v1/customers/a")).status, 204);
  assert.deepEqual(
    [...(await eventsOf(project.id, ann.id))].map(({ kind }) => kind),
    ["customer.deleted"],
  );
  const orders = await db`select customer_id, referrer_id from orders where project_id = ${project.id}`;
  assert.deepEqual([...orders], [{ customer_id: ben.id, referrer_id: null }]);
  assert.equal((await call(`GET /v1/customers?segment_id=${segment.id}`)).body.total, 1);
  assert.notEqual((await make({ source_id: "a" })).id, ann.id);
});

test("permanent deletion leaves nothing of the customer in any table but that it was deleted", async () => {
  const { project, call, make } = await world();
  const values = {
    source_id: "zzleftover-source",
    name: "zzleftover-name",
    description: "zzleftover-description",
    email: "zzleftover@shop.example",
    phone: "zzleftover-phone",
    birthdate: "1911-11-11",
    address: { city: "zzleftover-city" },
    metadata: { note: "zzleftover-note" },
  };
  const key = (name: string) => ({ "idempotency-key": name });
  const { body: one } = await call("POST /v1/customers", values, key("k1"));
  const other = await make({ source_id: "other" });
  await call("POST /v1/customers", { source_id: "other", name: "Other" }, key("k2"));
  await call("PUT /v1/customers/zzleftover-source", { phone: "zzleftover-phone-2" }, key("k3"));
  await call("POST /v1/segments", { name: "VIP", customers: [one.id, other.id] });
  await order(project.id, { customer_id: one.id, status: "PAID", amount: 1, metadata: { gift: "zzleftover-gift" } });
  await order(project.id, { customer_id: other.id, referrer_id: one.id, status: "PAID", amount: 1 });
  await db`insert into events ${db({
    project_id: project.id,
    id: newId("ev"),
    kind: "customer.order.paid",
    group_id: "v-1",
    customer_id: one.id,
    created_at: NOW,
  })}`;
  const [row] = await db`select tracking_id from customers where project_id = ${project.id} and id = ${one.id}`;

  const erased = await call("POST /v1/customers/zzleftover-source/permanent-deletion", undefined, key("k4"));
  assert.equal(erased.status, 200, erased.text);
  const { id, ...rest } = erased.body;
  assert.match(id, /^del_/);
  assert.deepEqual(rest, {
    created_at: NOW,
    related_object_id: one.id,
    related_object: "customer",
    status: "DONE",
    data_json: { events: 0, customer_events: 2, daily_events: 0, segments: 1, orders: 1, order_events: 1, customer: 1 },
    object: "pernament_deletion",
  });
  await assertGone(project.id, one.id, ["zzleftover", "1911-11-11", row!.tracking_id as string]);
  // A repeated request does not do its work again, and other customers' answers are still there.
  const repeated = await call("POST /v1/customers", values, key("k1"));
  assertRefusedAnswer(repeated, "The answer was erased together with its customer");
  const { body: kept } = await call("POST /v1/customers", { source_id: "other", name: "Other" }, key("k2"));
  assert.equal(kept.id, other.id);
  assert.deepEqual(
    (await call("POST /v1/customers/zzleftover-source/permanent-deletion", undefined, key("k4"))).body,
    erased.body,
  );
  assertRefused(await call("POST /v1/customers/zzleftover-source/permanent-deletion"), "not_found");
});
/**
 * Nothing in any table but that the customer was deleted. A trace is a long word: two letters stand
 * in one random tracking id of a hundred.
 */
async function assertGone(projectId: string, id: string, traces: readonly string[]): Promise<void> {
  for (const table of await tenantTables(db)) {
    const rows = await db`select to_jsonb(t)::text as text from ${db(table)} t where project_id = ${projectId}`;
    for (const { text } of rows) {
      for (const trace of traces) assert.ok(!text.includes(trace), `${table}: ${text}`);
      const isDeletion = /customer\.deleted|pernament_deletion/.test(text);
      assert.ok(isDeletion || !text.includes(id), `${table}: ${text}`);
    }
  }
}

test("permanent deletion: what a customer redeemed and was given stays, and nothing tells who it was", async () => {
  const { project, call, make } = await world();
  const ok = okOf(call);
  const one = await make({ source_id: "zzleftover-source", metadata: { note: "zzleftover-note" } });
  await make({ source_id: "other" });
  const shirt = await ok("POST /v1/products", { source_id: "shirt", name: "Shirt", price: 100 });
  const included = [{ object: "product", id: shirt.id, product_customer_campaign_quantity_limit: 9 }];
  const rule = await ok("POST /v1/validation-rules", {
    name: "limit",
    applicable_to: { included, included_all: false },
  });
  const discount = { type: "AMOUNT", amount_off: 1, effect: "APPLY_TO_ITEMS_BY_QUANTITY" };
  await ok("POST /v1/vouchers/SHIRT", { discount, validation_rules: [rule.id] });
  await ok("POST /v1/vouchers/CODE", { discount: { type: "AMOUNT", amount_off: 1 } });
  const redeem = (ids: string[], more: object) =>
    call("POST /v1/redemptions", { redeemables: ids.map((id) => ({ object: "voucher", id })), ...more });
  const customer = { source_id: "zzleftover-source" };
  const items = [{ product_id: shirt.id, quantity: 2 }];
  const mine = await redeem(["SHIRT", "CODE"], {
    customer,
    order: { source_id: "o-1", items, metadata: { gift: "zzleftover-gift" } },
    metadata: { note: "zzleftover-note" },
  });
  assert.equal(mine.status, 200, mine.text);
  const counted = await db`select 1 from unit_counters where project_id = ${project.id} and customer_id = ${one.id}`;
  assert.equal(counted.length, 1);
  // Of others, with an order that the customer has or referred.
  assert.equal((await redeem(["CODE"], { order: { source_id: "o-1", amount: 200 } })).status, 200);
  await ok("POST /v1/orders", { source_id: "o-2", amount: 500, referrer: customer });
  const referred = await redeem(["CODE"], {
    customer: { source_id: "other" },
    order: { source_id: "o-2", amount: 500 },
  });
  const undone = await ok(`POST /v1/redemptions/${referred.body.redemptions[0].id}/rollback`);
  assert.equal(undone.order.referrer_id, one.id);
  assert.equal((await redeem(["NONE"], { customer })).status, 404);
  await ok("POST /v1/publications", { voucher: "CODE", customer, metadata: { note: "zzleftover-note" } });
  const [row] = await db`select tracking_id from customers where project_id = ${project.id} and id = ${one.id}`;

  const total = async () => (await ok("GET /v1/redemptions?limit=100")).total;
  const before = await total();
  await ok("POST /v1/customers/zzleftover-source/permanent-deletion");
  await assertGone(project.id, one.id, ["zzleftover", row!.tracking_id as string]);
  assert.equal(await total(), before);
  const parent = mine.body.parent_redemption.id;
  assert.equal((await ok(`GET /v1/redemptions/${parent}`)).customer_id, null);
  await ok(`POST /v1/redemptions/${parent}/rollbacks`);
  const units = await db`select units from unit_counters where project_id = ${project.id}`;
  assert.deepEqual([...units], [], "no counter is made by undoing");
});

const assertRefusedAnswer = ({ status, body }: { status: number; body: any }, details: string) =>
  assert.deepEqual([status, body.key, body.details], [404, "not_found", details]);

test("customers of another project are not there, also by their source id", async () => {
  const [one, two] = [await world(), await world()];
  const { id } = await one.make({ source_id: "a", name: "Ann" });
  for (const ref of [id, "a"]) assertRefused(await two.call(`GET /v1/customers/${ref}`), "not_found");
  assertRefused(await two.call("POST /v1/customers", { id }), "not_found");
  assert.notEqual((await two.make({ source_id: "a" })).id, id);
  assert.equal((await one.call("GET /v1/customers/a")).body.name, "Ann");
});

test("32 upserts of one source id at once give one customer with what all of them said", async () => {
  const { project, call } = await world();
  const replies = await Promise.all(
    Array.from({ length: 32 }, (_, n) => call("POST /v1/customers", { source_id: "a", metadata: { [`k${n}`]: n } })),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
  const { body } = await call("GET /v1/customers/a");
  assert.equal(Object.keys(body.metadata).length, 32);
  const events = await eventsOf(project.id, body.id);
  assert.equal(events.filter(({ kind }) => kind === "customer.created").length, 1);
  assert.equal(events.length, 32);
});

test("batches of upserts in any order never wait for each other in a circle, of new customers and of known ones", async () => {
  const { project, call } = await world();
  const [batches, rows] = [12, 300];
  const pool = open({ max: batches });
  await Promise.all(Array.from({ length: batches }, () => pool`select 1`));
  const names = Array.from({ length: rows }, (_, n) => ({ source_id: `s${n}` }));
  let deadlocks = 0;
  const run = (n: number) => {
    const turned = [...names.slice(n * 20), ...names.slice(0, n * 20)];
    const given = (n % 2 ? turned : turned.toReversed()).map((one) => ({ ...one, metadata: { [`k${n}`]: n } }));
    return transaction(pool, (tx) =>
      upsertCustomers(tx, project.id, given, { secret: "s", now: NOW, newId }).catch((error) => {
        if (error.code === "40P01") deadlocks += 1;
        throw error;
      }),
    );
  };
  for (const known of [false, true]) {
    const results = await Promise.all(Array.from({ length: batches }, (_, n) => run(n)));
    assert.equal(deadlocks, 0);
    const saved = results.flat().map((one) => ("row" in one ? one : assert.fail()));
    assert.equal(saved.filter(({ created }) => created).length, known ? 0 : rows);
  }
  assert.equal((await call("GET /v1/customers")).body.total, rows);
  const { metadata } = (await call("GET /v1/customers/s7")).body;
  assert.equal(Object.keys(metadata).length, batches);
});

test("new customers are inserted in one order, whatever the order of the batch: two that meet half-way both end", async () => {
  const { project } = await world();
  const pool = open({ max: 3 });
  const waitFor = async (count: number) => {
    while ((await lockWaits(db)) !== count);
  };
  const codes: unknown[] = [];
  const upsert = (...sourceIds: string[]) =>
    transaction(pool, (tx) => {
      const given = sourceIds.map((source_id) => ({ source_id }));
      return upsertCustomers(tx, project.id, given, { secret: "s", now: NOW, newId }).catch((error) => {
        codes.push(error.code);
        throw error;
      });
    });
  const opened = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = pool.begin(async (tx) => {
    await upsertCustomers(tx, project.id, [{ source_id: "m" }], { secret: "s", now: NOW, newId });
    opened.resolve();
    await release.promise;
  });
  await opened.promise;
  const first = upsert("a", "m", "z");
  await waitFor(1);
  const second = upsert("z", "m", "a");
  await waitFor(2);
  release.resolve();
  await Promise.all([holder, first, second]);
  assert.ok(!codes.includes("40P01"), "nobody waited in a circle");
  assert.equal((await db`select id from customers where project_id = ${project.id}`).length, 3);
});

test("in a batch the same customer is changed step by step, and one that is refused does not hold up the others", async () => {
  const { project } = await world();
  const given = [
    { source_id: "a", name: "1" },
    { id: "cust_nope" },
    { source_id: "a", metadata: { bad: true } },
    { source_id: "a", name: "2" },
    { source_id: "b", metadata: { bad: true } },
    { source_id: "a" },
  ];
  const metadataFault = (metadata: object) => ("bad" in metadata ? "bad: no" : null);
  const made = { secret: "s", now: NOW, newId, metadataFault };
  const results = await transaction(db, (tx) => upsertCustomers(tx, project.id, given, made));
  assert.deepEqual(
    results.map((one) => ("refused" in one ? one.refused.key : [one.row.name, one.created, one.changed])),
    [
      ["1", true, ["name"]],
      "not_found",
      "metadata_validation_failed",
      ["2", false, ["name"]],
      "metadata_validation_failed",
      ["2", false, []],
    ],
  );
  const rows = await db`select source_id, name from customers where project_id = ${project.id}`;
  assert.deepEqual([...rows], [{ source_id: "a", name: "2" }]);
});

test("a country beside the address is the country of the address", async () => {
  const { call } = await testShop(db);
  const made = await call("POST /v1/customers", { source_id: "anna", country: "PL" });
  assert.deepEqual([made.status, made.body.address], [200, { country: "PL" }]);
  const changed = await call("PUT /v1/customers/anna", { address: { city: "Oslo" }, country: "NO" });
  assert.deepEqual(changed.body.address, { city: "Oslo", country: "NO" });
  assert.equal((await call("POST /v1/customers", { source_id: "bob", country: 5 })).status, 400);
});

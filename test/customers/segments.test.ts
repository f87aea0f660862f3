import assert from "node:assert/strict";
import { test } from "node:test";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { getCustomer } from "../../src/resources/customers/customers/store.ts";
import { loadSegmentsOf, refreshMemberships } from "../../src/steps/customers/segment-membership.ts";
import { NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { ok, testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const LATER = "2026-01-01T12:01:00.000Z";
const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, "0")}:00:00.000Z`;
const is = (field: string, value: unknown) => ({ junction: "and", [field]: { conditions: { $is: [value] } } });

async function world() {
  const project = await testProject(db);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const post = (path: string, body: object) => ok(call, `POST /v1/${path}`, body);
  const sync = () => advanceCards.run({ db, newId, now: () => LATER, random: Buffer.alloc });
  const members = async (segmentId: string, query = "") => {
    const { customers, total } = (await call(`GET /v1/customers?segment_id=${segmentId}&order=source_id${query}`)).body;
    assert.ok(total >= customers.length);
    return customers.map((one: { source_id: string }) => one.source_id).join("");
  };
  const segmentsOf = async (ref: string) =>
    (await call(`GET /v1/customers/${ref}/segments`)).body.data.map((one: { name: string }) => one.name);
  const events = async () => {
    const rows = await db`
      select e.kind, e.payload, c.source_id from events e
      left join customers c on c.project_id = e.project_id and c.id = e.customer_id
      where e.project_id = ${project.id} and e.kind like 'customer.segment.%' order by e.id`;
    return rows.map(({ kind, source_id }) => `${source_id} ${kind.split(".")[2]}`);
  };
  return { project, clock, call, post, sync, members, segmentsOf, events };
}

test("a static segment is created with its customers, read, renamed, listed, deleted", async () => {
  const { project, call, post, members, segmentsOf } = await world();
  const [a, b] = [await post("customers", { source_id: "a" }), await post("customers", { source_id: "b" })];
  await post("customers", { source_id: "c" });
  const body = { name: "Customers in a new Segment", type: "static", customers: [a.id, b.id, a.id] };
  const created = await post("segments", body);
  const { id } = created;
  assert.match(id, /^seg_[0-9a-f]{24}$/);
  const expected = {
    id,
    name: "Customers in a new Segment",
    type: "static",
    filter: null,
    initial_sync_status: "DONE",
    created_at: NOW,
    updated_at: null,
    object: "segment",
  };
  assert.deepEqual(created, expected);
  assert.deepEqual((await call(`GET /v1/segments/${id}`)).body, expected);
  assert.deepEqual((await call("GET /v1/segments")).body, {
    object: "list",
    data_ref: "data",
    data: [expected],
    total: 1,
  });
  assert.equal(await members(id), "ab");
  assert.deepEqual((await call("GET /v1/customers/a/segments")).body, {
    object: "list",
    data_ref: "data",
    data: [{ id, name: expected.name, object: "segment" }],
    total: 1,
  });
  assert.deepEqual(await segmentsOf("c"), []);
  const renamed = await call(`PUT /v1/segments/${id}`, { name: "VIP" });
  assert.deepEqual(renamed.body, { ...expected, name: "VIP", updated_at: NOW });
  assert.deepEqual(await segmentsOf("a"), ["VIP"]);
  const deleted = await call(`DELETE /v1/segments/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assertRefused(await call(`GET /v1/segments/${id}`), "not_found", `Cannot find segment with id ${id}`);
  assert.deepEqual(await segmentsOf("a"), []);
  assert.equal((await db`select 1 from segment_members where project_id = ${project.id}`).length, 0);
});

test("the type follows from what is sent", async () => {
  const { post } = await world();
  const { type, initial_sync_status, filter } = await post("segments", { name: "A", filter: is("name", "Ann") });
  assert.deepEqual([type, initial_sync_status, filter], ["auto-update", "DONE", is("name", "Ann")]);
  const nobody = await post("segments", { name: "B", customers: [] });
  assert.deepEqual([nobody.type, nobody.initial_sync_status], ["static", "DONE"]);
  const passive = await post("segments", { name: "C", type: "passive", filter: { junction: "OR" } });
  assert.deepEqual([passive.type, passive.initial_sync_status], ["passive", "DONE"]);
});

test("every refusal has the error body and changes nothing", async (t) => {
  const { project, call, post } = await world();
  const a = await post("customers", { source_id: "a" });
  const fixed = await post("segments", { name: "Fixed", customers: [a.id] });
  const telling = await post("segments", { name: "Telling", filter: is("name", "Ann") });
  const passive = await post("segments", { name: "Passive", type: "passive", filter: is("name", "Ann") });
  const payload = (details: string) => ["invalid_payload", details] as const;
  const query = (details: string) => ["invalid_query_params", details] as const;
  const missing = ["not_found", "Cannot find segment with id nope"] as const;
  const junction = payload("Property .filter has wrong `junction` property. It must be one of: and, or");
  const create = "POST /v1/segments";
  const cases: [string, unknown, readonly [string, string | RegExp]][] = [
    [create, {}, payload("Payload must have required property 'name'")],
    [create, { name: "" }, payload("Property .name must NOT have fewer than 1 characters")],
    [create, { name: "A" }, payload("Payload must have required property 'customers' for type static")],
    [create, { name: "A", type: "passive" }, payload("Payload must have required property 'filter' for type passive")],
    [
      create,
      { name: "A", type: "static", customers: [], filter: is("name", "A") },
      payload("Property .filter is not taken for type static"),
    ],
    [
      create,
      { name: "A", customers: [a.id], filter: is("name", "A") },
      payload("Property .customers is not taken for type auto-update"),
    ],
    [
      create,
      { name: "A", type: "other" },
      payload("Property .type must be equal to one of the allowed values [ static, passive, auto-update ]"),
    ],
    [create, { name: "A", customers: [a.id, "cust_nope"] }, ["not_found", "Cannot find customer with id cust_nope"]],
    [create, { name: "A", customers: ["a"] }, ["not_found", "Cannot find customer with id a"]],
    [
      create,
      { name: "A", customers: Array(20_001).fill("x") },
      payload("Property .customers must NOT have more than 20000 items"),
    ],
    [create, { name: "A", filter: {} }, junction],
    [create, { name: "A", filter: { junction: "xor" } }, junction],
    [create, { name: "A", filter: [] }, payload("Property .filter must be object")],
    [
      create,
      { name: "A", filter: is("colour", 1) },
      ["invalid_payload", /^Property \.filter has unknown field colour\./],
    ],
    [
      create,
      { name: "A", filter: { junction: "and", name: { conditions: { $like: "x" } } } },
      ["invalid_payload", /^Property \.filter\.name has unknown operator \$like\./],
    ],
    [
      create,
      { name: "A", filter: { junction: "and", name: "Ann" } },
      payload("Property .filter.name must have the form { conditions: { <operator>: <value or list of values> } }"),
    ],
    [
      `PUT /v1/segments/${fixed.id}`,
      { filter: is("name", "A") },
      payload("Property .filter cannot be changed in a segment of type static"),
    ],
    [
      `PUT /v1/segments/${telling.id}`,
      { filter: is("name", "A") },
      payload("Property .filter cannot be changed in a segment of type auto-update"),
    ],
    [`PUT /v1/segments/${passive.id}`, { filter: { junction: "xor" } }, junction],
    ["PUT /v1/segments/nope", { name: "A" }, missing],
    ["DELETE /v1/segments/nope", undefined, missing],
    ["GET /v1/segments/nope", undefined, missing],
    ["GET /v1/segments?limit=101", undefined, query("Property .limit must be <= 100")],
    [
      "GET /v1/segments?filters[colour][conditions][$is]=x",
      undefined,
      query("filters.colour is unknown; there are id, name, type, created_at"),
    ],
  ];
  const rows = () => db`select * from segments where project_id = ${project.id} order by id`;
  const before = await rows();
  for (const [request, body, [key, details]] of cases)
    await t.test(`${request} ${JSON.stringify(body)?.slice(0, 80)}`, async () =>
      assertRefused(await call(request, body), key as "not_found", details),
    );
  assert.deepEqual(await rows(), before);
});

test("a list in both orders, by page and cursor, by ids, filters and time", async () => {
  const { call, post, clock } = await world();
  const made: { id: string }[] = [];
  for (const [n, name] of ["Gold", "Silver", "Bronze"].entries()) {
    clock.now = at(n);
    made.push(await post("segments", { name, ...(n === 1 ? { filter: is("name", "Ann") } : { customers: [] }) }));
  }
  const cases: [string, string, number?][] = [
    ["", "BSG"],
    ["order=created_at", "GSB"],
    ["limit=2", "BS", 3],
    ["limit=2&page=2", "G", 3],
    [`starting_after=${at(2)}`, "SG", 3],
    [`starting_after=${at(0)}&order=created_at&limit=1`, "S", 3],
    [`ids=${made[0]!.id}`, "G"],
    [`ids[0]=${made[0]!.id}&ids[1]=${made[2]!.id}&ids[2]=nope`, "BG"],
    [`filters[id][conditions][$in][0]=${made[1]!.id}`, "S"],
    ["filters[name][conditions][$contains]=o", "BG"],
    ["filters[type][conditions][$is]=static", "BG"],
    ["filters[type][conditions][$starts_with]=stat", "BG"],
    ["filters[type][conditions][$ends_with]=update&filters[id][conditions][$contains]=seg_", "S"],
    [`filters[created_at][conditions][$after]=${at(0)}&filters[junction]=and`, "BS"],
    [`start_date=${at(1)}`, "BS"],
    [`start_date=${at(1)}&end_date=${at(1)}`, "S"],
  ];
  for (const [query, names, total = names.length] of cases) {
    const { body } = await call(`GET /v1/segments?${query}`);
    assert.equal(body.data.map((one: { name: string }) => one.name[0]).join(""), names, query);
    assert.equal(body.total, total, query);
  }
});

test("a passive segment holds whoever fits now, in lists and for a customer, and tells nobody", async () => {
  const { call, post, members, segmentsOf, events } = await world();
  for (const source_id of ["a", "b", "c", "d"])
    await post("customers", { source_id, metadata: { club: source_id < "c" ? "Gold" : "Blue" } });
  const { id } = await post("segments", { name: "Gold", type: "passive", filter: is("metadata.club", "Gold") });
  assert.equal(await members(id), "ab");
  assert.equal(await members(id, "&limit=1&page=2"), "b");
  const page = (await call(`GET /v1/customers?segment_id=${id}&limit=1&order=source_id`)).body;
  assert.deepEqual([page.total, page.has_more, page.customers.length], [2, true, 1]);
  await call("PUT /v1/customers/c", { metadata: { club: "Gold" } });
  await call("PUT /v1/customers/a", { metadata: { club: null } });
  assert.equal(await members(id), "bc");
  assert.deepEqual([await segmentsOf("a"), await segmentsOf("c")], [[], ["Gold"]]);
  assert.deepEqual(await events(), []);
  assert.equal((await call(`PUT /v1/segments/${id}`, { filter: is("metadata.club", "Blue") })).body.updated_at, NOW);
  assert.equal(await members(id), "d");
});

test("a passive segment is not looked up among more customers than one request may look at", async () => {
  const { project, call, post } = await world();
  await db`
    insert into customers (project_id, id, name, created_at)
    select ${project.id}, 'cust_' || lpad(n::text, 8, '0'), (n % 7)::text, ${NOW}::timestamptz - n * interval '1 minute'
    from generate_series(0, 50000) n`;
  const { id } = await post("segments", { name: "Fives", type: "passive", filter: is("name", "5") });
  assertRefused(
    await call(`GET /v1/customers?segment_id=${id}`),
    "invalid_query_params",
    "Property .segment_id names a segment that is looked up among at most 50000 customers; narrow them by another parameter",
  );
  const { body } = await call(
    `GET /v1/customers?segment_id=${id}&created_at[after]=2025-12-31T12:00:00Z&limit=2&page=2`,
  );
  assert.deepEqual([body.total, body.has_more], [205, true]);
  const ids = body.customers.map((one: { id: string }) => one.id);
  assert.deepEqual(ids, ["cust_00000019", "cust_00000026"]);
  const after = body.customers[1].created_at;
  const query = `segment_id=${id}&created_at[after]=2025-12-31T12:00:00Z&limit=1&starting_after=${after}`;
  const next = (await call(`GET /v1/customers?${query}`)).body;
  assert.deepEqual([next.customers[0].id, next.total, next.has_more], ["cust_00000033", 205, true]);
});

test("a filter over orders sees those that are paid", async () => {
  const { call, project, post, members, segmentsOf } = await world();
  const a = await post("customers", { source_id: "a" });
  await post("customers", { source_id: "b" });
  const spent = { junction: "and", "summary.orders.total_amount": { conditions: { $more_than: [100] } } };
  const recent = { junction: "and", "summary.orders.last_order_date": { conditions: { $less_than: [30] } } };
  const never = is("summary.orders.total_count", 0);
  const by = async (name: string, filter: object) => (await post("segments", { name, type: "passive", filter })).id;
  const [first, second, third] = [await by("Spent", spent), await by("Recent", recent), await by("Never", never)];
  assert.deepEqual([await members(first), await members(second), await members(third)], ["", "", "ab"]);
  for (const [amount, created_at] of [
    [100, at(1)],
    [1, "2025-11-01T00:00:00Z"],
  ])
    await db`insert into orders ${db({ project_id: project.id, id: newId("ord"), status: "PAID", customer_id: a.id, amount, created_at } as never)}`;
  assert.deepEqual([await members(first), await members(second), await members(third)], ["a", "a", "b"]);
  assert.deepEqual(await segmentsOf("a"), ["Spent", "Recent"]);
  assert.equal((await call("GET /v1/customers/nobody/segments")).status, 404);
});

test("an auto-update segment tells of those who enter and leave after it was created", async () => {
  const { project, call, post, sync, members, segmentsOf, events } = await world();
  for (const source_id of ["a", "b"])
    await post("customers", { source_id, address: { country: source_id === "a" ? "DE" : "PL" } });
  const { id } = await post("segments", { name: "Germans", filter: is("address.country", "DE") });
  assert.equal((await call(`GET /v1/segments/${id}`)).body.initial_sync_status, "DONE");
  assert.deepEqual([await members(id), await events()], ["a", []], "who fits it already is in it silently");
  await post("customers", { source_id: "c", address: { country: "DE" } });
  await sync();
  assert.equal(await members(id), "ac");
  assert.deepEqual(await events(), ["c entered"]);

  await call("PUT /v1/customers/b", { address: { country: "DE" } });
  await call("PUT /v1/customers/b", { name: "Ben" });
  await call("PUT /v1/customers/a", { address: null });
  await post("customers", { source_id: "d", address: { country: "DE" } });
  assert.equal(await members(id), "bcd");
  assert.deepEqual(await segmentsOf("b"), ["Germans"]);
  assert.deepEqual(await events(), ["c entered", "b entered", "a left", "d entered"]);
  const { data } = (await call("GET /v1/customers/a/activity?type=customer.segment.left")).body;
  const a = (await call("GET /v1/customers/a")).body;
  assert.deepEqual(data[0].data, {
    customer: { id: a.id, object: "customer" },
    segment: { id, name: "Germans", object: "segment" },
  });
  await call("DELETE /v1/customers/c");
  assert.deepEqual((await events()).at(-1), "null left");
  await call(`DELETE /v1/segments/${id}`);
  assert.equal((await db`select 1 from segment_members where project_id = ${project.id}`).length, 0);
});

test("many at once who enter and leave: what is stored is what the filter says, and events tell each step once", async () => {
  const { project, call, post, sync, members, events } = await world();
  await post("customers", { source_id: "a", name: "0" });
  const { id } = await post("segments", { name: "Odd", filter: is("name", "odd") });
  await sync();
  const names = Array.from({ length: 24 }, (_, n) => (n % 2 ? "odd" : "even"));
  const replies = await Promise.all(names.map((name) => call("PUT /v1/customers/a", { name })));
  assert.ok(replies.every(({ status }) => status === 200));
  const isIn = (await call("GET /v1/customers/a")).body.name === "odd";
  assert.equal(await members(id), isIn ? "a" : "");
  const told = await events();
  for (const [n, one] of told.entries()) assert.equal(one, n % 2 === 0 ? "a entered" : "a left");
  assert.equal(told.length % 2 === 1, isIn);
  assert.ok(told.length > 0, `${project.id} has events`);
});

test("a segment that is deleted while customers enter it makes no request fail", async () => {
  const { call, post, sync } = await world();
  for (let round = 0; round < 5; round += 1) {
    const { id } = await post("segments", { name: "Here", filter: is("name", `${round}`) });
    await sync();
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, (_, n) => call("POST /v1/customers", { source_id: `${n}`, name: `${round}` })),
      call(`DELETE /v1/segments/${id}`),
    ]);
    for (const { status, text } of replies) assert.ok(status === 200 || status === 204, text);
  }
});

test("a project has at most 100 segments with a filter, however they arrive", async () => {
  const { project, call, post } = await world();
  const row = {
    project_id: project.id,
    name: "S",
    type: "passive",
    filter: is("name", "A"),
    initial_sync_status: "DONE",
  };
  const rows = Array.from({ length: 97 }, (_, n) => ({ ...row, id: `seg_${n}`, created_at: NOW }));
  await db`insert into segments ${db(rows as never)}`;
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => call("POST /v1/segments", { name: "New", filter: is("name", "A") })),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 3);
  for (const reply of replies.filter(({ status }) => status !== 200))
    assertRefused(reply, "invalid_payload", "A project has at most 100 segments with a filter");
  await post("segments", { name: "Fixed", customers: [] });
});

test("segments of many customers are found in as many statements as those of one", async () => {
  const { project, call, post } = await world();
  const a = await post("customers", { source_id: "a", name: "Ann" });
  const b = await post("customers", { source_id: "b", name: "Ben" });
  const fixed = await post("segments", { name: "Fixed", customers: [b.id] });
  const ann = await post("segments", { name: "Ann", type: "passive", filter: is("name", "Ann") });
  const never = await post("segments", {
    name: "Never",
    type: "passive",
    filter: is("summary.orders.total_count", 0),
  });
  assert.equal((await call("GET /v1/segments")).body.total, 3);
  const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf({ id: project.id, catalog_revision: 3 });
  const rows = [await getCustomer(db, project.id, "a"), await getCustomer(db, project.id, b.id)];
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  await watched`select 1`;
  const asked = { projectId: project.id };
  const count = async (customers: Parameters<typeof loadSegmentsOf>[2], more: object = {}) => {
    seen.length = 0;
    const segmentsOf = await loadSegmentsOf(watched, catalog, customers, { ...asked, ...more });
    return [seen.length, customers.map((_, n) => [...segmentsOf(n, { now: NOW, zone: "UTC" })])];
  };
  const [one, two] = [await count([rows[0]!]), await count([...rows, null, { name: "Ann" }])];
  assert.equal(one[0], two[0]);
  assert.deepEqual(one[1], [[ann.id, never.id]]);
  assert.deepEqual(two[1], [[ann.id, never.id], [fixed.id, never.id], [never.id], [ann.id, never.id]]);
  assert.deepEqual(await count(rows, { segmentIds: [ann.id, "seg_gone"] }), [0, [[ann.id], []]]);
  assert.ok(a.id < b.id);
});

test("memberships of a batch are refreshed in a fixed number of statements", async () => {
  const { project, post, sync } = await world();
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push((await post("customers", { source_id: `${n}`, name: "Ann" })).id);
  for (const name of ["Ann", "Ben"]) await post("segments", { name, filter: is("name", name) });
  await sync();
  const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf({ id: project.id, catalog_revision: 2 });
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  const refreshed = async (some: readonly string[]) => {
    await db`update customers set name = case when name = 'Ann' then 'Ben' else 'Ann' end
      where project_id = ${project.id} and id = any(${some})`;
    seen.length = 0;
    const c = { project: { id: project.id, timezone: "UTC" }, now: NOW };
    const events = await transaction(watched, (db) => refreshMemberships({ ...c, db }, catalog, some));
    assert.deepEqual(events.map(({ kind }) => kind.split(".")[2]).sort(), [
      ...some.map(() => "entered"),
      ...some.map(() => "left"),
    ]);
    return seen.length;
  };
  await refreshed(ids);
  assert.equal(await refreshed(ids.slice(0, 1)), await refreshed(ids));
});

test("segments: the size of each type, and who would be in a filter that nobody has saved", async () => {
  const { ok, call } = await testShop(db);
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1)
    ids.push(
      (await ok("POST /v1/customers", { source_id: `c${n}`, metadata: { level: n % 4 === 3 ? "no" : "gold" } })).id,
    );
  const filter = { junction: "and", "metadata.level": { conditions: { $is: ["gold"] } } };
  const sizes = [];
  for (const body of [{ customers: ids.slice(0, 2) }, { type: "passive", filter }, { type: "auto-update", filter }]) {
    const { id } = await ok("POST /v1/segments", { name: JSON.stringify(body), ...body });
    const { segment_id, count, approximate, object } = await ok(`GET /v1/segments/${id}/size`);
    assert.deepEqual([segment_id, approximate, object], [id, false, "segment_size"]);
    sizes.push(count);
  }
  assert.deepEqual(sizes, [2, 9, 9]);
  const before = (await ok("GET /v1/segments")).total;
  const preview = await ok("POST /v1/segments/preview", { filter });
  assert.deepEqual([preview.count, preview.approximate, preview.object], [9, false, "segment_preview"]);
  const newest = ["c10", "c9", "c8", "c6", "c5", "c4", "c2", "c1", "c0"];
  assert.deepEqual(
    preview.customers.map(({ source_id }: any) => source_id),
    newest,
  );
  const everybody = { junction: "and", source_id: { conditions: { $is_not: ["x"] } } };
  const all = await ok("POST /v1/segments/preview", { filter: everybody });
  assert.deepEqual([all.count, all.customers.length], [12, 10]);
  assert.equal((await ok("GET /v1/segments")).total, before, "nothing is stored");

  const wrong = await call("POST /v1/segments/preview", { filter: { junction: "and", colour: { conditions: {} } } });
  assert.deepEqual([wrong.status, wrong.body.key], [400, "invalid_payload"]);
  assert.equal((await call("POST /v1/segments/preview", {})).status, 400);
  const { status, body } = await call("GET /v1/segments/seg_none/size");
  assert.deepEqual([status, body.resource_type], [404, "segment"]);
  const other = await testShop(db);
  const { id } = (await ok("GET /v1/segments")).data[0];
  assert.equal((await other.call(`GET /v1/segments/${id}/size`)).status, 404);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function world() {
  const { project, call, ok } = await testShop(db);
  await ok("POST /v1/vouchers/TEN", { discount: { type: "PERCENT", percent_off: 10 } });
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const validate = (more: object) => ok("POST /v1/validations", { redeemables, order: { amount: 1000 }, ...more });
  const unconfirmed = async () => [
    ...(await db<Record<string, any>[]>`
      select id, tracking_id, created_at from unconfirmed_customers where project_id = ${project.id} order by id`),
  ];
  const validationsOf = async () => [
    ...(await db<Record<string, any>[]>`
      select id, customer_id, tracking_id from validations where project_id = ${project.id} order by created_at, id`),
  ];
  const kindsOf = async (ref: string) =>
    (await ok(`GET /v1/customers/${ref}/activity`)).data.map((one: any) => one.type);
  return { project, call, ok, validate, unconfirmed, validationsOf, kindsOf };
}

test("a tracking id that nobody has is echoed hashed, also by its hash, and is remembered once", async () => {
  const { validate, unconfirmed, validationsOf, ok } = await world();
  const first = await validate({ tracking_id: "visitor-7" });
  assert.equal(first.valid, true);
  assert.match(first.tracking_id, /^track_[\w-]{43}$/);
  const [one, ...more] = await unconfirmed();
  assert.deepEqual(more, []);
  assert.match(one!.id, /^ucust_[0-9a-f]{24}$/);
  assert.deepEqual([one!.tracking_id, one!.created_at], [first.tracking_id, NOW]);
  assert.equal((await validate({ tracking_id: first.tracking_id })).tracking_id, first.tracking_id);
  await validate({ tracking_id: "visitor-7", session: { type: "LOCK" } });
  const older = await ok("POST /v1/vouchers/TEN/validate", { tracking_id: "visitor-7" });
  assert.equal(older.tracking_id, first.tracking_id);
  assert.deepEqual(await unconfirmed(), [one]);
  assert.deepEqual(
    (await validationsOf()).map(({ customer_id, tracking_id }) => [customer_id, tracking_id]),
    Array.from({ length: 4 }, () => [null, first.tracking_id]),
  );
});

test("a question about what can be used is answered for a tracking id that nobody has, and remembers nobody", async () => {
  const { ok, unconfirmed, validate } = await world();
  const asked = await ok("POST /v1/qualifications", { tracking_id: "visitor-7" });
  assert.deepEqual([asked.redeemables.data.length, asked.tracking_id.slice(0, 6)], [1, "track_"]);
  assert.deepEqual(await unconfirmed(), []);
  for (const more of [{}, { tracking_id: "" }, { tracking_id: null }, { customer: { source_id: "only-said" } }])
    await validate(more);
  assert.deepEqual(await unconfirmed(), []);
});

test("the customer who is made with that source id has what was kept of the visitor, and is confirmed once", async () => {
  const { ok, validate, unconfirmed, validationsOf, kindsOf } = await world();
  await validate({ tracking_id: "visitor-7" });
  await validate({ tracking_id: "visitor-8" });
  const [seven, eight] = await unconfirmed();
  const made = await ok("POST /v1/customers", { source_id: "visitor-7", name: "Ann" });
  assert.deepEqual(await unconfirmed(), [eight]);
  assert.deepEqual(
    (await validationsOf()).map(({ customer_id, tracking_id }) => [customer_id, tracking_id]),
    [
      [made.id, null],
      [null, eight!.tracking_id],
    ],
  );
  const { data } = await ok(`GET /v1/customers/${made.id}/activity`);
  const [confirmed] = data.filter((one: any) => one.type === "customer.confirmed");
  assert.deepEqual(confirmed.data.unconfirmed_customer, { id: seven!.id });
  assert.deepEqual((await kindsOf("visitor-7")).sort(), [
    "customer.confirmed",
    "customer.created",
    // What the visitor asked before.
    "customer.validation.succeeded",
  ]);
  await ok("POST /v1/customers", { source_id: "visitor-7", name: "Anna" });
  const again = await validate({ tracking_id: "visitor-7" });
  assert.equal((await validationsOf()).find(({ id }) => id === again.id)!.customer_id, made.id);
  assert.deepEqual((await kindsOf("visitor-7")).sort(), [
    "customer.confirmed",
    "customer.created",
    "customer.updated",
    "customer.validation.succeeded",
    "customer.validation.succeeded",
  ]);
  // Made beside an order is made as well; another customer is not confirmed.
  await ok("POST /v1/orders", { amount: 100, customer: { source_id: "visitor-8" }, referrer: { source_id: "new" } });
  assert.deepEqual(await unconfirmed(), []);
  assert.ok((await kindsOf("visitor-8")).includes("customer.confirmed"));
  await validate({ tracking_id: "visitor-9" });
  const order = { amount: 1000 };
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "TEN" }],
    order,
    customer: { source_id: "visitor-9" },
  });
  assert.deepEqual(await unconfirmed(), []);
  assert.equal((await kindsOf("visitor-9")).filter((kind: string) => kind === "customer.confirmed").length, 1);
  assert.ok(!(await kindsOf("new")).includes("customer.confirmed"));
});

test("a refused customer confirms nobody", async () => {
  const { project, call, ok, validate, unconfirmed } = await world();
  await validate({ tracking_id: "visitor-7" });
  const before = await unconfirmed();
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "customer",
    properties: { age: { type: "number", optional: false, array: false } },
  });
  assert.equal((await call("POST /v1/customers", { source_id: "visitor-7" })).status, 400);
  assert.deepEqual(await unconfirmed(), before);
});

test("visitors of another project are other visitors", async () => {
  const [one, two] = [await world(), await world()];
  await one.validate({ tracking_id: "visitor-7" });
  await two.ok("POST /v1/customers", { source_id: "visitor-7" });
  assert.equal((await one.unconfirmed()).length, 1);
  assert.deepEqual(await two.kindsOf("visitor-7"), ["customer.created"]);
});

test("a customer who is erased is in no validation any more, confirmed or not", async () => {
  const { project, ok, validate } = await world();
  const first = await validate({ tracking_id: "zz-visitor" });
  const made = await ok("POST /v1/customers", { source_id: "zz-visitor" });
  await validate({ customer: { id: made.id } });
  // Two that met: the visitor was remembered while the customer was made.
  await db`insert into unconfirmed_customers ${db({ project_id: project.id, id: newId("ucust"), tracking_id: first.tracking_id, created_at: NOW })}`;
  await db`update validations set tracking_id = ${first.tracking_id}, customer_id = null where id = ${first.id}`;
  await ok(`POST /v1/customers/${made.id}/permanent-deletion`);
  for (const table of await tenantTables(db))
    for (const {
      text,
    } of await db`select to_jsonb(t)::text as text from ${db(table)} t where project_id = ${project.id}`)
      for (const trace of [made.id, first.tracking_id, "zz-visitor"])
        assert.ok(/customer\.deleted|pernament_deletion/.test(text) || !text.includes(trace), `${table}: ${text}`);
});

test("who never became a customer is forgotten after 30 days", async () => {
  const { validate, unconfirmed } = await world();
  await validate({ tracking_id: "visitor-7" });
  const at = (now: string) => purgeExpired.run({ db, now: () => now, newId, random: Buffer.alloc });
  await at("2026-01-31T12:00:00.000Z");
  assert.equal((await unconfirmed()).length, 1);
  await at("2026-01-31T12:00:00.001Z");
  assert.equal((await unconfirmed()).length, 0);
});

test("many requests of one visitor at once remember one", async () => {
  const { validate, unconfirmed } = await world();
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      validate({ tracking_id: `visitor-${n % 3}`, ...(n % 2 === 0 && { session: { type: "LOCK", key: `s${n}` } }) }),
    ),
  );
  assert.equal((await unconfirmed()).length, 3);
});

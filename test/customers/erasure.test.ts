import assert from "node:assert/strict";
import { test } from "node:test";
import { transaction } from "../../src/db/batches/commit.ts";
import { tablesInOrder } from "../../src/db/tenant-tables.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { runExports } from "../../src/jobs/run-exports.ts";
import {
  loadPersonalData,
  NOT_PERSONAL,
  PERSONAL_PLACES,
} from "../../src/resources/customers/customers/personal-data-store.ts";
import { getCustomer } from "../../src/resources/customers/customers/store.ts";
import { appendBytes, completeFile, createFile } from "../../src/resources/platform/files/store.ts";
import { laurel } from "../support/child.ts";
import { clubOf } from "../support/clubs.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { testRefusalQueue } from "../support/refusals.ts";
import { testRequestQueue } from "../support/request-log.ts";
import { followAll } from "../support/rollups.ts";

const { db, url } = await testDatabase();
const job = { db, now: () => NOW, newId, random: Buffer.alloc };
/** Stands in everything that the customer sends. */
const CANARY = "canary-7f3a";
const PAID = { event: "customer.order.paid" };
type Shop = Awaited<ReturnType<typeof clubOf>>;

test("every table says whether it can hold something of a customer", async () => {
  const named = [...Object.keys(PERSONAL_PLACES), ...NOT_PERSONAL];
  assert.equal(new Set(named).size, named.length, "none of them twice");
  assert.deepEqual(
    (await tablesInOrder(db)).toSorted(),
    named.toSorted(),
    "add the table to PERSONAL_PLACES or NOT_PERSONAL of src/resources/customers/customers/personal-data-store.ts",
  );
});

const person = {
  source_id: `${CANARY}-source`,
  name: `${CANARY} name`,
  email: `${CANARY}@example.com`,
  phone: `+1 ${CANARY}`,
  description: `${CANARY} description`,
  address: { city: `${CANARY} city` },
  metadata: { note: `${CANARY} note` },
};
const customer = { source_id: person.source_id };
const metadata = { note: `${CANARY} note` };
const discount = { type: "AMOUNT", amount_off: 100 };

/** A file with the customer in it, which nobody exported. */
async function plantFile(projectId: string, kind: "upload" | "report"): Promise<void> {
  const about = { name: `${CANARY}.csv`, content_type: "text/csv", is_personal: true, now: NOW };
  const file = { project_id: projectId, id: newId("file"), kind };
  await transaction(db, async (tx) => {
    await createFile(tx, { ...file, ...about });
    await appendBytes(tx, file, Buffer.from(`source_id\n${person.source_id}\n`));
    await completeFile(tx, file);
  });
}

/** The customer in checkouts, and in whatever else a shop of version 1 has. */
async function plantInShop({ ok, call, project }: Shop): Promise<void> {
  const events = [
    "customer.created",
    "customer.deleted",
    "redemption.succeeded",
    "voucher.published",
    "voucher.updated",
  ];
  await ok(`POST /management/v1/projects/${project.id}/webhooks`, { target_url: "https://shop.example/hooks", events });
  const key = { "idempotency-key": "canary" };
  assert.equal((await call("POST /v1/customers", person, key)).status, 200);
  await ok("POST /v1/segments", {
    name: "S",
    type: "static",
    customers: [(await ok(`GET /v1/customers/${person.source_id}`)).id],
  });
  await ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, {
    name: "visit",
    schema: { properties: {} },
  });
  await ok("POST /v1/events", { event: "visit", customer });
  const shirt = await ok("POST /v1/products", { source_id: "shirt", name: "Shirt", price: 1000 });
  const included = [{ object: "product", id: shirt.id, product_customer_campaign_quantity_limit: 9 }];
  const rule = await ok("POST /v1/validation-rules", {
    name: "limit",
    applicable_to: { included, included_all: false },
  });
  const off = { type: "AMOUNT", amount_off: 1, effect: "APPLY_TO_ITEMS_BY_QUANTITY" };
  await ok("POST /v1/vouchers/SHIRT", { discount: off, validation_rules: [rule.id] });
  await ok("POST /v1/vouchers/CODE", { discount });
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "SHIRT" }],
    order: { source_id: "o-1", items: [{ product_id: shirt.id, quantity: 2 }], metadata },
    customer,
    metadata,
  });
  await ok("POST /v1/orders", { source_id: "o-2", amount: 500, customer, metadata });
  await ok("POST /v1/validations", {
    redeemables: [{ object: "voucher", id: "CODE" }],
    customer,
    order: { amount: 900 },
  });
  await ok("POST /v1/publications", { voucher: "CODE", customer, metadata });
  await ok("PUT /v1/vouchers/CODE", { additional_info: "held" });
  await ok("POST /v1/vouchers/OPEN", { discount });
  const referred = { source_id: "o-4", amount: 900, referrer: customer };
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "OPEN" }],
    customer: { source_id: "friend" },
    order: referred,
  });
  await ok("POST /v1/campaigns", {
    name: "Friends",
    campaign_type: "REFERRAL_PROGRAM",
    voucher: { discount },
  });
  const shared = await ok("POST /v1/publications", { campaign: "Friends", customer });
  const friend = { customer: { source_id: "friend" }, order: { amount: 900 } };
  await ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: shared.voucher.code }], ...friend });
  await ok("POST /v1/campaigns", {
    name: "Club",
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 10 } },
  });
  const { code } = await ok("POST /v1/loyalties/Club/members", { customer });
  await ok(`POST /v1/loyalties/members/${code}/balance`, { points: 5, reason: `${CANARY} reason` });
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 1000 } });
  await ok("POST /v1/publications", { voucher: "GIFT", customer });
  await ok("POST /v1/vouchers/GIFT/balance", { amount: 100, reason: `${CANARY} reason` });
}

/** What a bulk update has to do and could not do with the customer, and what a receiver of webhooks answered. */
async function plantLongWork({ ok, project }: Shop, customer_id: string): Promise<void> {
  const { async_action_id } = await ok("POST /v1/customers/bulk/async", [{ source_id: person.source_id, metadata }]);
  const result = { errors: [{ source_id: person.source_id, reason: "no" }], failed: [] };
  await db`
    update async_actions set result = ${db.json(result)} where project_id = ${project.id} and id = ${async_action_id}`;
  const about = { webhook_id: "wh_1", target_url: "https://shop.example/hooks", latency_ms: 1, created_at: NOW };
  const [delivery] = await db`
    select id from webhook_deliveries where project_id = ${project.id} and customer_id = ${customer_id} limit 1`;
  const attempt = { project_id: project.id, delivery_id: delivery!.id, number: 1, headers: db.json({}), ...about };
  await db`insert into webhook_attempts ${db({ ...attempt, answer: `thank you, ${person.name}` } as never)}`;
}

test("a customer who is planted everywhere is nowhere after a permanent deletion", async () => {
  const { requests } = testRequestQueue(db);
  const refusals = testRefusalQueue(db);
  const shop = await clubOf(db, { options: { requests, refusals } });
  const { ok, project } = shop;
  await plantInShop(shop);
  const refused = { redeemables: [{ object: "voucher", id: "NONE" }], customer: { source_id: person.source_id } };
  await ok("POST /v1/validations", refused);
  const { enrol } = await shop.open([{ trigger: PAID, earnings: [{ effects: [shop.points(10)] }] }]);
  const { member } = await enrol(person.source_id, { metadata });
  await shop.pay(person.source_id, { source_id: "o-3", amount: 1000, metadata });
  for (const kind of ["upload", "report"] as const) await plantFile(project.id, kind);
  const { id } = await ok(`GET /v1/customers/${person.source_id}`);
  const [{ tracking_id }] = await db<[{ tracking_id: string }]>`
    select tracking_id from customers where project_id = ${project.id} and id = ${id}`;
  await ok("POST /v1/exports", { exported_object: "customer", parameters: { fields: ["name", "email", "metadata"] } });
  await ok("POST /v1/exports", {
    exported_object: "order",
    parameters: { filters: { customer_id: { conditions: { $is: id } } } },
  });
  await runExports.run(job);
  await followAll(db, project.id);
  // What waits: an export that nobody has made yet, and an enrolment.
  await ok("POST /v1/exports", {
    exported_object: "customer",
    parameters: { filters: { email: { conditions: { $is: person.email } } } },
  });
  const entries = [{ customer_id: id, metadata }, { customer_id: "cust_other" }];
  await db`
    insert into loyalty_enrolments (project_id, async_action_id, part, entries)
    values (${project.id}, 'aa_1', 0, ${db.json(entries)})`;
  await plantLongWork(shop, id);
  await plantRows(project.id, { tracking_id, member_id: member.id });

  await logged(requests, project.id);
  await refusals.flush();
  const traces = [CANARY, id, tracking_id];
  const before = await tablesWith(traces);
  const data = await loadPersonalData(db, await getCustomer(db, project.id, id));
  assert.deepEqual(
    Object.keys(PERSONAL_PLACES).filter((name) => !before.has(name) && !(name in data)),
    [],
    "the customer is in every place that can hold one",
  );
  assert.deepEqual(
    [...before.keys()].filter((name) => !(name in PERSONAL_PLACES)),
    [],
    "and in no other",
  );

  await ok(`POST /v1/customers/${person.source_id}/permanent-deletion`);
  await logged(requests, project.id);
  await purgeExpired.run(job);
  const after = await tablesWith(traces);
  // That a customer with this id was deleted is what is left, and that webhooks are told so.
  const left = [...after].flatMap(([name, rows]) =>
    ["events", "webhook_deliveries"].includes(name)
      ? rows.filter((row) => !row.includes("customer.deleted"))
      : [`${name}: ${rows[0]}`],
  );
  assert.deepEqual(left, []);
  const told = after.get("webhook_deliveries")!.map((row) => JSON.parse(JSON.parse(row).body).data.customer);
  assert.deepEqual(told, [{ id, source_id: person.source_id, object: "customer" }]);
  assert.deepEqual(await fileTexts(), []);
  const [kept] = await db<
    { entries: unknown }[]
  >`select entries from loyalty_enrolments where project_id = ${project.id}`;
  assert.deepEqual(kept!.entries, [{}, entries[1]]);
});

/** Waits until a request that is sent now is in the log, and so all before it. */
async function logged({ flush }: ReturnType<typeof testRequestQueue>["requests"], projectId: string): Promise<void> {
  const count = async () => (await db`select count(*) from request_log where project_id = ${projectId}`)[0]!.count;
  for (let before = -1; before !== (await count()); await flush()) {
    before = await count();
    await flush();
  }
}

/** What would need more of a shop than this test has. */
async function plantRows(project_id: string, of: { tracking_id: string; member_id: string }): Promise<void> {
  const stranger = { project_id, tracking_id: of.tracking_id, id: "ucust_1", created_at: NOW };
  await db`insert into unconfirmed_customers ${db(stranger as never)}`;
  const about = { program_id: "lprg_1", member_id: of.member_id, card_id: "lcrd_1", subject_id: "lrew_1" };
  const bought = { id: "lrtx_1", kind: "reward", type: "REFUND", ...about, status: "APPROVED", details: {} };
  await db`insert into loyalty_transactions ${db({ project_id, ...bought, created_at: NOW } as never)}`;
}

/** The tables that have one of the traces in any column of any row, and these rows. Files are searched as they are read. */
async function tablesWith(traces: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const table of await tablesInOrder(db)) {
    const rows = await db<{ text: string }[]>`select to_jsonb(t)::text as text from ${db(table)} t`;
    const texts = table === "file_chunks" ? await fileTexts() : rows.map(({ text }) => text);
    const named = texts.filter((text) => traces.some((trace) => text.includes(trace)));
    if (named.length > 0) found.set(table, named);
  }
  return found;
}

const fileTexts = async () =>
  (
    await db<{ text: string }[]>`
      select convert_from(string_agg(content, '' order by number), 'UTF8') as text from file_chunks group by file_id`
  ).map(({ text }) => text);

test("everything about a customer can be printed as JSON, and nothing about others", async () => {
  const shop = await clubOf(db);
  const { ok, project } = shop;
  await plantInShop(shop);
  const { id } = await ok(`GET /v1/customers/${person.source_id}`);
  const printed = async (...args: string[]) => laurel(["customer", "export", ...args], { DATABASE_URL: url });
  const { code, stdout, stderr } = await printed("--id", id);
  assert.equal(code, 0, stderr);
  const { customer_id, project_id, ...data } = JSON.parse(stdout);
  assert.deepEqual([customer_id, project_id], [id, project.id]);
  assert.equal(data.customers[0].email, person.email);
  assert.deepEqual(data.orders.map(({ source_id }: { source_id: string }) => source_id).sort(), ["o-1", "o-2", "o-4"]);
  for (const table of [
    "customers",
    "events",
    "orders",
    "redemptions",
    "publications",
    "redeemable_holders",
    "vouchers",
  ])
    assert.ok(data[table].length > 0, table);
  assert.ok(!("idempotency_keys" in data) && data.customers.length === 1);
  assert.ok(!data.redemptions.some((row: { customer_id: string }) => row.customer_id !== id));
  const other = await clubOf(db);
  await other.ok("POST /v1/customers", { source_id: person.source_id });
  assert.match((await printed("--id", person.source_id)).stderr, /Several projects have a customer .*--project/);
  const [own, none] = [
    await printed("--id", person.source_id, "--project", project.id),
    await printed("--id", "nobody"),
  ];
  assert.deepEqual([own.code, none.code], [0, 2]);
  assert.deepEqual(JSON.parse(own.stdout), JSON.parse(stdout));
  assert.match(none.stderr, /There is no customer nobody/);
});

test("what is printed of a customer has what happened with their memberships, and codes that they hold with others", async () => {
  const shop = await clubOf(db);
  const { ok, project } = shop;
  const { enrol } = await shop.open([{ trigger: PAID, earnings: [{ effects: [shop.points(10)] }] }]);
  const { member } = await enrol(person.source_id);
  await enrol("friend");
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 1000 } });
  for (const source_id of [person.source_id, "friend"])
    await ok("POST /v1/publications", { voucher: "GIFT", customer: { source_id } });
  await ok("POST /v1/vouchers/GIFT/balance", { amount: 100 });
  for (const source_id of [person.source_id, "friend"]) {
    const row = await getCustomer(db, project.id, source_id);
    const data = (await loadPersonalData(db, row)) as Record<string, Record<string, string>[]>;
    assert.deepEqual(
      data.vouchers?.map(({ code }) => code),
      ["GIFT"],
      source_id,
    );
    assert.ok(
      data.ledger_entries!.some(({ account_id }) => account_id === data.vouchers![0]!.id),
      source_id,
    );
    const kinds = new Set(data.events!.map(({ kind }) => kind));
    for (const kind of ["vl.member.created", "vl.card.created"]) assert.ok(kinds.has(kind), `${source_id} ${kind}`);
    const isMembers = data.events!.some(({ subject_id }) => subject_id === member.id);
    assert.equal(isMembers, source_id === person.source_id, "nothing of other members");
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HolderRow } from "../../src/core/rows/publication.ts";
import { insertHolders } from "../../src/resources/promotions/redeemable-holders/store.ts";
import { type Call, NOW, newId, testDatabase } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const discount = { type: "PERCENT", percent_off: 10 };
const ADA = "/v1/customers/ada/redeemables";

async function start() {
  const { call, project } = await testShop(db);
  const customer = (await call("POST /v1/customers", { source_id: "ada" })).body.id as string;
  const hold = async (voucher: { id: string; campaign_id: string | null }, given: Partial<HolderRow> = {}) => {
    const { id: voucher_id, campaign_id } = voucher;
    const role = { customer_id: customer, holder_role: "OWNER" as const, metadata: {} };
    const row = { id: newId("rh"), voucher_id, campaign_id, ...role, created_at: NOW, ...given };
    await db.begin((tx) => insertHolders(tx, project.id, [row]));
    return row.id;
  };
  return { project, call, customer, hold };
}
const make = (call: Call, code: string, body: object = { discount }) => ok(call, `POST /v1/vouchers/${code}`, body);
const codesOf = async (call: Call, query = "") => {
  const { body, text } = await call(`GET ${ADA}?${query}`);
  assert.ok(body.data, text);
  return body.data.map((one: any) => one.redeemable.voucher.code).join(" ");
};

test("redeemables: what a customer holds, with the code as it is, by id and source id", async () => {
  const { call, customer, hold } = await start();
  const campaign = (await call("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 100 } } })).body;
  const { validation_rules_assignments: _, ...voucher } = (
    await call(`POST /v1/campaigns/${campaign.id}/vouchers/G`, { category: "Cat" })
  ).body;
  const id = await hold(voucher, { holder_role: "REFEREE", metadata: { a: 1 } });
  const expected = {
    object: "list",
    data_ref: "data",
    data: [
      {
        id,
        created_at: NOW,
        redeemable_id: voucher.id,
        redeemable_object: "voucher",
        customer_id: customer,
        holder_role: "REFEREE",
        campaign_id: campaign.id,
        campaign_type: "GIFT_VOUCHERS",
        voucher_type: "GIFT_VOUCHER",
        metadata: { a: 1 },
        object: "redeemable_holder",
        redeemable: { type: "voucher", voucher, status: "ACTIVE" },
      },
    ],
    total: 1,
    has_more: false,
  };
  for (const path of [ADA, `/v1/customers/${customer}/redeemables`])
    assert.deepEqual((await call(`GET ${path}`)).body, expected);
  const alone = await hold(await make(call, "ALONE"));
  const [first] = (await call(`GET ${ADA}`)).body.data;
  assert.deepEqual([first.id, first.campaign_id, first.campaign_type], [alone, null, null]);
});

test("redeemables: pages go on after an entry, either way; the total is of all", async () => {
  const { call, hold } = await start();
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) ids.push(await hold(await make(call, `C${String(n).padStart(2, "0")}`)));
  assert.equal(await codesOf(call), "C11 C10 C09 C08 C07 C06 C05 C04 C03 C02", "newest first, ten at once");
  const page = (await call(`GET ${ADA}?limit=5&order=id`)).body;
  assert.deepEqual([page.total, page.has_more, page.more_starting_after], [12, true, ids[4]]);
  assert.equal(await codesOf(call, `limit=5&order=id&starting_after_id=${ids[4]}`), "C05 C06 C07 C08 C09");
  const last = (await call(`GET ${ADA}?starting_after_id=${ids[2]}`)).body;
  assert.deepEqual([last.data.length, last.total, last.has_more, "more_starting_after" in last], [2, 12, false, false]);
  assert.equal(await codesOf(call, `starting_after_id=${ids[0]}`), "");
});

test("redeemables: the status is the first reason why a code cannot be used", async () => {
  const { call, project, hold } = await start();
  const gift = { amount: 100 };
  const past = { expiration_date: "2025-12-31T00:00:00Z" };
  const future = { start_date: "2026-06-01T00:00:00Z" };
  const used = { redeemed_quantity: 1 };
  const sums = { available: 0, pending: 0, received: 100, subtracted: 0, expired: 0, spent: 100 };
  const spent = { account: sums };
  const once = { redemption: { quantity: 1 } };
  const cases: [status: string, body: object, row?: object][] = [
    ["ACTIVE", { gift, ...once, validity_day_of_week: [0] }],
    ["DISABLED", { gift, active: false, ...past }],
    ["EXPIRED", { gift, ...past, ...once }, { ...used, ...spent }],
    ["NOT_ACTIVE_YET", { gift, ...future, ...once }, { ...used, ...spent }],
    ["USED", { gift, ...once }, { ...used, ...spent }],
    ["NO_BALANCE", { gift }, { ...used, ...spent }],
    ["ACTIVE", { discount, expiration_date: NOW, start_date: "2025-01-01T00:00:00Z" }, used],
  ];
  for (const [n, [, body, row]] of cases.entries()) {
    const voucher = await make(call, `C${n}`, body);
    await hold(voucher);
    if (row) await db`insert into voucher_states ${db({ project_id: project.id, voucher_id: voucher.id, ...row })}`;
  }
  const campaign = (await call("POST /v1/campaigns", { name: "Off", voucher: { discount } })).body;
  await hold((await call(`POST /v1/campaigns/${campaign.id}/vouchers`, {})).body);
  await call(`POST /v1/campaigns/${campaign.id}/disable`);
  const { data } = (await call(`GET ${ADA}?order=id`)).body;
  assert.deepEqual(
    data.map((one: any) => one.redeemable.status),
    [...cases.map(([status]) => status), "DISABLED"],
  );
});

test("redeemables: filters", async () => {
  const { call, hold } = await start();
  const campaign = (await call("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 100 } } })).body;
  const g = (await call(`POST /v1/campaigns/${campaign.id}/vouchers/G`, {})).body;
  const a = await make(call, "A");
  const [first] = [await hold(g), await hold(a, { holder_role: "REFERRER" })];
  const cases: [expected: string, filter: string][] = [
    ["G", `[id][conditions][$is]=${first}`],
    ["A", `[redeemable_id][conditions][$is]=${a.id}`],
    ["A G", "[redeemable_object][conditions][$is]=voucher"],
    ["A", "[holder_role][conditions][$in][0]=REFERRER"],
    ["G", `[campaign_id][conditions][$is]=${campaign.id}`],
    ["G", "[campaign_type][conditions][$is]=GIFT_VOUCHERS"],
    ["A", "[campaign_type][conditions][$is_unknown]="],
    ["G", "[voucher_type][conditions][$is]=GIFT_VOUCHER"],
    ["A", "[voucher_type][conditions][$not_in][0]=GIFT_VOUCHER"],
    ["", "[created_at][conditions][$before]=2026-01-01"],
    [
      "A G",
      "[junction]=or&filters[voucher_type][conditions][$is]=GIFT_VOUCHER&filters[holder_role][conditions][$is]=REFERRER",
    ],
  ];
  for (const [expected, filter] of cases) assert.equal(await codesOf(call, `filters${filter}`), expected, filter);
  for (const condition of ["$is]=REFERRER", "$ends_with]=rrer"])
    assert.equal((await call(`GET ${ADA}?filters[holder_role][conditions][${condition}`)).body.total, 1);
});

test("redeemables: codes in the bin are in no wallet, by themselves or with their campaign", async () => {
  const { call, hold } = await start();
  const campaign = (await call("POST /v1/campaigns", { name: "Gone", voucher: { discount } })).body;
  await hold(await make(call, "KEPT"));
  await hold(await make(call, "BINNED"));
  await hold((await call(`POST /v1/campaigns/${campaign.id}/vouchers/GONE`, {})).body);
  assert.equal(await codesOf(call), "GONE BINNED KEPT");
  await call("DELETE /v1/vouchers/BINNED");
  await call(`DELETE /v1/campaigns/${campaign.id}`);
  assert.equal(await codesOf(call), "KEPT");
  assert.equal((await call(`GET ${ADA}`)).body.total, 1);
});

test("redeemables: whoever holds a code in a role holds it once", async () => {
  const { call, hold } = await start();
  const voucher = await make(call, "A");
  for (const holder_role of ["OWNER", "OWNER", "REFERRER"] as const) await hold(voucher, { holder_role });
  assert.equal(await codesOf(call), "A A");
});

test("redeemables: refusals, and another project's customer", async () => {
  const { call, customer, hold } = await start();
  const other = await start();
  await hold(await make(call, "A"));
  const foreign = await other.hold(await make(other.call, "A"));
  assert.equal((await other.call(`GET /v1/customers/${customer}/redeemables`)).status, 404);
  assert.equal((await call("GET /v1/customers/nobody/redeemables")).status, 404);
  for (const query of [
    "limit=0",
    "limit=101",
    "order=created_at",
    "starting_after_id=rh_none",
    `starting_after_id=${foreign}`,
    "filters[colour][conditions][$is]=1",
    "filters[id]=x",
  ]) {
    const reply = await call(`GET ${ADA}?${query}`);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
  }
});

test("redeemables: when a customer is deleted, its codes have no holder and no referrer any more", async () => {
  for (const request of ["DELETE /v1/customers/ada", "POST /v1/customers/ada/permanent-deletion"]) {
    const { call, customer, hold, project } = await start();
    const { id } = await make(call, "A");
    await hold({ id, campaign_id: null });
    await db`update vouchers set holder_id = ${customer}, referrer_id = ${customer} where id = ${id}`;
    await call("PUT /v1/vouchers/A", { additional_info: "while it is held" });
    assert.ok([200, 204].includes((await call(request)).status));
    const { holder_id, referrer_id } = (await call("GET /v1/vouchers/A")).body;
    assert.deepEqual([holder_id, referrer_id], [null, null]);
    assert.equal((await db`select 1 from redeemable_holders where project_id = ${project.id}`).length, 0);
    const told = await db`
      select 1 from events where project_id = ${project.id} and kind like 'voucher.%' and payload::text like ${`%${customer}%`}`;
    assert.equal(told.length, 0, "no event says whose it was");
  }
});

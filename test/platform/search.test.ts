import assert from "node:assert/strict";
import { test } from "node:test";
import { SEARCH_TYPES } from "../../src/core/search/results.ts";
import { searchStatement } from "../../src/resources/platform/search/store.ts";
import { insertRefusal, insertRequest, testDatabase } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const discount = { type: "AMOUNT", amount_off: 500 };

/** A shop with one of everything, and a search of it. */
async function world() {
  const shop = await testShop(db);
  const { ok, project } = shop;
  const find = async (q: string, more = ""): Promise<any[]> =>
    (await ok(`GET /v1/search?q=${encodeURIComponent(q)}${more}`)).results;
  const ids = async (q: string, more?: string) => (await find(q, more)).map(({ type, id }) => `${type} ${id}`);
  for (const code of ["SUMMER", "SUMMER-2", "WINTER"]) await ok(`POST /v1/vouchers/${code}`, { discount });
  const ann = await ok("POST /v1/customers", {
    ...{ source_id: "Shop-77", name: "Ann Miller", email: "Ann@Example.com", phone: "+48 600 100 200" },
  });
  const campaign = await ok("POST /v1/campaigns", { name: "Late summer sale", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "Ten off", action: { discount } });
  const order = await ok("POST /v1/orders", { source_id: "web-1001", amount: 5_000, customer: { id: ann.id } });
  const redeemables = [{ object: "voucher", id: "WINTER" }];
  const [redemption] = (await ok("POST /v1/redemptions", { redeemables })).redemptions;
  const requestId = await insertRequest(project.id, "WINTER", ann.id);
  const refusalId = await insertRefusal(project.id, "WINTER", ann.id);
  return { ...shop, find, ids, ann, campaign, tier, order, redemption, requestId, refusalId };
}

test("search: codes and customers by how they begin, in any case; names of campaigns by any part", async () => {
  const { find, ids, ann, campaign, tier } = await world();
  assert.deepEqual(await ids("summer"), ["voucher SUMMER", "voucher SUMMER-2", `campaign ${campaign.id}`]);
  assert.deepEqual(
    (await find("summer")).map(({ score }) => score),
    [1, 0.5, 0.25],
  );
  for (const typed of ["ann", "ANN MIL", "ann@exa", "shop-7", "+48 600", ann.id])
    assert.deepEqual(await ids(typed), [`customer ${ann.id}`], typed);
  assert.deepEqual((await find("ann"))[0], {
    ...{ type: "customer", id: ann.id, title: "Ann Miller", detail: "Ann@Example.com", score: 0.5 },
  });
  assert.deepEqual(await ids("miller"), [], "in the middle of a customer's name nothing is found");
  assert.deepEqual(await ids("EN OF"), [`promotion_tier ${tier.id}`]);
  assert.deepEqual(await ids("100%_"), [], "no character stands for others");
});

test("search: orders, redemptions, refusals and requests by their ids", async () => {
  const { ids, find, order, redemption, requestId, refusalId, campaign } = await world();
  assert.deepEqual(await ids("web-10"), [`order ${order.id}`]);
  for (const [type, id] of Object.entries({ order: order.id, redemption: redemption.id, campaign: campaign.id }))
    assert.deepEqual(await ids(id), [`${type} ${id}`]);
  assert.deepEqual(await ids(refusalId), [`refusal ${refusalId}`]);
  assert.deepEqual(await ids(requestId), [`request ${requestId}`]);
  const [{ detail }] = await find(refusalId);
  assert.deepEqual(await ids(detail), [`refusal ${refusalId}`], "a refusal by the id of its request");
});

test("search: deleted codes, and whatever is in another project, are not found", async () => {
  const { ok, ids } = await world();
  await ok("DELETE /v1/vouchers/SUMMER-2");
  assert.deepEqual(await ids("summer-2"), []);
  const other = await testShop(db);
  assert.deepEqual((await other.ok("GET /v1/search?q=ann")).results, []);
  assert.deepEqual((await other.ok("GET /v1/search?q=summer")).results, []);
});

test("search: only the types that are asked for, and only those that a token may read", async () => {
  const { call, ids, project, ann, order } = await world();
  assert.deepEqual(await ids("summer", "&types=voucher"), ["voucher SUMMER", "voucher SUMMER-2"]);
  assert.deepEqual(await ids("ann", "&types=customer"), [`customer ${ann.id}`]);
  assert.deepEqual(await ids("web-10", "&types=order,redemption"), [`order ${order.id}`]);
  for (const type of SEARCH_TYPES) assert.deepEqual(await ids("nothing", `&types=${type}`), [], type);
  assertRefused(await call("GET /v1/search?q=summer&types=voucher,shoe"), "invalid_query_params");
  for (const bad of ["", "?q=a", `?q=${"x".repeat(301)}`])
    assertRefused(await call(`GET /v1/search${bad}`), "invalid_query_params");
  const none = { ...project.headers, "x-app-id": "", "x-app-token": "" };
  assertRefused(await call("GET /v1/search?q=summer", undefined, none), "unauthorized");
  const with_ = async (scope: string) =>
    call("GET /v1/search?q=summer", undefined, { ...none, authorization: `Bearer ${await tokenOf(call, scope)}` });
  assertRefused(await with_("vouchers"), "missing_required_permission");
  assert.deepEqual((await with_("search")).body.results, []);
  const types = (await with_("search campaigns")).body.results.map(({ type }: any) => type);
  assert.deepEqual(types, ["campaign"]);
});

test("search: every part of the statement reads an index, however many rows there are", async () => {
  const { project } = await testShop(db);
  await db`
    insert into customers (project_id, id, source_id, name, email, phone, created_at)
    select ${project.id}, 'cust_' || n, 'Src-' || n, 'Name ' || n, n || '@example.com', '+' || n, now()
    from generate_series(1, 20000) n`;
  await db`analyze customers`;
  const asked = { project: { id: project.id, case_sensitive_codes: false }, q: "name 123" };
  const plan = await db`explain (format json, costs off) ${searchStatement(db, asked, SEARCH_TYPES)!}`;
  const text = JSON.stringify(plan);
  for (const index of ["by_name_typed", "by_source_id_typed", "by_phone_typed", "by_email"])
    assert.ok(text.includes(`customers_${index}`), `${index}: ${text}`);
  assert.ok(!/"Node Type":"(?:Seq Scan|Sort|Bitmap Heap Scan)"/.test(text), text);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRewards, lockRewards, takeRewardStock } from "../../src/resources/loyalty-v1/rewards/store.ts";
import { type Call, NOW, testDatabase, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const PATH = "/v1/rewards";
/** The guard of the statement is a division by zero. */
const TOO_FEW = "22012";
const COIN = { coin: { exchange_ratio: 1 } };

async function made(call: Call, request: string, body: object) {
  const reply = await call(request, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const campaignOf = async (call: Call, name: string, voucher: object): Promise<string> =>
  (await made(call, "POST /v1/campaigns", { name, voucher })).id;
const COUPON = { discount: { type: "PERCENT", percent_off: 10 } };
const GIFT = { gift: { amount: 0 } };
const CARD = { loyalty_card: { points: 0 } };

async function shop() {
  const { call, project } = await testShop(db);
  const reward = (body: object) => made(call, `POST ${PATH}`, body);
  return { project, call, reward };
}

test("rewards: a product, created, read, listed, updated and deleted", async () => {
  const { call, reward } = await shop();
  const product = await made(call, "POST /v1/products", { name: "Mug", source_id: "mug" });
  const sku = await made(call, `POST /v1/products/${product.id}/skus`, { sku: "Blue", source_id: "mug-blue" });
  const created = await reward({
    name: "A mug",
    parameters: { product: { id: product.id, sku_id: sku.id, colour: "ignored" } },
    stock: "7",
    redeemed: 3,
    attributes: { image_url: "https://shop.example/mug.png", description: "Blue" },
    metadata: { size: "L" },
    type: "MATERIAL",
  });
  assert.match(created.id, /^rew_[0-9a-f]{24}$/);
  const expected = {
    id: created.id,
    name: "A mug",
    type: "MATERIAL",
    parameters: { product: { id: product.id, sku_id: sku.id } },
    stock: 7,
    redeemed: 0,
    attributes: { image_url: "https://shop.example/mug.png", description: "Blue" },
    metadata: { size: "L" },
    created_at: NOW,
    updated_at: null,
    object: "reward",
  };
  assert.deepEqual(created, expected);
  const one = `${PATH}/${created.id}`;
  assert.deepEqual((await call(`GET ${one}`)).body, expected);
  assert.deepEqual((await call(`GET ${PATH}`)).body, { object: "list", data_ref: "data", data: [expected], total: 1 });

  assert.deepEqual((await call(`PUT ${one}`, {})).body, { ...expected, updated_at: NOW }, "what is not sent stays");
  const patch = { name: "Mugs", stock: 5, attributes: { description: null }, metadata: { colour: "blue" } };
  const updated = (await call(`PUT ${one}`, { ...patch, parameters: { product: { id: "mug" } } })).body;
  assert.deepEqual(updated, {
    ...expected,
    name: "Mugs",
    stock: 5,
    attributes: { image_url: "https://shop.example/mug.png" },
    metadata: { size: "L", colour: "blue" },
    parameters: { product: { id: product.id, sku_id: null } },
    updated_at: NOW,
  });
  const cleared = { name: null, stock: null, attributes: null, metadata: null, parameters: null };
  assert.deepEqual((await call(`PUT ${one}`, cleared)).body, {
    ...updated,
    ...{ stock: null, attributes: {}, metadata: {} },
  });

  const deleted = await call(`DELETE ${one}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const request of [`GET ${one}`, `DELETE ${one}`]) assertRefused(await call(request), "not_found");
  assertRefused(await call(`PUT ${one}`, {}), "not_found", `Cannot find reward with id ${created.id}`);
  assert.equal((await call(`GET ${PATH}`)).body.total, 0);
});

test("rewards: codes and balances of campaigns, whose type stands with them", async () => {
  const { call, reward } = await shop();
  const [coupons, gifts, cards] = [
    await campaignOf(call, "Coupons", COUPON),
    await campaignOf(call, "Gifts", GIFT),
    await campaignOf(call, "Cards", CARD),
  ];
  const coupon = await reward({ name: "Coupon", parameters: { campaign: { id: coupons, balance: 5 } } });
  assert.deepEqual([coupon.type, coupon.stock], ["CAMPAIGN", null]);
  assert.deepEqual(coupon.parameters, { campaign: { id: coupons, type: "DISCOUNT_COUPONS" } });
  const gift = await reward({ name: "Gift", parameters: { campaign: { id: gifts, balance: 500 } } });
  assert.deepEqual(gift.parameters, { campaign: { id: gifts, balance: 500, type: "GIFT_VOUCHERS" } });
  const points = await reward({ name: "Points", parameters: { campaign: { id: cards, balance: 50 } } });
  assert.deepEqual(points.parameters, { campaign: { id: cards, balance: 50, type: "LOYALTY_PROGRAM" } });

  for (const balance of [undefined, null, 0, -1])
    for (const request of [`POST ${PATH}`, `PUT ${PATH}/${coupon.id}`]) {
      const reply = await call(request, { parameters: { campaign: { id: gifts, balance } } });
      const says = "must be greater than zero for campaign type: GIFT_VOUCHERS";
      assertRefused(reply, "invalid_balance", `Property 'parameters.campaign.balance' ${says}`);
      assert.deepEqual([reply.status, reply.body.message], [400, "Property 'parameters.campaign.balance' is invalid"]);
    }
  const other = (await call(`PUT ${PATH}/${coupon.id}`, { parameters: { campaign: { id: gifts, balance: 9 } } })).body;
  assert.deepEqual(other.parameters, { campaign: { id: gifts, balance: 9, type: "GIFT_VOUCHERS" } });

  const promotion = await made(call, "POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const refused = await call(`POST ${PATH}`, { parameters: { campaign: { id: promotion.id } } });
  assertRefused(refused, "invalid_payload", /must be a campaign of type DISCOUNT_COUPONS, GIFT_VOUCHERS/);
  await call(`DELETE /v1/campaigns/${coupons}`);
  for (const id of [coupons, "camp_0", "Gifts"])
    assertRefused(await call(`POST ${PATH}`, { parameters: { campaign: { id } } }), "not_found");
  assert.equal((await call(`GET ${PATH}`)).body.total, 3, "what was refused is not there");
});

test("rewards: points to pay with, whose ratios may be texts", async () => {
  const { call, reward } = await shop();
  const { id, type, parameters, name } = await reward({ parameters: COIN });
  assert.deepEqual([type, parameters], ["COIN", { coin: { exchange_ratio: 1, points_ratio: 1 } }]);
  assert.equal(name, id, "a reward without a name is called by its id");
  const texts = { coin: { exchange_ratio: "0.25", points_ratio: "100" } };
  const stored = { coin: { exchange_ratio: 0.25, points_ratio: 100 } };
  assert.deepEqual((await reward({ parameters: texts })).parameters, stored);
  assert.deepEqual((await call(`PUT ${PATH}/${id}`, { parameters: texts })).body.parameters, stored);
  const bad = [
    {},
    { exchange_ratio: 0 },
    { exchange_ratio: "0" },
    { exchange_ratio: "0.000" },
    { exchange_ratio: -1 },
    { exchange_ratio: "-1" },
    { exchange_ratio: "1e3" },
    { exchange_ratio: "9999999999" },
    { exchange_ratio: 1e300 },
    { exchange_ratio: 1, points_ratio: 0 },
    { exchange_ratio: 1, points_ratio: "0" },
    { exchange_ratio: 1, points_ratio: 1.5 },
    { exchange_ratio: 1, points_ratio: "9999999999999999" },
  ];
  for (const coin of bad) assertRefused(await call(`POST ${PATH}`, { parameters: { coin } }), "invalid_payload");
});

test("rewards: the parameters are of one type, which never changes", async () => {
  const { call, reward } = await shop();
  const { id } = await reward({ name: "Pay", parameters: COIN });
  const product = await made(call, "POST /v1/products", { name: "Mug" });
  const material = { product: { id: product.id } };
  for (const parameters of [{}, { coin: null }, { ...COIN, ...material }, { colour: "blue" }])
    assertRefused(
      await call(`POST ${PATH}`, { parameters }),
      "invalid_payload",
      "Property .parameters must have exactly one of: campaign, coin, product",
    );
  for (const body of [{}, { name: "x" }, { parameters: null }, { parameters: [] }])
    assertRefused(await call(`POST ${PATH}`, body), "invalid_payload");
  const changed = await call(`PUT ${PATH}/${id}`, { name: "Mug", parameters: material });
  assertRefused(changed, "invalid_payload", /the type of a reward cannot change/);
  assert.equal((await call(`GET ${PATH}/${id}`)).body.name, "Pay");
});

test("rewards: bad values are told, and nothing is stored", async () => {
  const { call } = await shop();
  const product = await made(call, "POST /v1/products", { name: "Mug" });
  const other = await made(call, "POST /v1/products", { name: "Cup" });
  const sku = await made(call, `POST /v1/products/${other.id}/skus`, { sku: "Blue" });
  const bad = [
    { name: "" },
    { name: 1 },
    { name: "x".repeat(501) },
    { name: "a\u0000b" },
    { name: "\ud800" },
    { stock: -1 },
    { stock: "-1" },
    { stock: 1.5 },
    { stock: "many" },
    { stock: "9999999999999999" },
    { stock: 1e300 },
    { attributes: [] },
    { attributes: { image_url: 1 } },
    { metadata: [] },
    { metadata: "x" },
  ];
  for (const body of bad)
    assertRefused(
      await call(`POST ${PATH}`, { parameters: { product: { id: product.id } }, ...body }),
      "invalid_payload",
    );
  for (const [named, type] of [
    [{ id: "prod_0" }, "product"],
    [{ id: product.id, sku_id: "sku_0" }, "sku"],
    [{ id: product.id, sku_id: sku.id }, "sku"],
  ] as const) {
    const reply = await call(`POST ${PATH}`, { parameters: { product: named } });
    assertRefused(reply, "not_found");
    assert.equal(reply.body.resource_type, type);
  }
  assert.equal((await call(`GET ${PATH}`)).body.total, 0);
});

test("rewards: metadata follows the schema of the project", async () => {
  const { project, call, reward } = await shop();
  const properties = { size: { type: "string", optional: false, array: false } };
  const schema = { related_object: "reward", properties, allow_defined_only: true };
  await made(call, `POST /management/v1/projects/${project.id}/metadata-schemas`, schema);
  for (const metadata of [{}, undefined, { size: 1 }, { size: "L", colour: "blue" }])
    assertRefused(await call(`POST ${PATH}`, { parameters: COIN, metadata }), "metadata_validation_failed");
  const { id } = await reward({ parameters: COIN, metadata: { size: "L" } });
  for (const metadata of [null, { size: 1 }, { colour: "blue" }])
    assertRefused(await call(`PUT ${PATH}/${id}`, { metadata }), "metadata_validation_failed");
  assert.deepEqual((await call(`PUT ${PATH}/${id}`, { metadata: { size: "S" } })).body.metadata, { size: "S" });
});

test("rewards: lists have pages and an order, and find the reward of an assignment", async () => {
  const { call, reward } = await shop();
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) ids.push((await reward({ name, parameters: COIN })).id);
  const names = async (query: string) => {
    const { data, total } = (await call(`GET ${PATH}?${query}`)).body;
    return [data.map(({ name }: { name: string }) => name).join(""), total];
  };
  assert.deepEqual(await names("limit=2"), ["cb", 3]);
  assert.deepEqual(await names("limit=2&page=2"), ["a", 3]);
  assert.deepEqual(await names("order=name"), ["abc", 3]);
  for (const query of ["limit=0", "limit=101", "page=0", "page=100", "order=stock"])
    assertRefused(await call(`GET ${PATH}?${query}`), "invalid_query_params");
  const campaign = await campaignOf(call, "Cards", CARD);
  const assignment = await made(call, `POST ${PATH}/${ids[1]}/assignments`, { campaign });
  assert.deepEqual(await names(`assignment_id=${assignment.id}`), ["b", 1]);
  assert.deepEqual(await names("assignment_id=rewa_0"), ["", 0]);
});

test("rewards: one that a campaign has cannot be deleted, one of a campaign in the bin can", async () => {
  const { call, reward } = await shop();
  const { id } = await reward({ parameters: COIN });
  const [first, second] = [await campaignOf(call, "A", CARD), await campaignOf(call, "B", CARD)];
  const assigned: string[] = [];
  for (const campaign of [first, second])
    assigned.push((await made(call, `POST ${PATH}/${id}/assignments`, { campaign })).id);
  const refused = await call(`DELETE ${PATH}/${id}`);
  assertRefused(refused, "resource_in_use");
  assert.deepEqual(
    [refused.status, refused.body.related_object_type, refused.body.related_object_ids],
    [400, "reward_assignment", assigned.sort()],
  );
  assert.equal((await call(`DELETE /v1/campaigns/${first}`)).status, 202);
  assert.deepEqual((await call(`DELETE ${PATH}/${id}`)).body.related_object_ids.length, 1);
  assert.equal((await call(`DELETE /v1/campaigns/${second}`)).status, 202);
  assert.equal((await call(`DELETE ${PATH}/${id}`)).status, 204);
});

test("rewards: what they give may be deleted, and they stay as they are", async () => {
  const { call, reward } = await shop();
  const product = await made(call, "POST /v1/products", { name: "Mug" });
  const coupons = await campaignOf(call, "Coupons", COUPON);
  const rewards = [
    await reward({ parameters: { product: { id: product.id } } }),
    await reward({ parameters: { campaign: { id: coupons } } }),
  ];
  assert.equal((await call(`DELETE /v1/products/${product.id}?force=true`)).status, 204);
  assert.equal((await call(`DELETE /v1/campaigns/${coupons}?force=true`)).status, 202);
  for (const one of rewards) {
    assert.deepEqual((await call(`GET ${PATH}/${one.id}`)).body, one);
    assert.equal((await call(`PUT ${PATH}/${one.id}`, { name: "Still there" })).body.name, "Still there");
    assertRefused(await call(`PUT ${PATH}/${one.id}`, { parameters: one.parameters }), "not_found");
  }
});

test("rewards: those of another project do not exist, nor do its campaigns and products", async () => {
  const [a, b] = [await shop(), await shop()];
  const { id } = await a.reward({ parameters: COIN });
  assert.equal((await b.call(`GET ${PATH}`)).body.total, 0);
  for (const request of [`GET ${PATH}/${id}`, `DELETE ${PATH}/${id}`])
    assertRefused(await b.call(request), "not_found");
  assertRefused(await b.call(`PUT ${PATH}/${id}`, { name: "Mine" }), "not_found");
  const product = await made(a.call, "POST /v1/products", { name: "Mug", source_id: "mug" });
  for (const named of [product.id, "mug"])
    assertRefused(await b.call(`POST ${PATH}`, { parameters: { product: { id: named } } }), "not_found");
  const campaign = await campaignOf(a.call, "Coupons", COUPON);
  assertRefused(await b.call(`POST ${PATH}`, { parameters: { campaign: { id: campaign } } }), "not_found");
});

test("rewards: what is redeemed is counted and taken from the stock, never more than there is", async () => {
  const { project, call, reward } = await shop();
  const limited = await reward({ parameters: COIN, stock: 3 });
  const endless = await reward({ parameters: COIN });
  const take = (...taken: { id: string; by: number }[]) =>
    db.begin((tx) => takeRewardStock(tx, project.id, taken)) as Promise<void>;
  const left = async () =>
    Promise.all(
      [limited, endless].map(async ({ id }) => {
        const { stock, redeemed } = (await call(`GET ${PATH}/${id}`)).body;
        return [stock, redeemed];
      }),
    );
  await take({ id: limited.id, by: 2 }, { id: endless.id, by: 5 });
  assert.deepEqual(await left(), [
    [1, 2],
    [null, 5],
  ]);
  await assert.rejects(take({ id: limited.id, by: 2 }), { code: TOO_FEW }, "there is one left");
  await take({ id: limited.id, by: -1 });
  assert.deepEqual((await left())[0], [2, 1], "it comes back");
  await take();
  const other = await testProject(db);
  const another = db.begin((tx) => takeRewardStock(tx, other.id, [{ id: limited.id, by: 1 }]));
  await assert.rejects(another, { code: TOO_FEW }, "that project has no such reward");
  const rows = await db.begin((tx) => lockRewards(tx, project.id, [endless.id, limited.id]));
  assert.deepEqual(
    rows.map(({ id, stock }) => [id, stock]).sort(),
    [
      [limited.id, 2],
      [endless.id, null],
    ].sort(),
  );
  const [row] = await loadRewards(db, project.id, [limited.id]);
  assert.ok(row && !("stock" in row) && !("redeemed" in row), "the catalog does not hold what customers change");
  assert.equal((await call(`PUT ${PATH}/${limited.id}`, { name: "More" })).body.stock, 2, "an update leaves it alone");
});

test("rewards: takers at the same time share what is left", async () => {
  const { project, call, reward } = await shop();
  const { id } = await reward({ parameters: COIN, stock: 5 });
  const taken = await Promise.allSettled(
    Array.from({ length: 8 }, () => db.begin((tx) => takeRewardStock(tx, project.id, [{ id, by: 1 }]))),
  );
  assert.equal(taken.filter(({ status }) => status === "fulfilled").length, 5);
  for (const one of taken) if (one.status === "rejected") assert.equal(one.reason.code, TOO_FEW);
  const { stock, redeemed } = (await call(`GET ${PATH}/${id}`)).body;
  assert.deepEqual([stock, redeemed], [0, 5]);
});

test("a type that contradicts the parameters is refused", async () => {
  const { call, reward } = await shop();
  for (const type of ["MATERIAL", "CAMPAIGN", "coin"]) {
    const reply = await call(`POST ${PATH}`, { name: "R", type, parameters: COIN });
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], reply.text);
  }
  for (const type of ["COIN", null]) assert.equal((await reward({ name: "R", type, parameters: COIN })).type, "COIN");
  assert.equal((await call(`GET ${PATH}`)).body.total, 2);
});

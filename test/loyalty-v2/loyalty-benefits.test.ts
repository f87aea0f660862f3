import assert from "node:assert/strict";
import { test } from "node:test";
import { takeBenefit } from "../../src/resources/loyalty-v2/benefits/store.ts";
import { NOW, type Reply, testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const V2 = "/v2/loyalties/benefits";

const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};

async function project() {
  const it = await loyaltyProject(db);
  const wallet = await it.wallet();
  const points = { value: 5, card_definition_id: wallet.id };
  let count = 0;
  const post = (given: object) => it.call(`POST ${V2}`, { name: `Benefit ${++count}`, ...given });
  return { ...it, wallet, points, post };
}

test("a benefit of each type is made, read and shown with what belongs to it", async () => {
  const { call, wallet, points, post, product, sku, collection, campaign } = await project();
  const shoe = await product("Shoe");
  const [size, shoes] = [await sku(shoe.id, "42"), await collection("Shoes")];
  const [gifts, coupons] = [await campaign("GIFT_VOUCHERS"), await campaign("DISCOUNT_COUPONS")];
  const rate = { every: 10, value: 1.5 };
  const into = { card_definition_id: wallet.id };
  for (const [type, sent, shown] of [
    ["POINTS", { points }, { points }],
    [
      "POINTS_PROPORTIONAL",
      { points_proportional: { ...into, custom_event: { metadata: { ...rate, property: "miles" } } } },
      {
        points_proportional: {
          ...into,
          calculation_type: "CUSTOM_EVENT_METADATA_VALUE",
          custom_event: { metadata: { ...rate, property: "miles" } },
        },
      },
    ],
    [
      "POINTS_PROPORTIONAL",
      {
        points_proportional: {
          ...into,
          calculation_type: "ORDER_ITEMS_QUANTITY",
          order_items: { quantity: { ...rate, applicable_to: [{ products_collection: { id: shoes.id } }] } },
        },
      },
      {
        points_proportional: {
          ...into,
          calculation_type: "ORDER_ITEMS_QUANTITY",
          order_items: {
            quantity: {
              ...rate,
              applicable_to: [{ type: "products_collection", products_collection: { id: shoes.id } }],
            },
          },
        },
      },
    ],
    [
      "MATERIAL",
      { material: { type: "PRODUCT", product: { id: shoe.id } } },
      { material: { type: "PRODUCT", product: { id: shoe.id } } },
    ],
    [
      "MATERIAL",
      { material: { sku: { product_id: shoe.id, id: size.id } } },
      { material: { type: "SKU", sku: { product_id: shoe.id, id: size.id } } },
    ],
    [
      "DIGITAL",
      { digital: { type: "GIFT_VOUCHERS", gift_vouchers: { campaign_id: gifts.id, balance: 10 } } },
      { digital: { type: "GIFT_VOUCHERS", gift_vouchers: { campaign_id: gifts.id, balance: 10 } } },
    ],
    [
      "DIGITAL",
      { digital: { discount_coupons: { campaign_id: coupons.id } } },
      { digital: { type: "DISCOUNT_COUPONS", discount_coupons: { campaign_id: coupons.id } } },
    ],
  ] as const) {
    const made = await post({ type, ...sent });
    assert.equal(made.status, 200, made.text);
    const { id, name } = made.body;
    assert.match(id, /^lben_[0-9a-f]+$/);
    const rest = {
      status: "DRAFT",
      stock: { type: "UNLIMITED" },
      created_at: NOW,
      updated_at: null,
      object: "benefit",
    };
    assert.deepEqual(made.body, { id, name, type, ...shown, ...rest });
    assert.deepEqual((await call(`GET ${V2}/${id}`)).body, made.body);
  }
});

test("what does not fit together is refused, and nothing is made", async () => {
  const { call, wallet, points, post, product, campaign } = await project();
  const shoe = await product("Shoe");
  const gifts = await campaign("GIFT_VOUCHERS");
  const material = { type: "PRODUCT", product: { id: shoe.id } };
  const digital = (given: object) => post({ type: "DIGITAL", digital: given });
  for (const reply of [
    await call(`POST ${V2}`, { type: "POINTS", points }),
    await call(`POST ${V2}`, { name: "x", points }),
    await call(`POST ${V2}`, { name: "", type: "POINTS", points }),
    await call(`POST ${V2}`, { name: "x".repeat(201), type: "POINTS", points }),
    await post({ type: "POINTS" }),
    await post({ type: "POINTS", material }),
    await post({ type: "POINTS", points, material }),
    await post({ type: "POINTS", points: { ...points, value: -1 } }),
    await post({ type: "POINTS", points: { ...points, points_expiration: { type: "NO_EXPIRATION" } } }),
    await post({ type: "POINTS", points, status: "DELETED" }),
    await post({ type: "POINTS", points, metadata: {} }),
    await post({ type: "POINTS", points, colour: 1 }),
    await post({ type: "POINTS_PROPORTIONAL", points_proportional: { card_definition_id: wallet.id } }),
    await post({ type: "MATERIAL", material: { type: "SKU", product: { id: shoe.id } } }),
    await post({ type: "MATERIAL", material: { type: "PRODUCT" } }),
    await post({ type: "MATERIAL", material: { ...material, colour: 1 } }),
    await digital({ type: "GIFT_VOUCHERS", gift_vouchers: { campaign_id: gifts.id } }),
    await digital({ type: "GIFT_VOUCHERS", gift_vouchers: { campaign_id: gifts.id, balance: -1 } }),
    await digital({ type: "DISCOUNT_COUPONS", discount_coupons: { campaign_id: gifts.id } }),
    await digital({ type: "LOYALTY_CARD_POINTS", loyalty_card_points: { points: 1, card_definition_id: wallet.id } }),
    await post({ type: "POINTS", points, stock: {} }),
    await post({ type: "POINTS", points, stock: { type: "LIMITED" } }),
    await post({ type: "POINTS", points, stock: { type: "UNLIMITED", limited: { quantity: 1 } } }),
    await post({ type: "POINTS", points, stock: { type: "LIMITED", limited: { quantity: -1 } } }),
    await post({ type: "POINTS", points, stock: { type: "LIMITED", limited: { quantity: 2 ** 53 } } }),
  ])
    refused(reply, 400, "invalid_payload");
  assert.deepEqual((await call(`GET ${V2}`)).body.data, []);
});

test("what a benefit names has to be there, 404, in this project", async () => {
  const { post, product, sku } = await project();
  const other = await project();
  const theirs = await other.product("Theirs");
  const [shoe, boot] = [await product("Shoe"), await product("Boot")];
  const size = await sku(boot.id, "42");
  for (const [reply, type] of [
    [await post({ type: "POINTS", points: { value: 1, card_definition_id: other.wallet.id } }), "card_definition"],
    [await post({ type: "MATERIAL", material: { product: { id: theirs.id } } }), "product"],
    [await post({ type: "MATERIAL", material: { sku: { product_id: shoe.id, id: size.id } } }), "sku"],
    [await post({ type: "MATERIAL", material: { sku: { product_id: theirs.id, id: size.id } } }), "product"],
    [await post({ type: "DIGITAL", digital: { discount_coupons: { campaign_id: "camp_0" } } }), "campaign"],
  ] as const) {
    refused(reply, 404, "not_found");
    assert.equal(reply.body.resource_type, type, reply.text);
  }
});

test("a name stands once among the benefits that there are", async () => {
  const { call, points, benefit } = await project();
  const { id } = await benefit({ name: "Cup", type: "POINTS", points });
  const two = await benefit({ name: "Plate", type: "POINTS", points });
  refused(await call(`POST ${V2}`, { name: "Cup", type: "POINTS", points }), 409, "duplicate_found");
  refused(await call(`PUT ${V2}/${two.id}`, { name: "Cup" }), 409, "duplicate_found");
  assert.equal((await call(`DELETE ${V2}/${id}`)).status, 200);
  assert.equal((await call(`PUT ${V2}/${two.id}`, { name: "Cup" })).body.name, "Cup");
});

test("a benefit moves between DRAFT and ACTIVE, and every other move is 400", async () => {
  const { call, points, benefit } = await project();
  const { id } = await benefit({ name: "Cup", type: "POINTS", points });
  const move = (name: string) => call(`POST ${V2}/${id}/${name}`);
  refused(await move("draft"), 400, "invalid_state_transition", /Cannot draft benefit from current state: 'DRAFT'/);
  const active = await move("activate");
  assert.deepEqual([active.status, active.body.status, active.body.updated_at], [200, "ACTIVE", NOW]);
  refused(await move("activate"), 400, "invalid_state_transition", /current state: 'ACTIVE'/);
  assert.equal((await move("draft")).body.status, "DRAFT");
  refused(await call(`POST ${V2}/lben_0/activate`), 404, "not_found");
});

test("a benefit of points needs an active wallet when it is made active, is activated or is changed", async () => {
  const { call, wallet, benefit } = await project();
  const draft = await walletOf(call, "DRAFT");
  const points = { value: 1, card_definition_id: draft.id };
  refused(await call(`POST ${V2}`, { name: "Cup", type: "POINTS", status: "ACTIVE", points }), 423, "resource_locked");
  const { id } = await benefit({ name: "Cup", type: "POINTS", points });
  refused(await call(`POST ${V2}/${id}/activate`), 423, "resource_locked");
  refused(await call(`PUT ${V2}/${id}`, { points: { ...points, value: 2 } }), 423, "resource_locked");
  assert.equal((await call(`PUT ${V2}/${id}`, { name: "Plate" })).status, 200);
  const moved = await call(`PUT ${V2}/${id}`, { points: { value: 2, card_definition_id: wallet.id } });
  assert.equal(moved.body.points.card_definition_id, wallet.id);
  assert.equal((await call(`POST ${V2}/${id}/activate`)).body.status, "ACTIVE");
});
const walletOf = async (call: (request: string, body: object) => Promise<Reply>, status: string) =>
  (await call("POST /v2/loyalties/card-definitions", { name: "W", type: "INDIVIDUAL", status })).body;

test("an update keeps what is not sent; a new type needs what belongs to it; an active one takes name and stock", async () => {
  const { call, points, benefit, product } = await project();
  const shoe = await product("Shoe");
  const stock = { type: "LIMITED", limited: { quantity: 3 } };
  const made = await benefit({ name: "Cup", type: "POINTS", points, stock });
  const url = `${V2}/${made.id}`;
  assert.deepEqual((await call(`PUT ${url}`, { name: "Plate" })).body, { ...made, name: "Plate", updated_at: NOW });
  refused(await call(`PUT ${url}`, { type: "MATERIAL" }), 400, "invalid_payload", /'material'/);
  refused(await call(`PUT ${url}`, { material: { product: { id: shoe.id } } }), 400, "invalid_payload", /'material'/);
  refused(await call(`PUT ${url}`, { points: null }), 400, "invalid_payload");
  refused(await call(`PUT ${url}`, { status: "ACTIVE" }), 400, "invalid_payload");
  const changed = await call(`PUT ${url}`, { type: "MATERIAL", material: { product: { id: shoe.id } } });
  const { points: _, ...rest } = made;
  const material = { type: "PRODUCT", product: { id: shoe.id } };
  assert.deepEqual(changed.body, { ...rest, name: "Plate", type: "MATERIAL", material, updated_at: NOW });
  await call(`POST ${url}/activate`);
  for (const [field, value] of Object.entries({ type: "MATERIAL", material, points, digital: null }))
    refused(await call(`PUT ${url}`, { [field]: value }), 400, "invalid_payload", new RegExp(`'${field}'`));
  const more = await call(`PUT ${url}`, { name: "Cup", stock: { limited: { quantity: 9 } } });
  assert.deepEqual([more.body.name, more.body.stock], ["Cup", { type: "LIMITED", limited: { quantity: 9 } }]);
  assert.deepEqual((await call(`PUT ${url}`, { stock: null })).body.stock, { type: "UNLIMITED" });
});

test("the stock is what is left: it is taken one by one, by many at once, and never below nothing", async () => {
  const { call, project: own, points, benefit } = await project();
  const { id } = await benefit({
    name: "Cup",
    type: "POINTS",
    status: "ACTIVE",
    points,
    stock: { limited: { quantity: 3 } },
  });
  const take = () => db.begin((tx) => takeBenefit(tx, own.id, id));
  const taken = await Promise.all(Array.from({ length: 6 }, take));
  assert.equal(taken.filter(Boolean).length, 3);
  assert.deepEqual((await call(`GET ${V2}/${id}`)).body.stock, { type: "LIMITED", limited: { quantity: 0 } });
  // What happened to the stock does not come back with another change.
  assert.deepEqual((await call(`PUT ${V2}/${id}`, { name: "Plate" })).body.stock.limited, { quantity: 0 });
  await call(`PUT ${V2}/${id}`, { stock: { type: "UNLIMITED" } });
  assert.equal(await take(), true);
  await call(`POST ${V2}/${id}/draft`);
  assert.equal(await take(), false);
});

test("a benefit that an earning rule gives is not deleted, 400, and is no draft while an active rule gives it, 423", async () => {
  const { call, points, benefit, rule } = await project();
  const { id } = await benefit({ name: "Cup", type: "POINTS", status: "ACTIVE", points });
  const giving = await rule({
    name: "Order",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ incentive: { id } }] }],
  });
  const inUse = await call(`DELETE ${V2}/${id}`);
  refused(inUse, 400, "resource_in_use");
  assert.deepEqual([inUse.body.related_object_ids, inUse.body.related_object_type], [[giving.id], "earning_rule"]);
  await call(`POST /v2/loyalties/earning-rules/${giving.id}/activate`);
  const connected = await call(`POST ${V2}/${id}/draft`);
  refused(connected, 423, "connected_active_earning_rule");
  assert.deepEqual(connected.body.related_object_ids, [giving.id]);
  await call(`POST /v2/loyalties/earning-rules/${giving.id}/deactivate`);
  assert.equal((await call(`POST ${V2}/${id}/draft`)).body.status, "DRAFT");
  await call(`DELETE /v2/loyalties/earning-rules/${giving.id}`);
  const deleted = await call(`DELETE ${V2}/${id}`);
  assert.deepEqual([deleted.status, deleted.body.status, deleted.body.updated_at], [200, "DELETED", NOW]);
  for (const request of [`DELETE ${V2}/${id}`, `GET ${V2}/${id}`, `POST ${V2}/${id}/activate`])
    refused(await call(request), 404, "not_found");
  refused(await call(`PUT ${V2}/${id}`, { name: "x" }), 404, "not_found");
});

test("another project's benefit is 404; lists are in order, filtered, and paged by cursor", async () => {
  const { call, points, benefit, product } = await project();
  const shoe = await product("Shoe");
  const cup = await benefit({ name: "Cup", type: "POINTS", points });
  await benefit({ name: "Bowl", type: "POINTS", points, status: "ACTIVE" });
  await benefit({ name: "Shoe", type: "MATERIAL", material: { product: { id: shoe.id } } });
  const other = await testShop(db);
  refused(await other.call(`GET ${V2}/${cup.id}`), 404, "not_found");
  refused(await other.call(`DELETE ${V2}/${cup.id}`), 404, "not_found");
  const names = (reply: Reply) => reply.body.data.map((one: any) => one.name);
  const first = await call(`GET ${V2}?limit=2&order=name`);
  assert.deepEqual(names(first), ["Bowl", "Cup"]);
  assert.match(first.body.cursor.next, /^lcrsben_/);
  assert.deepEqual(names(await call(`GET ${V2}?cursor=${first.body.cursor.next}`)), ["Shoe"]);
  assert.deepEqual(names(await call(`GET ${V2}?order=type&order=-name`)), ["Shoe", "Cup", "Bowl"]);
  assert.deepEqual(names(await call(`GET ${V2}?filters[type][conditions][$is]=MATERIAL`)), ["Shoe"]);
  assert.deepEqual(names(await call(`GET ${V2}?filters[status][conditions][$is]=ACTIVE`)), ["Bowl"]);
  refused(await call(`GET ${V2}?filters[stock][conditions][$is]=1`), 400, "invalid_query_params");
});

test("activities: what happened to a benefit, newest first, with the benefit as it was", async () => {
  const { call, points, benefit } = await project();
  const { id } = await benefit({ name: "Cup", type: "POINTS", points });
  await call(`PUT ${V2}/${id}`, { name: "Plate" });
  for (const move of ["activate", "draft"]) await call(`POST ${V2}/${id}/${move}`);
  const { data } = (await call(`GET ${V2}/${id}/activities`)).body;
  assert.deepEqual(
    data.map((one: any) => [one.type, one.data.benefit.name]),
    [
      ["vl.benefit.drafted", "Plate"],
      ["vl.benefit.activated", "Plate"],
      ["vl.benefit.updated", "Plate"],
      ["vl.benefit.created", "Cup"],
    ],
  );
  assert.match(data[0].id, /^laben_/);
  assert.equal(data[0].benefit_id, id);
  refused(await call(`GET ${V2}/lben_0/activities`), 404, "not_found");
});

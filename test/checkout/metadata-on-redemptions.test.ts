import assert from "node:assert/strict";
import { test } from "node:test";
import { cardClub, PAID } from "../support/card-clubs.ts";
import { type Call, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const KEY = "metadata_validation_failed";
const MISSING = "n: must be a number, property is required (actual value is 'undefined')";
const N = { n: 1 };
const SHOP = "https://shop.example";

/** A shop with a code and a promotion; metadata of these objects must have a number `n`. */
async function shop(...objects: readonly string[]) {
  const { call: send, project } = await testShop(db, {
    client_trusted_domains: [SHOP],
    client_redeem_enabled: true,
    client_create_customer_enabled: true,
  });
  const call: Call = (line, body, headers) => send(line, body, { origin: SHOP, ...headers });
  const ok = okOf(call);
  const demand = async (related_object: string) =>
    ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
      related_object,
      properties: { n: { type: "number", optional: false, array: false } },
    });
  const discount = { type: "PERCENT", percent_off: 10 };
  await ok("POST /v1/vouchers/TEN", { discount });
  const promotion = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${promotion.id}/tiers`, { name: "T", action: { discount } });
  for (const one of objects) await demand(one);
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const redeem = (order: object | null, more: object = {}, headers?: Record<string, string>) =>
    call("POST /v1/redemptions", { redeemables, ...(order && { order }), ...more }, headers);
  const counts = () =>
    Promise.all(
      ["redemptions", "orders", "customers", "events"].map(async (table) => {
        const [row] = await db<[{ count: number }]>`
          select count(*) from ${db(table)} where project_id = ${project.id}`;
        return row.count;
      }),
    );
  /** Refused for what is missing, with nothing stored. */
  const refused = async (run: () => ReturnType<Call>, details = MISSING) => {
    const before = await counts();
    const reply = await run();
    assertRefused(reply, KEY, details);
    assert.equal(reply.body.resource_id, undefined, "no failed redemption is kept");
    assert.deepEqual(await counts(), before);
  };
  return { project, call, ok, demand, redeem, refused, redeemables, tier };
}
type Shop = Awaited<ReturnType<typeof shop>>;

/** Every operation that redeems a code or a promotion, with the fields that it needs. */
const operations = ({ tier, redeemables }: Shop) =>
  [
    ["POST /v1/redemptions", { redeemables }],
    ["POST /v1/redemptions", { redeemables: [...redeemables, { object: "promotion_tier", id: tier.id }] }],
    ["POST /client/v1/redemptions", { redeemables }],
    ["POST /client/v1/redeem?code=TEN", {}],
    ["POST /v1/vouchers/TEN/redemption", {}],
    [`POST /v1/promotions/tiers/${tier.id}/redemption`, {}],
  ] as const;

test("a redemption without the metadata that its schema requires is refused, however it is asked for", async () => {
  const one = await shop("redemption");
  const order = { amount: 1000 };
  for (const [line, body] of operations(one)) {
    for (const metadata of [undefined, null, {}, { other: 1 }])
      await one.refused(() => one.call(line, { ...body, order, customer: { source_id: "ann" }, metadata }));
    const given = await one.ok(line, { ...body, order, metadata: N });
    assert.deepEqual((given.redemptions?.[0] ?? given).metadata, N, line);
  }
});

test("an order that a redemption makes must have what is required of a new order, however it is asked for", async () => {
  const one = await shop("order");
  for (const [line, body] of operations(one)) {
    for (const metadata of [undefined, null, {}])
      await one.refused(() => one.call(line, { ...body, order: { amount: 100, source_id: "new", metadata } }));
    const given = await one.ok(line, { ...body, order: { amount: 100, metadata: N } });
    assert.deepEqual(given.order.metadata, N, line);
  }
  assert.equal((await one.redeem(null)).body.order, null, "without an order nothing is required of one");
});

test("the lines of an order that a redemption makes must have what is required of lines", async () => {
  const one = await shop("order_item");
  const line = { price: 100, quantity: 1 };
  for (const [path, body] of operations(one)) {
    for (const metadata of [undefined, null, {}])
      await one.refused(() =>
        one.call(path, {
          ...body,
          order: {
            items: [
              { ...line, metadata: N },
              { ...line, metadata },
            ],
          },
        }),
      );
    const given = await one.ok(path, { ...body, order: { items: [{ ...line, metadata: N }] } });
    assert.deepEqual(given.order.items[0].metadata, N, path);
  }
  assert.equal((await one.redeem({ amount: 100 })).status, 200, "an order without lines");
});

test("an order that is there may leave out what it needed when it was made, but not break it", async () => {
  const { ok, demand, redeem, refused } = await shop();
  const items = [{ price: 100, quantity: 1 }];
  const old = await ok("POST /v1/orders", { source_id: "old", items });
  await demand("order");
  await demand("order_item");
  const wrong = "n: must be a number, property is required (actual value is 'x')";
  for (const named of [{ id: old.id }, { source_id: "old" }]) {
    for (const metadata of [undefined, null, {}, { other: 1 }])
      assert.equal((await redeem({ ...named, metadata })).status, 200, JSON.stringify({ named, metadata }));
    await refused(() => redeem({ ...named, metadata: { n: "x" } }), wrong);
    await refused(() => redeem({ ...named, items: [{ ...items[0], metadata: { n: "x" } }] }), wrong);
  }
  // Named by its source id it is taken as it is stored; named by its id, lines that are sent are new ones.
  assert.equal((await redeem({ source_id: "old", items })).status, 200);
  await refused(() => redeem({ id: old.id, items }));
  assert.equal((await redeem({ id: old.id, items: [{ ...items[0], metadata: N }] })).status, 200);
});

test("of redemptions at once that would make one order, each is judged by whether the order is there", async () => {
  const { redeem, call } = await shop("order");
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      redeem({ source_id: "same", amount: 100, ...(n === 5 && { metadata: N }) }, { customer: { source_id: `c${n}` } }),
    ),
  );
  for (const { status, body } of replies) assert.ok(status === 200 || body.key === KEY, JSON.stringify(body));
  assert.equal(replies[5]!.status, 200);
  assert.equal((await redeem({ source_id: "same", amount: 100 })).status, 200, "it is there now");
  const { orders } = (await call("GET /v1/orders")).body;
  assert.deepEqual(
    orders.map(({ metadata }: any) => metadata),
    [N],
  );
});

test("a repeated request gets the refusal of the first, also once the schema is gone; with another key it redeems", async () => {
  const { project, call, redeem } = await shop("redemption");
  const send = (key: string) => redeem({ amount: 100 }, {}, { "idempotency-key": key });
  const first = await send("a");
  assertRefused(first, KEY, MISSING);
  const path = `/management/v1/projects/${project.id}/metadata-schemas`;
  const { data } = (await call(`GET ${path}`)).body;
  assert.equal((await call(`DELETE ${path}/${data[0].id}`)).status, 204);
  assert.equal((await send("a")).text, first.text);
  assert.equal((await send("b")).status, 200);
});

test("a validation and a qualification keep nothing: what is missing there may come with the redemption", async () => {
  const { ok, call, redeem, redeemables } = await shop("redemption", "order", "order_item");
  const order = { items: [{ price: 100, quantity: 1 }] };
  const { id, valid } = await ok("POST /v1/validations", { redeemables, order });
  assert.equal(valid, true);
  await ok("POST /v1/qualifications", { order });
  assertRefused(await call("POST /v1/validations", { redeemables, order, metadata: { n: "x" } }), KEY);
  const complete = { ...order, metadata: N, items: [{ ...order.items[0], metadata: N }] };
  const reply = await redeem(complete, { metadata: N, options: { validation_id: id } });
  assert.equal(reply.status, 200, reply.text);
});

test("what a line says of its product or SKU fits the schema of products, wherever a cart is sent", async () => {
  const { call, ok, redeem, redeemables } = await shop("product");
  const cart = (goods: object) => ({
    items: [
      { price: 100, quantity: 1 },
      { price: 100, quantity: 1, ...goods },
    ],
  });
  const orders = (metadata: object) => [
    cart({ product: { name: "Tee", metadata } }),
    cart({ sku: { sku: "L", metadata } }),
  ];
  for (const order of orders({ n: "many" })) {
    const wrong = "n: must be a number, property is required (actual value is 'many')";
    assertRefused(await call("POST /v1/validations", { redeemables, order }), KEY, wrong);
    assertRefused(await call("POST /v1/qualifications", { order }), KEY, wrong);
    assertRefused(await redeem(order), KEY, wrong);
    assertRefused(await call("POST /v1/orders", order), KEY, wrong);
    const { id } = await ok("POST /v1/orders", { amount: 1 });
    assertRefused(await call(`PUT /v1/orders/${id}`, order), KEY, wrong);
  }
  // Nothing of it goes into the catalogue, so that what is required of a product may be missing.
  for (const order of [...orders({ n: 5 }), ...orders({ other: 1 })]) {
    await ok("POST /v1/validations", { redeemables, order });
    await ok("POST /v1/orders", order);
  }
  const large = orders({ text: "x".repeat(32_768) });
  for (const order of large) assertRefused(await redeem(order), "invalid_payload");
});

test("a member's reward needs the metadata, and one that is redeemed by itself does not", async () => {
  const club = await cardClub(db);
  const program = await club.open([PAID(30)], { points: 100 });
  const mug = await club.ok("POST /v1/products", { name: "Mug" });
  const reward = await club.ok("POST /v1/rewards", { name: "Mug", parameters: { product: { id: mug.id } } });
  const assign = (loyalty: object) =>
    club.ok(`POST /v1/rewards/${reward.id}/assignments`, { campaign: program.campaign.id, parameters: { loyalty } });
  await assign({ points: 10 });
  const ann = await program.join("ann");
  await club.ok(`POST /management/v1/projects/${club.project.id}/metadata-schemas`, {
    related_object: "redemption",
    properties: { n: { type: "number", optional: false, array: false } },
  });
  const body = { reward: { id: reward.id } };
  for (const path of ["", `/${program.campaign.id}`]) {
    const line = `POST /v1/loyalties${path}/members/${ann.code}/redemption`;
    const before = await ann.balance();
    assertRefused(await club.call(line, body), KEY, MISSING);
    assert.equal(await ann.balance(), before);
    assert.equal((await club.call(line, { ...body, metadata: N })).status, 200);
    assert.equal(await ann.balance(), before - 10);
  }
  const other = await club.ok("POST /v1/rewards", { name: "Cup", parameters: { product: { id: mug.id } } });
  await club.ok(`POST /v1/rewards/${other.id}/assignments`, {
    campaign: program.campaign.id,
    parameters: { loyalty: { points: 90, auto_redeem: true } },
  });
  await club.ok(`POST /v1/loyalties/members/${ann.code}/balance`, { points: 15 });
  const { redemptions } = await club.ok("GET /v1/redemptions");
  const own = redemptions.find(({ channel }: any) => channel.channel_type === "AUTO_REDEEM");
  assert.deepEqual([own?.result, own?.metadata, await ann.balance()], ["SUCCESS", {}, 5]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { kindsOf } from "../support/events.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();

test("orders: items are resolved by id or source id, prices come from the catalogue, amounts follow", async () => {
  const { call } = await testShop(db);
  const shirt = (await call("POST /v1/products", { name: "Shirt", source_id: "shirt", price: 2000 })).body;
  const red = (await call(`POST /v1/products/${shirt.id}/skus`, { sku: "Red", source_id: "shirt-red", price: 2500 }))
    .body;
  const items = [
    { product_id: shirt.id, quantity: 2 },
    { source_id: "shirt-red", related_object: "sku", quantity: "1" },
    { price: 300, quantity: 3, amount: 800 },
    { product: { source_id: "new", name: "New", price: 50 }, metadata: { gift: true } },
  ];
  const created = await call("POST /v1/orders", {
    source_id: "o-1",
    items,
    metadata: { channel: "web" },
    currency: "ignored",
  });
  assert.equal(created.status, 200);
  const { id, items: shown, ...order } = created.body;
  assert.match(id, /^ord_/);
  assert.deepEqual(order, {
    source_id: "o-1",
    status: "CREATED",
    amount: 7350,
    initial_amount: 7350,
    total_amount: 7350,
    metadata: { channel: "web" },
    customer_id: null,
    referrer_id: null,
    redemptions: {},
    created_at: NOW,
    updated_at: null,
    object: "order",
  });
  assert.deepEqual(
    shown.map((item: any) => [
      item.product_id,
      item.sku_id,
      item.quantity,
      item.price,
      item.amount,
      item.subtotal_amount,
    ]),
    [
      [shirt.id, undefined, 2, 2000, 4000, 4000],
      [shirt.id, red.id, 1, 2500, 2500, 2500],
      [undefined, undefined, 3, 300, 800, 800],
      [undefined, undefined, 1, 50, 50, 50],
    ],
  );
  assert.deepEqual(shown[1].product.name, "Shirt");
  assert.deepEqual(
    [shown[3].product, shown[3].metadata],
    [{ source_id: "new", name: "New", price: 50, metadata: {} }, { gift: true }],
  );
  for (const reference of [id, "o-1"]) assert.deepEqual((await call(`GET /v1/orders/${reference}`)).body, created.body);
  assert.equal((await call("GET /v1/products")).body.total, 1, "nothing was added to the catalogue");
});

test("orders: override brings the catalogue up to date, and makes what is not there", async () => {
  const { call } = await testShop(db);
  const items = [
    { product: { source_id: "p", name: "Pen", price: 100, metadata: { ink: "blue" }, override: true } },
    { product: { source_id: "p" }, sku: { source_id: "p-red", sku: "Red pen", price: 120, override: true } },
  ];
  const { body: made } = await call("POST /v1/orders", { items });
  const echoed = (order: any) => order.items.map((one: any) => [one.product.override, one.sku?.override]);
  const expected = [
    [true, undefined],
    [undefined, true],
  ];
  assert.deepEqual(echoed(made), expected);
  assert.deepEqual(echoed((await call(`GET /v1/orders/${made.id}`)).body), expected);
  await call("POST /v1/vouchers/TEN", { discount: { type: "PERCENT", percent_off: 10 } });
  const cart = { redeemables: [{ object: "voucher", id: "TEN" }], order: { items } };
  assert.deepEqual(echoed((await call("POST /v1/validations", cart)).body.order), expected);
  const { body: pen } = await call("GET /v1/products/p");
  assert.deepEqual([pen.name, pen.price, pen.metadata], ["Pen", 100, { ink: "blue" }]);
  assert.deepEqual([pen.skus.data[0].source_id, pen.skus.data[0].price], ["p-red", 120]);
  await call("POST /v1/orders", { items: [{ product: { source_id: "p", price: 90, override: true } }] });
  const again = (await call("GET /v1/products/p")).body;
  assert.deepEqual([again.id, again.name, again.price], [pen.id, "Pen", 90]);
});

test("orders: customer and referrer are created or updated with the order, and can be taken away", async () => {
  const { call } = await testShop(db);
  const first = (
    await call("POST /v1/orders", {
      amount: 100,
      customer: { source_id: "ann", name: "Ann" },
      referrer: { source_id: "bob" },
    })
  ).body;
  assert.deepEqual(
    [first.customer, first.customer_id],
    [{ id: first.customer_id, object: "customer" }, first.customer_id],
  );
  assert.equal((await call("GET /v1/customers/ann")).body.id, first.customer_id);
  assert.equal((await call("GET /v1/customers/bob")).body.id, first.referrer_id);
  const second = (await call("POST /v1/orders", { amount: 5, customer_id: first.customer_id })).body;
  assert.equal(second.customer_id, first.customer_id);
  const without = (await call(`PUT /v1/orders/${first.id}`, { referrer: null })).body;
  assert.deepEqual([without.referrer_id, without.customer_id], [null, first.customer_id]);
  const unknown = await call("POST /v1/orders", { amount: 1, customer: { id: "cust_nope" } });
  assert.deepEqual([unknown.status, unknown.body.resource_type], [404, "customer"]);
  assert.equal((await call("GET /v1/orders")).body.total, 2);
});

test("orders: an id or source id that is known is updated; what is not sent stays; items replace items", async () => {
  const { call } = await testShop(db);
  const made = (await call("POST /v1/orders", { source_id: "o", items: [{ price: 100 }], metadata: { a: 1 } })).body;
  const updated = (await call("POST /v1/orders", { source_id: "o", metadata: { b: 2 } })).body;
  assert.deepEqual(
    [updated.id, updated.amount, updated.metadata, updated.updated_at],
    [made.id, 100, { a: 1, b: 2 }, NOW],
  );
  assert.equal(updated.items[0].id, made.items[0].id);
  const other = (await call(`PUT /v1/orders/${made.id}`, { items: [{ price: 7, quantity: 3 }] })).body;
  assert.deepEqual([other.amount, other.items.length], [21, 1]);
  assert.equal((await call("POST /v1/orders", { id: "ord_nope", amount: 1 })).status, 404);
  assert.equal((await call("PUT /v1/orders/nope", { amount: 1 })).status, 404);
});

test("orders: discounts given elsewhere are kept as history, never more than the order costs", async () => {
  const { call } = await testShop(db);
  const items = [
    { amount: 700, discount_amount: 70 },
    { amount: 500, discount_amount: 50 },
    { amount: 1500, discount_amount: 150 },
  ];
  const { body } = await call("POST /v1/orders", { items, discount_amount: 1243 });
  const { amount, items_discount_amount, discount_amount, total_discount_amount, total_amount } = body;
  assert.deepEqual(
    [amount, items_discount_amount, discount_amount, total_discount_amount, total_amount],
    [2700, 270, 1243, 1513, 1187],
  );
  assert.deepEqual(
    body.items.map((item: any) => item.subtotal_amount),
    [630, 450, 1350],
  );
  const capped = (await call("POST /v1/orders", { amount: 100, discount_amount: 500 })).body;
  assert.deepEqual([capped.discount_amount, capped.total_amount], [100, 0]);
});

test("orders: an event for the order and one for each status it enters, once; the customer's summary counts paid ones", async () => {
  const { call, project } = await testShop(db);
  const { id } = (await call("POST /v1/orders", { amount: 200000, customer: { source_id: "ann" } })).body;
  await call(`PUT /v1/orders/${id}`, { status: "PAID" });
  await call(`PUT /v1/orders/${id}`, { status: "PAID" });
  await call("POST /v1/orders", { amount: 3900, status: "PAID", customer: { source_id: "ann" } });
  assert.deepEqual(await kindsOf(db, project.id), [
    "customer.created",
    "customer.order.created",
    "customer.order.paid",
    "customer.order.updated",
    "customer.order.created",
    "customer.order.paid",
  ]);
  const { orders } = (await call("GET /v1/customers/ann")).body.summary;
  assert.deepEqual([orders.total_amount, orders.total_count, orders.average_amount], [203900, 2, 101950]);
  await call(`PUT /v1/orders/${id}`, { status: "CANCELED" });
  assert.equal((await call("GET /v1/customers/ann")).body.summary.orders.total_count, 1);
});

test("orders: a customer enters and leaves a segment by what they paid", async () => {
  const { call } = await testShop(db);
  const filter = { junction: "and", "summary.orders.total_amount": { conditions: { $more_than: [1000] } } };
  await call("POST /v1/segments", { name: "Big spenders", type: "passive", filter });
  const inSegment = async () => (await call("GET /v1/customers/ann/segments")).body.total;
  const { id } = (await call("POST /v1/orders", { amount: 1500, status: "PAID", customer: { source_id: "ann" } })).body;
  assert.equal(await inSegment(), 1);
  await call(`PUT /v1/orders/${id}`, { status: "CANCELED" });
  assert.equal(await inSegment(), 0);
});

test("orders: what is not sent keeps its amount and its lines, as they were stored", async () => {
  const { call } = await testShop(db);
  const plain = (await call("POST /v1/orders", { amount: 100 })).body;
  const discounted = (await call(`PUT /v1/orders/${plain.id}`, { discount_amount: 30 })).body;
  assert.deepEqual([discounted.amount, discounted.discount_amount, discounted.total_amount], [100, 30, 70]);
  await call("POST /v1/products", { source_id: "pen", name: "Pen", price: 50 });
  const items = [{ source_id: "pen", related_object: "product", quantity: 2, id: { not: "an id" } }];
  const order = (await call("POST /v1/orders", { items })).body;
  assert.match(order.items[0].id, /^ordli_/, "the line's id is ours");
  await call("PUT /v1/products/pen", { name: "Dear pen", price: 500 });
  const later = (await call(`PUT /v1/orders/${order.id}`, { discount_amount: 10 })).body;
  assert.deepEqual([later.items, later.amount, later.initial_amount, later.total_amount], [order.items, 100, 100, 90]);
});

test("orders: override follows the product's metadata schema, and finds a SKU without naming its product", async () => {
  const { call, project } = await testShop(db);
  const properties = { ink: { type: "string", optional: true, array: false, eq: ["blue"] } };
  await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, { related_object: "product", properties });
  const product = (ink: string) => ({ source_id: "p", price: 1, metadata: { ink }, override: true });
  const refused = await call("POST /v1/orders", { items: [{ product: product("red") }] });
  assert.equal(refused.body.key, "metadata_validation_failed");
  assert.equal((await call("GET /v1/products/p")).status, 404, "nothing was written");
  await call("POST /v1/orders", {
    items: [{ product: product("blue"), sku: { source_id: "s", price: 5, override: true } }],
  });
  await call("POST /v1/orders", { items: [{ sku: { source_id: "s", price: 9, override: true } }] });
  assert.equal((await call("GET /v1/products/p")).body.skus.data[0].price, 9);
});

test("orders: the list is oldest first, in pages, in both orders", async () => {
  const { call, engine } = await testShop(db, {}, { own: true });
  for (let n = 1; n <= 12; n += 1) {
    engine.now = () => `2026-01-${String(n).padStart(2, "0")}T00:00:00.000Z`;
    await call("POST /v1/orders", { source_id: `o${n}`, amount: n });
  }
  const ids = async (query: string) =>
    (await call(`GET /v1/orders${query}`)).body.orders.map((o: any) => o.source_id).join(" ");
  assert.equal(await ids("?limit=3"), "o1 o2 o3");
  assert.equal(await ids(""), "o1 o2 o3 o4 o5 o6 o7 o8 o9 o10");
  assert.equal(await ids("?limit=5&page=3"), "o11 o12");
  assert.equal(await ids("?limit=2&order=-created_at"), "o12 o11");
  assert.equal((await call("GET /v1/orders")).body.data_ref, "orders");
});

test("orders: filters narrow the list and its total", async () => {
  const { call } = await testShop(db);
  const made = async (body: object) => (await call("POST /v1/orders", body)).body;
  await made({ source_id: "a", status: "PAID", amount: 100, metadata: { shop: "x" } });
  const { customer_id } = await made({
    source_id: "b",
    status: "CREATED",
    amount: 200,
    customer: { source_id: "ann" },
  });
  await made({ source_id: "c", status: "CANCELED", amount: 300 });
  const cases: [expected: string, filters: string][] = [
    ["a", "filters[status][conditions][$is]=PAID"],
    ["a b", "filters[status][conditions][$in][0]=PAID&filters[status][conditions][$in][1]=CREATED"],
    ["b c", "filters[status][conditions][$is_not]=PAID"],
    ["b c", "filters[amount][conditions][$more_than]=100"],
    ["b", `filters[customer_id][conditions][$is]=${customer_id}`],
    ["a", "filters[metadata.shop][conditions][$is]=x"],
    ["a c", "filters[junction]=or&filters[source_id][conditions][$is]=c&filters[status][conditions][$is]=PAID"],
  ];
  for (const [expected, filters] of cases) {
    const { body, text } = await call(`GET /v1/orders?${filters}`);
    assert.equal(body.orders?.map((one: any) => one.source_id).join(" "), expected, text);
    assert.equal(body.total, body.orders.length, filters);
  }
});

const REFUSALS = [
  [{ amount: -1 }, "Property .amount must be >= 0"],
  [{ amount: "5" }, "Property .amount must be a whole number of cents (4999 for 49.99)"],
  [
    { status: "SHIPPED" },
    "Property .status must be equal to one of the allowed values [ CREATED, PAID, CANCELED, FULFILLED, null ]",
  ],
  [{ items: [{ quantity: "many" }] }, "Property .items[0].quantity must be a whole number such as 2"],
  [{ items: [{ quantity: -1 }] }, "Property .items[0].quantity must be >= 0"],
  [{ items: [{ price: 1.5 }] }, "Property .items[0].price must be a whole number of cents (4999 for 49.99)"],
  [{ items: [{ initial_quantity: 0 }] }, "Property .items[0].initial_quantity must be >= 1"],
  [{ items: [{ price: 9_000_000_000_000_000, quantity: 9 }] }, "Property .items[0].amount must be <= 9007199254740991"],
  [
    { items: [{ related_object: "thing" }] },
    "Property .items[0].related_object must be equal to one of the allowed values [ product, sku, null ]",
  ],
  [{ items: Array.from({ length: 501 }, () => ({ price: 1 })) }, "Property .items must NOT have more than 500 items"],
  [{ items: [{ product: { price: -1 } }] }, "Property .items[0].product.price must be >= 0"],
  [{ metadata: [] }, "Property .metadata must be object,null"],
] as const;
test("orders: what cannot be calculated with is refused with its place, and changes nothing", async () => {
  const { call } = await testShop(db);
  for (const [body, details] of REFUSALS) {
    const reply = await call("POST /v1/orders", body);
    assert.deepEqual([reply.status, reply.body.key, reply.body.details], [400, "invalid_payload", details]);
  }
  assert.equal((await call("GET /v1/orders")).body.total, 0);
});

test("orders: metadata of an order and of its lines follows the project's schemas", async () => {
  const { call, project } = await testShop(db);
  const schemas = `POST /management/v1/projects/${project.id}/metadata-schemas`;
  await call(schemas, {
    related_object: "order",
    properties: { channel: { type: "string", optional: true, array: false, eq: ["web"] } },
  });
  await call(schemas, {
    related_object: "order_item",
    properties: { gift: { type: "boolean", optional: false, array: false } },
  });
  const refused = await call("POST /v1/orders", { amount: 1, metadata: { channel: "fax" } });
  assert.deepEqual([refused.status, refused.body.key], [400, "metadata_validation_failed"]);
  assert.equal((await call("POST /v1/orders", { items: [{ price: 1 }] })).body.key, "metadata_validation_failed");
  assert.equal((await call("POST /v1/orders", { items: [{ price: 1, metadata: { gift: true } }] })).status, 200);
});

test("orders: 24 writers of one source id over two processes make one order, and nobody gets a 5xx", async () => {
  const project = await testProject(db);
  const engines = [await testEngine(db, project), await testEngine(open(), project)];
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      engines[n % 2]!.call("POST /v1/orders", { source_id: "same", amount: n, customer: { source_id: `c${n % 3}` } }),
    ),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
  assert.equal((await engines[0]!.call("GET /v1/orders")).body.total, 1);
});

test("a customer and a referrer may be named by their id or source id alone; the activity tells of the order, not the person", async () => {
  const { call } = await testShop(db);
  const ann = (await call("POST /v1/customers", { source_id: "ann", email: "ann@shop.example" })).body;
  const made = (await call("POST /v1/orders", { source_id: "o1", customer: "ann", referrer: ann.id, amount: 5 })).body;
  assert.deepEqual([made.customer_id, made.referrer_id], [ann.id, ann.id]);
  const changed = await call(`PUT /v1/orders/${made.id}`, { customer: ann.id, status: "PAID" });
  assert.deepEqual([changed.status, changed.body.customer_id], [200, ann.id]);
  const unknown = await call("POST /v1/orders", { customer: "nobody" });
  assert.deepEqual([unknown.status, unknown.body.resource_type], [404, "customer"]);
  assert.equal((await call("POST /v1/orders", { customer: "" })).status, 400);
  const { data } = (await call("GET /v1/customers/ann/activity?type=customer.order.paid")).body;
  assert.deepEqual(data[0].data, {
    customer: { id: ann.id, object: "customer" },
    order: { id: made.id, status: "PAID", object: "order" },
  });
});

test("orders: listed by status and by customer, whom id or source id names", async () => {
  const { ok, call } = await testShop(db);
  const order = (source_id: string, customer: string, status: string) =>
    ok("POST /v1/orders", { source_id, status, amount: 100, customer: { source_id: customer } });
  const first = await order("1", "ann", "PAID");
  await order("2", "ann", "CREATED");
  await order("3", "bob", "PAID");
  const found = async (query: string) => {
    const { orders, total } = await ok(`GET /v1/orders?${query}`);
    return `${orders.map(({ source_id }: any) => source_id).join("")} of ${total}`;
  };
  assert.equal(await found("status=PAID"), "13 of 2");
  assert.equal(await found("customer=ann"), "12 of 2");
  assert.equal(await found(`customer=${first.customer_id}&status=CREATED`), "2 of 1");
  assert.equal(await found("customer=nobody"), " of 0");
  assert.equal(await found("customer=ann&order=-created_at&limit=1"), "2 of 2");
  for (const query of ["status=paid", "customer="])
    assert.equal((await call(`GET /v1/orders?${query}`)).body.key, "invalid_query_params", query);
});

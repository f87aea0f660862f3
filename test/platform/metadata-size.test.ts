import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const MAX = 32_768;
/** Metadata of exactly so many bytes of JSON, under one key. */
const ofBytes = (bytes: number, key = "k") => ({ [key]: "x".repeat(bytes - key.length - '{"":""}'.length) });
const details = /metadata must not have more than 32768 bytes of JSON/;

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
} & Record<string, unknown>;
/** Every place of a body that takes metadata, with its schema. */
function* metadataIn(schema: Schema, path: string): Generator<[string, Schema]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isObject = [property.type].flat().includes("object");
    if (name === "metadata" && isObject && property.properties === undefined) yield [`${path}.${name}`, property];
    else yield* metadataIn(property, `${path}.${name}`);
  }
  if (schema.items) yield* metadataIn(schema.items, `${path}[]`);
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    yield* metadataIn(part, path);
}

test("every body that takes metadata limits it to 32 kB", () => {
  const places = ALL_ROUTES.flatMap(({ id, body }) => (body ? [...metadataIn(body as never, id)] : []));
  assert.ok(places.length > 100, `${places.length} places`);
  assert.deepEqual(
    places.filter(([, schema]) => schema["x-max-bytes"] !== MAX).map(([path]) => path),
    [],
  );
});

test("metadata of 32,768 bytes is taken and one byte more is refused, in a body and in each line of an order", async () => {
  const { call } = await testShop(db);
  const taken = await call("POST /v1/customers", { source_id: "a", metadata: ofBytes(MAX) });
  assert.equal(taken.status, 200);
  const refused = await call("POST /v1/customers", { source_id: "b", metadata: ofBytes(MAX + 1) });
  assert.equal(refused.status, 400);
  assert.match(refused.body.details, details);
  const items = [{ amount: 100, quantity: 1, product: { name: "tee" }, metadata: ofBytes(MAX + 1) }];
  const line = await call("POST /v1/validations", { redeemables: [{ object: "voucher", id: "x" }], order: { items } });
  assert.equal(line.status, 400);
  assert.match(line.body.details, details);
});

test("updates that merge metadata cannot grow it past 32 kB: a customer, a product, a code, an order", async () => {
  const { call } = await testShop(db);
  const half = MAX / 2 + 100;
  const grow = async (create: string, body: object, update: (made: { id: string; code?: string }) => string) => {
    const made = await call(create as "POST /v1/customers", { ...body, metadata: ofBytes(half, "a") });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const grown = await call(update(made.body) as "PUT /v1/customers/x", { metadata: ofBytes(half, "b") });
    assert.equal(grown.status, 400, create);
    assert.match(grown.body.details, details);
    const replaced = await call(update(made.body) as "PUT /v1/customers/x", { metadata: ofBytes(half, "a") });
    assert.equal(replaced.status, 200, create);
  };
  await grow("POST /v1/customers", { source_id: "grows" }, ({ id }) => `PUT /v1/customers/${id}`);
  await grow("POST /v1/products", { name: "tee" }, ({ id }) => `PUT /v1/products/${id}`);
  const discount = { type: "AMOUNT", amount_off: 100 };
  await grow("POST /v1/vouchers", { type: "DISCOUNT_VOUCHER", discount }, ({ code }) => `PUT /v1/vouchers/${code}`);
  await grow("POST /v1/orders", { source_id: "o", amount: 1000 }, ({ id }) => `PUT /v1/orders/${id}`);
});

test("a redemption that would grow a customer or an order past 32 kB is refused alone and changes nothing", async () => {
  const { call } = await testShop(db);
  const half = MAX / 2 + 100;
  const discount = { type: "AMOUNT", amount_off: 100 };
  const { body: voucher } = await call("POST /v1/vouchers", { type: "DISCOUNT_VOUCHER", discount });
  await call("POST /v1/customers", { source_id: "c", metadata: ofBytes(half, "a") });
  const { body: order } = await call("POST /v1/orders", { amount: 1000, metadata: ofBytes(half, "a") });
  const redeem = (more: object) =>
    call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: voucher.code }], ...more });
  const [grown, neighbour, ofOrder] = await Promise.all([
    redeem({ customer: { source_id: "c", metadata: ofBytes(half, "b") }, order: { amount: 1000 } }),
    redeem({ customer: { source_id: "d" }, order: { amount: 1000 } }),
    redeem({ order: { id: order.id, amount: 1000, metadata: ofBytes(half, "b") } }),
  ]);
  assert.equal(grown.status, 400);
  assert.match(grown.body.details, details);
  assert.equal(neighbour.status, 200);
  assert.equal(ofOrder.status, 400);
  assert.match(ofOrder.body.details, details);
  const { body } = await call("GET /v1/redemptions");
  assert.equal(body.total, 1);
});

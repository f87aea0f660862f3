import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { refusedAnswer } from "../../src/core/answer.ts";
import { ApiError, errorBody } from "../../src/core/errors.ts";
import { forClient } from "../../src/http/client-side.ts";
import { hot, type Route, read } from "../../src/http/route.ts";
import { Empty } from "../../src/http/schemas.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { closed, type Reply, testDatabase } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const SHOP = "https://shop.example";
const CLIENT = ALL_ROUTES.filter(({ access }) => access === "client");

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  title?: string;
  [key: string]: unknown;
};

/** A value with every field that a schema names; `more` is added to every object that is not an open map. */
function full(schema: Schema, more: object): unknown {
  const { type, properties, items, additionalProperties: others } = schema;
  if (properties) {
    const fields = Object.entries(properties).map(([name, one]) => [name, full(one, more)]);
    return { ...more, ...Object.fromEntries(fields), ...more };
  }
  if (items) return [full(items, more), full(items, more)];
  if (typeof others === "object") return { some_id: full(others, more) };
  if (others === true) return { mine: { unexpected: "of the caller's own" } };
  return [type].flat()[0] === "string" ? "text" : 1;
}
test("a field that the server gets later reaches no client application, wherever it stands", async (t) => {
  const unexpected = { unexpected: "secret", unexpected_object: { id: "secret" }, unexpected_list: [{ id: "secret" }] };
  for (const { id, ok } of CLIENT)
    await t.test(id, () => {
      const expected = full(ok as Schema, {});
      const answered = full(ok as Schema, unexpected);
      assert.notDeepEqual(answered, expected);
      assert.equal(JSON.stringify(forClient(ok)(answered as object)), JSON.stringify(expected));
    });
});

/** Where a schema lets through what it does not name. */
function gaps(schema: Schema, path: string): string[] {
  const { type, properties, items, additionalProperties: others, title, ...rest } = schema;
  const isMap = [type].flat().includes("object") && !properties;
  return [
    ...["$ref", "anyOf", "oneOf", "allOf"].flatMap((key) => (key in rest ? [`${path}: ${key}`] : [])),
    ...(properties && others ? [`${path}: more fields`] : []),
    ...(isMap && typeof others !== "object" && title !== "Metadata" ? [`${path}: any field`] : []),
    ...(type === undefined ? [`${path}: anything`] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, one]) => gaps(one, `${path}.${name}`)),
    ...(items ? gaps(items, `${path}[]`) : []),
    ...(typeof others === "object" ? gaps(others, `${path}.*`) : []),
  ];
}

test("every client-side operation has a schema of its own, and it is closed but for metadata", () => {
  const servers = ALL_ROUTES.filter(({ access }) => access !== "client").flatMap(({ ok, accepted }) => [ok, accepted]);
  assert.equal(CLIENT.length, 12);
  for (const { id, ok } of CLIENT) {
    assert.ok(!servers.includes(ok), id);
    assert.deepEqual(gaps(ok as Schema, id), []);
    closed(ok);
  }
});

const named = (schema: Schema): string[] => [
  ...Object.keys(schema.properties ?? {}),
  ...[...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties].flatMap((one) =>
    typeof one === "object" ? named(one) : [],
  ),
];

test("no client-side schema names other customers, rules, traces or turnover", () => {
  const HIDDEN = ["holder_id", "referrer", "referrer_id", "summary", "trace", "rule_id"];
  for (const { id, ok } of CLIENT) {
    const names = named(ok as Schema);
    assert.deepEqual(
      names.filter((name) => HIDDEN.includes(name) || /^validation_rules?_assignments$/.test(name)),
      [],
      id,
    );
  }
});

/** A shop in which every client-side operation finds something. */
async function shop(routes: readonly Route[] = ALL_ROUTES) {
  const { call, project } = await testShop(
    db,
    {
      client_trusted_domains: [SHOP],
      client_redeem_enabled: true,
      client_publish_enabled: true,
      client_list_vouchers_enabled: true,
      client_create_customer_enabled: true,
      client_set_voucher_expiration_date_enabled: true,
    },
    { routes },
  );
  const make = (line: string, body: object) => ok(call, line, body);
  const discount = { type: "PERCENT", percent_off: 10 };
  await make("POST /v1/vouchers", { code: "TEN", discount });
  const voucher = { discount, code_config: { pattern: "NEW-######" } };
  await make("POST /v1/campaigns", { name: "News", type: "AUTO_UPDATE", voucher, vouchers_count: 1 });
  const tiers = [{ name: "T", action: { discount } }];
  await make("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion: { tiers } });
  await make("POST /v1/customers", { source_id: "ann", name: "Ann", email: "ann@example.com" });
  const events = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await make(events, { name: "visit", schema: { properties: {} } });
  const page = (line: string, body?: object, headers = {}): Promise<Reply> =>
    call(line, body, { origin: SHOP, ...headers });
  return { project, make, call, page };
}
const REDEEMABLES = [{ object: "voucher", id: "TEN" }];
const CART = {
  redeemables: REDEEMABLES,
  order: { amount: 1000, items: [{ product_id: "p", quantity: 1, price: 1000 }] },
};
const ANN = { source_id: "ann" };
const REQUESTS: Record<string, readonly [line: string, body?: object]> = {
  checkEligibilityClientSide: ["POST /client/v1/qualifications", { order: CART.order }],
  createCustomerClientSide: ["POST /client/v1/customers", { source_id: "ben", address: { city: "Rome" } }],
  listPromotionTiersClientSide: ["GET /client/v1/promotions/tiers"],
  listVouchersClientSide: ["GET /client/v1/vouchers"],
  publishClientSide: ["POST /client/v1/publish", { campaign: { name: "News" }, customer: ANN }],
  redeemStackedDiscountsClientSide: ["POST /client/v1/redemptions", { ...CART, customer: ANN }],
  redeemVoucherClientSide: ["POST /client/v1/redeem?code=TEN", { order: CART.order, customer: ANN }],
  setVoucherExpirationClientSide: ["PUT /client/v1/vouchers/TEN", { expiration_date: "2030-01-01T00:00:00.000Z" }],
  trackCustomEventClientSide: ["POST /client/v1/events", { event: "visit", customer: ANN }],
  validatePromotionsClientSide: ["GET /client/v1/promotions/validation?amount=1000"],
  validateStackedDiscountsClientSide: ["POST /client/v1/validations", { ...CART, options: { expand: ["order"] } }],
  validateVoucherClientSide: ["GET /client/v1/validate?code=TEN&amount=1000"],
};

/** Fields of which every answer has some, at several depths. */
const TAKEN = ["object", "amount", "customer_id", "valid"];

/** The schema as it would be if nobody had named those fields in it. */
function without(schema: Schema): Schema {
  const { properties, required, items, additionalProperties: others } = schema;
  const isKept = (name: string) => !TAKEN.includes(name);
  return {
    ...schema,
    ...(required && { required: required.filter(isKept) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).flatMap(([name, one]) => (isKept(name) ? [[name, without(one)]] : [])),
      ),
    }),
    ...(items && { items: without(items) }),
    ...(typeof others === "object" && { additionalProperties: without(others) }),
  };
}
const nameOf = (name: string) => name.replace(/^r_[0-9a-f]{24}$/, "of a redemption");
/** The names of all fields, in their order; the ids that a map is by are all alike. */
const fieldsIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : [...(Array.isArray(value) ? [] : Object.keys(value).map(nameOf)), ...Object.values(value).flatMap(fieldsIn)];

test("an operation answers a client application what its schema names: less in the schema is less in the answer", async (t) => {
  const unnamed = ALL_ROUTES.map((route) =>
    route.access === "client" ? { ...route, ok: without(route.ok as Schema) as TSchema } : route,
  );
  const [all, less] = [await shop(), await shop(unnamed)];
  for (const { id } of CLIENT)
    await t.test(id, async () => {
      const [line, body] = REQUESTS[id]!;
      const replies = [await all.page(line, body), await less.page(line, body, { "idempotency-key": id })];
      for (const { status, text } of replies) assert.equal(status, 200, text);
      const [before, after] = replies.map((reply) => fieldsIn(reply.body)) as [string[], string[]];
      assert.deepEqual(
        after,
        before.filter((name) => !TAKEN.includes(name)),
        "the others are there, in their order",
      );
      assert.ok(after.length > 0 && after.length < before.length);
      const again = await less.page(line, body, { "idempotency-key": id });
      if (again.headers["idempotent-replayed"]) assert.equal(again.text, replies[1]!.text);
    });
  const server = await less.call("POST /v1/validations", CART);
  assert.equal(server.body.valid, true, "the server side is answered as before");
});

test("an answer is stored as it was sent, and what an older version has stored whole is cut when it is repeated", async () => {
  const { project, call, page } = await shop();
  const bodyOf = async (key: string) =>
    (await db`select body from idempotency_keys where project_id = ${project.id} and key = ${key}`)[0]!.body;
  const cases = [
    ["POST /v1/redemptions", "POST /client/v1/redemptions", { ...CART, customer: ANN }],
    ["POST /v1/vouchers/TEN/redemption", "POST /client/v1/redeem?code=TEN", { order: CART.order, customer: ANN }],
    ["POST /v1/publications", "POST /client/v1/publish", { voucher: "TEN", customer: ANN }],
    ["POST /v1/events", "POST /client/v1/events", { event: "visit", customer: ANN }],
  ] as const;
  for (const [key, [server, client, body]] of cases.entries()) {
    const headers = { "idempotency-key": `k${key}` };
    const first = await page(client, body, headers);
    assert.equal(first.status, 200, first.text);
    assert.equal(await bodyOf(`k${key}`), first.text, client);
    assert.equal((await page(client, body, headers)).text, first.text, client);
    const { text: whole } = await call(server, body);
    assert.match(whole, /ann@example\.com/, server);
    await db`update idempotency_keys set body = ${whole} where project_id = ${project.id} and key = ${`k${key}`}`;
    const repeated = await page(client, body, headers);
    assert.deepEqual([repeated.status, repeated.headers["idempotent-replayed"]], [200, "true"]);
    assert.doesNotMatch(repeated.text, /ann@example\.com|"Ann"|holder_id|referrer_id/, client);
  }
});

test("a refusal has the fields that are named, too, and says that rules are not met but not which", async () => {
  const told = {
    details: "Not met: val_1, val_2",
    unexpected: "secret",
    error: { message: "Spend more", unexpected: 1 },
  };
  const spec = { summary: "", ok: Empty };
  const thrown = async () => {
    throw new ApiError("order_rules_violated", told);
  };
  const written = async () => refusedAnswer(errorBody("order_rules_violated", told), "v-1");
  const routes = [
    read("GET /client/v1/thrown", { id: "throwOne", ...spec }, thrown),
    hot("GET /client/v1/written", { id: "writeOne", ...spec }, written),
    read("GET /v1/thrown", { id: "throwWhole", ...spec }, thrown),
  ];
  const { call } = await testShop(db, { client_trusted_domains: [SHOP] }, { routes });
  for (const path of ["thrown", "written"]) {
    const { status, body } = await call(`GET /client/v1/${path}`, undefined, { origin: SHOP });
    const { request_id, ...rest } = body;
    assert.match(request_id, /^v-/);
    assert.equal(status, 400);
    assert.deepEqual(rest, {
      ...errorBody("order_rules_violated"),
      details: "Not met",
      error: { message: "Spend more" },
    });
  }
  const { body } = await call("GET /v1/thrown");
  assert.deepEqual([body.details, body.unexpected], [told.details, "secret"], "the server side is told all of it");
});

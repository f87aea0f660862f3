import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, type Reply, testDatabase, type testProject } from "../support/engine.ts";
import { assertErrorBody, assertRefused, tokenOf } from "../support/http.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const SHOP = "https://shop.example";
const CLIENT = ALL_ROUTES.filter(({ access }) => access === "client");
const SWITCHES = {
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_list_vouchers_enabled: true,
  client_create_customer_enabled: true,
  client_loyalty_events_enabled: true,
  client_set_voucher_expiration_date_enabled: true,
};
type Switch = keyof typeof SWITCHES;

/** A project with a code, a campaign to publish from and an event; its server, and calls from a page of the shop. */
async function shop(given: Parameters<typeof testProject>[1] = SWITCHES) {
  const { app, call, project } = await testShop(db, { client_trusted_domains: [SHOP], ...given });
  const discount = { type: "PERCENT", percent_off: 10 };
  const make = (line: string, body: object) => ok(call, line, body);
  await make("POST /v1/vouchers", { code: "TEN", discount });
  const voucher = { discount, code_config: { pattern: "NEW-######" } };
  await make("POST /v1/campaigns", { name: "News", type: "AUTO_UPDATE", voucher, vouchers_count: 1 });
  await make("POST /v1/customers", { source_id: "ann", name: "Ann" });
  const events = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await make(events, { name: "visit", schema: { properties: {} } });
  const page: Call = (line, body, headers) => call(line, body, { origin: SHOP, ...headers });
  return { project, app, call, page };
}

const REDEEMABLES = [{ object: "voucher", id: "TEN" }];
const ANN = { source_id: "ann" };
/** Each operation, as it succeeds. */
const REQUESTS: Record<string, readonly [line: string, body?: object]> = {
  checkEligibilityClientSide: ["POST /client/v1/qualifications", { order: { amount: 1000 } }],
  createCustomerClientSide: ["POST /client/v1/customers", { source_id: "ben" }],
  listPromotionTiersClientSide: ["GET /client/v1/promotions/tiers"],
  listVouchersClientSide: ["GET /client/v1/vouchers"],
  publishClientSide: ["POST /client/v1/publish", { campaign: { name: "News" }, customer: ANN }],
  redeemStackedDiscountsClientSide: [
    "POST /client/v1/redemptions",
    { redeemables: REDEEMABLES, order: { amount: 1000 } },
  ],
  redeemVoucherClientSide: ["POST /client/v1/redeem?code=TEN", { order: { amount: 1000 } }],
  setVoucherExpirationClientSide: ["PUT /client/v1/vouchers/TEN", { expiration_date: "2030-01-01T00:00:00.000Z" }],
  trackCustomEventClientSide: ["POST /client/v1/events", { event: "visit", customer: ANN }],
  validatePromotionsClientSide: ["GET /client/v1/promotions/validation?amount=1000"],
  validateStackedDiscountsClientSide: [
    "POST /client/v1/validations",
    { redeemables: REDEEMABLES, order: { amount: 1000 } },
  ],
  validateVoucherClientSide: ["GET /client/v1/validate?code=TEN&amount=1000"],
};
const request = ({ id }: Route) => REQUESTS[id] ?? assert.fail(`REQUESTS says how ${id} succeeds`);
const isOk = (reply: Reply, what: string) => assert.equal(reply.status, 200, `${what}: ${reply.text}`);

test("every client-side operation answers a page of a trusted origin, which may read the answer", async () => {
  const { page } = await shop();
  for (const route of CLIENT) {
    const [line, body] = request(route);
    const reply = await page(line, body);
    isOk(reply, line);
    assert.equal(reply.headers["access-control-allow-origin"], SHOP, line);
    assert.equal(reply.headers["access-control-allow-credentials"], "true", line);
    assert.equal(reply.headers.vary, "Origin", line);
    assert.match(String(reply.headers["access-control-expose-headers"]), /X-Rate-Limit-Retry.*Retry-After/, line);
  }
});

test("without an origin, from an untrusted one or without the client's key each of them is 401 and changes nothing", async () => {
  const { project, call } = await shop();
  const count = async () => {
    const [row] = await db`select (select count(*) from redemptions where project_id = ${project.id})
      + (select count(*) from publications where project_id = ${project.id})
      + (select count(*) from events where project_id = ${project.id}) as count`;
    return row!.count;
  };
  const before = await count();
  for (const route of CLIENT) {
    const [line, body] = request(route);
    for (const headers of [{}, { origin: "https://evil.example" }, { origin: "http://shop.example" }]) {
      const reply = await call(line, body, headers as Record<string, string>);
      assertRefused(reply, "unauthorized", /^Origin is not allowed: /);
      assert.equal(reply.headers["access-control-allow-origin"], undefined, line);
    }
    assertRefused(await call(line, body, { origin: SHOP, "x-client-token": "wrong" }), "unauthorized");
    const none = { origin: SHOP, "x-client-application-id": "", "x-client-token": "" };
    // The one operation that the public interface lists with server-side keys.
    if (route.id === "publishClientSide") continue;
    assertRefused(await call(line, body, none), "unauthorized");
  }
  assert.equal(await count(), before);
});

test("the browser's question before each of them is answered 204, with the method and the headers it may send", async () => {
  const { app } = await shop();
  for (const route of CLIENT) {
    const url = request(route)[0].split(" ")[1]!;
    const headers = { origin: SHOP, "access-control-request-method": route.method };
    const reply = await app.inject({ method: "OPTIONS", url, headers });
    assert.deepEqual([reply.statusCode, reply.body], [204, ""], url);
    assert.equal(reply.headers["access-control-allow-origin"], SHOP);
    const methods = String(reply.headers["access-control-allow-methods"]).split(", ");
    assert.ok(methods.includes(route.method), url);
    assert.match(String(reply.headers["access-control-allow-headers"]), /X-Client-Application-Id, X-Client-Token/);
  }
});

const GATED: Record<Switch, string[]> = {
  client_redeem_enabled: ["redeemStackedDiscountsClientSide", "redeemVoucherClientSide"],
  client_publish_enabled: ["publishClientSide"],
  client_list_vouchers_enabled: ["listVouchersClientSide"],
  client_create_customer_enabled: ["createCustomerClientSide"],
  client_loyalty_events_enabled: [],
  client_set_voucher_expiration_date_enabled: ["setVoucherExpirationClientSide"],
};

test("each of the six switches opens exactly what it is for, at once, and closes it again", async (t) => {
  const gated = Object.values(GATED).flat();
  const idsOf = (isIn: (id: string) => boolean) => CLIENT.map(({ id }) => id).filter(isIn);
  for (const name of Object.keys(SWITCHES) as Switch[])
    await t.test(name, async () => {
      const { project, call, page } = await shop({});
      const settings = `PUT /management/v1/projects/${project.id}`;
      const open = async () => {
        const ids = [];
        for (const { id } of CLIENT) {
          const reply = await page(...REQUESTS[id]!);
          if (reply.status === 403)
            assertRefused(reply, "forbidden", /^The project setting client_\w+_enabled is off$/);
          else isOk(reply, id);
          if (reply.status === 200) ids.push(id);
        }
        return ids;
      };
      const always = await open();
      // A new project opens nothing that changes something, but events.
      assert.deepEqual(
        always,
        idsOf((id) => !gated.includes(id)),
      );
      await call(settings, { [name]: true });
      const more = await open();
      assert.deepEqual(
        more.filter((id) => !always.includes(id)),
        idsOf((id) => GATED[name].includes(id)),
      );
      await call(settings, { [name]: false });
      assert.deepEqual(await open(), always);
    });
});

test("client_loyalty_events_enabled opens events that name a loyalty card or a referral", async () => {
  const { project, call, page } = await shop({});
  const event = { event: "visit", customer: ANN };
  const details = "The project setting client_loyalty_events_enabled is off";
  assertRefused(await page("POST /client/v1/events", { ...event, loyalty: { code: "X" } }), "forbidden", details);
  assertRefused(await page("POST /client/v1/events", { ...event, referral: { code: "X" } }), "forbidden", details);
  isOk(await page("POST /client/v1/events", event), "a plain event");
  await call(`PUT /management/v1/projects/${project.id}`, { client_loyalty_events_enabled: true });
  const reply = await page("POST /client/v1/events", { ...event, loyalty: { code: "X" } });
  assert.equal(reply.status, 404, reply.text);
});

test("a token opens an operation with client_api or the scope of its first segment, with no other, from a trusted origin", async () => {
  const { call } = await shop();
  const tokens = new Map<string, string>();
  const scopes = new Set(CLIENT.map(({ scope }) => scope!));
  assert.deepEqual([...scopes].sort(), [
    "client_customers",
    "client_events",
    "client_promotions",
    "client_publish",
    "client_qualifications",
    "client_redeem",
    "client_redemptions",
    "client_validate",
    "client_validations",
    "client_vouchers",
  ]);
  for (const scope of [...scopes, "client_api", "api"]) tokens.set(scope, await tokenOf(call, scope));
  const bare = { "x-client-application-id": "", "x-client-token": "", "x-app-id": "", "x-app-token": "" };
  for (const route of CLIENT) {
    const [line, body] = request(route);
    for (const [scope, token] of tokens) {
      const headers = { ...bare, authorization: `Bearer ${token}` };
      const reply = await call(line, body, { ...headers, origin: SHOP });
      if (scope === "client_api" || scope === route.scope) isOk(reply, `${line} with ${scope}`);
      else assertRefused(reply, "missing_required_permission");
    }
    const headers = { ...bare, authorization: `Bearer ${tokens.get("client_api")!}` };
    assertRefused(await call(line, body, headers), "unauthorized", /^Origin is not allowed: /);
  }
});

test("publish takes a server-side key pair as well, without an origin and whatever the switch says; nothing else does", async () => {
  const { call } = await shop({});
  const server = { "x-client-application-id": "", "x-client-token": "" };
  isOk(await call(...REQUESTS.publishClientSide!, server), "publish with the server's key");
  assertRefused(await call(...REQUESTS.publishClientSide!, { ...server, "x-app-token": "wrong" }), "unauthorized");
  for (const route of CLIENT.filter(({ id }) => id !== "publishClientSide")) {
    const reply = await call(...request(route), { ...server, origin: SHOP });
    assertRefused(reply, "unauthorized");
  }
});

test("what the public interface no longer has is not there", async () => {
  const { page } = await shop();
  for (const line of ["GET /client/v1/consents", "GET /client/v1/customers/ann", "GET /client/v1/vouchers/TEN"]) {
    const reply = await page(line);
    assert.ok([404, 405].includes(reply.status), `${line}: ${reply.status}`);
    assertErrorBody(reply);
  }
});

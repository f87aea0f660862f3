import assert from "node:assert/strict";
import { test } from "node:test";
import { FORM, form, type Reply, testDatabase } from "../support/engine.ts";
import { friends } from "../support/friends.ts";
import { assertRefused } from "../support/http.ts";
import { holdsRows } from "../support/interface-rows.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { testShop } from "../support/shop.ts";

// Rows of the interface that other tests hold together with many others: here each stands alone, in a few requests.
const { db } = await testDatabase();
const SHOP = "https://shop.example";
const TEN = { type: "PERCENT", percent_off: 10 };
const VALIDATE = "POST /v1/validations";
const voucher = (id: string) => ({ object: "voucher", id });
const redeemables = [voucher("A")];

async function shop() {
  const made = await testShop(db, { client_trusted_domains: [SHOP], client_create_customer_enabled: true });
  const { ok, call, project } = made;
  await ok("POST /v1/vouchers/A", { discount: TEN });
  const schemas = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await ok(schemas, { name: "visit", schema: { properties: {} } });
  const path = `/management/v1/projects/${project.id}`;
  const post = (line: string, fields: Record<string, string>, headers = {}) =>
    call(line, form(fields), { ...FORM, ...headers });
  const tokenOf = async (scope: string): Promise<string> =>
    (await post("POST /v1/oauth/token", { grant_type: "client_credentials", scope })).body.access_token;
  const introspect = async (access_token: string) =>
    (await post("POST /v1/oauth/introspect", { access_token })).body.active;
  return { ...made, path, post, tokenOf, introspect };
}
const isOk = (reply: Reply) => assert.equal(reply.status, 200, reply.text);
const isRefused = (reply: Reply, status: number, key: string) =>
  assert.deepEqual([reply.status, reply.body.key], [status, key], reply.text);

test("authentication and tokens, row by row", async (t) => {
  const { call, path, post, tokenOf, introspect } = await shop();
  const needsBoth =
    (line: string, names: readonly string[], body?: object, more = {}) =>
    async () => {
      isOk(await call(line, body, more));
      for (const name of names) assertRefused(await call(line, body, { ...more, [name]: "" }), "unauthorized");
    };
  const event = { event: "visit", customer: { source_id: "ann" } };
  const bare = { "x-app-id": "", "x-app-token": "", "x-client-application-id": "", "x-client-token": "" };
  const issue = { grant_type: "client_credentials", scope: "api" };
  await holdsRows(t, "authentication", {
    server: needsBoth("GET /v1/categories", ["x-app-id", "x-app-token"]),
    client: async () => {
      const pair = ["x-client-application-id", "x-client-token"];
      await needsBoth("POST /client/v1/events", pair, event, { origin: SHOP })();
      assertRefused(await call("POST /client/v1/events", event), "unauthorized");
    },
    management: needsBoth(`GET ${path}`, ["x-management-id", "x-management-token"]),
    rule1: async () => {
      isOk(await post("POST /v1/oauth/token", issue));
      assertRefused(await post("POST /v1/oauth/token", issue, bare), "unauthorized");
    },
    rule2: async () => {
      const opens = async (scope: string) => {
        const headers = { ...bare, authorization: `Bearer ${await tokenOf(scope)}` };
        const server = await call("GET /v1/categories", undefined, headers);
        const client = await call("POST /client/v1/events", event, { ...headers, origin: SHOP });
        return [server.status === 200, client.status === 200];
      };
      assert.deepEqual(
        [await opens("api"), await opens("client_api")],
        [
          [true, false],
          [false, true],
        ],
      );
    },
    rule4: async () => assert.deepEqual([await introspect(await tokenOf("api")), await introspect("x")], [true, false]),
  });
  await holdsRows(t, "convention", {
    form: async () => {
      for (const line of ["POST /v1/oauth/token", "POST /v1/oauth/introspect"])
        assertRefused(await call(line, issue), "unsupported_media_type");
    },
  });
  await holdsRows(t, "oauth.token", {
    commas: async () =>
      assertRefused(await post("POST /v1/oauth/token", { ...issue, scope: "api,vouchers" }), "invalid_scope"),
  });
  await holdsRows(t, "service", { oauth: async () => assert.equal(await introspect(await tokenOf("vouchers")), true) });
});

test("projects, row by row", async (t) => {
  const { call, ok, path } = await shop();
  const callouts = { email: true, emails: ["ops@shop.example"], in_app: true };
  await holdsRows(t, "service", {
    project_management: async () => assert.equal((await ok(`PUT ${path}`, { name: "Mine" })).name, "Mine"),
  });
  await holdsRows(t, "project", {
    webhooks_callout_notifications: async () => {
      const sent = { webhooks: callouts, distributions: { ...callouts, in_app: false } };
      const { webhooks_callout_notifications } = await ok(`PUT ${path}`, { webhooks_callout_notifications: sent });
      assert.deepEqual(webhooks_callout_notifications, sent);
    },
  });
  await holdsRows(t, "events", {
    rule5: async () => {
      const { webhook_version, webhooks_callout_notifications } = await ok(`GET ${path}`);
      assert.deepEqual(Object.keys(webhooks_callout_notifications), ["webhooks", "distributions"]);
      assert.match(webhook_version, /^v\d/);
    },
  });
  await holdsRows(t, "project.put", {
    types: async () => {
      for (const body of [{ name: 5 }, { client_redeem_enabled: "yes" }, { client_trusted_domains: "x" }])
        assertRefused(await call(`PUT ${path}`, body), "invalid_payload");
    },
    answer: async () => assert.deepEqual(await ok(`PUT ${path}`, { name: "Again" }), await ok(`GET ${path}`)),
  });
  await holdsRows(t, "versioning", {
    rule4: async () => {
      assert.equal((await ok(`PUT ${path}`, { webhook_version: "v2024-01-01" })).webhook_version, "v2024-01-01");
      assertRefused(await call(`PUT ${path}`, { webhook_version: "v2023-01-01" }), "invalid_payload");
    },
  });
});

test("validations, qualifications and redemptions, row by row", async (t) => {
  const { call, ok } = await shop();
  const order = { amount: 1000 };
  const many = (count: number) => Array.from({ length: count }, (_, n) => voucher(`C${n}`));
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount: TEN } });
  const stack = await ok(`POST /v1/promotions/${campaign.id}/stacks`, { name: "S", tiers: { ids: [tier.id] } });
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 300 } });
  const ofTier = { object: "promotion_tier", id: tier.id };
  const ofStack = { object: "promotion_stack", id: stack.id };
  const gift = { object: "gift_card", id: "GIFT", gift: { credits: 100 } };
  const validate = (some: readonly object[], more: object = {}) => ok(VALIDATE, { redeemables: some, order, ...more });
  const session = async () => (await validate(redeemables, { session: { type: "LOCK" } })).session;
  await holdsRows(t, "service", {
    validation: async () => assert.equal((await validate(redeemables)).order.total_amount, 900),
    qualification: async () => assert.ok((await ok("POST /v1/qualifications", { order })).redeemables.total > 0),
    redemptions: async () => {
      await ok("POST /v1/redemptions", { redeemables, order });
      isRefused(await call("POST /v1/redemptions", { redeemables: [voucher("none")], order }), 404, "not_found");
      const { redemptions } = await ok("GET /v1/redemptions");
      assert.deepEqual(new Set(redemptions.map((one: any) => one.result)), new Set(["SUCCESS", "FAILURE"]));
    },
  });
  await holdsRows(t, "error", {
    rule4: async () => {
      const [failed] = (await ok("GET /v1/redemptions?result=FAILURE")).redemptions;
      assert.equal(failed.failure_code, "not_found");
      assert.ok(failed.failure_message.length > 0);
    },
  });
  await holdsRows(t, "limit", {
    validation_redeemables: async () => {
      for (const count of [0, 31])
        isRefused(await call(VALIDATE, { redeemables: many(count) }), 400, "invalid_payload");
      isOk(await call(VALIDATE, { redeemables: many(30) }));
    },
    validation_session: async () => assert.deepEqual([(await session()).ttl, (await session()).ttl_unit], [7, "DAYS"]),
  });
  await holdsRows(t, "qualification", {
    order: async () => {
      const { redeemables: offered } = await ok("POST /v1/qualifications", { order });
      for (const { order: shown } of offered.data) assert.equal(shown.amount, 1000);
    },
  });
  await holdsRows(t, "validation", {
    path: async () => isOk(await call(VALIDATE, { redeemables })),
    redeemables: async () => {
      for (const wrong of [undefined, [{ object: "voucher" }], [{ id: "A" }]])
        isRefused(await call(VALIDATE, { redeemables: wrong }), 400, "invalid_payload");
    },
    kinds: async () => {
      for (const one of [voucher("A"), ofTier, ofStack, gift]) assert.equal((await validate([one])).valid, true);
      isRefused(await call(VALIDATE, { redeemables: [{ object: "coupon", id: "A" }] }), 400, "invalid_payload");
    },
    combined: async () => {
      assert.equal((await validate([voucher("A"), ofTier])).order.total_amount, 810);
      const reply = await call(VALIDATE, { redeemables: [voucher("A"), ofStack], order });
      isRefused(reply, 400, "invalid_redeemables");
    },
    session: async () => isRefused(await call(VALIDATE, { redeemables, session: {} }), 400, "invalid_payload"),
    session_lock: async () => {
      const { type, ttl, ttl_unit } = await session();
      assert.deepEqual([type, ttl, ttl_unit], ["LOCK", 7, "DAYS"]);
    },
    answer: async () => {
      const { valid, redeemables: shown, stacking_rules } = await validate(redeemables);
      assert.deepEqual([valid, shown[0].status, typeof shown[0].result], [true, "APPLICABLE", "object"]);
      assert.equal(stacking_rules.redeemables_limit, 30);
    },
    answer_optional: async () => {
      const bad = await validate([voucher("none"), voucher("A")], { tracking_id: "ann" });
      const names = ["id", "skipped_redeemables", "inapplicable_redeemables", "tracking_id"];
      assert.deepEqual(
        names.filter((name) => !(name in bad)),
        [],
      );
      assert.ok("order" in (await validate(redeemables)));
    },
  });
});

test("events, row by row", async (t) => {
  const { call, ok } = await shop();
  const event = { event: "visit", customer: { source_id: "ann" } };
  const fromPage = (body: object) => call("POST /client/v1/events", body, { origin: SHOP });
  await holdsRows(t, "service", {
    events: async () => {
      isOk(await call("POST /v1/events", event));
      isOk(await fromPage(event));
    },
  });
  await holdsRows(t, "events", {
    rule1: async () => {
      for (const body of [await ok("POST /v1/events", event), (await fromPage(event)).body])
        assert.deepEqual([body.type, body.referral, body.loyalty], ["visit", null, null]);
      isRefused(await call("POST /v1/events", { ...event, event: "other" }), 404, "not_found");
      isRefused(await fromPage({ ...event, event: "other" }), 404, "not_found");
    },
  });
});

test("holders of referral codes, row by row", async (t) => {
  const { call, ok, project } = await friends(db);
  const holders = "POST /v1/referrals/members/ANN/holders";
  const people = (count: number) => Array.from({ length: count }, (_, n) => ({ source_id: `p${n}` }));
  await holdsRows(t, "limit", {
    holders: async () => {
      isRefused(await call(holders, { holders: people(101) }), 400, "invalid_payload");
      assert.equal((await ok(holders, { holders: people(100) })).holders.length, 100);
    },
  });
  await holdsRows(t, "holders.post", {
    holders: async () => {
      for (const sent of [{}, { holders: [] }, { holders: ["bob"] }])
        isRefused(await call(holders, sent), 400, "invalid_payload");
      assert.equal((await ok(holders, { holders: [{ source_id: "bob" }] })).holders.length, 1);
    },
    metadata: async () => {
      await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
        related_object: "publication",
        properties: { size: { type: "number", optional: true, array: false } },
      });
      const sent = { holders: [{ source_id: "cleo" }], metadata: { size: "big" } };
      isRefused(await call(holders, sent), 400, "metadata_validation_failed");
      isOk(await call(holders, { ...sent, metadata: { size: 1 } }));
    },
  });
});

test("loyalty programs, row by row", async (t) => {
  const { call, wallet, tiers, rule } = await loyaltyProject(db);
  const card = await wallet();
  const { structure } = await tiers(card.id, "Gold");
  const at = `/v2/loyalties/tier-structures/${structure.id}`;
  const status = async () => (await call(`GET ${at}`)).body.status;
  await holdsRows(t, "service", {
    loyalty_v2: async () => {
      for (const name of ["card-definitions", "earning-rules", "tier-structures"])
        isOk(await call(`GET /v2/loyalties/${name}`));
    },
  });
  const got = await call(`GET /v2/loyalties/card-definitions/${card.id}`);
  await holdsRows(t, "card_definition.get", {
    path: () => isOk(got),
    answer: () => assert.deepEqual(got.body, card),
  });
  const points = { points: { value: 1, card_definition_id: card.id } };
  const trigger = { event: "customer.order.paid" };
  const { id } = await rule({ name: "R", trigger, earnings: [{ effects: [points] }] });
  await holdsRows(t, "earning_rule.delete", {
    path: async () => isOk(await call(`DELETE /v2/loyalties/earning-rules/${id}`)),
  });
  assert.equal(await status(), "DRAFT");
  const activated = await call(`POST ${at}/activate`);
  await holdsRows(t, "tier_structure.activate", {
    path: () => isOk(activated),
    answer: async () => assert.deepEqual(activated.body, (await call(`GET ${at}`)).body),
  });
  const takesOnly = async () => {
    isRefused(await call(`PUT ${at}`, { downgrade: null }), 400, "invalid_payload");
    for (const body of [{ name: "New" }, { metadata: { a: 1 } }]) isOk(await call(`PUT ${at}`, body));
  };
  await holdsRows(t, "tier_structure.put", { rule1: takesOnly });
  await holdsRows(t, "tier_structure.state", {
    rule1: takesOnly,
    statuses: async () => {
      const seen = ["DRAFT", await status()];
      await call(`POST ${at}/deactivate`);
      seen.push(await status(), (await call(`DELETE ${at}`)).body.status);
      assert.deepEqual(seen, ["DRAFT", "ACTIVE", "INACTIVE", "DELETED"]);
    },
  });
});

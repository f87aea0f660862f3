import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { friends, refused, SHOP } from "../support/friends.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";

const { db } = await testDatabase();
const HOLDERS = "POST /v1/referrals/members/ANN/holders";

test("friends are added to a referral code by its code or its id, and every field of the interface is there", async (t) => {
  const { ok, referral, customer, activities } = await friends(db);
  const voucher = await ok("GET /v1/vouchers/ANN");
  const metadata = { influencer_code: true, since: "2026-01-01", nested: { a: 1 } };
  const { holders } = await ok("POST /v1/referrals/members/ann/holders", {
    holders: [{ source_id: "bob", name: "Bob", email: "bob@example.com", country: "ignored" }, { source_id: "cleo" }],
    metadata,
    unknown: 1,
  });
  const bob = await customer("bob");
  assert.equal(bob.name, "Bob");
  const expected = {
    id: holders[0].id,
    created_at: NOW,
    redeemable_id: voucher.id,
    redeemable_object: "voucher",
    campaign_id: referral.id,
    campaign_type: "REFERRAL_PROGRAM",
    voucher_type: "DISCOUNT_VOUCHER",
    customer_id: bob.id,
    holder_role: "REFEREE",
    metadata,
    object: "redeemable_holder",
  };
  await holdsFields(t, "redeemable_holder", holders[0], expected);
  await holdsRows(t, "holders.post", {
    answer: () => assert.deepEqual([holders.length, holders[0]], [2, expected]),
    metadata_values: () => assert.deepEqual(holders[0].metadata, metadata),
  });
  assert.match(holders[0].id, /^rh_/);
  assert.equal(holders[1].customer_id, (await customer("cleo")).id);
  const byId = await ok(`POST /v1/referrals/members/${voucher.id}/holders`, { holders: [{ source_id: "dora" }] });
  await holdsRows(t, "holders.post", {
    path: () => assert.deepEqual([byId.holders.length, byId.holders[0].metadata], [1, {}]),
  });
  const inCampaign = await ok(`POST /v1/referrals/${referral.id}/members/ANN/holders`, {
    holders: [{ source_id: "e" }],
  });
  assert.equal(inCampaign.holders[0].campaign_id, referral.id);
  const byName = await ok("POST /v1/referrals/Friends/members/ANN/holders", { holders: [{ source_id: "f" }] });
  assert.equal(byName.holders[0].holder_role, "REFEREE");
  assert.deepEqual(await activities("bob"), ["customer.created", "customer.holder.assignment.created"]);
  // Who holds a code has not come yet.
  assert.deepEqual(bob.referrals, { total: 0, campaigns: [] });
});

test("a customer is known by the id when both are sent, is changed by what is sent, and an unknown id is a 404", async () => {
  const { call, ok, customer, holders } = await friends(db);
  const bob = await ok("POST /v1/customers", { source_id: "bob", name: "Bob" });
  const both = { id: bob.id, source_id: "somebody else", name: "Robert" };
  assert.equal((await ok(HOLDERS, { holders: [both] })).holders[0].customer_id, bob.id);
  assert.deepEqual(
    [(await customer("bob")).name, (await call("GET /v1/customers/somebody%20else")).status],
    ["Robert", 404],
  );
  refused(await call(HOLDERS, { holders: [{ source_id: "new" }, { id: "cust_x" }] }), 404, "not_found");
  assert.equal((await call("GET /v1/customers/new")).status, 404);
  assert.equal((await holders()).length, 2);
});

test("of a list of friends all are added or none", async (t) => {
  const { call, ok, project, holders, customer } = await friends(db);
  await ok(HOLDERS, { holders: [{ source_id: "old" }] });
  const old = await customer("old");
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "publication",
    properties: { size: { type: "number", optional: true, array: false } },
    allow_defined_only: true,
  });
  const many = Array.from({ length: 101 }, (_, n) => ({ source_id: `many ${n}` }));
  const cases: [name: string, body: unknown, code: number, key: string, details?: RegExp][] = [
    ["none", { holders: [] }, 400, "invalid_payload", /\.holders must NOT have fewer than 1 items/],
    ["101", { holders: many }, 400, "invalid_payload", /\.holders/],
    ["no list", {}, 400, "invalid_payload", /holders/],
    ["no name", { holders: [{ source_id: "new" }, { name: "x" }] }, 400, "invalid_payload", /\.holders\[1\]/],
    ["null names", { holders: [{ id: null, source_id: null }] }, 400, "invalid_payload", /\.holders\[0\]/],
    ["no customer", { holders: ["bob"] }, 400, "invalid_payload", /holders/],
    ["a null byte", { holders: [{ source_id: "a\u0000" }] }, 400, "invalid_payload"],
    ["twice", { holders: [{ source_id: "new" }, { source_id: "new" }] }, 409, "duplicate_found", /twice/],
    ["twice in two ways", { holders: [{ source_id: "old" }, { id: old.id }] }, 409, "duplicate_found"],
    [
      "known",
      { holders: [{ source_id: "new" }, { source_id: "old" }] },
      409,
      "duplicate_found",
      /holds the referral code ANN already/,
    ],
    ["the referrer", { holders: [{ source_id: "new" }, { source_id: "ann" }] }, 400, "referral_self_redemption"],
    [
      "the referrer's address",
      { holders: [{ source_id: "new", email: " ANN@example.com" }] },
      400,
      "referral_self_redemption",
      /ANN/,
    ],
    ["metadata", { holders: [{ source_id: "new" }], metadata: { size: "big" } }, 400, "metadata_validation_failed"],
    ["unknown metadata", { holders: [{ source_id: "new" }], metadata: { x: 1 } }, 400, "metadata_validation_failed"],
    ["metadata that is none", { holders: [{ source_id: "new" }], metadata: [] }, 400, "invalid_payload"],
  ];
  for (const [name, body, code, key, details] of cases)
    await t.test(name, async () => refused(await call(HOLDERS, body), code, key, details));
  assert.equal((await holders()).length, 2);
  assert.equal((await call("GET /v1/customers/new")).status, 404);
  await ok(HOLDERS, { holders: [{ source_id: "new" }], metadata: null });
  assert.equal((await ok(HOLDERS, { holders: many.slice(1), metadata: { size: 1 } })).holders.length, 100);
});

test("a code that is no referral code, of another campaign, in the bin or of another project is not found", async () => {
  const { call, ok, campaign, publish } = await friends(db);
  await campaign("Others", "BEA");
  await ok("POST /v1/vouchers/PLAIN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const body = { holders: [{ source_id: "bob" }] };
  const missing = async (path: string, type = "voucher") => {
    for (const [line, sent] of [[`POST ${path}`, body], [`GET ${path}`], [`DELETE ${path}/rh_x`]] as const) {
      const reply = await call(line, sent);
      refused(reply, 404, "not_found");
      assert.equal(reply.body.resource_type, type, line);
    }
  };
  await missing("/v1/referrals/members/NOBODY/holders");
  await missing("/v1/referrals/members/PLAIN/holders");
  await missing("/v1/referrals/Others/members/ANN/holders");
  await missing("/v1/referrals/Nothing/members/ANN/holders", "campaign");
  refused(await call("POST /v1/referrals/members/BEA/holders", body), 400, "not_published", /must be first published/);
  await publish("BEA", "bea");
  await ok("POST /v1/referrals/members/BEA/holders", body);
  const other = await friends(db);
  await other.campaign("Others", "CEA");
  refused(await call("GET /v1/referrals/members/CEA/holders"), 404, "not_found");
  await ok("DELETE /v1/campaigns/Others");
  await missing("/v1/referrals/members/BEA/holders");
});

test("holders are listed by page, in either order, with filters", async () => {
  const { call, ok, customer } = await friends(db);
  for (const source_id of ["bob", "cleo", "dora"]) await ok(HOLDERS, { holders: [{ source_id }] });
  const list = (query: string) => ok(`GET /v1/referrals/members/ANN/holders?${query}`);
  const all = await list("order=id");
  const of = (page: any) => page.data.map((one: any) => one.id);
  const ids = of(all);
  assert.deepEqual(
    [all.object, all.data_ref, all.total, all.has_more, all.data.map((one: any) => one.holder_role)],
    ["list", "data", 4, false, ["REFERRER", "REFEREE", "REFEREE", "REFEREE"]],
  );
  assert.deepEqual(of(await list("order=-id")), ids.toReversed());
  const first = await list("order=id&limit=2");
  assert.deepEqual([of(first), first.has_more, first.more_starting_after], [ids.slice(0, 2), true, ids[1]]);
  const second = await list(`order=id&limit=2&starting_after_id=${ids[1]}`);
  assert.deepEqual([of(second), second.has_more, second.more_starting_after], [ids.slice(2), false, undefined]);
  const is = (field: string, value: string) => `order=id&filters[${field}][conditions][$is]=${value}`;
  assert.deepEqual(of(await list(is("holder_role", "REFERRER"))), ids.slice(0, 1));
  assert.deepEqual(of(await list(is("id", ids[2]))), [ids[2]]);
  assert.deepEqual(of(await list(is("customer_id", (await customer("dora")).id))), [ids[3]]);
  assert.deepEqual(of(await list("filters[created_at][conditions][$before]=2026-01-01T00:00:00Z")), []);
  for (const query of ["limit=0", "limit=101", "order=created_at", "starting_after_id=rh_x", is("campaign_id", "x")])
    refused(await call(`GET /v1/referrals/members/ANN/holders?${query}`), 400, "invalid_query_params");
  assert.deepEqual(of(await ok("GET /v1/referrals/Friends/members/ANN/holders?order=id")), ids);
});

test("a friend is removed, and not the referrer", async () => {
  const { call, ok, holders, activities } = await friends(db);
  const { holders: added } = await ok(HOLDERS, { holders: [{ source_id: "bob" }, { source_id: "cleo" }] });
  const [referrer] = (await holders()).filter((one: any) => one.holder_role === "REFERRER");
  const path = "/v1/referrals/members/ANN/holders";
  refused(await call(`DELETE ${path}/${referrer.id}`), 403, "forbidden", /You can not remove Referrer assignment/);
  const unknown = await call(`DELETE ${path}/rh_x`);
  refused(unknown, 404, "not_found");
  assert.equal(unknown.body.resource_type, "redeemable_holder");
  assert.equal((await call(`DELETE ${path}/${added[0].id}`)).status, 204);
  refused(await call(`DELETE ${path}/${added[0].id}`), 404, "not_found");
  assert.equal((await call(`DELETE /v1/referrals/Friends/members/ANN/holders/${added[1].id}`)).status, 204);
  assert.deepEqual(
    (await holders()).map((one: any) => one.id),
    [referrer.id],
  );
  assert.ok((await activities("bob")).includes("customer.holder.assignment.deleted"));
  await ok(HOLDERS, { holders: [{ source_id: "bob" }] });
});

test("two requests that add the same friend at once add them once", async () => {
  const { call, holders } = await friends(db);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => call(HOLDERS, { holders: [{ source_id: "bob" }] })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409, 409, 409]);
  assert.equal((await holders()).length, 2);
});

test("a referral program is checked: its event, what friends get, and what it shows is what it has", async (t) => {
  const { call, ok, event } = await friends(db);
  const gifts = await ok("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 100 } } });
  const cards = await ok("POST /v1/campaigns", { name: "Cards", voucher: { loyalty_card: { points: 0 } } });
  await ok("POST /v1/campaigns", { name: "One", type: "STANDALONE", voucher: { gift: { amount: 5 } } });
  const parent = (name: string) => ({ related_object_parent: { name, object: "CAMPAIGN" } });
  let made = 0;
  const post = (referral_program: unknown, more: object = {}) => {
    made += 1;
    const voucher = { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } };
    return call("POST /v1/campaigns", {
      ...{ name: `Program ${made}`, campaign_type: "REFERRAL_PROGRAM", voucher, referral_program },
      ...more,
    });
  };
  const shown = async (program: object) => {
    const reply = await post(program);
    assert.equal(reply.status, 200, reply.text);
    return (await ok(`GET /v1/campaigns/${reply.body.id}`)).referral_program;
  };
  assert.deepEqual(
    await shown({
      conversion_event_type: "custom_event",
      custom_event: { id: event.id },
      referee_reward: { related_object_parent: { id: gifts.id }, type: "GIFT_VOUCHER", amount: 500 },
    }),
    {
      conversion_event_type: "custom_event",
      custom_event: { id: event.id, name: "joined" },
      referee_reward: {
        related_object_parent: { id: gifts.id, name: "Gifts", object: "CAMPAIGN" },
        type: "GIFT_VOUCHER",
        amount: 500,
      },
    },
  );
  assert.deepEqual(await shown({ custom_event: null, referee_reward: null, tiers: null }), {
    conversion_event_type: "redemption",
  });
  assert.deepEqual(await shown({ conversion_event_type: "order.paid" }), { conversion_event_type: "order.paid" });
  const named = { conversion_event_type: "custom_event", custom_event: { name: "joined" } };
  assert.deepEqual((await shown(named)).custom_event, { id: event.id, name: "joined" });
  const card = { ...parent("Cards"), type: "LOYALTY_CARD", amount: 10 };
  assert.equal((await shown({ referee_reward: card })).referee_reward.related_object_parent.id, cards.id);
  const cases: [name: string, program: unknown, code: number, key: string][] = [
    ["no event", { conversion_event_type: "custom_event" }, 400, "invalid_payload"],
    ["an event without a name", { conversion_event_type: "custom_event", custom_event: {} }, 400, "invalid_payload"],
    ["an unknown event", { ...named, custom_event: { name: "left" } }, 404, "not_found"],
    ["an unknown event id", { ...named, custom_event: { id: "ms_x", name: "joined" } }, 404, "not_found"],
    ["an event that is not asked for", { custom_event: { name: "joined" } }, 400, "invalid_payload"],
    ["another type", { conversion_event_type: "visit" }, 400, "invalid_payload"],
    ["no campaign", { referee_reward: { type: "GIFT_VOUCHER", amount: 5 } }, 400, "invalid_payload"],
    ["a nameless campaign", { referee_reward: { ...card, related_object_parent: {} } }, 400, "invalid_payload"],
    ["an unknown campaign", { referee_reward: { ...card, ...parent("Nothing") } }, 404, "not_found"],
    ["cards for credits", { referee_reward: { ...card, type: "GIFT_VOUCHER" } }, 400, "invalid_payload"],
    [
      "a card for all",
      { referee_reward: { ...parent("One"), type: "GIFT_VOUCHER", amount: 5 } },
      400,
      "invalid_payload",
    ],
    ["nothing", { referee_reward: { ...card, amount: 0 } }, 400, "invalid_payload"],
    ["less than nothing", { referee_reward: { ...card, amount: -1 } }, 400, "invalid_payload"],
    ["too much", { referee_reward: { ...card, amount: 2 ** 53 } }, 400, "invalid_payload"],
    ["a tier without a reward", { tiers: [{ parameters: { type: "EACH" } }] }, 400, "invalid_payload"],
    [
      "a tier with an unknown reward",
      { tiers: [{ parameters: { type: "EACH" }, reward: { assignment_id: "rewa_x" } }] },
      404,
      "not_found",
    ],
    [
      "a tier without its number",
      { tiers: [{ parameters: { type: "MINIMUM" }, reward: { assignment_id: "rewa_x" } }] },
      400,
      "invalid_payload",
    ],
  ];
  for (const [name, program, code, key] of cases)
    await t.test(name, async () => {
      refused(await post(program), code, key);
      refused(await call("PUT /v1/campaigns/Friends", { referral_program: program }), code, key);
    });
  const bare = { voucher: { type: "DISCOUNT_VOUCHER" } };
  refused(
    await post({}, bare),
    400,
    "invalid_campaign",
    /Property 'discount' is required for REFERRAL_PROGRAM campaign/,
  );
  await ok("PUT /v1/campaigns/Friends", { referral_program: named });
  assert.deepEqual((await ok("GET /v1/campaigns/Friends")).referral_program.custom_event.id, event.id);
  await ok("PUT /v1/campaigns/Friends", { description: "x" });
  assert.equal((await ok("GET /v1/campaigns/Friends")).referral_program.conversion_event_type, "custom_event");
});

test("a client application may not send referrals while loyalty events are off, and what it sends converts when they are on", async () => {
  const { call, ok, project, customer, event } = await friends(db, { client_create_customer_enabled: true } as object);
  const program = { conversion_event_type: "custom_event", custom_event: { id: event.id } };
  await ok("PUT /v1/campaigns/Friends", { referral_program: program });
  const send = () =>
    call(
      "POST /client/v1/events",
      { event: "joined", customer: { source_id: "bob" }, referral: { code: "ANN" } },
      { origin: SHOP },
    );
  refused(await send(), 403, "forbidden", /client_loyalty_events_enabled/);
  await ok(`PUT /management/v1/projects/${project.id}`, { client_loyalty_events_enabled: true });
  const reply = await send();
  assert.deepEqual([reply.status, reply.body.referral], [200, null], reply.text);
  assert.equal((await customer("bob")).referrals.total, 1);
});

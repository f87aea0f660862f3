import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, type Reply, testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const V2 = "/v2/loyalties/rewards";

const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};

async function project() {
  const it = await loyaltyProject(db);
  const wallet = await it.wallet();
  const shoe = await it.product("Shoe");
  const spending = [{ points: 100, card_definition_id: wallet.id }];
  const body = {
    name: "Shoe",
    type: "MATERIAL",
    material: { type: "PRODUCT", product: { id: shoe.id } },
    costs: [{ spending }],
  };
  const post = (given: object) => it.call(`POST ${V2}`, { ...body, ...given });
  return { ...it, wallet, shoe, spending, body, post };
}

test("a reward is made with all that it can say, and with no more than it has to", async () => {
  const { call, wallet, segment, tiers, body, reward, spending } = await project();
  const vip = await segment();
  const { structure, tiers: levels } = await tiers(wallet.id, "Gold");
  const rules = {
    logic: "1 or 2 or 3",
    "1": { name: "customer.segment", conditions: { $is: [vip.id] } },
    "2": { name: "customer.metadata", property: "city", conditions: { $is: ["Oslo"] } },
    "3": { name: "member.metadata", property: "since", conditions: { $less_than: [2020] } },
  };
  const made = await reward({
    ...body,
    status: "ACTIVE",
    costs: [
      {
        rules,
        tier_rules: { any_of: [{ tier_structure_id: structure.id, tier_ids: [levels[0].id] }] },
        spending: [{ name: "Half", points: 50, card_definition_id: wallet.id }],
      },
      { spending },
    ],
    purchase_limits: {
      cooldown: { fixed_cooldown: { period: { value: 90, unit: "DAY" } } },
      frequency: { limits: [{ period: { current_period: { unit: "WEEK" } }, triggers: { max: 1 } }] },
    },
    refunds: { type: "REFUNDABLE" },
    validity_hours: { daily: [{ days_of_week: [6], start_time: "10:00", end_time: "12:00" }] },
    start_date: "2026-01-01T00:00:00Z",
    end_date: "2026-06-01T00:00:00Z",
    metadata: { a: 1 },
  });
  const [first, second] = made.costs;
  const expected = {
    id: made.id,
    name: "Shoe",
    type: "MATERIAL",
    status: "ACTIVE",
    material: body.material,
    costs: [
      {
        id: first.id,
        rules,
        tier_rules: { type: "ANY_OF", any_of: [{ tier_structure_id: structure.id, tier_ids: [levels[0].id] }] },
        spending: [{ id: first.spending[0].id, name: "Half", points: 50, card_definition_id: wallet.id }],
      },
      {
        id: second.id,
        tier_rules: { type: "NO_REQUIREMENTS" },
        spending: [{ id: second.spending[0].id, name: null, points: 100, card_definition_id: wallet.id }],
      },
    ],
    purchase_limits: {
      cooldown: { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value: 90, unit: "DAY" } } },
      frequency: {
        type: "LIMITED",
        limits: [
          {
            type: "TIME_BASED",
            period: { type: "CURRENT_PERIOD", current_period: { unit: "WEEK" } },
            triggers: { max: 1 },
          },
        ],
      },
    },
    refunds: { type: "REFUNDABLE" },
    validity_hours: { type: "DAILY", daily: [{ days_of_week: [6], start_time: "10:00", end_time: "12:00" }] },
    start_date: "2026-01-01T00:00:00.000Z",
    end_date: "2026-06-01T00:00:00.000Z",
    metadata: { a: 1 },
    created_at: NOW,
    updated_at: null,
    object: "reward",
  };
  assert.deepEqual(made, expected);
  assert.deepEqual((await call(`GET ${V2}/${made.id}`)).body, expected);
  assert.match(made.id, /^lrew_[0-9a-f]+$/);
  assert.match(first.id, /^lrcst_[0-9a-f]+$/);
  assert.match(first.spending[0].id, /^lrspn_[0-9a-f]+$/);

  const plain = await reward({ ...body, purchase_limits: null, refunds: null, validity_hours: null, metadata: null });
  assert.deepEqual(
    { ...plain, id: 0, costs: 0 },
    {
      id: 0,
      name: "Shoe",
      type: "MATERIAL",
      status: "DRAFT",
      material: body.material,
      costs: 0,
      purchase_limits: {
        cooldown: { type: "NO_COOLDOWN", fixed_cooldown: null },
        frequency: { type: "NO_LIMIT", limits: [] },
      },
      refunds: { type: "NONE" },
      validity_hours: { type: "ANY_TIME", daily: [] },
      start_date: null,
      end_date: null,
      metadata: {},
      created_at: NOW,
      updated_at: null,
      object: "reward",
    },
  );
});

test("a digital reward gives coupons, gift cards or points", async () => {
  const { post, wallet, campaign } = await project();
  const [gifts, coupons] = [await campaign("GIFT_VOUCHERS"), await campaign("DISCOUNT_COUPONS")];
  const digital = (given: object) => post({ type: "DIGITAL", material: null, digital: given });
  for (const [sent, type] of [
    [{ discount_coupons: { campaign_id: coupons.id } }, "DISCOUNT_COUPONS"],
    [{ gift_vouchers: { campaign_id: gifts.id, balance: 10 } }, "GIFT_VOUCHERS"],
    [{ loyalty_card_points: { points: 5, card_definition_id: wallet.id } }, "LOYALTY_CARD_POINTS"],
  ] as const) {
    const made = await digital(sent);
    assert.equal(made.status, 200, made.text);
    assert.deepEqual(made.body.digital, { type, ...sent });
    assert.equal("material" in made.body, false);
  }
  for (const given of [
    {},
    { type: "DISCOUNT_COUPONS" },
    { discount_coupons: { campaign_id: gifts.id } },
    { gift_vouchers: { campaign_id: coupons.id, balance: 1 } },
    { gift_vouchers: { campaign_id: gifts.id } },
    { loyalty_card_points: { points: 0, card_definition_id: wallet.id } },
    { type: "GIFT_VOUCHERS", discount_coupons: { campaign_id: coupons.id } },
    { discount_coupons: { campaign_id: coupons.id, colour: 1 } },
  ])
    refused(await digital(given), 400, "invalid_payload", /\.digital/);
});

test("what does not fit together is refused, and nothing is made", async () => {
  const { call, post, spending, wallet } = await project();
  const rule = { name: "customer.metadata", property: "a", conditions: { $is: ["b"] } };
  const costs = (given: object) => post({ costs: [{ spending, ...given }] });
  for (const reply of [
    await call(`POST ${V2}`, {}),
    await post({ name: "" }),
    await post({ name: "x".repeat(201) }),
    await post({ type: "DIGITAL" }),
    await post({ material: null }),
    await post({ digital: { loyalty_card_points: { points: 1, card_definition_id: wallet.id } } }),
    await post({ status: "INACTIVE" }),
    await post({ colour: 1 }),
    await post({ costs: [] }),
    await post({ costs: Array.from({ length: 11 }, () => ({ spending })) }),
    await post({ costs: [{ spending: [] }] }),
    await post({ costs: [{ spending: [...spending, ...spending] }] }),
    await costs({ colour: 1 }),
    await post({ costs: [{ spending: [{ ...spending[0], points: 0 }] }] }),
    await post({ costs: [{ spending: [{ ...spending[0], colour: 1 }] }] }),
    await costs({ rules: { logic: "1", "1": { ...rule, name: "order.amount" } } }),
    await costs({ rules: { logic: "1", "1": { ...rule, property: undefined } } }),
    await costs({ rules: { logic: "1 and 2", "1": rule } }),
    await costs({ rules: { logic: "1", "1": { ...rule, rules: { logic: "1", "1": rule } } } }),
    await costs({ tier_rules: { type: "ANY_OF" } }),
    await post({ refunds: { type: "MAYBE" } }),
    await post({ start_date: "2026-02-01T00:00:00Z", end_date: "2026-01-01T00:00:00Z" }),
    await post({ purchase_limits: { cooldown: { fixed_cooldown: { period: { value: 25, unit: "HOUR" } } } } }),
    await post({ purchase_limits: { frequency: { type: "LIMITED", limits: [] } } }),
    await post({ metadata: "x" }),
  ])
    refused(reply, 400, "invalid_payload");
  assert.deepEqual((await call(`GET ${V2}`)).body.data, []);
});

test("what a reward names has to be there, 404, in this project", async () => {
  const { post, spending } = await project();
  const other = await project();
  const paid = (card_definition_id: string) => post({ costs: [{ spending: [{ points: 1, card_definition_id }] }] });
  const tier_rules = { any_of: [{ tier_structure_id: "lts_0", tier_ids: ["lt_0"] }] };
  for (const [reply, type] of [
    [await paid(other.wallet.id), "card_definition"],
    [await post({ material: { product: { id: other.shoe.id } } }), "product"],
    [await post({ costs: [{ spending, tier_rules }] }), "tier_structure"],
    [
      await post({
        type: "DIGITAL",
        material: null,
        digital: { loyalty_card_points: { points: 1, card_definition_id: other.wallet.id } },
      }),
      "card_definition",
    ],
    [
      await post({ type: "DIGITAL", material: null, digital: { discount_coupons: { campaign_id: "camp_0" } } }),
      "campaign",
    ],
    // An id that the reward does not have.
    [await post({ costs: [{ id: "lrcst_0", spending }] }), "reward_cost"],
  ] as const) {
    refused(reply, 404, "not_found");
    assert.equal(reply.body.resource_type, type, reply.text);
  }
});

test("an update keeps what is not sent, takes null for what a new reward has, and replaces the list of costs", async () => {
  const { call, body, reward, spending, wallet, shoe } = await project();
  const made = await reward({
    ...body,
    refunds: { type: "REFUNDABLE" },
    metadata: { a: 1 },
    costs: [{ spending }, { spending }],
  });
  const url = `${V2}/${made.id}`;
  assert.deepEqual((await call(`PUT ${url}`, { name: "Boot" })).body, { ...made, name: "Boot", updated_at: NOW });
  const [, second] = made.costs;
  const costs = await call(`PUT ${url}`, {
    costs: [second, { spending: [{ points: 7, card_definition_id: wallet.id }] }],
  });
  assert.equal(costs.status, 200, costs.text);
  assert.deepEqual(costs.body.costs[0], second);
  assert.equal(costs.body.costs[1].spending[0].points, 7);
  refused(await call(`PUT ${url}`, { costs: [made.costs[0]] }), 404, "not_found");
  refused(await call(`PUT ${url}`, { costs: [second, second] }), 400, "invalid_payload", /duplicate/);
  const cleared = await call(`PUT ${url}`, { refunds: null, metadata: null, purchase_limits: null });
  assert.deepEqual([cleared.body.refunds, cleared.body.metadata], [{ type: "NONE" }, {}]);
  refused(await call(`PUT ${url}`, { type: "DIGITAL" }), 400, "invalid_payload", /'digital'/);
  const digital = { loyalty_card_points: { points: 5, card_definition_id: wallet.id } };
  refused(await call(`PUT ${url}`, { digital }), 400, "invalid_payload", /'digital'/);
  const changed = await call(`PUT ${url}`, { type: "DIGITAL", digital });
  assert.deepEqual([changed.body.type, changed.body.material], ["DIGITAL", undefined]);
  assert.deepEqual(changed.body.digital, { type: "LOYALTY_CARD_POINTS", ...digital });

  // What was there before may be gone by now, and is no fault of an update that does not name it.
  const old = await reward(body);
  await call(`DELETE /v1/products/${shoe.id}`);
  assert.equal((await call(`PUT ${V2}/${old.id}`, { name: "Old" })).status, 200);
});

test("outside DRAFT its type and what it gives stay, and everything else can be updated", async () => {
  const { call, body, reward, spending, wallet } = await project();
  const made = await reward({ ...body, status: "ACTIVE" });
  const url = `${V2}/${made.id}`;
  const digital = { loyalty_card_points: { points: 5, card_definition_id: wallet.id } };
  const patch = {
    name: "n",
    metadata: { b: 1 },
    refunds: { type: "REFUNDABLE" },
    validity_hours: { type: "ANY_TIME" },
    start_date: "2026-01-01T00:00:00Z",
    end_date: null,
    costs: [{ spending }],
    purchase_limits: { cooldown: { type: "NO_COOLDOWN" } },
  };
  for (const move of [null, "deactivate"]) {
    if (move) await call(`POST ${url}/${move}`);
    for (const [field, value] of Object.entries({ type: "MATERIAL", material: body.material, digital }))
      refused(await call(`PUT ${url}`, { [field]: value }), 400, "invalid_payload", new RegExp(`'${field}'`));
    const reply = await call(`PUT ${url}`, patch);
    assert.deepEqual([reply.status, reply.body.name, reply.body.refunds.type], [200, "n", "REFUNDABLE"], reply.text);
  }
  refused(await call(`PUT ${url}`, { status: "ACTIVE" }), 400, "invalid_payload");
});

test("a reward moves between its statuses, and every other move is 409", async () => {
  const { call, body, reward } = await project();
  const allowed: Record<string, Record<string, string>> = {
    DRAFT: { activate: "ACTIVE" },
    ACTIVE: { deactivate: "INACTIVE", draft: "DRAFT" },
    INACTIVE: { activate: "ACTIVE" },
  };
  const ways: Record<string, string[]> = { DRAFT: [], ACTIVE: ["activate"], INACTIVE: ["activate", "deactivate"] };
  for (const [from, way] of Object.entries(ways))
    for (const move of ["activate", "deactivate", "draft"]) {
      const { id } = await reward(body);
      for (const step of way) await call(`POST ${V2}/${id}/${step}`);
      const reply = await call(`POST ${V2}/${id}/${move}`);
      const to = allowed[from]![move];
      if (to) assert.deepEqual([reply.status, reply.body.status, reply.body.updated_at], [200, to, NOW]);
      else refused(reply, 409, "invalid_state_transition", new RegExp(`Cannot ${move} reward .*'${from}'`));
      assert.equal((await call(`GET ${V2}/${id}`)).body.status, to ?? from);
    }
});

test("a reward that a program has is not deleted, 400, and is no draft, 423", async () => {
  const { call, body, wallet, reward, rule, program } = await project();
  const { id } = await reward({ ...body, status: "ACTIVE" });
  const earning = await rule({
    name: "Order",
    status: "ACTIVE",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ points: { value: 1, card_definition_id: wallet.id } }] }],
  });
  const club = await program(wallet.id, [earning.id], { rewards: [{ id, stock: { type: "UNLIMITED" } }] });
  const inUse = await call(`DELETE ${V2}/${id}`);
  refused(inUse, 400, "resource_in_use");
  assert.deepEqual([inUse.body.related_object_ids, inUse.body.related_object_type], [[club.id], "program"]);
  const locked = await call(`POST ${V2}/${id}/draft`);
  refused(locked, 423, "resource_locked");
  assert.deepEqual(locked.body.related_object_ids, [club.id]);
  assert.equal((await call(`POST ${V2}/${id}/deactivate`)).body.status, "INACTIVE");
  assert.equal((await call(`DELETE /v2/loyalties/programs/${club.id}`)).status, 200);
  assert.equal((await call(`DELETE ${V2}/${id}`)).body.status, "DELETED");
});

test("a deleted reward is gone for every operation, and another project's is 404", async () => {
  const { call, body, reward } = await project();
  const { id } = await reward(body);
  const other = await testShop(db);
  refused(await other.call(`GET ${V2}/${id}`), 404, "not_found");
  refused(await other.call(`DELETE ${V2}/${id}`), 404, "not_found");
  const deleted = await call(`DELETE ${V2}/${id}`);
  assert.deepEqual([deleted.status, deleted.body.status, deleted.body.updated_at], [200, "DELETED", NOW]);
  for (const request of [
    `DELETE ${V2}/${id}`,
    `GET ${V2}/${id}`,
    `GET ${V2}/${id}/activities`,
    ...["activate", "deactivate", "draft"].map((move) => `POST ${V2}/${id}/${move}`),
  ])
    refused(await call(request), 404, "not_found");
  refused(await call(`PUT ${V2}/${id}`, { name: "x" }), 404, "not_found");
  assert.deepEqual((await call(`GET ${V2}`)).body.data, []);
});

test("lists are in order, filtered, and paged by cursor", async () => {
  const { call, body, reward } = await project();
  for (const name of ["b", "a", "c"]) await reward({ ...body, name });
  const names = (reply: Reply) => reply.body.data.map((one: any) => one.name);
  const first = await call(`GET ${V2}?limit=2&order=-name`);
  assert.deepEqual(names(first), ["c", "b"]);
  assert.match(first.body.cursor.next, /^lcrsrew_/);
  assert.deepEqual(names(await call(`GET ${V2}?cursor=${first.body.cursor.next}`)), ["a"]);
  assert.deepEqual(names(await call(`GET ${V2}?filters[name][conditions][$in][]=a`)), ["a"]);
  assert.deepEqual(names(await call(`GET ${V2}?filters[type][conditions][$is]=DIGITAL`)), []);
  for (const query of ["order=type", "filters[status][conditions][$is]=ACTIVE"])
    refused(await call(`GET ${V2}?${query}`), 400, "invalid_query_params");
});

test("activities and metadata: what happened to a reward; metadata meets the project's schema", async () => {
  const { call, project: own, body, post, reward } = await project();
  const properties = { size: { type: "number", optional: true, array: false } };
  const schema = { related_object: "vl_reward", properties };
  assert.equal((await call(`POST /management/v1/projects/${own.id}/metadata-schemas`, schema)).status, 200);
  refused(await post({ metadata: { size: "x" } }), 400, "metadata_validation_failed");
  const { id } = await reward({ ...body, metadata: { size: 1 } });
  refused(await call(`PUT ${V2}/${id}`, { metadata: { size: "x" } }), 400, "metadata_validation_failed");
  await call(`PUT ${V2}/${id}`, { name: "Boot" });
  for (const move of ["activate", "draft", "activate", "deactivate"]) await call(`POST ${V2}/${id}/${move}`);
  const { data } = (await call(`GET ${V2}/${id}/activities`)).body;
  assert.deepEqual(
    data.map((one: any) => one.type.replace("vl.reward.", "")),
    ["deactivated", "activated", "drafted", "activated", "updated", "created"],
  );
  assert.deepEqual([data[5].data.reward.name, data[0].data.reward.name], ["Shoe", "Boot"]);
  assert.match(data[0].id, /^larew_/);
  assert.equal(data[0].reward_id, id);
});

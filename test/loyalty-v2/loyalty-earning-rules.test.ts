import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, type Reply, testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const V2 = "/v2/loyalties/earning-rules";

const paid = { event: "customer.order.paid" };
const points = (card_definition_id: string, value = 10) => ({ type: "POINTS", points: { value, card_definition_id } });
const refused = (reply: Reply, code: number, key: string, details?: string | RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (typeof details === "string") assert.equal(reply.body.details, details);
  if (details instanceof RegExp) assert.match(reply.body.details, details);
};

/** A project with one wallet, and what is refused or taken as a rule of it. */
async function ruled() {
  const it = await loyaltyProject(db);
  const wallet = await it.wallet();
  const body = { name: "Order", trigger: paid, earnings: [{ effects: [points(wallet.id)] }] };
  const post = (given: object) => it.call(`POST ${V2}`, { ...body, ...given });
  const ruleWith = (rules: object, trigger: object = paid) =>
    post({ trigger, earnings: [{ rules, effects: [points(wallet.id)] }] });
  const effect = (given: object, trigger: object = paid) => post({ trigger, earnings: [{ effects: [given] }] });
  return { ...it, wallet, body, post, ruleWith, effect };
}

test("a deleted earning rule is answered with every field that a rule has, and with the status DELETED", async (t) => {
  const { call, event, segment, wallet, benefit, tiers, product, sku, collection, rule } = await loyaltyProject(db);
  const [card, seen, vip] = [await wallet(), await event("seen"), await segment()];
  const gift = await benefit({ name: "Cup", type: "POINTS", points: { value: 1, card_definition_id: card.id } });
  const { structure, tiers: levels } = await tiers(card.id, "Gold");
  const shoe = await product("Shoe");
  const [size, shoes] = [await sku(shoe.id, "42"), await collection("Shoes")];
  const expiration = {
    type: "ROLLING_EXPIRATION",
    rolling_expiration: { period: { value: 3, unit: "MONTH" }, rounding: { type: "END_OF_MONTH" } },
  };
  const rate = { every: 100, value: 1 };
  const items = { applicable_to: [{ product: { id: shoe.id } }, { sku: { id: size.id } }], ...rate };
  const into = { card_definition_id: card.id };
  const made = await rule({
    name: "Everything",
    trigger: { event: "customer.order.paid" },
    earnings: [
      {
        name: "Gold members",
        rules: {
          logic: "1 and (2 OR 3)",
          "1": { name: "order.amount", conditions: { $more_than: [1000] } },
          "2": { name: "customer.segment", conditions: { $is: [vip.id] } },
          "3": { name: "customer.metadata", property: "city", conditions: { $in: ["Oslo"] }, error: { message: "No" } },
        },
        tier_rules: { any_of: [{ tier_structure_id: structure.id, tier_ids: [levels[0].id] }] },
        effects: [
          { points: { value: 10, ...into, points_expiration: expiration } },
          { points_proportional: { ...into, order: { amount: rate } } },
          { points_proportional: { ...into, order: { total_amount: rate } } },
          { points_proportional: { ...into, order: { metadata: { ...rate, property: "weight" } } } },
          { points_proportional: { ...into, customer: { metadata: { ...rate, property: "age" } } } },
          { points_proportional: { ...into, order_items: { amount: items } } },
          { points_proportional: { ...into, order_items: { subtotal_amount: items } } },
          {
            points_proportional: {
              ...into,
              points_expiration: { type: "NO_EXPIRATION" },
              order_items: { quantity: { ...rate, applicable_to: [{ products_collection: { id: shoes.id } }] } },
            },
          },
          { incentive: { id: gift.id } },
        ],
      },
      { effects: [points(card.id, 0)] },
    ],
    error: { message: "Nothing for you" },
    validity_hours: { daily: [{ days_of_week: [1, 2], start_time: "09:00", end_time: "17:30" }] },
    start_date: "2026-01-01T00:00:00Z",
    end_date: "2027-01-01T00:00:00+01:00",
    trigger_limits: {
      cooldown: { fixed_cooldown: { period: { value: 2, unit: "HOUR" } } },
      frequency: { limits: [{ period: { current_period: { unit: "MONTH" } }, triggers: { max: 5 } }] },
    },
    metadata: { a: 1 },
  });
  const proportional = (calculation_type: string, more: object, points_expiration: object | null = null) => ({
    type: "POINTS_PROPORTIONAL",
    points_proportional: { calculation_type, ...into, points_expiration, ...more },
  });
  const stored = {
    applicable_to: [
      { type: "product", product: { id: shoe.id } },
      { type: "sku", sku: { id: size.id } },
    ],
    ...rate,
  };
  const expected = {
    id: made.id,
    name: "Everything",
    status: "DRAFT",
    trigger: { event: "customer.order.paid" },
    earnings: [
      {
        id: made.earnings[0].id,
        name: "Gold members",
        rules: {
          logic: "1 and (2 OR 3)",
          "1": { name: "order.amount", conditions: { $more_than: [1000] } },
          "2": { name: "customer.segment", conditions: { $is: [vip.id] } },
          "3": { name: "customer.metadata", property: "city", conditions: { $in: ["Oslo"] }, error: { message: "No" } },
        },
        tier_rules: { type: "ANY_OF", any_of: [{ tier_structure_id: structure.id, tier_ids: [levels[0].id] }] },
        effects: [
          { type: "POINTS", points: { value: 10, ...into, points_expiration: expiration } },
          proportional("PRE_DISCOUNT_ORDER_AMOUNT", { order: { amount: rate } }),
          proportional("POST_DISCOUNT_ORDER_AMOUNT", { order: { total_amount: rate } }),
          proportional("ORDER_METADATA_VALUE", { order: { metadata: { ...rate, property: "weight" } } }),
          proportional("CUSTOMER_METADATA_VALUE", { customer: { metadata: { ...rate, property: "age" } } }),
          proportional("PRE_DISCOUNT_ORDER_ITEMS_AMOUNT", { order_items: { amount: stored } }),
          proportional("POST_DISCOUNT_ORDER_ITEMS_AMOUNT", { order_items: { subtotal_amount: stored } }),
          proportional(
            "ORDER_ITEMS_QUANTITY",
            {
              order_items: {
                quantity: {
                  ...rate,
                  applicable_to: [{ type: "products_collection", products_collection: { id: shoes.id } }],
                },
              },
            },
            { type: "NO_EXPIRATION" },
          ),
          { type: "INCENTIVE", incentive: { id: gift.id } },
        ],
      },
      {
        id: made.earnings[1].id,
        name: null,
        tier_rules: { type: "NO_REQUIREMENTS" },
        effects: [{ type: "POINTS", points: { value: 0, ...into, points_expiration: null } }],
      },
    ],
    error: { message: "Nothing for you" },
    validity_hours: { type: "DAILY", daily: [{ days_of_week: [1, 2], start_time: "09:00", end_time: "17:30" }] },
    start_date: "2026-01-01T00:00:00.000Z",
    end_date: "2026-12-31T23:00:00.000Z",
    trigger_limits: {
      cooldown: { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value: 2, unit: "HOUR" } } },
      frequency: {
        type: "LIMITED",
        limits: [
          {
            type: "TIME_BASED",
            period: { type: "CURRENT_PERIOD", current_period: { unit: "MONTH" } },
            triggers: { max: 5 },
          },
        ],
      },
    },
    metadata: { a: 1 },
    created_at: NOW,
    updated_at: null,
    object: "earning_rule",
  };
  assert.deepEqual(made, expected);
  await holdsFields(t, "earning_rule", made, expected);
  const holdsEffects = (from: number, to: number) => () =>
    assert.deepEqual(made.earnings[0]!.effects.slice(from, to), expected.earnings[0]!.effects.slice(from, to));
  await holdsRows(t, "earning_rule.effect", {
    points: holdsEffects(0, 1),
    points_proportional: holdsEffects(1, 8),
    order: holdsEffects(1, 4),
    customer_metadata: holdsEffects(4, 5),
    order_items: holdsEffects(5, 8),
    incentive: holdsEffects(8, 9),
  });
  assert.match(made.id, /^lern_[0-9a-f]+$/);
  for (const { id } of made.earnings) assert.match(id, /^lernei_[0-9a-f]+$/);
  assert.deepEqual((await call(`GET ${V2}/${made.id}`)).body, expected);

  // Sent back as it was answered, it is the same rule.
  const { id: _, status: __, created_at: ___, updated_at: ____, object: _____, ...whole } = made;
  const same = await call(`PUT ${V2}/${made.id}`, whole);
  assert.deepEqual(same.body, { ...expected, updated_at: NOW }, same.text);

  const deleted = await call(`DELETE ${V2}/${made.id}`);
  await holdsRows(t, "earning_rule.delete", {
    answer: () => {
      assert.equal(deleted.status, 200);
      assert.deepEqual(deleted.body, { ...expected, status: "DELETED", updated_at: NOW });
    },
  });

  const bySchema = await rule({
    name: "Seen",
    trigger: { custom_event: { schema_id: seen.id } },
    earnings: [{ effects: [points(card.id)] }],
  });
  assert.deepEqual(bySchema.trigger, { event: "customer.custom_event", custom_event: { schema_id: seen.id } });
  const bySegment = await rule({
    name: "VIP",
    trigger: { segment: { id: vip.id } },
    earnings: [{ effects: [points(card.id)] }],
  });
  assert.deepEqual(bySegment.trigger, { event: "customer.segment.entered", segment: { id: vip.id } });
});

test("a rule that says no more than it has to: what is missing is answered with what holds then", async () => {
  const { call, body, rule } = await ruled();
  const made = await rule(body);
  assert.equal("error" in made, false);
  assert.equal("rules" in made.earnings[0], false);
  assert.deepEqual(
    { ...made, id: 0, earnings: 0 },
    {
      id: 0,
      name: "Order",
      status: "DRAFT",
      trigger: paid,
      earnings: 0,
      validity_hours: { type: "ANY_TIME", daily: [] },
      start_date: null,
      end_date: null,
      trigger_limits: {
        cooldown: { type: "NO_COOLDOWN", fixed_cooldown: null },
        frequency: { type: "NO_LIMIT", limits: [] },
      },
      metadata: {},
      created_at: NOW,
      updated_at: null,
      object: "earning_rule",
    },
  );
  const nulls = {
    error: null,
    validity_hours: null,
    start_date: null,
    end_date: null,
    trigger_limits: null,
    metadata: null,
  };
  const again = await rule({
    ...body,
    ...nulls,
    status: null,
    trigger: { ...paid, custom_event: null, segment: null },
  });
  assert.deepEqual({ ...again, id: 0, earnings: 0 }, { ...made, id: 0, earnings: 0 });
  assert.equal((await call(`GET ${V2}`)).body.data.length, 2);
});

test("deleting takes a rule of every status; then it is gone for every operation, and a second delete is 404", async () => {
  const { call, body, rule } = await ruled();
  for (const moves of [[], ["activate"], ["activate", "deactivate"]]) {
    const { id } = await rule(body);
    for (const move of moves) assert.equal((await call(`POST ${V2}/${id}/${move}`)).status, 200);
    const deleted = await call(`DELETE ${V2}/${id}`);
    assert.deepEqual([deleted.status, deleted.body.status], [200, "DELETED"]);
    for (const request of [
      `DELETE ${V2}/${id}`,
      `GET ${V2}/${id}`,
      `GET ${V2}/${id}/activities`,
      ...["activate", "deactivate", "draft"].map((move) => `POST ${V2}/${id}/${move}`),
    ]) {
      const reply = await call(request);
      refused(reply, 404, "not_found", `Cannot find earning_rule with id ${id}`);
      assert.equal(reply.body.resource_type, "earning_rule");
    }
    refused(await call(`PUT ${V2}/${id}`, { name: "x" }), 404, "not_found");
    assert.deepEqual((await call(`GET ${V2}`)).body.data, []);
  }
  refused(await call(`DELETE ${V2}/lern_000000000000000000`), 404, "not_found");
  refused(await call(`DELETE ${V2}/anything`), 404, "not_found");
  const { id } = await rule(body);
  const other = await testShop(db);
  refused(await other.call(`DELETE ${V2}/${id}`), 404, "not_found");
  assert.equal((await call(`GET ${V2}/${id}`)).body.status, "DRAFT");
});

test("a rule that a program uses is not deleted, 409, and the programs are named", async () => {
  const { call, body, wallet, rule, program } = await ruled();
  const used = await rule({ ...body, status: "ACTIVE" });
  const club = await program(wallet.id, [used.id]);
  const reply = await call(`DELETE ${V2}/${used.id}`);
  refused(reply, 409, "resource_in_use");
  assert.deepEqual(
    [reply.body.related_object_ids, reply.body.related_object_type, reply.body.resource_id, reply.body.resource_type],
    [[club.id], "program", used.id, "earning_rule"],
  );
  assert.equal((await call(`GET ${V2}/${used.id}`)).body.status, "ACTIVE");
  assert.equal((await call(`DELETE /v2/loyalties/programs/${club.id}`)).status, 200);
  assert.equal((await call(`DELETE ${V2}/${used.id}`)).body.status, "DELETED");
});

test("a rule is deleted or assigned, and never both, however close they come", async () => {
  const { call, body, wallet, rule, program } = await ruled();
  const kept = await rule({ ...body, status: "ACTIVE" });
  const club = await program(wallet.id, [kept.id]);
  for (let round = 0; round < 8; round += 1) {
    const { id } = await rule(body);
    const [deleted, assigned] = await Promise.all([
      call(`DELETE ${V2}/${id}`),
      call(`POST /v2/loyalties/programs/${club.id}/earning-rules/batch`, { assign: [{ id }] }),
    ]);
    const statuses = [deleted.status, assigned.status];
    assert.ok(String(statuses) === "200,404" || String(statuses) === "409,200", `${deleted.text}\n${assigned.text}`);
  }
});

test("a rule moves between its statuses, and every other move is 409", async () => {
  const { call, body, rule } = await ruled();
  const allowed: Record<string, Record<string, string>> = {
    DRAFT: { activate: "ACTIVE" },
    ACTIVE: { deactivate: "INACTIVE", draft: "DRAFT" },
    INACTIVE: { activate: "ACTIVE" },
  };
  const ways: Record<string, string[]> = { DRAFT: [], ACTIVE: ["activate"], INACTIVE: ["activate", "deactivate"] };
  for (const [from, way] of Object.entries(ways))
    for (const move of ["activate", "deactivate", "draft"]) {
      const { id } = await rule(body);
      for (const step of way) await call(`POST ${V2}/${id}/${step}`);
      const reply = await call(`POST ${V2}/${id}/${move}`);
      const to = allowed[from]![move];
      if (to) assert.deepEqual([reply.status, reply.body.status, reply.body.updated_at], [200, to, NOW]);
      else refused(reply, 409, "invalid_state_transition", `Cannot ${move} earning rule from current state: '${from}'`);
      assert.equal((await call(`GET ${V2}/${id}`)).body.status, to ?? from);
    }
});

test("a rule is active only with active wallets and benefits", async () => {
  const { call, post, wallet, benefit, effect, rule, body } = await ruled();
  const draft = await call("POST /v2/loyalties/card-definitions", { name: "Draft", type: "INDIVIDUAL" });
  const waiting = await rule({ ...body, earnings: [{ effects: [points(draft.body.id)] }] });
  const locked = await call(`POST ${V2}/${waiting.id}/activate`);
  refused(locked, 423, "resource_locked");
  assert.deepEqual([locked.body.resource_id, locked.body.resource_type], [draft.body.id, "card_definition"]);
  refused(await post({ status: "ACTIVE", earnings: [{ effects: [points(draft.body.id)] }] }), 423, "resource_locked");
  const cup = await benefit({ name: "Cup", type: "POINTS", points: { value: 1, card_definition_id: wallet.id } });
  const giving = (await effect({ incentive: { id: cup.id } })).body;
  refused(await call(`POST ${V2}/${giving.id}/activate`), 423, "resource_locked", /benefit/);
  await call(`POST /v2/loyalties/benefits/${cup.id}/activate`);
  assert.equal((await call(`POST ${V2}/${giving.id}/activate`)).status, 200);
  refused(
    await call(`PUT ${V2}/${giving.id}`, { earnings: [{ effects: [points(draft.body.id)] }] }),
    423,
    "resource_locked",
  );
});

test("an active program keeps an active rule, and its rules are no drafts", async () => {
  const { call, body, wallet, rule, program } = await ruled();
  const [one, two] = [await rule({ ...body, status: "ACTIVE" }), await rule({ ...body, status: "ACTIVE" })];
  const club = await program(wallet.id, [one.id, two.id]);
  const drafted = await call(`POST ${V2}/${one.id}/draft`);
  refused(drafted, 409, "resource_in_use");
  assert.deepEqual(drafted.body.related_object_ids, [club.id]);
  assert.equal((await call(`POST ${V2}/${one.id}/deactivate`)).body.status, "INACTIVE");
  const last = await call(`POST ${V2}/${two.id}/deactivate`);
  refused(last, 423, "missing_active_earning_rule");
  assert.equal(last.body.resource_id, club.id);
  assert.equal((await call(`POST /v2/loyalties/programs/${club.id}/deactivate`)).status, 200);
  assert.equal((await call(`POST ${V2}/${two.id}/deactivate`)).body.status, "INACTIVE");
});

test("an update keeps what is not sent, takes null for what a new rule has, and replaces the list of earnings", async () => {
  const { call, body, wallet, rule } = await ruled();
  const made = await rule({
    ...body,
    error: { message: "No" },
    start_date: "2026-02-01T00:00:00Z",
    validity_hours: { type: "DAILY", daily: [{ days_of_week: [0], start_time: "00:00", end_time: "24:00" }] },
    trigger_limits: { cooldown: { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value: 1, unit: "DAY" } } } },
    metadata: { a: 1, b: 2 },
    earnings: [
      { name: "one", effects: [points(wallet.id)] },
      { name: "two", effects: [points(wallet.id, 2)] },
    ],
  });
  const [first, second] = made.earnings;
  const named = await call(`PUT ${V2}/${made.id}`, { name: "Renamed" });
  assert.deepEqual(named.body, { ...made, name: "Renamed", updated_at: NOW });
  assert.deepEqual((await call(`PUT ${V2}/${made.id}`, {})).body, named.body);
  assert.deepEqual((await call(`PUT ${V2}/${made.id}`, { metadata: { b: 3 } })).body.metadata, { b: 3 });

  const listed = await call(`PUT ${V2}/${made.id}`, {
    earnings: [
      { id: second.id, name: "second", effects: [points(wallet.id, 3)] },
      { name: "new", effects: [points(wallet.id, 4)] },
    ],
  });
  assert.deepEqual(
    listed.body.earnings.map((one: any) => [one.name, one.effects[0].points.value]),
    [
      ["second", 3],
      ["new", 4],
    ],
  );
  assert.equal(listed.body.earnings[0].id, second.id);
  assert.equal([first.id, second.id].includes(listed.body.earnings[1].id), false);
  const gone = { earnings: [{ id: first.id, effects: [points(wallet.id)] }] };
  refused(await call(`PUT ${V2}/${made.id}`, gone), 404, "not_found", new RegExp(first.id));
  const twice = { earnings: [second, second].map(({ id }) => ({ id, effects: [points(wallet.id)] })) };
  refused(await call(`PUT ${V2}/${made.id}`, twice), 400, "invalid_payload", /duplicate/);

  const nulls = { error: null, start_date: null, validity_hours: null, trigger_limits: null, metadata: null };
  const cleared = await call(`PUT ${V2}/${made.id}`, nulls);
  const { error: _, ...kept } = listed.body;
  assert.deepEqual(cleared.body, {
    ...kept,
    start_date: null,
    validity_hours: { type: "ANY_TIME", daily: [] },
    trigger_limits: {
      cooldown: { type: "NO_COOLDOWN", fixed_cooldown: null },
      frequency: { type: "NO_LIMIT", limits: [] },
    },
    metadata: {},
  });
});

test("outside DRAFT everything but the trigger can be updated, and a new trigger is checked against what is kept", async () => {
  const { call, body, wallet, event, rule } = await ruled();
  const seen = await event("seen");
  const trigger = { custom_event: { schema_id: seen.id } };
  const amounts = { points_proportional: { card_definition_id: wallet.id, order: { amount: { every: 1, value: 1 } } } };
  const made = await rule({ ...body, earnings: [{ effects: [amounts] }] });
  refused(await call(`PUT ${V2}/${made.id}`, { trigger }), 400, "invalid_payload", /needs the trigger/);
  const both = { trigger, earnings: [{ effects: [points(wallet.id)] }] };
  assert.equal((await call(`PUT ${V2}/${made.id}`, both)).body.trigger.event, "customer.custom_event");
  for (const move of ["activate", "deactivate"]) {
    const { status } = (await call(`POST ${V2}/${made.id}/${move}`)).body;
    for (const given of [trigger, paid, {}])
      refused(await call(`PUT ${V2}/${made.id}`, { trigger: given }), 400, "invalid_payload");
    const patch = {
      name: "n",
      earnings: [{ effects: [points(wallet.id, 7)] }],
      error: { message: "m" },
      validity_hours: { type: "ANY_TIME" },
      start_date: "2026-03-01T00:00:00Z",
      end_date: "2026-04-01T00:00:00Z",
      trigger_limits: { frequency: { type: "NO_LIMIT" } },
      metadata: { x: 1 },
    };
    const reply = await call(`PUT ${V2}/${made.id}`, patch);
    assert.deepEqual([reply.status, reply.body.status, reply.body.name], [200, status, "n"], reply.text);
  }
});

test("unknown fields are refused at every depth, and so is the name that a later dialect gives to an incentive", async () => {
  const { call, post, effect, ruleWith, wallet, rule, body } = await ruled();
  const into = { card_definition_id: wallet.id };
  const rate = { every: 1, value: 1 };
  const one = { name: "order.amount", conditions: { $is: [1] } };
  for (const reply of [
    await post({ colour: 1 }),
    await post({ trigger: { ...paid, colour: 1 } }),
    await post({ earnings: [{ effects: [points(wallet.id)], colour: 1 }] }),
    await post({ earnings: [{ id: "lernei_0", effects: [points(wallet.id)] }] }),
    await post({ error: { message: "m", colour: 1 } }),
    await post({ validity_hours: { type: "ANY_TIME", colour: 1 } }),
    await post({ trigger_limits: { colour: 1 } }),
    await post({ trigger_limits: { cooldown: { type: "NO_COOLDOWN", colour: 1 } } }),
    await post({ trigger_limits: { frequency: { type: "NO_LIMIT", colour: 1 } } }),
    await effect({ ...points(wallet.id), colour: 1 }),
    await effect({ points: { value: 1, ...into, colour: 1 } }),
    await effect({ points_proportional: { ...into, order: { amount: rate, colour: 1 } } }),
    await effect({ points_proportional: { ...into, order: { amount: { ...rate, colour: 1 } } } }),
    await effect({ points: { value: 1, ...into, points_expiration: { type: "NO_EXPIRATION", colour: 1 } } }),
    await effect({ benefit: { id: "lben_1" } }),
    await effect({ type: "BENEFIT", incentive: { id: "lben_1" } }),
    await effect({ points: { value: 1, ...into, points_expiration: { type: "NO_RETENTION" } } }),
    await ruleWith({ logic: "1", "1": one, colour: 1 }),
    await ruleWith({ logic: "1", "1": { ...one, colour: 1 } }),
    await ruleWith({ logic: "1", "1": { ...one, conditions: { $is: [1], $colour: [1] } } }),
    await ruleWith({
      logic: "1",
      "1": { name: "order.items.any", conditions: { $is: [{ id: "prod_1", colour: 1 }] } },
    }),
    await post({ earnings: [{ effects: [points(wallet.id)], tier_rules: { type: "NO_REQUIREMENTS", colour: 1 } }] }),
  ])
    refused(reply, 400, "invalid_payload");
  const { id } = await rule(body);
  for (const field of ["status", "id", "object", "created_at", "colour"])
    refused(
      await call(`PUT ${V2}/${id}`, { [field]: "x" }),
      400,
      "invalid_payload",
      `Payload must NOT have additional property '${field}'`,
    );
  refused(await call(`DELETE ${V2}/${id}?colour=1`), 400, "invalid_query_params");
});

test("what is missing, too large or of the wrong type is refused, and nothing is made", async () => {
  const { call, post, effect, wallet } = await ruled();
  const into = { card_definition_id: wallet.id };
  const cooldown = (value: unknown, unit: unknown) =>
    post({ trigger_limits: { cooldown: { fixed_cooldown: { period: { value, unit } } } } });
  const often = (max: unknown, unit: unknown = "DAY") =>
    post({ trigger_limits: { frequency: { limits: [{ period: { current_period: { unit } }, triggers: { max } }] } } });
  const hours = (start_time: string, end_time: string, days_of_week: unknown = [1]) =>
    post({ validity_hours: { daily: [{ days_of_week, start_time, end_time }] } });
  const half = { days_of_week: [1], start_time: "09:00", end_time: "12:00" };
  for (const reply of [
    await call(`POST ${V2}`, {}),
    await post({ name: "" }),
    await post({ name: "x".repeat(201) }),
    await post({ name: null }),
    await post({ earnings: [] }),
    await post({ earnings: null }),
    await post({ earnings: [{ effects: [] }] }),
    await post({ status: "INACTIVE" }),
    await post({ error: { message: "" } }),
    await post({ error: { message: "x".repeat(201) } }),
    await post({ metadata: [1] }),
    await post({ start_date: "soon" }),
    await post({ start_date: "2026-01-01T00:00:00Z", end_date: "2026-01-01T00:00:00Z" }),
    await post({ trigger: {} }),
    await post({ trigger: { event: "customer.custom_event" } }),
    await post({ trigger: { ...paid, segment: { id: "seg_1" } } }),
    await post({ trigger: { custom_event: { schema_id: "ms_1" }, segment: { id: "seg_1" } } }),
    await post({ trigger: { event: "customer.born" } }),
    await post({ trigger: { custom_event: { schema_id: "seg_1" } } }),
    await effect({}),
    await effect({ type: "POINTS" }),
    await effect({ type: "INCENTIVE", points: { value: 1, ...into } }),
    await effect({ points: { value: 1, ...into }, incentive: { id: "lben_1" } }),
    await effect({ type: "POINTS", points: { value: 1, ...into }, incentive: { id: "lben_1" } }),
    await effect({ points: { value: -1, ...into } }),
    await effect({ points: { value: 1.5, ...into } }),
    await effect({ points: { value: 2 ** 53, ...into } }),
    await effect({ points: { value: 1, card_definition_id: "lcrd_1" } }),
    await effect({ points_proportional: into }),
    await effect({ points_proportional: { ...into, order: {} } }),
    await effect({ points_proportional: { ...into, order: { amount: { every: 0, value: 1 } } } }),
    await effect({ points_proportional: { ...into, order: { metadata: { every: 1, value: 1 } } } }),
    await effect({ points_proportional: { ...into, order: { metadata: { every: 1, value: 1, property: "" } } } }),
    await effect({
      points_proportional: {
        ...into,
        calculation_type: "ORDER_METADATA_VALUE",
        order: { amount: { every: 1, value: 1 } },
      },
    }),
    await effect({
      points_proportional: {
        ...into,
        order: { amount: { every: 1, value: 1 }, total_amount: { every: 1, value: 1 } },
      },
    }),
    await effect({ points_proportional: { ...into, order_items: { amount: { every: 1, value: 1 } } } }),
    await effect({
      points_proportional: { ...into, order_items: { amount: { every: 1, value: 1, applicable_to: [] } } },
    }),
    await effect({
      points_proportional: { ...into, order_items: { amount: { every: 1, value: 1, applicable_to: [{}] } } },
    }),
    await cooldown(25, "HOUR"),
    await cooldown(91, "DAY"),
    await cooldown(53, "WEEK"),
    await cooldown(13, "MONTH"),
    await cooldown(2, "YEAR"),
    await cooldown(0, "DAY"),
    await cooldown(1, "QUARTER"),
    await post({ trigger_limits: { cooldown: {} } }),
    await post({ trigger_limits: { cooldown: { type: "FIXED_COOLDOWN" } } }),
    await post({
      trigger_limits: { cooldown: { type: "NO_COOLDOWN", fixed_cooldown: { period: { value: 1, unit: "DAY" } } } },
    }),
    await often(0),
    await often(10_001),
    await often(1, "HOUR"),
    await post({ trigger_limits: { frequency: { type: "LIMITED" } } }),
    await post({ trigger_limits: { frequency: {} } }),
    await hours("9:00", "10:00"),
    await hours("10:00", "10:00"),
    await hours("11:00", "10:59"),
    await hours("10:00", "24:01"),
    await hours("10:00", "11:00", [7]),
    await hours("10:00", "11:00", []),
    await hours("10:00", "11:00", [1, 1]),
    await post({ validity_hours: { type: "ANY_TIME", daily: [half] } }),
    await post({ validity_hours: { type: "DAILY" } }),
    await post({ validity_hours: {} }),
    await post({ validity_hours: { daily: [] } }),
    await post({ validity_hours: { daily: [half, { ...half, start_time: "11:59", end_time: "13:00" }] } }),
    await post({ earnings: [{ effects: [points(wallet.id)], tier_rules: { type: "ANY_OF" } }] }),
    await post({ earnings: [{ effects: [points(wallet.id)], tier_rules: { any_of: [] } }] }),
  ])
    refused(reply, 400, "invalid_payload");
  assert.deepEqual((await call(`GET ${V2}`)).body.data, []);

  for (const reply of [
    await cooldown(24, "HOUR"),
    await cooldown(90, "DAY"),
    await cooldown(52, "WEEK"),
    await cooldown(12, "MONTH"),
    await cooldown(1, "YEAR"),
    await often(10_000, "QUARTER"),
    await hours("00:00", "24:00"),
    await hours("09:00:30", "17:00:00"),
    await post({ validity_hours: { daily: [half, { ...half, start_time: "12:00", end_time: "13:00" }] } }),
  ])
    assert.equal(reply.status, 200, reply.text);
});

test("what a rule names has to be there, 404, in this project", async () => {
  const { post, effect, wallet, event, segment, benefit, tiers, product, collection } = await ruled();
  const other = await loyaltyProject(db);
  const theirs = await other.wallet();
  const [theirEvent, theirSegment] = [await other.event("theirs"), await other.segment()];
  const theirProduct = await other.product("Theirs");
  const theirBenefit = await other.benefit({
    name: "Theirs",
    type: "POINTS",
    points: { value: 1, card_definition_id: theirs.id },
  });
  const { structure, tiers: levels } = await tiers(wallet.id, "Gold");
  const elsewhere = await tiers(wallet.id, "Silver");
  const inTiers = (tier_structure_id: string, tier_ids: string[]) =>
    post({ earnings: [{ effects: [points(wallet.id)], tier_rules: { any_of: [{ tier_structure_id, tier_ids }] } }] });
  const of = (applicable_to: object) =>
    effect({
      points_proportional: {
        card_definition_id: wallet.id,
        order_items: { amount: { every: 1, value: 1, applicable_to: [applicable_to] } },
      },
    });
  for (const [reply, type] of [
    [await effect(points(theirs.id)), "card_definition"],
    [await effect(points("lcdef_000000000000000000")), "card_definition"],
    [await effect({ incentive: { id: theirBenefit.id } }), "benefit"],
    [await post({ trigger: { custom_event: { schema_id: theirEvent.id } } }), "custom_event_schema"],
    [await post({ trigger: { segment: { id: theirSegment.id } } }), "segment"],
    [await inTiers("lts_0", ["lt_0"]), "tier_structure"],
    [await inTiers(structure.id, ["lt_0"]), "tier"],
    [await inTiers(structure.id, [elsewhere.tiers[0].id]), "tier"],
    [await of({ product: { id: theirProduct.id } }), "product"],
    [await of({ sku: { id: "sku_0" } }), "sku"],
    [await of({ products_collection: { id: "pc_0" } }), "product_collection"],
  ] as const) {
    refused(reply, 404, "not_found");
    assert.equal(reply.body.resource_type, type, reply.text);
  }
  const [mine, shoes] = [await product("Mine"), await collection("Shoes")];
  const cup = await benefit({ name: "Cup", type: "MATERIAL", material: { product: { id: mine.id } } });
  for (const reply of [
    await effect({ incentive: { id: cup.id } }),
    await post({ trigger: { custom_event: { schema_id: (await event("mine")).id } } }),
    await post({ trigger: { segment: { id: (await segment()).id } } }),
    await inTiers(structure.id, [levels[0].id]),
    await of({ product: { id: mine.id } }),
    await of({ products_collection: { id: shoes.id } }),
  ])
    assert.equal(reply.status, 200, reply.text);
});

test("the rules of an earning take the names, operators and triggers that they are for, and a logic that names them all", async () => {
  const { ruleWith, event } = await ruled();
  const seen = await event("seen");
  const byEvent = { custom_event: { schema_id: seen.id } };
  const one = { name: "order.amount", conditions: { $more_than: [1] } };
  const line = { name: "order.items.any", conditions: { $is: [{ id: "prod_1", object: "product" }] } };
  const metadata = (name: string) => ({ name, property: "a", conditions: { $is: ["b"] } });
  for (const [rules, trigger] of [
    [{ logic: "1", "1": one }],
    [{ logic: "(1 AND 2) or 3", "1": one, "2": one, "3": one }],
    [{ logic: "7", "7": { ...one, conditions: { $more_than: [1], $less_than_or_equal: [9] } } }],
    [{ logic: "1", "1": { name: "order.items.count", conditions: { $in: [1, 2] } } }],
    [{ logic: "1", "1": { name: "order.items.price", conditions: { $more_than_or_equal: [1] } } }],
    [{ logic: "1", "1": { name: "order.items.quantity", conditions: { $more_than: [1] } } }],
    [{ logic: "1", "1": metadata("order.items.metadata") }],
    [{ logic: "1", "1": metadata("order.metadata") }],
    [{ logic: "1", "1": { name: "customer.metadata", property: "a", conditions: { $dow: [0, 6] } } }],
    [
      {
        logic: "1",
        "1": {
          ...line,
          rules: { logic: "1", "1": { name: "order.items.quantity", conditions: { $more_than: [1] } } },
        },
      },
    ],
    [{ logic: "1", "1": { name: "order.items.none", conditions: { $from: [{ id: "pc_1" }] } } }],
    [{ logic: "1", "1": metadata("custom_event.metadata") }, byEvent],
    [{ logic: "1", "1": { ...metadata("custom_event.metadata"), schema_id: seen.id } }, byEvent],
    [{ logic: "1", "1": { name: "customer.segment", conditions: { $is_not: ["seg_1"] } } }, byEvent],
  ] as const) {
    const reply = await ruleWith(rules, trigger);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.earnings[0].rules, rules);
  }
  for (const [rules, trigger] of [
    [{ logic: "1" }],
    [{ "1": one }],
    [{ logic: " ", "1": one }],
    [{ logic: "1 and 2", "1": one }],
    [{ logic: "1", "1": one, "2": one }],
    [{ logic: "1 and", "1": one }],
    [{ logic: "(1", "1": one }],
    [{ logic: "0", "0": one }],
    [{ logic: "1", "1": { ...one, conditions: { $is_not: [1] } } }],
    [{ logic: "1", "1": { ...one, conditions: { $more_than: [] } } }],
    [{ logic: "1", "1": { ...one, conditions: {} } }],
    [{ logic: "1", "1": { name: "order.amount" } }],
    [{ logic: "1", "1": { ...one, conditions: { $more_than: ["x"] } } }],
    [{ logic: "1", "1": { name: "order.items.price", conditions: { $more_than: [1] } } }],
    [{ logic: "1", "1": { name: "customer.segment", conditions: { $in: ["seg_1"] } } }],
    [{ logic: "1", "1": { name: "customer.metadata", conditions: { $is: ["b"] } } }],
    [{ logic: "1", "1": { name: "customer.metadata", property: "a", conditions: { $dow: [7] } } }],
    [{ logic: "1", "1": metadata("member.metadata") }],
    [{ logic: "1", "1": metadata("redemption.metadata") }],
    [{ logic: "1", "1": metadata("custom_event.metadata") }],
    [{ logic: "1", "1": one }, byEvent],
    [{ logic: "1", "1": { ...metadata("custom_event.metadata"), schema_id: "ms_0" } }, byEvent],
    [{ logic: "1", "1": { ...one, rules: { logic: "1", "1": one } } }],
    [{ logic: "1", "1": { ...line, rules: { logic: "1", "1": one } } }],
    [{ logic: "1", "1": { ...line, rules: { logic: "1" } } }],
    [{ logic: "1", "1": { ...one, error: { message: "" } } }],
  ] as const) {
    const reply = await ruleWith(rules, trigger);
    refused(reply, 400, "invalid_payload", /\.earnings\[0\]\.rules/);
  }
});

test("an effect's points expire as the wallet allows", async () => {
  const { effect, wallet, call } = await ruled();
  const rolling = { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "MONTH" } } };
  const calendar = { type: "CALENDAR_EXPIRATION", calendar_expiration: { expiration_dates: [{ day: 1, month: 1 }] } };
  const make = async (given: object) =>
    (await call("POST /v2/loyalties/card-definitions", { name: "W", type: "INDIVIDUAL", status: "ACTIVE", ...given }))
      .body.id;
  const [expiring, negative] = [
    await make({ points_expiration: rolling }),
    await make({ balance_settings: { allow_negative: true } }),
  ];
  const into = (card_definition_id: string, points_expiration: object) =>
    effect({ points: { value: 1, card_definition_id, points_expiration } });
  for (const reply of [
    await into(wallet.id, rolling),
    await into(wallet.id, calendar),
    await into(expiring, { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 9, unit: "DAY" } } }),
    await into(expiring, { type: "NO_EXPIRATION" }),
    await into(negative, { type: "NO_EXPIRATION" }),
  ])
    assert.equal(reply.status, 200, reply.text);
  for (const reply of [
    await into(expiring, calendar),
    await into(negative, rolling),
    await into(wallet.id, { ...rolling, ...calendar }),
    await into(wallet.id, { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 91, unit: "DAY" } } }),
  ])
    refused(reply, 400, "invalid_payload", /points_expiration/);
});

test("metadata meets the project's schema", async () => {
  const { call, project, post, rule, body } = await ruled();
  const properties = { size: { type: "number", optional: true, array: false } };
  const schema = { related_object: "vl_earning_rule", properties };
  const made = await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, schema);
  assert.equal(made.status, 200, made.text);
  refused(await post({ metadata: { size: "x" } }), 400, "metadata_validation_failed");
  const { id } = await rule({ ...body, metadata: { size: 1 } });
  refused(await call(`PUT ${V2}/${id}`, { metadata: { size: "x" } }), 400, "metadata_validation_failed");
});

test("lists: pages by cursor, in order, filtered", async () => {
  const { call, body, rule } = await ruled();
  for (const name of ["b", "a", "c"]) await rule({ ...body, name });
  const names = (reply: Reply) => reply.body.data.map((one: any) => one.name);
  const first = await call(`GET ${V2}?limit=2&order=name`);
  assert.deepEqual([names(first), first.body.object], [["a", "b"], "list"]);
  assert.match(first.body.cursor.next, /^lcrsern_/);
  const second = await call(`GET ${V2}?cursor=${first.body.cursor.next}`);
  assert.deepEqual([names(second), second.body.cursor], [["c"], null]);
  assert.deepEqual(names(await call(`GET ${V2}?order=-name`)), ["c", "b", "a"]);
  assert.deepEqual(names(await call(`GET ${V2}?filters[name][conditions][$is]=b`)), ["b"]);
  assert.deepEqual(names(await call(`GET ${V2}?filters[status][conditions][$in][0]=ACTIVE`)), []);
  for (const query of ["order=status", "limit=101", "filters[type][conditions][$is]=x", "page=1"])
    refused(await call(`GET ${V2}?${query}`), 400, "invalid_query_params");
  refused(await call(`GET ${V2}?cursor=lcrsern_00`), 400, "invalid_or_expired_cursor");
});

test("activities: what happened to a rule, newest first, with the rule as it was", async () => {
  const { call, body, rule } = await ruled();
  const { id } = await rule(body);
  await call(`PUT ${V2}/${id}`, { name: "Renamed" });
  for (const move of ["activate", "draft", "activate", "deactivate"]) await call(`POST ${V2}/${id}/${move}`);
  const { data } = (await call(`GET ${V2}/${id}/activities`)).body;
  const types = data.map((one: any) => one.type.replace("vl.earning_rule.", ""));
  assert.deepEqual(types, ["deactivated", "activated", "drafted", "activated", "updated", "created"]);
  assert.deepEqual([data[5].data.earning_rule.name, data[4].data.earning_rule.name], ["Order", "Renamed"]);
  assert.match(data[0].id, /^laer_/);
  assert.equal(data[0].earning_rule_id, id);
  const filtered = await call(`GET ${V2}/${id}/activities?filters[type][conditions][$is]=vl.earning_rule.drafted`);
  assert.equal(filtered.body.data.length, 1);
  refused(await call(`GET ${V2}/lern_0/activities`), 404, "not_found");
  await call(`DELETE ${V2}/${id}`);
  const [deleted] = await db`select payload from events where subject_id = ${id} and kind = 'vl.earning_rule.deleted'`;
  assert.equal(deleted!.payload.earning_rule.status, "DELETED");
});

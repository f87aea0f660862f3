import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { testShop } from "../support/shop.ts";

// What the interface says of validations and qualifications, sentence by sentence, where no other test holds it.
const { db } = await testDatabase();

const TEN = { type: "PERCENT", percent_off: 10 };

async function world() {
  const { project, call, ok } = await testShop(db);
  const code = (name: string, more: object = {}) => ok(`POST /v1/vouchers/${name}`, { discount: TEN, ...more });
  const tier = async (more: object = {}) => {
    const campaign = await ok("POST /v1/campaigns", { name: "Promotion", campaign_type: "PROMOTION" });
    const made = await ok(`POST /v1/promotions/${campaign.id}/tiers`, {
      name: "T",
      action: { discount: TEN },
      ...more,
    });
    return { id: made.id as string, campaign: campaign.id as string };
  };
  const stacking = (settings: object) => ok(`POST /management/v1/projects/${project.id}/stacking-rules`, settings);
  const validate = (redeemables: readonly object[], more: object = {}) =>
    ok("POST /v1/validations", { redeemables, order: { amount: 1000 }, ...more });
  return { project, call, ok, code, tier, stacking, validate };
}
const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });

const DEFAULTS = {
  redeemables_limit: 30,
  applicable_redeemables_limit: 5,
  applicable_exclusive_redeemables_limit: 1,
  applicable_redeemables_per_category_limit: null,
  applicable_redeemables_category_limits: {},
  exclusive_categories: [],
  joint_categories: [],
  no_effect_skip_categories: [],
  no_effect_redeem_anyway_categories: [],
  redeemables_application_mode: "ALL",
  redeemables_sorting_rule: "REQUESTED_ORDER",
  redeemables_no_effect_rule: "REDEEM_ANYWAY",
  redeemables_products_application_mode: "STACK",
  redeemables_rollback_order_mode: "WITH_ORDER",
  grouped_redeemables_sorting_rule: "JOINT_ALWAYS_LAST",
};

test("answers hold every stacking rule: the defaults, and what was set instead, at once", async (t) => {
  const { ok, code, stacking, validate } = await world();
  await code("A");
  const shown = async () => {
    const answers = [
      await validate([voucher("A")]),
      await validate([voucher("none")]),
      await ok("POST /v1/qualifications", {}),
    ];
    return answers.map(({ stacking_rules }) =>
      Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, stacking_rules[name]])),
    );
  };
  for (const rules of await shown()) assert.deepEqual(rules, DEFAULTS);
  const [x, j, s, r] = await Promise.all(
    ["x", "j", "s", "r"].map(async (name) => (await ok("POST /v1/categories", { name, hierarchy: 1 })).id as string),
  );
  const set = {
    redeemables_limit: 20,
    applicable_redeemables_limit: 6,
    applicable_exclusive_redeemables_limit: 3,
    applicable_redeemables_per_category_limit: 2,
    applicable_redeemables_category_limits: { [j!]: 4 },
    exclusive_categories: [x],
    joint_categories: [j],
    no_effect_skip_categories: [s],
    no_effect_redeem_anyway_categories: [r],
    redeemables_application_mode: "PARTIAL",
    redeemables_sorting_rule: "CATEGORY_HIERARCHY",
    redeemables_no_effect_rule: "SKIP",
    redeemables_products_application_mode: "ONCE",
    redeemables_rollback_order_mode: "WITHOUT_ORDER",
    grouped_redeemables_sorting_rule: "SORTING_RULE_ALWAYS",
  };
  await stacking(set);
  const answers = await shown();
  for (const rules of answers) assert.deepEqual(rules, set);
  await holdsFields(t, "stacking_rules", answers[0]!, set);
});

test("a calculated order has its people, and lines with their products; a stored one has the ids of its lines", async (t) => {
  const { ok, code, validate } = await world();
  await code("A", { discount: { ...TEN, effect: "APPLY_TO_ITEMS" } });
  const product = await ok("POST /v1/products", { source_id: "mug", name: "Mug", price: 500, metadata: { size: "L" } });
  const shown = { id: product.id, source_id: "mug", name: "Mug", price: 500, metadata: { size: "L" } };
  const customer = { source_id: "ann" };
  const order = { items: [{ product_id: product.id, quantity: 2 }] };
  const body = await validate([voucher("A")], { order, customer });
  const both = [body.order, body.redeemables[0].order];
  const inBoth = (holds: (one: any) => void) => () => both.forEach(holds);
  await holdsRows(t, "calculated_order", {
    object: inBoth((one) => assert.equal(one.object, "order")),
    items: inBoth(({ items: [item] }) => assert.deepEqual([item.object, item.quantity], ["order_item", 2])),
    product: inBoth(({ items: [item] }) => assert.deepEqual(item.product, shown)),
  });
  const stored = await ok("POST /v1/orders", { ...order, customer, referrer: { source_id: "bob" } });
  const again = (await validate([voucher("A")], { order: { id: stored.id } })).order;
  await holdsRows(t, "calculated_order", {
    customer_id: () => assert.deepEqual([body.order.customer_id, again.customer_id], [null, stored.customer_id]),
    referrer_id: () => assert.deepEqual([body.order.referrer_id, again.referrer_id], [null, stored.referrer_id]),
  });
  assert.match(again.items[0].id, /^ordli_/);
  assert.equal(again.items[0].id, stored.items[0].id);
});

test("an entry of a qualification has the amounts of the cart with it", async () => {
  const { ok, code } = await world();
  await code("A", { discount: { ...TEN, effect: "APPLY_TO_ITEMS" } });
  const order = {
    items: [
      { product_id: "mug", price: 500, quantity: 2 },
      { product_id: "pen", price: 90 },
    ],
  };
  const { redeemables } = await ok("POST /v1/qualifications", { order });
  const { amount, initial_amount, total_amount, items } = redeemables.data[0].order;
  assert.deepEqual([amount, initial_amount, total_amount], [1090, 1090, 981]);
  assert.deepEqual(
    items.map((one: any) => [one.price, one.amount, one.initial_amount, one.subtotal_amount]),
    [
      [500, 1000, 1000, 900],
      [90, 90, 90, 81],
    ],
  );
});

test("every field of a qualification may be left out, or be null; the scenario is ALL then", async (t) => {
  const { ok, code, tier } = await world();
  await code("A");
  const { id } = await tier();
  const ids = async (body: object) =>
    (await ok("POST /v1/qualifications", body)).redeemables.data.map((one: any) => one.id);
  const offersAll = (body: object) => async () => assert.deepEqual(await ids(body), [id, "A"]);
  const others = { customer: null, order: null, tracking_id: null, options: null, session: null, metadata: null };
  await holdsRows(t, "qualification", {
    path: offersAll({}),
    optional: offersAll({ scenario: "ALL", ...others }),
    scenario: offersAll({ scenario: null }),
  });
  await holdsRows(t, "qualification.scenario", { ALL: offersAll({ scenario: "ALL" }) });
  const { redeemables, ...rest } = await ok("POST /v1/qualifications", {});
  assert.deepEqual(
    [
      redeemables.object,
      redeemables.data_ref,
      redeemables.total,
      redeemables.has_more,
      redeemables.more_starting_after,
    ],
    ["list", "data", 2, false, undefined],
  );
  await holdsRows(t, "qualification", { answer: () => assert.deepEqual(Object.keys(rest), ["stacking_rules"]) });
});

test("the customer of a qualification is known by id, by source id and by the tracking id, which is shown hashed", async (t) => {
  const { ok, code, call } = await world();
  const rules = { 1: { name: "customer.metadata", property: "vip", conditions: { $is: [true] } }, logic: "1" };
  const rule = await ok("POST /v1/validation-rules", { name: "vip", rules });
  await code("VIP", { validation_rules: [rule.id] });
  const { id } = await ok("POST /v1/customers", { source_id: "ann", metadata: { vip: true } });
  const ask = (body: object) => ok("POST /v1/qualifications", { order: { amount: 1000 }, ...body });
  const { tracking_id } = await ask({ customer: { id } });
  assert.match(tracking_id, /^track_[\w-]{43}$/);
  const known =
    (...people: object[]) =>
    async () => {
      for (const who of people) {
        const body = await ask(who);
        assert.deepEqual([body.redeemables.data.map((one: any) => one.id), body.tracking_id], [["VIP"], tracking_id]);
      }
    };
  await holdsRows(t, "qualification", {
    customer: known({ customer: { id } }, { customer: { source_id: "ann" } }),
    tracking_id: known({ tracking_id: "ann" }, { tracking_id }, { customer: { source_id: "ann" }, tracking_id: "ann" }),
  });
  for (const who of [{}, { tracking_id: "bob" }, { customer: { source_id: "bob" } }])
    assert.deepEqual((await ask(who)).redeemables.data, []);
  for (const path of ["/v1/qualifications", "/v1/validations"]) {
    const body = { redeemables: [voucher("VIP")], customer: { source_id: "ann" }, tracking_id: "bob" };
    const { status, body: error } = await call(`POST ${path}`, body);
    assert.deepEqual([status, error.key], [400, "ambiguous_tracking_id"]);
  }
});

test("the metadata of a qualification meets the schema of redemptions and the rules about it", async () => {
  const { project, ok, code, call } = await world();
  const rules = { 1: { name: "redemption.metadata", property: "channel", conditions: { $is: ["app"] } }, logic: "1" };
  const rule = await ok("POST /v1/validation-rules", { name: "app only", rules });
  await code("APP", { validation_rules: [rule.id] });
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "redemption",
    properties: { channel: { type: "string", optional: true, array: false } },
  });
  const ask = (metadata: object) => call("POST /v1/qualifications", { metadata });
  assert.deepEqual(
    (await ask({ channel: "app" })).body.redeemables.data.map((one: any) => one.id),
    ["APP"],
  );
  assert.deepEqual((await ask({ channel: "web" })).body.redeemables.data, []);
  const { status, body } = await ask({ channel: 7 });
  assert.deepEqual([status, body.key], [400, "metadata_validation_failed"]);
});

test("a validation takes 1 to 30 redeemables, each with its object and its id", async () => {
  const { call, stacking } = await world();
  await stacking({ redeemables_limit: 30 });
  const many = (count: number) => Array.from({ length: count }, (_, n) => voucher(`C${n}`));
  for (const count of [1, 30]) {
    const { status, body } = await call("POST /v1/validations", { redeemables: many(count) });
    assert.deepEqual([status, body.redeemables.length], [200, count]);
  }
  for (const [body, details] of [
    [{}, /redeemables/],
    [{ redeemables: null }, /redeemables/],
    [{ redeemables: [] }, /redeemables/],
    [{ redeemables: many(31) }, /redeemables/],
    [{ redeemables: [{ object: "voucher" }] }, /redeemables\[0\].*id/],
    [{ redeemables: [{ id: "A" }] }, /redeemables\[0\].*object/],
    [{ redeemables: [voucher("A"), { object: "coupon", id: "B" }] }, /redeemables\[1\]\.object/],
    [{ redeemables: [voucher("")] }, /redeemables\[0\]\.id/],
    [{ redeemables: ["A"] }, /redeemables\[0\]/],
  ] as const) {
    const { status, body: error } = await call("POST /v1/validations", body);
    assert.deepEqual([status, error.key], [400, "invalid_payload"]);
    assert.match(error.details, details);
  }
});

test("vouchers, gift cards, loyalty cards and tiers are validated together, a stack alone", async () => {
  const { ok, call, code, tier, stacking, validate } = await world();
  await stacking({ redeemables_application_mode: "PARTIAL" });
  await code("A");
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 300, balance: 300 } });
  const points = { type: "LOYALTY_CARD", loyalty_card: { points: 100 } };
  await ok("POST /v1/campaigns", { name: "Club", campaign_type: "LOYALTY_PROGRAM", voucher: points });
  await ok("POST /v1/campaigns/Club/vouchers/POINTS", {});
  const { id, campaign } = await tier();
  const stack = await ok(`POST /v1/promotions/${campaign}/stacks`, {
    name: "S",
    tiers: { ids: [id], hierarchy_mode: "MANUAL" },
  });
  const cards = [
    { object: "gift_card", id: "GIFT", gift: { credits: 200 } },
    { object: "loyalty_card", id: "POINTS" },
  ];
  const body = await validate([voucher("A"), { object: "promotion_tier", id }, ...cards]);
  assert.deepEqual(
    body.redeemables.map((one: any) => [one.object, one.id, one.order.total_amount]),
    [
      ["voucher", "A", 900],
      ["promotion_tier", id, 810],
      ["voucher", "GIFT", 610],
    ],
  );
  const [card] = body.inapplicable_redeemables;
  assert.deepEqual([card.id, card.result.error.key], ["POINTS", "missing_reward"]);
  const alone = { object: "promotion_stack", id: stack.id };
  assert.equal((await validate([alone])).order.total_amount, 900);
  const { status, body: error } = await call("POST /v1/validations", { redeemables: [alone, voucher("A")] });
  assert.deepEqual([status, error.key], [400, "invalid_redeemables"]);
});

test("an answer that is valid and one that is not have the fields that are always there, and the others when they say something", async () => {
  const { ok, code, validate } = await world();
  await code("A");
  await ok("POST /v1/customers", { source_id: "ann" });
  const good = await validate([voucher("A")], { customer: { source_id: "ann" }, session: { type: "LOCK", key: "k" } });
  assert.deepEqual(Object.keys(good).sort(), [
    ...["id", "order", "redeemables", "session", "stacking_rules", "tracking_id", "valid"],
  ]);
  const bad = await validate([voucher("none"), voucher("A")], { session: { type: "LOCK", key: "k" } });
  assert.deepEqual(Object.keys(bad).sort(), [
    ...["id", "inapplicable_redeemables", "redeemables", "skipped_redeemables", "stacking_rules", "valid"],
  ]);
  for (const { status, id, object, result } of [...good.redeemables, ...bad.redeemables])
    assert.ok(status && id && object === "voucher" && typeof result === "object");
  const bare = await ok("POST /v1/validations", { redeemables: [voucher("A")] });
  assert.deepEqual(Object.keys(bare).sort(), ["id", "redeemables", "stacking_rules", "valid"]);
});

test("valid is false when one is inapplicable, unless a part may apply; then all in redeemables apply", async (t) => {
  const { project, ok, code, stacking, validate } = await world();
  await code("A");
  await code("B");
  const { id } = await stacking({});
  const told = async () => {
    const [all, one] = [await validate([voucher("A"), voucher("B")]), await validate([voucher("A"), voucher("none")])];
    return [all, one].map(({ valid, redeemables }) => [valid, ...redeemables.map((each: any) => each.status)]);
  };
  const whole = await told();
  await holdsRows(t, "validation.outcome", {
    rule1: () =>
      assert.deepEqual(whole, [
        [true, "APPLICABLE", "APPLICABLE"],
        [false, "APPLICABLE", "INAPPLICABLE"],
      ]),
  });
  const partial = { redeemables_application_mode: "PARTIAL" };
  await ok(`PUT /management/v1/projects/${project.id}/stacking-rules/${id}`, partial);
  assert.deepEqual(await told(), [
    [true, "APPLICABLE", "APPLICABLE"],
    [true, "APPLICABLE"],
  ]);
});

test("an inapplicable redeemable has the error body, a missing one 404 not_found; a skipped one has an empty result", async (t) => {
  const { call, code } = await world();
  await code("A");
  const reply = await call("POST /v1/validations", { redeemables: [voucher("none"), voucher("A")] });
  const [missing, skipped] = reply.body.redeemables;
  const expected = {
    code: 404,
    key: "not_found",
    message: "Resource not found",
    details: "Cannot find voucher with id none",
    request_id: reply.headers["x-request-id"],
    resource_id: "none",
    resource_type: "voucher",
  };
  await holdsRows(t, "error", {
    rule2: () => assert.deepEqual(missing.result.error, expected),
    rule3: () => assert.deepEqual(skipped.result, {}),
  });
  await holdsRows(t, "validation.outcome", {
    statuses: () => assert.deepEqual([missing.status, skipped.status], ["INAPPLICABLE", "SKIPPED"]),
  });
  assert.deepEqual([reply.body.inapplicable_redeemables, reply.body.skipped_redeemables], [[missing], [skipped]]);
});

test("options, order, customer, session, tracking id and metadata of a validation may be left out, or be null", async () => {
  const { ok, code, call } = await world();
  await code("A");
  const none = { options: null, order: null, customer: null, session: null, tracking_id: null, metadata: null };
  for (const more of [{}, none])
    assert.equal((await ok("POST /v1/validations", { redeemables: [voucher("A")], ...more })).valid, true);
  for (const session of [{}, { key: "k" }, { type: null }, { type: "HOLD" }]) {
    const { status, body } = await call("POST /v1/validations", { redeemables: [voucher("A")], session });
    assert.deepEqual([status, body.key], [400, "invalid_payload"]);
    assert.match(body.details, /session/);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { insertHolders } from "../../src/resources/promotions/redeemable-holders/store.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { holdsRows } from "../support/interface-rows.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const percent = (percent_off: number, more: object = {}) => ({ type: "PERCENT", percent_off, ...more });

async function world() {
  const { project, call, ok } = await testShop(db);
  const rule = async (rules: object, more: object = {}): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name: "rule", rules, ...more })).id;
  const promotion = async (more: object = {}) =>
    (await ok("POST /v1/campaigns", { name: `Promotion ${newId("camp")}`, campaign_type: "PROMOTION", ...more }))
      .id as string;
  const tier = async (campaign: string, name: string, discount: object, more: object = {}) =>
    (await ok(`POST /v1/promotions/${campaign}/tiers`, { name, action: { discount }, ...more })).id as string;
  const code = (name: string, discount: object, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount, ...more });
  const give = async (voucherId: string, customerId: string, holder_role: "OWNER" | "REFERRER" = "OWNER") => {
    const [row] = await db`update vouchers set holder_id = ${customerId}, published_count = published_count + 1
      where project_id = ${project.id} and id = ${voucherId} returning campaign_id`;
    const holder = { id: newId("rh"), voucher_id: voucherId, campaign_id: row!.campaign_id, customer_id: customerId };
    await db.begin((tx) =>
      insertHolders(tx as never, project.id, [
        { ...holder, holder_role, metadata: {}, created_at: "2026-01-01T12:00:00.000Z" },
      ]),
    );
  };
  const ask = (body: object) => ok("POST /v1/qualifications", body);
  const ids = async (body: object): Promise<string[]> => (await ask(body)).redeemables.data.map(({ id }: any) => id);
  return { project, call, ok, rule, promotion, tier, code, give, ask, ids };
}

const OWNER_ONLY = {
  1: { name: "publication.redeemable_by_linked_customer", conditions: { $is: [true] } },
  logic: "1",
};

/** The shop of the published examples: a promotion for all, one for VIPs, a gift card and a code that Anna holds. */
async function shop() {
  const w = await world();
  const { ok, rule, promotion, tier, give } = w;
  const tool = await ok("POST /v1/products", {
    source_id: "tool",
    name: "Tool",
    price: 10_000,
    metadata: { brand: "BOSCH" },
  });
  const book = await ok("POST /v1/products", {
    source_id: "book",
    name: "Book",
    price: 1500,
    metadata: { kind: "digital" },
  });
  const anna = await ok("POST /v1/customers", { source_id: "anna", metadata: { level: "vip" } });
  const vips = await ok("POST /v1/segments", {
    name: "VIP",
    type: "passive",
    filter: { junction: "and", "metadata.level": { conditions: { $is: ["vip"] } } },
  });
  const on = (id: string) => ({
    applicable_to: {
      included: [{ object: "product", id, effect: "APPLY_TO_EVERY" }],
      excluded: [],
      included_all: false,
    },
  });
  const onItems = { effect: "APPLY_TO_ITEMS" };
  const vipOnly = { 1: { name: "customer.segment", conditions: { $is: [vips.id] } }, logic: "1" };
  const campaign = await promotion();
  const t20 = await tier(campaign, "T20", percent(20, onItems), {
    validation_rules: [await rule(vipOnly, on(book.id))],
  });
  const bosch = await rule(OWNER_ONLY, on(tool.id));
  const cb = await ok("POST /v1/campaigns", {
    name: "CB",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(10, onItems) },
    validation_rules: [bosch],
  });
  const vc = await ok(`POST /v1/campaigns/${cb.id}/vouchers/VC`, {});
  const own = await rule(OWNER_ONLY);
  const gc = await ok("POST /v1/vouchers/GC", {
    type: "GIFT_VOUCHER",
    gift: { amount: 2500, balance: 2500 },
    validation_rules: [own],
  });
  await give(vc.id, anna.id);
  await give(gc.id, anna.id);
  const t10 = await tier(await promotion(), "T10", percent(10));
  const order = {
    items: [
      { product_id: tool.id, quantity: 1 },
      { product_id: book.id, quantity: 1 },
    ],
  };
  return { ...w, order, anna, t10, t20, cb: cb.id as string, gc, vips };
}

test("somebody unknown is offered what is for everybody", async () => {
  const { ask, order, t10 } = await shop();
  const body = await ask({ order });
  const { redeemables } = body;
  assert.deepEqual([redeemables.total, redeemables.has_more], [1, false]);
  const [entry] = redeemables.data;
  const { amount, discount_amount, total_discount_amount, total_amount, applied_discount_amount } = entry.order;
  assert.equal(entry.id, t10);
  assert.deepEqual(
    [amount, discount_amount, total_discount_amount, total_amount, applied_discount_amount],
    [11_500, 1150, 1150, 10_350, 1150],
  );
  assert.equal(body.order.amount, 11_500);
  assert.equal("discount_amount" in body.order, false);
  assert.equal("tracking_id" in body, false);
  assert.equal(body.stacking_rules.redeemables_limit, 30);
});

test("a customer is offered what is for everybody, for VIPs and what the customer holds, newest first", async () => {
  const { ask, order, t10, t20 } = await shop();
  const body = await ask({ customer: { source_id: "anna" }, order });
  const { data } = body.redeemables;
  assert.deepEqual(
    data.map(({ id, object }: any) => [id, object]),
    [
      [t10, "promotion_tier"],
      ["GC", "voucher"],
      ["VC", "voucher"],
      [t20, "promotion_tier"],
    ],
  );
  const [, gift, code, tier] = data;
  assert.deepEqual([gift.result.gift.credits, gift.order.total_amount], [2500, 9000]);
  assert.deepEqual([code.order.items_discount_amount, code.order.total_amount], [1000, 10_500]);
  assert.deepEqual(code.applicable_to.data[0].order_item_indices, [0]);
  assert.deepEqual([tier.order.items_discount_amount, tier.order.total_amount], [300, 11_200]);
  assert.match(body.tracking_id, /^track_/);
});

test("the scenarios ask for different things", async (t) => {
  const { ids, order, t10, t20, cb } = await shop();
  const anna = { customer: "anna", order };
  const offers = (scenario: string, forAnna: string[], forAnybody: string[]) => async () => {
    assert.deepEqual(await ids({ ...anna, scenario }), forAnna, "to Anna");
    assert.deepEqual(await ids({ order, scenario }), forAnybody, "to anybody");
  };
  await holdsRows(t, "qualification.scenario", {
    CUSTOMER_WALLET: offers("CUSTOMER_WALLET", ["GC", "VC"], []),
    PRODUCTS_DISCOUNT: offers("PRODUCTS_DISCOUNT", ["VC", cb, t20], [cb, t20]),
    PRODUCTS_DISCOUNT_BY_CUSTOMER: offers("PRODUCTS_DISCOUNT_BY_CUSTOMER", ["VC", t20], []),
    PRODUCTS: offers("PRODUCTS", ["VC", cb, t20], [cb, t20]),
    PRODUCTS_BY_CUSTOMER: offers("PRODUCTS_BY_CUSTOMER", ["VC", t20], []),
  });
  // Whether somebody holds a code is about the customer, and about redeeming: here only who it is for counts.
  assert.deepEqual(
    await ids({
      scenario: "AUDIENCE_ONLY",
      options: { filters: { resource_type: { conditions: { $is: ["promotion_tier"] } } } },
    }),
    [t10],
  );
  assert.deepEqual(await ids({ ...anna, scenario: "PROMOTION_STACKS" }), []);
});

test("stacks are offered when all of their tiers apply, each on top of the one before", async () => {
  const { ok, rule, promotion, tier, ask } = await world();
  const campaign = await promotion();
  const [a, b] = [await tier(campaign, "A", percent(10)), await tier(campaign, "B", percent(50))];
  const large = await rule({ 1: { name: "order.initial_amount", conditions: { $more_than: [5000] } }, logic: "1" });
  const c = await tier(campaign, "C", percent(1), { validation_rules: [large] });
  const stack = async (name: string, ids: string[]) =>
    (await ok(`POST /v1/promotions/${campaign}/stacks`, { name, tiers: { ids } })).id;
  const [both, all] = [await stack("both", [a, b]), await stack("all", [a, b, c])];
  const small = await ask({ order: { amount: 1000 }, scenario: "PROMOTION_STACKS" });
  assert.deepEqual(
    small.redeemables.data.map(({ id }: any) => id),
    [both],
  );
  const [entry] = small.redeemables.data;
  assert.deepEqual([entry.object, entry.order.total_amount], ["promotion_stack", 450]);
  assert.deepEqual(
    entry.redeemables.map((one: any) => [one.id, one.order.total_amount]),
    [
      [a, 900],
      [b, 450],
    ],
  );
  const big = await ask({ order: { amount: 10_000 }, scenario: "PROMOTION_STACKS" });
  assert.deepEqual(
    big.redeemables.data.map(({ id }: any) => id),
    [all, both],
  );
});

test("pages follow each other without a gap or a repeat, by age and by deal", async () => {
  const { promotion, tier, code, ask } = await world();
  const campaign = await promotion();
  const made: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    if (n % 3 === 0) made.push((await code(`C${n}`, percent(n))).code);
    else made.push(await tier(campaign, `T${n}`, percent((n * 7) % 12)));
  }
  const order = { amount: 10_000 };
  const walk = async (options: object) => {
    const seen: [string, number][] = [];
    let starting_after: string | undefined;
    for (;;) {
      const { redeemables } = await ask({
        order,
        options: { limit: 5, ...options, ...(starting_after && { starting_after }) },
      });
      for (const one of redeemables.data) seen.push([one.id, one.order.total_applied_discount_amount ?? 0]);
      assert.equal(redeemables.total, redeemables.data.length);
      if (!redeemables.has_more) return seen;
      assert.match(redeemables.more_starting_after, /\.\d{6}Z$/);
      assert.equal(redeemables.more_starting_after, redeemables.data.at(-1).created_at);
      starting_after = redeemables.more_starting_after;
    }
  };
  assert.deepEqual(
    (await walk({})).map(([id]) => id),
    made.toReversed(),
  );
  const deals = await walk({ sorting_rule: "BEST_DEAL" });
  assert.deepEqual(new Set(deals.map(([id]) => id)), new Set(made));
  assert.deepEqual(
    deals.map(([, deal]) => deal),
    deals.map(([, deal]) => deal).toSorted((a, b) => b - a),
  );
  const least = (await walk({ sorting_rule: "LEAST_DEAL" })).map(([, deal]) => deal);
  assert.deepEqual(
    least,
    least.toSorted((a, b) => a - b),
  );
  assert.equal((await ask({ order })).redeemables.total, 5);
  assert.equal((await ask({ order, options: { limit: 100 } })).redeemables.total, 12);
});

test("a page is found behind many codes that do not apply", async () => {
  const { project, code, rule, ask } = await world();
  const never = await rule({ 1: { name: "order.amount", conditions: { $less_than: [0] } }, logic: "1" });
  const initial = await rule({ 1: { name: "order.initial_amount", conditions: { $less_than: [0] } }, logic: "1" });
  assert.ok(never);
  await code("OLD", percent(10));
  await code("MODEL", percent(10), { validation_rules: [initial] });
  await db`
    insert into vouchers (project_id, id, code, code_folded, type, settings, created_at)
    select project_id, 'v_' || lpad(n::text, 24, '0'), 'M' || n, 'm' || n, type, settings, created_at + n * interval '1 ms'
    from vouchers, generate_series(1, 1500) n where project_id = ${project.id} and code = 'MODEL'`;
  await db`
    insert into validation_rule_assignments (project_id, id, rule_id, related_object_type, related_object_id, created_at)
    select project_id, 'asgm_' || n, ${initial}, 'voucher', 'v_' || lpad(n::text, 24, '0'), created_at
    from vouchers, generate_series(1, 1500) n where project_id = ${project.id} and code = 'MODEL'`;
  const { redeemables } = await ask({ order: { amount: 1000 } });
  assert.deepEqual(
    redeemables.data.map(({ id }: any) => id),
    ["OLD"],
  );
  assert.equal(redeemables.has_more, false);
});

test("what is off, over, not yet there or used up is not offered", async () => {
  const { call, ok, promotion, tier, code, ids } = await world();
  const past = { expiration_date: "2025-12-31T00:00:00Z" };
  const future = { start_date: "2026-02-01T00:00:00Z" };
  const campaign = await promotion();
  const on = await tier(campaign, "on", percent(10));
  await tier(campaign, "off", percent(10), { active: false });
  await tier(campaign, "past", percent(10), past);
  await tier(campaign, "future", percent(10), future);
  await tier(await promotion(past), "of a past campaign", percent(10));
  await code("PAST", percent(10), past);
  await code("FUTURE", percent(10), future);
  await code("OFF", percent(10), { active: false });
  await code("USED", percent(10), { redemption: { quantity: 0 } });
  await code("GONE", percent(10));
  await call("DELETE /v1/vouchers/GONE");
  const generic = await ok("POST /v1/campaigns", {
    name: "Generic",
    type: "STANDALONE",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(5), code: "ALL5" },
  });
  const bulk = await ok("POST /v1/campaigns", {
    name: "Bulk",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(5) },
  });
  await ok(`POST /v1/campaigns/${bulk.id}/vouchers/BULK1`, {});
  const options = { limit: 50 };
  assert.deepEqual(await ids({ order: { amount: 1000 }, options }), [bulk.id, "ALL5", on]);
  await ok(`POST /v1/campaigns/${generic.id}/disable`);
  await ok(`POST /v1/campaigns/${bulk.id}/disable`);
  await ok(`POST /v1/promotions/tiers/${on}/disable`);
  assert.deepEqual(await ids({ order: { amount: 1000 }, options }), []);
});

test("filters and expand", async () => {
  const { ok, ask, ids, order, t10, t20, cb, gc } = await shop();
  const anna = { customer: "anna", order };
  const by = (filters: object) => ids({ ...anna, options: { filters } });
  const is = (...values: string[]) => ({ conditions: { $in: values } });
  assert.deepEqual(await by({ resource_type: is("voucher") }), ["GC", "VC"]);
  assert.deepEqual(await by({ campaign_type: is("PROMOTION") }), [t10, t20]);
  assert.deepEqual(await by({ campaign_id: is(cb) }), ["VC"]);
  assert.deepEqual(await by({ code: is("GC") }), ["GC"]);
  assert.deepEqual(await by({ code: is(" gc") }), ["GC"], "as codes are found anywhere");
  assert.equal((await by({ code: { conditions: { $is_not: "vc" } } })).includes("VC"), false);
  assert.deepEqual(await by({ resource_id: is(gc.id, t20) }), ["GC", t20]);
  assert.deepEqual(await by({ holder_role: is("OWNER") }), ["GC", "VC"]);
  assert.deepEqual(await by({ junction: "or", code: is("VC"), voucher_type: is("GIFT_VOUCHER") }), ["GC", "VC"]);
  assert.deepEqual(await by({ category_id: { conditions: { $has_value: "" } } }), []);
  const category = await ok("POST /v1/categories", { name: "Cards", hierarchy: 1 });
  await ok("PUT /v1/vouchers/GC", { category_id: category.id });
  const options = { expand: ["redeemable", "category", "validation_rules"], filters: { code: is("GC", "VC") } };
  const [gift, code] = (await ask({ ...anna, options })).redeemables.data;
  assert.deepEqual([gift.metadata, gift.categories], [{}, [category]]);
  assert.equal(gift.validation_rules_assignments.total, 1);
  assert.equal("campaign_name" in gift, false);
  assert.deepEqual([code.campaign_name, code.campaign_id, code.categories], ["CB", cb, []]);
});

test("an entry for an empty order has no amounts, and nothing that is not there", async () => {
  const { code, ask } = await world();
  await code("LONE", { type: "AMOUNT", amount_off: 1000 });
  const options = { expand: ["redeemable", "category", "validation_rules"] };
  const [entry] = (await ask({ order: {}, options })).redeemables.data;
  const none = { data: [], total: 0, data_ref: "data", object: "list" };
  assert.deepEqual(entry, {
    id: "LONE",
    object: "voucher",
    created_at: "2026-01-01T12:00:00.000000Z",
    result: { discount: { type: "AMOUNT", effect: "APPLY_TO_ORDER", amount_off: 1000, is_dynamic: false } },
    order: { customer_id: null, referrer_id: null, object: "order" },
    applicable_to: none,
    inapplicable_to: none,
    metadata: {},
    categories: [],
  });
});

test("rules about the customer alone: what was not asked is named", async () => {
  const { rule, promotion, tier, ask } = await world();
  const both = {
    1: { name: "order.initial_amount", conditions: { $more_than: [1_000_000] } },
    2: { name: "customer.metadata", property: "level", conditions: { $is: ["vip"] } },
    logic: "1 and 2",
  };
  const id = await tier(await promotion(), "T", percent(10), { validation_rules: [await rule(both)] });
  const options = { expand: ["validation_rules"] };
  const asked = async (level: string) =>
    (await ask({ scenario: "AUDIENCE_ONLY", customer: { metadata: { level } }, order: { amount: 100 }, options }))
      .redeemables;
  assert.deepEqual((await asked("new")).data, []);
  const [entry] = (await asked("vip")).data;
  assert.equal(entry.id, id);
  const [assignment] = entry.validation_rules_assignments.data;
  assert.deepEqual([assignment.validation_status, assignment.validation_omitted_rules], ["PARTIALLY_VALID", ["1"]]);
});

test("credits that sessions hold are shown, and are not offered", async () => {
  const { ok, call, ask } = await world();
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 1000, balance: 1000 } });
  const order = { amount: 5000 };
  await call("POST /v1/validations", {
    redeemables: [{ object: "voucher", id: "CARD", gift: { credits: 300 } }],
    order,
    session: { type: "LOCK", key: "k" },
  });
  const gift = async (session?: object) =>
    (await ask({ order, ...(session && { session }) })).redeemables.data[0].result.gift;
  assert.deepEqual(await gift(), { credits: 700, balance: 0 });
  assert.deepEqual(await gift({ type: "LOCK" }), { credits: 700, balance: 0, locked_credits: 300 });
  // The session that holds them may spend them, and is told so.
  assert.deepEqual(await gift({ type: "LOCK", key: "k" }), { credits: 1000, balance: 0, locked_credits: 300 });
  assert.deepEqual(await gift({ type: "LOCK", key: "other" }), { credits: 700, balance: 0, locked_credits: 300 });
});

test("an entry is printed with the moment that the cursor names, to the microsecond", async () => {
  const { project, code, ask } = await world();
  for (const name of ["A", "B", "C"]) await code(name, percent(10));
  await db`update vouchers set created_at = '2026-01-01T11:00:00.768Z' where project_id = ${project.id} and code = 'B'`;
  const { redeemables } = await ask({ options: { limit: 2 } });
  const { redeemables: rest } = await ask({ options: { starting_after: redeemables.data.at(-1).created_at } });
  assert.equal(redeemables.more_starting_after, redeemables.data.at(-1).created_at);
  assert.deepEqual(
    rest.data.map(({ id, created_at }: any) => [id, created_at]),
    [["B", "2026-01-01T11:00:00.768000Z"]],
  );
});

test("without any body everything is asked for that a body without fields asks for", async () => {
  const { call, code } = await world();
  await code("A", percent(10));
  const [none, empty] = [await call("POST /v1/qualifications"), await call("POST /v1/qualifications", "")];
  const { body } = await call("POST /v1/qualifications", {});
  assert.deepEqual([none.status, none.body], [200, body]);
  assert.deepEqual([empty.status, empty.body], [200, body]);
  assert.deepEqual(
    body.redeemables.data.map(({ id }: any) => id),
    ["A"],
  );
  assert.equal((await call("POST /v1/qualifications", "null")).status, 400);
});

test("older qualifications give codes and campaigns", async () => {
  const { ok, call, code, promotion, tier } = await world();
  await code("A", percent(10));
  await code("B", percent(10));
  await tier(await promotion(), "T", percent(10));
  const bulk = await ok("POST /v1/campaigns", {
    name: "Bulk",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(5) },
  });
  const order = { amount: 1000 };
  const codes = (await call("POST /v1/vouchers/qualification", { order, customer: { source_id: "x" } })).body;
  assert.deepEqual(
    [codes.total, codes.data.map((one: any) => [one.code, one.object])],
    [
      2,
      [
        ["B", "voucher"],
        ["A", "voucher"],
      ],
    ],
  );
  assert.match(codes.tracking_id, /^track_/);
  assert.match(codes.id, /^qual_[0-9a-f]{24}$/);
  assert.equal(codes.created_at, NOW);
  const old = (await call("POST /v1/vouchers/qualification?order=created_at&limit=1&audienceRulesOnly=true", {})).body;
  assert.deepEqual(
    old.data.map((one: any) => one.code),
    ["B"],
  );
  const campaigns = (await call("POST /v1/campaigns/qualification", { order })).body;
  assert.deepEqual(
    campaigns.data.map(({ id, object }: any) => [id, object]),
    [[bulk.id, "campaign"]],
  );
  assert.equal((await call("POST /v1/campaigns/qualification", { customer: { id: "cust_x" } })).status, 404);
});

const BAD: [what: string, body: object, status?: number, key?: string][] = [
  ["a scenario that there is not", { scenario: "SOME" }],
  ["no entries at all", { options: { limit: 0 } }],
  ["a cursor that is no moment", { options: { starting_after: "yesterday" } }],
  ["a filter on something unknown", { options: { filters: { colour: { conditions: { $is: ["red"] } } } } }],
  ["an operator that there is not", { options: { filters: { code: { conditions: { $near: ["red"] } } } } }],
  ["an unknown order of deals", { options: { sorting_rule: "WORST" } }],
  ["a customer that there is not", { customer: { id: "cust_x" } }, 404, "not_found"],
  ["an order that there is not", { order: { id: "ord_x" } }, 404, "not_found"],
  ["501 lines", { order: { items: Array.from({ length: 501 }, () => ({ price: 1 })) } }],
];
test("what cannot be read is refused with a reason", async (t) => {
  const { call } = await world();
  for (const [what, body, status = 400, key = "invalid_payload"] of BAD)
    await t.test(what, async () => {
      const reply = await call("POST /v1/qualifications", body);
      assert.deepEqual([reply.status, reply.body.key], [status, key], reply.text);
    });
  assert.equal((await call("POST /v1/qualifications", {})).status, 200);
  assert.equal(
    (await call("POST /v1/qualifications", { options: { starting_after: "null" }, customer: null, order: null }))
      .status,
    200,
  );
});

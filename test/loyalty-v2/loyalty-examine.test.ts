import assert from "node:assert/strict";
import { test } from "node:test";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { type Reply, testDatabase, testEngine } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const V2 = "/v2/loyalties";
const EARNINGS = `POST ${V2}/examine/earning-rules`;
const REWARDS = `POST ${V2}/examine/rewards`;
const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};
const PAID = { event: "customer.order.paid" };
const ALL = { type: "ALL" };
const specific = (event: string) => ({ type: "SPECIFIC", specific: { event } });
const ON_ORDER = specific("customer.order.paid");

async function start() {
  const it = await loyaltyProject(db);
  const ok = okOf(it.call);
  const effect = (card_definition_id: string, value: number) => ({ points: { value, card_definition_id } });
  const rule = (name: string, trigger: object, earnings: object[], more: object = {}) =>
    it.rule({ name, status: "ACTIVE", trigger, earnings, ...more });
  const customer = (source_id: string, more: object = {}) => ok("POST /v1/customers", { source_id, ...more });
  const enrol = (programId: string, customer_id: string, more: object = {}) =>
    ok(`POST ${V2}/programs/${programId}/members`, { customer_id, ...more });
  const by = ({ id }: { id: string }) => ({ type: "customer_id", customer_id: id });
  const examine = (customer_identification: object, trigger: object, more: object = {}) =>
    ok(EARNINGS, { trigger, customer_identification, ...more });
  const rewards = (customer_identification: object, more: object = {}) =>
    ok(REWARDS, { customer_identification, ...more });
  /** How many points each wallet would get. */
  const points = async (...asked: Parameters<typeof examine>): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await examine(...asked)).memberships.flatMap(({ cards }: { cards: Estimated[] }) =>
        cards.map(({ card, points_estimation }) => [card.card_definition_id, points_estimation]),
      ),
    );
  return { ...it, ok, effect, rule, customer, enrol, by, examine, rewards, points };
}
type Estimated = { card: { card_definition_id: string }; points_estimation: number };

/** A program in which each order earns 10. */
async function club() {
  const it = await start();
  const wallet = await it.wallet();
  const order = await it.rule("Order", PAID, [{ effects: [it.effect(wallet.id, 10)] }]);
  const program = await it.program(wallet.id, [order.id]);
  const ann = await it.customer("ann", { metadata: { city: "Oslo", year: 2020 } });
  const member = await it.enrol(program.id, ann.id, { metadata: { level: 1 } });
  return { ...it, makeWallet: it.wallet, wallet, order, program, ann, member };
}

test("all that a customer could earn is shown, card by card", async () => {
  // The vector earn-10.
  const { wallet, rule, effect, event, program, customer, enrol, by, examine, segment } = await start();
  const [annual, autumn, summer] = [
    await wallet({ name: "AnnualTime" }),
    await wallet({ name: "AutumnTime" }),
    await wallet({ name: "SummerTime" }),
  ];
  const [login, vip] = [await event("login"), await segment()];
  const rules = [
    await rule("Order", PAID, [{ effects: [effect(annual.id, 25_500)] }], { metadata: { a: 1 } }),
    await rule("Login", { event: "customer.custom_event", custom_event: { schema_id: login.id } }, [
      { effects: [effect(annual.id, 150)] },
    ]),
    await rule("Segment", { event: "customer.segment.entered", segment: { id: vip.id } }, [
      { effects: [effect(autumn.id, 10)] },
    ]),
    await rule("Summer", PAID, [{ effects: [effect(summer.id, 10)] }]),
    await rule("Of the total", PAID, [
      {
        effects: [
          { points_proportional: { order: { amount: { every: 100, value: 1 } }, card_definition_id: summer.id } },
        ],
      },
    ]),
  ];
  const ids = rules.map(({ id }) => id);
  const made = await program(annual.id, ids, {
    card_definitions: [annual, autumn, summer].map(({ id }) => ({ id })),
    metadata: { p: 1 },
  });
  const ann = await customer("ann", { metadata: { city: "Oslo" } });
  const member = await enrol(made.id, ann.id, { metadata: { m: 1 } });
  const codes = new Map<string, { id: string; code: string }>(
    member.cards.map(({ card }: { card: { id: string; card_definition_id: string; code: string } }) => [
      card.card_definition_id,
      card,
    ]),
  );
  const card = (walletId: string) => ({
    id: codes.get(walletId)!.id,
    card_definition_id: walletId,
    card_type: "INDIVIDUAL",
    code: codes.get(walletId)!.code,
    object: "card",
  });
  const estimate = (n: number, points_estimation: number) => ({
    earning_rule: { id: ids[n], object: "earning_rule" },
    points_estimation,
    object: "earning_rule_estimation",
  });
  const object = "card_estimation";
  assert.deepEqual(await examine(by(ann), ALL), {
    event: null,
    customer: { id: ann.id, source_id: "ann", metadata: { city: "Oslo" }, object: "customer" },
    earning_rules: rules.slice(0, 4).map(({ id, name, metadata }) => ({ id, name, metadata, object: "earning_rule" })),
    memberships: [
      {
        member: {
          id: member.id,
          customer_id: ann.id,
          program_id: made.id,
          metadata: { m: 1 },
          object: "member",
        },
        program: { id: made.id, name: "Club", metadata: { p: 1 }, object: "program" },
        cards: [
          {
            card: card(annual.id),
            points_estimation: 25_650,
            earning_rules: [estimate(0, 25_500), estimate(1, 150)],
            object,
          },
          { card: card(autumn.id), points_estimation: 10, earning_rules: [estimate(2, 10)], object },
          { card: card(summer.id), points_estimation: 10, earning_rules: [estimate(3, 10)], object },
        ],
        benefits: [],
        object: "member_earnings_opportunity",
      },
    ],
    object: "earnings_examine_result",
  });
});

test("a rule in proportion to an order counts with the order that is sent, in numbers or texts", async () => {
  const { wallet, rule, effect, program, customer, enrol, by, points, ok, product, call } = await start();
  const annual = await wallet();
  const shoe = await product("Shoe");
  const per = (base: object) => ({ points_proportional: { ...base, card_definition_id: annual.id } });
  const big = { logic: "1", "1": { name: "order.amount", conditions: { $more_than: [100_000] } } };
  const made = await program(annual.id, [
    (
      await rule("Total", PAID, [
        { rules: big, effects: [effect(annual.id, 1_000_000)] },
        {
          effects: [
            per({ order: { amount: { every: 1000, value: 10 } } }),
            per({ order: { total_amount: { every: 1000, value: 1000 } } }),
            per({ order: { metadata: { every: 1, value: 100_000, property: "miles" } } }),
            per({ order_items: { quantity: { every: 1, value: 1, applicable_to: [{ product: { id: shoe.id } }] } } }),
          ],
        },
      ])
    ).id,
  ]);
  const ann = await customer("ann");
  await enrol(made.id, ann.id);
  const asked = (order: object) => points(by(ann), ON_ORDER, { customer_order_paid: { order } });
  assert.deepEqual(await asked({ amount: 2599 }), { [annual.id]: 20 + 2000 });
  assert.deepEqual(await asked({ amount: "2599", discount_amount: "1600" }), { [annual.id]: 20 });
  assert.deepEqual(await asked({ initial_amount: 2599, metadata: { miles: 2 } }), { [annual.id]: 20 + 2000 + 200_000 });
  assert.deepEqual(await asked({ amount: 100_001 }), { [annual.id]: 1_000_000 });
  assert.deepEqual(await asked({}), {});
  const items = [
    { product_id: shoe.id, price: "500", quantity: "3" },
    { source_id: 7, related_object: "sku", amount: 1099, discount_amount: 599 },
  ];
  const order = { items, metadata: { miles: 1 } };
  assert.deepEqual(await asked(order), { [annual.id]: 20 + 2000 + 100_000 + 3 });
  const paid = await ok("POST /v1/orders", {
    ...{ customer: { id: ann.id }, status: "PAID" },
    items: [
      { product_id: shoe.id, price: 500, quantity: 3 },
      { source_id: "7", related_object: "sku", amount: 1099 },
    ],
    metadata: { miles: 1 },
  });
  assert.equal(paid.status, "PAID");
  const [held] = (await call(`GET ${V2}/memberships/${ann.id}`)).body.memberships[0].cards;
  assert.equal(held.card.balance.points, 20 + 2000 + 100_000 + 3, "what was estimated is what is earned");
});

test("a custom event is asked about by its schema, or all of them are", async () => {
  const { wallet, rule, effect, event, program, customer, enrol, by, points, ok } = await start();
  const [annual, other] = [await wallet(), await wallet({ name: "Stars" })];
  const [login, review] = [await event("login"), await event("review")];
  const big = {
    logic: "1",
    "1": { name: "custom_event.metadata", property: "stars", conditions: { $is: [5] }, schema_id: review.id },
  };
  const made = await program(
    annual.id,
    [
      await rule("Login", { event: "customer.custom_event", custom_event: { schema_id: login.id } }, [
        { effects: [effect(annual.id, 1)] },
      ]),
      await rule("Review", { event: "customer.custom_event", custom_event: { schema_id: review.id } }, [
        { rules: big, effects: [effect(other.id, 50)] },
        { effects: [effect(other.id, 5)] },
      ]),
      await rule("Order", PAID, [{ effects: [effect(annual.id, 100)] }]),
    ].map(({ id }) => id),
    { card_definitions: [{ id: annual.id }, { id: other.id }] },
  );
  const ann = await customer("ann");
  await enrol(made.id, ann.id);
  const asked = (customer_custom_event: object, trigger: object = specific("customer.custom_event")) =>
    points(by(ann), trigger, { customer_custom_event });
  const of = (schema_id: string, metadata: object | null = {}) => ({
    type: "SPECIFIC",
    specific: { custom_event: { schema_id, metadata } },
  });
  assert.deepEqual(await asked(of(login.id)), { [annual.id]: 1 });
  assert.deepEqual(await asked(of(review.id, { stars: 5 })), { [other.id]: 50 });
  assert.deepEqual(await asked(of(review.id, null)), { [other.id]: 5 });
  assert.deepEqual(await asked(of("ms_unknown")), {});
  assert.deepEqual(await asked({ type: "ALL", all: null }), { [annual.id]: 1, [other.id]: 5 });
  const five = { type: "ALL", all: { custom_event: { metadata: { stars: 5 } } } };
  assert.deepEqual(await asked(five), { [annual.id]: 1, [other.id]: 50 });
  assert.deepEqual(await asked(five, ALL), { [annual.id]: 101, [other.id]: 50 });
  assert.deepEqual(await asked(of(login.id), ALL), { [annual.id]: 101 });
  await ok("POST /v1/events", { event: "review", customer: { id: ann.id }, metadata: { stars: 5 } });
  const { memberships } = await ok(`GET ${V2}/memberships/${ann.id}`);
  const held = memberships[0].cards.map(({ card }: { card: { balance: { points: number } } }) => card.balance.points);
  assert.deepEqual(held, [0, 50], "what was estimated is what is earned");
});

test("a segment is entered when what is supposed of the customer fits it, and always when all is asked about", async () => {
  const { wallet, rule, effect, program, customer, enrol, by, points, ok } = await start();
  const annual = await wallet();
  const filter = { junction: "and", "metadata.city": { conditions: { $is: ["Oslo"] } } };
  const oslo = await ok("POST /v1/segments", { name: "Oslo", type: "auto-update", filter });
  const ann = await customer("ann", { metadata: { city: "Rome" } });
  // Nobody enters a list by what they are.
  const listed = await ok("POST /v1/segments", { name: "Listed", customers: [ann.id] });
  const made = await program(
    annual.id,
    [
      await rule("Oslo", { event: "customer.segment.entered", segment: { id: oslo.id } }, [
        { effects: [effect(annual.id, 7)] },
      ]),
      await rule("Listed", { event: "customer.segment.entered", segment: { id: listed.id } }, [
        { effects: [effect(annual.id, 70)] },
      ]),
    ].map(({ id }) => id),
  );
  await enrol(made.id, ann.id);
  const ENTERED = specific("customer.segment.entered");
  const asked = (customer_segment_entered: object) => points(by(ann), ENTERED, { customer_segment_entered });
  assert.deepEqual(await asked({}), {});
  assert.deepEqual(await asked({ customer: { metadata: { city: "Oslo" } } }), { [annual.id]: 7 });
  assert.deepEqual(await asked({ customer: { metadata: null } }), {});
  assert.deepEqual(await points(by(ann), ALL), { [annual.id]: 77 });
});

test("what is supposed of a customer or a member counts, key by key, and is not kept", async () => {
  const { wallet, rule, effect, program, customer, enrol, by, points, ok } = await start();
  const annual = await wallet();
  const is = (name: string, property: string, value: unknown) => ({ name, property, conditions: { $is: [value] } });
  const rules = {
    logic: "1 and 2",
    "1": is("customer.metadata", "city", "Oslo"),
    "2": is("customer.metadata", "vip", true),
  };
  const made = await program(annual.id, [(await rule("A", PAID, [{ rules, effects: [effect(annual.id, 3)] }])).id]);
  const ann = await customer("ann", { metadata: { city: "Oslo", vip: false } });
  const member = await enrol(made.id, ann.id, { metadata: { level: 1 } });
  const asked = (customer_order_paid: object) => points(by(ann), ON_ORDER, { customer_order_paid });
  assert.deepEqual(await asked({}), {});
  assert.deepEqual(await asked({ customer: {} }), {});
  assert.deepEqual(await asked({ customer: { metadata: { vip: true } } }), { [annual.id]: 3 });
  const with_member = { customer: { metadata: { vip: true } }, member: { metadata: { level: 2 } } };
  const meant = { type: "member_id", member_id: member.id };
  assert.deepEqual(await points(meant, ON_ORDER, { customer_order_paid: with_member }), { [annual.id]: 3 });
  assert.deepEqual((await ok(`GET /v1/customers/${ann.id}`)).metadata, { city: "Oslo", vip: false });
});

test("limits of rules, windows, statuses and tiers count as they do when points are earned", async () => {
  const { wallet, rule, effect, program, customer, enrol, by, points, examine, ok, tiers } = await start();
  // Those of a card do not count.
  const transactions = { type: "LIMITED", limits: [{ type: "POINTS", max: 8 }] };
  const annual = await wallet({ earning_limits: { global: { type: "NO_LIMIT" }, transactions } });
  const { structure, tiers: levels } = await tiers(annual.id, "Bronze", "Silver");
  await ok(`POST ${V2}/tier-structures/${structure.id}/activate`);
  const inTier = (n: number) => ({ any_of: [{ tier_structure_id: structure.id, tier_ids: [levels[n].id] }] });
  const once = await rule("Once", PAID, [{ effects: [effect(annual.id, 1)] }], {
    trigger_limits: { cooldown: { fixed_cooldown: { period: { value: 1, unit: "DAY" } } } },
  });
  const over = await rule("Over", PAID, [{ effects: [effect(annual.id, 2)] }], { end_date: "2025-12-31T00:00:00Z" });
  const later = await rule("Inactive", PAID, [{ effects: [effect(annual.id, 4)] }]);
  const silver = await rule("Silver", PAID, [{ tier_rules: inTier(1), effects: [effect(annual.id, 8)] }]);
  const bronze = await rule("Bronze", PAID, [{ tier_rules: inTier(0), effects: [effect(annual.id, 16)] }]);
  const ids = [once, over, later, silver, bronze].map(({ id }) => id);
  const made = await program(annual.id, ids, { tier_structures: [{ id: structure.id }] });
  await ok(`POST ${V2}/earning-rules/${later.id}/deactivate`);
  const ann = await customer("ann");
  const member = await enrol(made.id, ann.id);
  assert.deepEqual(await points(by(ann), ALL), { [annual.id]: 17 });
  await ok("POST /v1/orders", { customer: { id: ann.id }, status: "PAID", amount: 1 });
  assert.deepEqual(await points(by(ann), ALL), { [annual.id]: 16 }, "a pause after each time");

  await ok(`POST ${V2}/programs/${made.id}/members/${member.id}/deactivate`);
  assert.deepEqual((await examine(by(ann), ALL)).memberships, []);
  const meant = { type: "member_id", member_id: member.id };
  assert.deepEqual((await examine(meant, ALL)).memberships, []);
  await ok(`POST ${V2}/programs/${made.id}/members/${member.id}/activate`);
  assert.equal((await examine(meant, ALL)).memberships.length, 1);
  await ok(`POST ${V2}/programs/${made.id}/deactivate`);
  assert.deepEqual((await examine(by(ann), ALL)).memberships, []);
});

test("all programs of a customer are asked about, or the one of the member that is meant", async () => {
  const { wallet, rule, effect, program, customer, enrol, by, examine } = await start();
  const annual = await wallet();
  const order = await rule("Order", PAID, [{ effects: [effect(annual.id, 5)] }]);
  const [one, two] = [
    await program(annual.id, [order.id], { name: "One" }),
    await program(annual.id, [order.id], { name: "Two" }),
  ];
  const ann = await customer("7");
  const [first, second] = [await enrol(one.id, ann.id), await enrol(two.id, ann.id)];
  type Shown = { member: { id: string }; cards: Estimated[] };
  const shown = (body: { memberships: Shown[]; earning_rules: object[] }) => {
    assert.equal(body.earning_rules.length, 1);
    return body.memberships.map(({ member, cards }) => [member.id, cards[0]!.points_estimation]);
  };
  const both = [
    [first.id, 5],
    [second.id, 5],
  ];
  assert.deepEqual(shown(await examine(by(ann), ALL)), both);
  assert.deepEqual(shown(await examine({ type: "customer_source_id", customer_source_id: "7" }, ALL)), both);
  assert.deepEqual(shown(await examine({ type: "customer_source_id", customer_source_id: 7 }, ALL)), both);
  const meant = { type: "member_id", member_id: second.id, customer_id: null, customer_source_id: null };
  assert.deepEqual(shown(await examine(meant, ALL)), [[second.id, 5]]);
});

test("benefits that can be given are shown with the rules that give them", async () => {
  const { wallet, rule, effect, program, customer, enrol, by, examine, benefit, product } = await start();
  const annual = await wallet();
  const material = { type: "PRODUCT", product: { id: (await product("Mug")).id } };
  const mug = await benefit({ name: "Mug", type: "MATERIAL", material, status: "ACTIVE" });
  const points = { value: 9, card_definition_id: annual.id };
  const bonus = await benefit({ name: "Bonus", type: "POINTS", points, status: "ACTIVE" });
  const stock = { type: "LIMITED", limited: { quantity: 0 } };
  const gone = await benefit({ name: "Gone", type: "MATERIAL", material, status: "ACTIVE", stock });
  const gives = (...ids: string[]) => ids.map((id) => ({ type: "INCENTIVE", incentive: { id } }));
  const first = await rule("First", PAID, [{ effects: [...gives(mug.id, bonus.id), effect(annual.id, 1)] }]);
  const second = await rule("Second", PAID, [{ effects: gives(mug.id, gone.id) }]);
  const third = await rule("Third", PAID, [{ effects: gives(gone.id) }]);
  const made = await program(
    annual.id,
    [first, second, third].map(({ id }) => id),
  );
  const ann = await customer("ann");
  await enrol(made.id, ann.id);
  const body = await examine(by(ann), ON_ORDER, { customer_order_paid: {} });
  assert.equal(body.event, "customer.order.paid");
  assert.deepEqual(
    body.earning_rules.map(({ id }: { id: string }) => id),
    [first.id, second.id],
  );
  const [{ cards, benefits }] = body.memberships;
  assert.deepEqual(
    cards.map((one: Estimated) => one.points_estimation),
    [1],
  );
  const by_rule = ({ id }: { id: string }) => ({
    earning_rule: { id, object: "earning_rule" },
    object: "earning_rule_estimation",
  });
  const shown = ({ id, name, type }: { id: string; name: string; type: string }, rules: object[]) => ({
    benefit: { id, name, type, object: "benefit" },
    earning_rules: rules,
    object: "benefit_estimation",
  });
  assert.deepEqual(
    benefits.toSorted((a: { benefit: { name: string } }) => (a.benefit.name === "Mug" ? -1 : 1)),
    [shown(mug, [by_rule(first), by_rule(second)]), shown(bonus, [by_rule(first)])],
  );
});

test("a question about earnings says what it is about and no more", async () => {
  const { call, by, ann, member } = await club();
  const asked = (body: object) => call(EARNINGS, { trigger: ALL, customer_identification: by(ann), ...body });
  const order = { customer_order_paid: {} };
  for (const [body, details] of [
    [{ trigger: undefined }, /trigger/],
    [{ customer_identification: undefined }, /customer_identification/],
    [{ trigger: { type: "ANY" } }, /trigger.type/],
    [{ trigger: { type: "ALL", specific: { event: "customer.order.paid" } } }, /specific/],
    [{ trigger: { type: "SPECIFIC" } }, /specific/],
    [{ trigger: specific("customer.login"), ...order }, /event/],
    [{ trigger: ON_ORDER }, /customer_order_paid/],
    [{ trigger: ON_ORDER, customer_segment_entered: {}, ...order }, /customer_segment_entered/],
    [{ trigger: specific("customer.segment.entered"), ...order }, /customer_/],
    [{ trigger: specific("customer.custom_event"), customer_custom_event: { type: "ALL" } }, /'all'/],
    [{ customer_custom_event: { type: "SPECIFIC", specific: null } }, /'specific'/],
    [
      { customer_custom_event: { type: "ALL", all: {}, specific: { custom_event: { schema_id: "ms_1" } } } },
      /specific/,
    ],
    [{ customer_custom_event: { type: "SPECIFIC", specific: { custom_event: {} } } }, /schema_id/],
    [{ customer_custom_event: { type: "SPECIFIC", specific: { custom_event: { schema_id: "x" } } } }, /schema_id/],
    [{ customer_order_paid: { member: { metadata: {} } } }, /customer_order_paid.member/],
    [{ customer_segment_entered: { member: {} } }, /customer_segment_entered.member/],
    [{ customer_custom_event: { type: "ALL", all: { member: {} } } }, /customer_custom_event.member/],
    [{ customer_order_paid: { order: { amount: -1 } } }, /amount/],
    [{ customer_order_paid: { order: { amount: 1.5 } } }, /amount/],
    [{ customer_order_paid: { order: { amount: "1.5" } } }, /amount/],
    [{ customer_order_paid: { order: { items: [{ quantity: "x" }] } } }, /quantity/],
    [{ customer_order_paid: { order: { items: [{ price: 9e15, quantity: 2 }] } } }, /amount/],
    [{ customer_order_paid: { order: { items: Array.from({ length: 501 }, () => ({})) } } }, /items/],
    [{ customer_order_paid: { order: { items: [{ colour: 1 }] } } }, /colour/],
    [{ customer_order_paid: { order: { items: [{ product: { name: "x" } }] } } }, /name/],
    [{ customer_order_paid: { order: { id: "x" } } }, /'?id/],
    [{ customer_order_paid: { customer: { name: "x" } } }, /name/],
    [{ customer_order_paid: null }, /customer_order_paid/],
    [{ colour: 1 }, /colour/],
    [{ customer_identification: {} }, /type/],
    [{ customer_identification: { type: "customer_id" } }, /customer_id/],
    [{ customer_identification: { type: "customer_id", customer_id: "x" } }, /customer_id/],
    [{ customer_identification: { type: "customer_id", customer_id: null } }, /customer_id/],
    [{ customer_identification: { ...by(ann), member_id: member.id } }, /member_id/],
    [{ customer_identification: { type: "member_id", customer_id: ann.id } }, /customer_id/],
    [{ customer_identification: { type: "email", email: "a@b.c" } }, /type|email/],
  ] as const)
    refused(await asked(body), 400, "invalid_payload", details);
});

test("a customer or member that is not there, or of another project, is not found", async () => {
  const { call, by, ann, member } = await club();
  const stranger = await testShop(db);
  const meant = { type: "member_id", member_id: member.id };
  for (const line of [EARNINGS, REWARDS]) {
    const asked = (customer_identification: object) => ({
      ...(line === EARNINGS && { trigger: ALL }),
      customer_identification,
    });
    assert.equal((await call(line, asked(meant))).status, 200);
    refused(await stranger.call(line, asked(by(ann))), 404, "not_found", /customer/);
    refused(await stranger.call(line, asked(meant)), 404, "not_found", /member/);
    refused(await call(line, asked({ type: "customer_id", customer_id: "cust_1" })), 404, "not_found", /customer/);
    const source = { type: "customer_source_id", customer_source_id: "nobody" };
    refused(await call(line, asked(source)), 404, "not_found", /customer with id nobody/);
    refused(await call(line, asked({ type: "member_id", member_id: "lmbr_1" })), 404, "not_found", /member/);
  }
});

test("asking writes nothing", async () => {
  const { project, by, ann, member, examine, rewards, reward, product, wallet, ok, program } = await club();
  const material = { type: "PRODUCT", product: { id: (await product("Shoe")).id } };
  const costs = [{ spending: [{ points: 1, card_definition_id: wallet.id }] }];
  const shoe = await reward({ name: "Shoe", type: "MATERIAL", material, costs, status: "ACTIVE" });
  await ok(`POST ${V2}/programs/${program.id}/rewards/batch`, {
    assign: [{ id: shoe.id, stock: { type: "UNLIMITED" } }],
  });
  const rows = async () => {
    const tables = await tenantTables(db);
    const all = await Promise.all(
      tables.map(async (table) => [
        table,
        await db`select to_jsonb(x) as row from ${db(table)} x where project_id = ${project.id} order by to_jsonb(x)::text`,
      ]),
    );
    return JSON.stringify(all);
  };
  const before = await rows();
  await examine(by(ann), ALL);
  await examine({ type: "member_id", member_id: member.id }, ON_ORDER, {
    customer_order_paid: { order: { amount: 100 }, member: { metadata: { level: 9 } } },
  });
  await rewards(by(ann), { customer: { metadata: { city: "Rome" } } });
  assert.equal(await rows(), before);
});

test("a question takes as many statements for many programs, rules and rewards as for few", async () => {
  const { project, ann, wallet, rule, effect, enrol, by, ok, reward, product, benefit } = await club();
  const material = { type: "PRODUCT", product: { id: (await product("Shoe")).id } };
  const costs = [{ spending: [{ points: 1, card_definition_id: wallet.id }] }];
  const vip = await ok("POST /v1/segments", { name: "VIP", customers: [ann.id] });
  const is = { logic: "1", "1": { name: "customer.segment", conditions: { $is: [vip.id] } } };
  const join = async (n: number) => {
    const mug = await benefit({ name: `Mug ${n}`, type: "MATERIAL", material, status: "ACTIVE" });
    const effects = [effect(wallet.id, n), { type: "INCENTIVE", incentive: { id: mug.id } }];
    const own = await rule(`Rule ${n}`, PAID, [{ rules: is, effects }]);
    const made = await reward({ name: `Reward ${n}`, type: "MATERIAL", material, costs, status: "ACTIVE" });
    const { id } = await ok(`POST ${V2}/programs`, {
      ...{
        name: `Club ${n}`,
        status: "ACTIVE",
        card_definitions: [{ id: wallet.id }],
        earning_rules: [{ id: own.id }],
      },
      rewards: [{ id: made.id, stock: { type: "UNLIMITED" } }],
    });
    await enrol(id, ann.id);
  };
  const seen: string[] = [];
  const watched = await testEngine(open({ max: 1, onQuery: (text) => seen.push(text) }), project);
  const order = { items: [{ product_id: material.product.id, quantity: 1, price: 100 }] };
  const asked = { trigger: ON_ORDER, customer_identification: by(ann), customer_order_paid: { order } };
  const statements = async (line: string, body: object) => {
    await watched.call(line, body);
    seen.length = 0;
    const reply = await watched.call(line, body);
    assert.equal(reply.status, 200, reply.text);
    return [seen.length, reply.body.memberships.length];
  };
  await join(1);
  const few = [await statements(EARNINGS, asked), await statements(REWARDS, { customer_identification: by(ann) })];
  for (const n of [2, 3, 4]) await join(n);
  const many = [await statements(EARNINGS, asked), await statements(REWARDS, { customer_identification: by(ann) })];
  assert.deepEqual(
    many,
    few.map(([count]) => [count, 5]),
  );
  assert.ok(
    few.every(([count]) => count! <= 10),
    `${few}`,
  );
});

/** A program with rewards, of which each costs so many points. */
async function shop() {
  const it = await club();
  const material = { type: "PRODUCT", product: { id: (await it.product("Shoe")).id } };
  const cost = (points: number, more: object = {}) => ({
    spending: [{ points, card_definition_id: it.wallet.id }],
    ...more,
  });
  const sell = async (name: string, given: object = {}, stock: object = { type: "UNLIMITED" }) => {
    const made = await it.reward({ name, type: "MATERIAL", material, status: "ACTIVE", ...given });
    await it.ok(`POST ${V2}/programs/${it.program.id}/rewards/batch`, { assign: [{ id: made.id, stock }] });
    return made;
  };
  const credit = (points: number) =>
    it.ok(`POST ${V2}/programs/${it.program.id}/members/${it.member.id}/cards/${it.member.cards[0].card.id}/points`, {
      points,
    });
  return { ...it, cost, sell, credit };
}
test("rewards are shown under the card that pays them, with what is missing", async () => {
  const { by, ann, member, program, wallet, rewards, cost, sell, credit } = await shop();
  const limits = { frequency: { limits: [{ period: { current_period: { unit: "WEEK" } }, triggers: { max: 1 } }] } };
  const cheap = await sell("Cheap", { costs: [cost(50)], metadata: { a: 1 }, purchase_limits: limits });
  const dear = await sell("Dear", { costs: [cost(250)] });
  await credit(50);
  const of = ({ id, name, type, metadata, purchase_limits }: Record<string, unknown>) => ({
    ...{ id, name, type, metadata, purchase_limits },
    object: "reward",
  });
  const { id, code, card_definition_id } = member.cards[0].card;
  assert.deepEqual(await rewards(by(ann)), {
    customer: { id: ann.id, source_id: "ann", metadata: { city: "Oslo", year: 2020 }, object: "customer" },
    rewards: [of(cheap), of(dear)],
    memberships: [
      {
        member: {
          ...{ id: member.id, customer_id: ann.id, program_id: program.id, metadata: { level: 1 } },
          object: "member",
        },
        program: { id: program.id, name: "Club", metadata: {}, object: "program" },
        cards: [
          {
            card: { id, card_definition_id, card_type: "INDIVIDUAL", code, object: "card" },
            rewards: [
              {
                reward: { id: cheap.id, object: "reward" },
                status: "AVAILABLE",
                cost: { points: 50, object: "reward_cost" },
                object: "reward_estimation",
              },
              {
                reward: { id: dear.id, object: "reward" },
                status: "UNAVAILABLE",
                cost: { points: 250, object: "reward_cost" },
                // The vector rew-01.
                unavailability_reasons: [
                  {
                    reason: "insufficient_balance",
                    details: { required: 250, available: 50, missing: 200 },
                    object: "reward_unavailability_reason",
                  },
                ],
                object: "reward_estimation",
              },
            ],
            object: "card_estimation",
          },
        ],
        object: "member_rewards_opportunity",
      },
    ],
    object: "rewards_examine_result",
  });
  assert.equal(card_definition_id, wallet.id);
});

test("a reward says everything that stands in its way", async () => {
  const { by, ann, rewards, cost, sell, credit, makeWallet } = await shop();
  await credit(10);
  const stars = await makeWallet({ name: "Stars" });
  const none_left = { type: "LIMITED", limited: { quantity: 0 } };
  const over = await sell("Over", { costs: [cost(1)], end_date: "2025-12-31T00:00:00Z" });
  const none = await sell("None", { costs: [cost(1)] }, none_left);
  const digital = { loyalty_card_points: { points: 5, card_definition_id: stars.id } };
  const points = await sell("Stars", { type: "DIGITAL", material: null, digital, costs: [cost(1)] });
  const dear = await sell("Dear", { costs: [cost(321)] }, none_left);
  const { memberships } = await rewards(by(ann));
  const reasons = Object.fromEntries(
    memberships[0].cards[0].rewards.map(
      (one: {
        reward: { id: string };
        status: string;
        unavailability_reasons: { reason: string; details: object }[];
      }) => {
        assert.equal(one.status, "UNAVAILABLE");
        return [one.reward.id, one.unavailability_reasons.map(({ reason, details }) => ({ reason, details }))];
      },
    ),
  );
  assert.deepEqual(reasons, {
    [over.id]: [{ reason: "reward_inactive", details: {} }],
    [none.id]: [{ reason: "out_of_stock", details: {} }],
    [points.id]: [{ reason: "no_target_card", details: { card_definition_id: stars.id } }],
    [dear.id]: [
      { reason: "out_of_stock", details: {} },
      // The vector rew-02.
      { reason: "insufficient_balance", details: { required: 321, available: 10, missing: 311 } },
    ],
  });
});

test("the first cost whose rules hold is the price, also by what is supposed, and without one a reward is left out", async () => {
  const { by, ann, member, rewards, cost, sell, ok, call } = await shop();
  const is = (name: string, property: string, value: unknown) => ({
    rules: { logic: "1", "1": { name, property, conditions: { $is: [value] } } },
  });
  await sell("Shoe", {
    costs: [cost(5, is("member.metadata", "level", 2)), cost(10, is("customer.metadata", "city", "Rome"))],
  });
  const draft = await sell("Later", { costs: [cost(1)] });
  await ok(`POST ${V2}/rewards/${draft.id}/deactivate`);
  const costs = async (...asked: Parameters<typeof rewards>) =>
    (await rewards(...asked)).memberships.flatMap((one: { cards: { rewards: { cost: { points: number } }[] }[] }) =>
      one.cards.flatMap((card) => card.rewards.map((reward) => reward.cost.points)),
    );
  assert.deepEqual(await costs(by(ann)), []);
  assert.deepEqual((await rewards(by(ann))).rewards, []);
  assert.deepEqual(await costs(by(ann), { customer: { metadata: { city: "Rome" } } }), [10]);
  const meant = { type: "member_id", member_id: member.id };
  assert.deepEqual(
    await costs(meant, { customer: { metadata: { city: "Rome" } }, member: { metadata: { level: 2 } } }),
    [5],
  );
  assert.deepEqual(await costs(meant, { member: { metadata: null } }), []);
  const wrong = (body: object) => call(REWARDS, { customer_identification: by(ann), ...body });
  refused(await wrong({ member: { metadata: { level: 2 } } }), 400, "invalid_payload", /member/);
  refused(await wrong({ colour: 1 }), 400, "invalid_payload", /colour/);
  refused(await wrong({ customer: { name: "x" } }), 400, "invalid_payload", /name/);
  refused(await wrong({ customer_identification: null }), 400, "invalid_payload", /customer_identification/);
});

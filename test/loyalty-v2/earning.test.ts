import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { clubOf } from "../support/clubs.ts";
import { newId, testDatabase } from "../support/engine.ts";
import { holdsRows } from "../support/interface-rows.ts";

const { db } = await testDatabase();
const PAID = { event: "customer.order.paid" };
const on = ({ id }: { id: string }) => ({ event: "customer.custom_event", custom_event: { schema_id: id } });
const entering = ({ id }: { id: string }) => ({ event: "customer.segment.entered", segment: { id } });
const totals = (moves: any[]) => moves.map(({ type, status, details }) => [type, status, details.points?.total]);
const vip = { junction: "AND", "metadata.vip": { conditions: { $is: [true] } } };

// What starts a rule.

test("a custom event earns the points of its rule each time, in a transaction that names its cause", async (t) => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const { program, rules, enrol } = await club.open([
    { name: "Visits", trigger: on(visit), earnings: [{ effects: [club.points(10)] }] },
  ]);
  const ann = await enrol("ann");
  const bob = await enrol("bob");
  await club.track("visit", "ann");
  await club.track("visit", "ann");
  await club.define("other");
  await club.track("other", "bob");
  const earned = await ann.balance();
  await holdsRows(t, "service", {
    event_effects: () => assert.deepEqual(earned, { points: 20, pending_points: 0 }),
  });
  assert.deepEqual(await bob.balance(), { points: 0, pending_points: 0 });
  const [move] = await ann.moves();
  assert.deepEqual([move.type, move.status, move.details.reason], ["POINTS_EARNED", "APPROVED", "Club 1 / Visits"]);
  const { data } = await club.ok(`GET /v1/customers/${ann.customer.id}/activity?type=customer.custom_event`);
  assert.deepEqual(move.details.metadata, {
    event_id: data[1].id,
    member_id: ann.member.id,
    program_id: program.id,
    earning_item_id: rules[0].earnings[0].id,
    earning_rule_id: rules[0].id,
  });
});

test("an order earns when it is created paid or becomes paid, and never twice", async () => {
  const club = await clubOf(db);
  const { enrol } = await club.open([{ trigger: PAID, earnings: [{ effects: [club.points(10)] }] }]);
  const ann = await enrol("ann");
  const { id } = await club.pay("ann", { source_id: "o-1", amount: 1000 });
  assert.equal((await ann.balance()).points, 10);
  await club.pay("ann", { source_id: "o-1", amount: 2000 });
  await club.ok(`PUT /v1/orders/${id}`, { status: "FULFILLED" });
  await club.ok(`PUT /v1/orders/${id}`, { status: "PAID" });
  assert.equal((await ann.balance()).points, 10, "paid once more, and earned before");
  const second = await club.ok("POST /v1/orders", { amount: 1, customer: { source_id: "ann" } });
  assert.equal((await ann.balance()).points, 10, "created and not paid");
  await club.ok(`PUT /v1/orders/${second.id}`, { status: "PAID" });
  assert.equal((await ann.balance()).points, 20);
});

test("an order that a redemption pays earns once, however often something is redeemed on it", async () => {
  const club = await clubOf(db);
  const proportional = {
    calculation_type: "POST_DISCOUNT_ORDER_AMOUNT",
    card_definition_id: club.wallet.id,
    order: { total_amount: { every: 100, value: 1 } },
  };
  const { enrol } = await club.open([
    { trigger: PAID, earnings: [{ effects: [{ points_proportional: proportional }] }] },
  ]);
  const ann = await enrol("ann");
  for (const code of ["A", "B"])
    await club.ok(`POST /v1/vouchers/${code}`, { discount: { type: "AMOUNT", amount_off: 1000 } });
  const redeem = (id: string) =>
    club.ok("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id }],
      customer: { source_id: "ann" },
      order: { source_id: "o-1", amount: 5000 },
    });
  await redeem("A");
  await redeem("B");
  assert.deepEqual(totals(await ann.moves()), [["POINTS_EARNED", "APPROVED", 40]]);
});

test("who enters a segment earns, by a change of the customer, an order, an event and in the course of time", async () => {
  const club = await clubOf(db);
  const segment = await club.ok("POST /v1/segments", { name: "vip", type: "auto-update", filter: vip });
  const spent = { junction: "AND", "summary.orders.total_amount": { conditions: { $more_than: [500] } } };
  const spenders = await club.ok("POST /v1/segments", { name: "spenders", type: "auto-update", filter: spent });
  const often = { junction: "AND", "events.visit.count": { conditions: { $more_than: [1] } } };
  const visitors = await club.ok("POST /v1/segments", { name: "visitors", type: "auto-update", filter: often });
  await club.define("visit");
  const { enrol } = await club.open([
    { trigger: entering(segment), earnings: [{ effects: [club.points(1)] }] },
    { trigger: entering(spenders), earnings: [{ effects: [club.points(10)] }] },
    { trigger: entering(visitors), earnings: [{ effects: [club.points(100)] }] },
  ]);
  const ann = await enrol("ann");
  const points = async () => (await ann.balance()).points;
  await club.ok("POST /v1/customers", { source_id: "ann", metadata: { vip: true } });
  assert.equal(await points(), 1);
  await club.ok("POST /v1/customers", { source_id: "ann", metadata: { vip: true, more: 1 } });
  assert.equal(await points(), 1, "who is in it does not enter it");
  await club.pay("ann", { amount: 1000 });
  assert.equal(await points(), 11);
  await club.track("visit", "ann");
  assert.equal(await points(), 11);
  await club.track("visit", "ann");
  assert.equal(await points(), 111);
});

test("who enters a segment by the job earns as well, and not again when the job runs again", async () => {
  const club = await clubOf(db);
  const { enrol } = await club.open([{ trigger: PAID, earnings: [{ effects: [club.points(1)] }] }]);
  const ann = await enrol("ann");
  const filter = { junction: "AND", "metadata.level": { conditions: { $is: ["gold"] } } };
  const segment = await club.ok("POST /v1/segments", { name: "gold", type: "auto-update", filter });
  const rule = await club.rule({
    name: "Gold",
    status: "ACTIVE",
    trigger: entering(segment),
    earnings: [{ effects: [club.points(7)] }],
  });
  await club.ok(`POST /v2/loyalties/programs/${ann.member.program_id}/earning-rules/batch`, {
    assign: [{ id: rule.id }],
  });
  // As if it had been written by somebody who did not know the segment yet.
  await db`update customers set metadata = '{"level": "gold"}' where id = ${ann.customer.id}`;
  const later = "2026-01-01T12:05:00.000Z";
  const job = { db, now: () => later, newId, random: (n: number) => randomBytes(n) };
  await advanceCards.run(job);
  assert.equal((await ann.balance()).points, 7);
  await advanceCards.run(job);
  assert.equal((await ann.balance()).points, 7);
});

// What a rule gives.

test("points in proportion to the order, to its lines, to metadata of the order, the customer and the event", async () => {
  const club = await clubOf(db);
  const shirt = await club.product("shirt");
  const cap = await club.product("cap");
  const products = [{ id: shirt.id, object: "product" }];
  const collection = (name: string) => club.ok("POST /v1/product-collections", { type: "STATIC", name, products });
  const [a, b] = [await collection("A"), await collection("B")];
  const review = await club.define("review", { stars: { type: "number", optional: true } });
  const of = (calculation_type: string, base: object) => ({
    effects: [{ points_proportional: { calculation_type, card_definition_id: club.wallet.id, ...base } }],
  });
  const lines = [
    { type: "products_collection", products_collection: { id: a.id } },
    { type: "products_collection", products_collection: { id: b.id } },
  ];
  const { enrol } = await club.open([
    { trigger: PAID, earnings: [of("PRE_DISCOUNT_ORDER_AMOUNT", { order: { amount: { every: 1000, value: 10 } } })] },
    {
      trigger: PAID,
      earnings: [of("ORDER_METADATA_VALUE", { order: { metadata: { every: 1, value: 1000, property: "km" } } })],
    },
    {
      trigger: PAID,
      earnings: [
        of("PRE_DISCOUNT_ORDER_ITEMS_AMOUNT", {
          order_items: { amount: { every: 100, value: 1, applicable_to: lines } },
        }),
      ],
    },
    {
      trigger: PAID,
      earnings: [
        of("ORDER_ITEMS_QUANTITY", {
          order_items: { quantity: { every: 1, value: 5, applicable_to: [{ product: { id: cap.id } }] } },
        }),
      ],
    },
    {
      trigger: on(review),
      earnings: [
        of("CUSTOM_EVENT_METADATA_VALUE", { custom_event: { metadata: { every: 1, value: 2, property: "stars" } } }),
      ],
    },
    {
      trigger: on(review),
      earnings: [of("CUSTOMER_METADATA_VALUE", { customer: { metadata: { every: 1, value: 1, property: "age" } } })],
    },
  ]);
  const ann = await enrol("ann");
  await club.pay("ann", {
    items: [
      { product_id: shirt.id, quantity: 1, amount: 1000 },
      { product_id: cap.id, quantity: 3, amount: 1599 },
    ],
    metadata: { km: 3 },
  });
  // 2599 is 20; 3 km are 3000; the line in both collections counts once; three caps.
  assert.deepEqual(
    totals(await ann.moves())
      .map(([, , points]) => points)
      .sort((x, y) => x - y),
    [10, 15, 20, 3000],
  );
  await club.ok("POST /v1/customers", { source_id: "ann", metadata: { age: 41 } });
  await club.track("review", "ann", { metadata: { stars: 4 } });
  await club.track("review", "ann", { metadata: {} });
  assert.deepEqual(
    totals(await ann.moves())
      .slice(4)
      .map(([, , points]) => points),
    [8, 41, 41],
  );
});

test("rules of the earning ask about the customer, the segment, the order and the event; the first that holds is the one", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit", { where: { type: "string", optional: true } });
  const segment = await club.ok("POST /v1/segments", { name: "vip", type: "passive", filter: vip });
  const holds = (name: string, conditions: object, property?: string) => ({
    logic: "1",
    1: { name, conditions, property },
  });
  const { enrol } = await club.open([
    {
      trigger: on(visit),
      earnings: [
        { rules: holds("custom_event.metadata", { $is: ["Rome"] }, "where"), effects: [club.points(1000)] },
        { rules: holds("customer.segment", { $is: [segment.id] }), effects: [club.points(100)] },
        { rules: holds("customer.metadata", { $is: ["de"] }, "lang"), effects: [club.points(10)] },
      ],
    },
    { trigger: PAID, earnings: [{ rules: holds("order.amount", { $more_than: [999] }), effects: [club.points(1)] }] },
  ]);
  const ann = await enrol("ann");
  const points = async () => (await ann.balance()).points;
  await club.track("visit", "ann");
  assert.equal(await points(), 0);
  await club.track("visit", "ann", { customer: { source_id: "ann", metadata: { lang: "de" } } });
  assert.equal(await points(), 10);
  await club.track("visit", "ann", { customer: { source_id: "ann", metadata: { vip: true } } });
  assert.equal(await points(), 110);
  await club.track("visit", "ann", { metadata: { where: "Rome" } });
  assert.equal(await points(), 1110);
  await club.pay("ann", { amount: 999 });
  assert.equal(await points(), 1110);
  await club.pay("ann", { amount: 1000 });
  assert.equal(await points(), 1111);
  const outcomes = await db<{ outcome: string; count: number }[]>`
    select outcome, count(*) as count from earning_outcomes where project_id = ${club.project.id} group by 1 order by 1`;
  assert.deepEqual(
    outcomes.map((row) => ({ ...row })),
    [
      { outcome: "no_matching_earning", count: 2 },
      { outcome: "success", count: 4 },
    ],
  );
});

test("tier rules look at the tier before the event, and the points may lead to the next one", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const { structure, tiers } = await club.tiers(club.wallet.id, "Bronze", "Silver");
  await club.ok(`POST /v2/loyalties/tier-structures/${structure.id}/activate`);
  const inTier = (n: number) => ({ any_of: [{ tier_structure_id: structure.id, tier_ids: [tiers[n].id] }] });
  const { enrol } = await club.open(
    [
      {
        trigger: on(visit),
        earnings: [
          { tier_rules: inTier(1), effects: [club.points(2)] },
          { tier_rules: inTier(0), effects: [club.points(100)] },
        ],
      },
      { trigger: on(visit), earnings: [{ tier_rules: inTier(1), effects: [club.points(40)] }] },
    ],
    { tier_structures: [{ id: structure.id }] },
  );
  const ann = await enrol("ann");
  await club.track("visit", "ann");
  assert.equal((await ann.balance()).points, 100, "the second rule asks for a tier that comes with the points");
  assert.deepEqual(
    (await ann.tiers()).map(({ type, tier_id }: any) => [type, tier_id]),
    [
      ["JOINED", tiers[0].id],
      ["UPGRADED", tiers[1].id],
    ],
  );
  await club.track("visit", "ann");
  assert.equal((await ann.balance()).points, 142);
});

const TYPES: Record<string, string> = { points: "POINTS", material: "MATERIAL", digital: "DIGITAL" };

test("benefits: points as an earning, things and codes as transactions, and none when none is left", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const product = await club.product("cup");
  const coupons = await club.campaign("DISCOUNT_COUPONS");
  const gifts = await club.campaign("GIFT_VOUCHERS");
  const active = (name: string, more: object) =>
    club.benefit({ name, status: "ACTIVE", type: TYPES[Object.keys(more)[0]!], ...more });
  const points = await active("points", { points: { value: 5, card_definition_id: club.wallet.id } });
  const cup = await active("cup", {
    material: { product: { id: product.id } },
    stock: { limited: { quantity: 1 } },
  });
  const coupon = await active("coupon", { digital: { discount_coupons: { campaign_id: coupons.id } } });
  const gift = await active("gift", { digital: { gift_vouchers: { campaign_id: gifts.id, balance: 250 } } });
  const effects = [points, cup, coupon, gift].map(({ id }) => ({ incentive: { id } }));
  const { rules, enrol } = await club.open([{ trigger: on(visit), earnings: [{ effects }] }]);
  const ann = await enrol("ann");
  await club.track("visit", "ann");
  assert.equal((await ann.balance()).points, 5);
  const given = await ann.benefits();
  assert.deepEqual(
    given.map(({ benefit_id, status, type, earning_rule_id }: any) => [benefit_id, status, type, earning_rule_id]),
    [points, cup, coupon, gift].map(({ id }) => [id, "APPROVED", "FULFILLMENT", rules[0].id]),
  );
  const [code] = given[2].details.result.discount_coupons;
  const [card] = given[3].details.result.gift_vouchers;
  assert.equal((await club.ok(`GET /v1/vouchers/${code.code}`)).holder_id, ann.customer.id);
  const { gift: worth, holder_id } = await club.ok(`GET /v1/vouchers/${card.code}`);
  assert.deepEqual([worth.amount, worth.balance, holder_id], [350, 350, ann.customer.id]);
  assert.equal((await club.ok(`GET /v1/publications?customer=${ann.customer.id}`)).total, 2);
  await club.track("visit", "ann");
  const [, again] = (await ann.benefits()).slice(4);
  assert.deepEqual([again.status, again.details.rejection], ["REJECTED", { reason: "OUT_OF_STOCK", details: null }]);
  assert.equal((await ann.balance()).points, 10);
  const left = await club.ok(`GET /v2/loyalties/benefits/${cup.id}`);
  assert.deepEqual(left.stock, { type: "LIMITED", limited: { quantity: 0 } });
});

test("a wallet that the member has no card of is left out, and the other effects are given", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const second = await club.addWallet({ name: "Stars" });
  const other = { points: { value: 3, card_definition_id: second.id } };
  const { enrol } = await club.open([{ trigger: on(visit), earnings: [{ effects: [other, club.points(2)] }] }], {
    card_definitions: [{ id: club.wallet.id }, { id: second.id }],
  });
  const ann = await enrol("ann");
  await db`update loyalty_cards set deleted_at = now() where card_definition_id = ${second.id}`;
  await club.track("visit", "ann");
  assert.equal((await ann.balance()).points, 2);
  await db`update loyalty_cards set deleted_at = null where card_definition_id = ${second.id}`;
});

// When a rule is open.

test("outside its dates and hours a rule or a program earns nothing, and so does a member who is not active", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const earnings = [{ effects: [club.points(1)] }];
  const hours = { type: "DAILY", daily: [{ days_of_week: [4], start_time: "13:00", end_time: "14:00" }] };
  const { enrol } = await club.open([
    { trigger: on(visit), earnings, start_date: "2026-01-01T12:30:00Z" },
    { trigger: on(visit), earnings, validity_hours: hours },
  ]);
  const closed = await club.open([{ trigger: on(visit), earnings }], { end_date: "2026-01-01T13:00:00Z" });
  const ann = await enrol("ann");
  const late = await closed.enrol("ann");
  const points = async () => [(await ann.balance()).points, (await late.balance()).points];
  await club.track("visit", "ann");
  assert.deepEqual(await points(), [0, 1]);
  club.setNow("2026-01-01T12:45:00.000Z");
  await club.track("visit", "ann");
  assert.deepEqual(await points(), [1, 2]);
  club.setNow("2026-01-01T13:30:00.000Z");
  await club.track("visit", "ann");
  assert.deepEqual(await points(), [3, 2]);
  await club.ok(`POST ${ann.path}/deactivate`);
  await club.track("visit", "ann");
  assert.deepEqual(await points(), [3, 2]);
});

test("a pause and a number of times hold a rule back, and are counted as its failures", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const limits = (cooldown: object, frequency: object) => ({ trigger_limits: { cooldown, frequency } });
  const pause = { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value: 2, unit: "HOUR" } } };
  const twice = {
    type: "LIMITED",
    limits: [{ period: { current_period: { unit: "DAY" } }, triggers: { max: 2 } }],
  };
  const { enrol } = await club.open([
    { trigger: on(visit), earnings: [{ effects: [club.points(1)] }], ...limits(pause, { type: "NO_LIMIT" }) },
    { trigger: on(visit), earnings: [{ effects: [club.points(10)] }], ...limits({ type: "NO_COOLDOWN" }, twice) },
  ]);
  const ann = await enrol("ann");
  for (let n = 0; n < 3; n++) await club.track("visit", "ann");
  assert.equal((await ann.balance()).points, 21);
  club.setNow("2026-01-01T14:00:00.000Z");
  await club.track("visit", "ann");
  assert.equal((await ann.balance()).points, 22);
  club.setNow("2026-01-02T00:00:00.000Z");
  await club.track("visit", "ann");
  assert.equal((await ann.balance()).points, 33);
  const outcomes = await db<{ outcome: string; count: number }[]>`
    select outcome, count(*) as count from earning_outcomes where project_id = ${club.project.id} group by 1 order by 1`;
  assert.deepEqual(
    outcomes.map(({ outcome, count }) => [outcome, count]),
    [
      ["cooldown", 2],
      ["frequency", 2],
      ["success", 6],
    ],
  );
});

// What a card takes.

test("lim-01: what a period has room for is credited; lim-03: an earning above its limit is refused whole", async () => {
  const period = {
    type: "TIME_BASED",
    period: { type: "CURRENT_PERIOD", current_period: { unit: "DAY" } },
    points: { max: 100 },
  };
  const club = await clubOf(db, {
    wallet: {
      earning_limits: {
        global: { type: "LIMITED", limits: [period] },
        transactions: { type: "LIMITED", limits: [{ type: "POINTS", max: 90 }] },
      },
    },
  });
  const [small, large, most] = [await club.define("small"), await club.define("large"), await club.define("most")];
  const { enrol } = await club.open([
    { trigger: on(small), earnings: [{ effects: [club.points(50)] }] },
    { trigger: on(large), earnings: [{ effects: [club.points(80)] }] },
    { trigger: on(most), earnings: [{ effects: [club.points(91)] }] },
  ]);
  const ann = await enrol("ann");
  for (const name of ["large", "most", "small", "small"]) await club.track(name, "ann");
  assert.deepEqual(totals(await ann.moves()), [
    ["POINTS_EARNED", "APPROVED", 80],
    ["POINTS_EARNED", "REJECTED", 91],
    ["POINTS_EARNED", "APPROVED", 20],
  ]);
  const [, refused] = await ann.moves();
  assert.deepEqual(refused.details.rejection, {
    reason: "TRANSACTION_EARNING_LIMIT_EXCEEDED",
    details: { type: "POINTS", limit: 90 },
  });
  const outcomes = await db`select outcome from earning_outcomes where project_id = ${club.project.id} order by id`;
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ["success", "no_effect", "success", "no_effect"],
  );
});

test("points of a wallet that waits are pending, and an event makes them available; later ones wait again", async () => {
  const club = await clubOf(db);
  const [buy, receipt] = [await club.define("buy"), await club.define("receipt")];
  const pending = await club.addWallet({
    name: "Pending",
    pending_points: {
      type: "EVENT_BASED",
      event_based: { event_types: [receipt.id], cancel_period: { value: 10, unit: "DAY" } },
    },
  });
  const points = { points: { value: 7, card_definition_id: pending.id } };
  const { enrol } = await club.open([{ trigger: on(buy), earnings: [{ effects: [points] }] }], {
    card_definitions: [{ id: pending.id }],
  });
  const ann = await enrol("ann");
  await club.track("buy", "ann");
  await club.track("buy", "ann");
  assert.deepEqual(await ann.balance(pending.id), { points: 0, pending_points: 14 });
  await club.track("receipt", "ann");
  assert.deepEqual(await ann.balance(pending.id), { points: 14, pending_points: 0 });
  await club.track("buy", "ann");
  assert.deepEqual(await ann.balance(pending.id), { points: 14, pending_points: 7 });
  assert.deepEqual(
    (await ann.moves(pending.id)).map(({ type }: any) => type),
    ["PENDING_POINTS_ADDED", "PENDING_POINTS_ADDED", "PENDING_POINTS_ACTIVATED", "PENDING_POINTS_ADDED"],
  );
});

test("an event begins an expiration again that slides with it, and what is due has expired before anything is earned", async () => {
  const club = await clubOf(db);
  const [buy, login] = [await club.define("buy"), await club.define("login")];
  const sliding = await club.addWallet({
    name: "Sliding",
    points_expiration: {
      type: "SLIDING_EXPIRATION",
      sliding_expiration: {
        period: { value: 5, unit: "DAY" },
        custom_activity: true,
        custom_activity_types: [login.id],
      },
    },
  });
  const points = { points: { value: 9, card_definition_id: sliding.id } };
  const { enrol } = await club.open([{ trigger: on(buy), earnings: [{ effects: [points] }] }], {
    card_definitions: [{ id: sliding.id }],
  });
  const ann = await enrol("ann");
  await club.track("buy", "ann");
  assert.deepEqual((await ann.cardOf(sliding.id)).next_expiration, { points: 9, date: "2026-01-06" });
  club.setNow("2026-01-04T12:00:00.000Z");
  await club.track("login", "ann");
  assert.deepEqual((await ann.cardOf(sliding.id)).next_expiration, { points: 9, date: "2026-01-09" });
  club.setNow("2026-01-10T00:00:00.000Z");
  await club.track("buy", "ann");
  assert.deepEqual(totals(await ann.moves(sliding.id)), [
    ["POINTS_EARNED", "APPROVED", 9],
    ["POINTS_EXPIRED", "APPROVED", 9],
    ["POINTS_EARNED", "APPROVED", 9],
  ]);
  assert.deepEqual(await ann.balance(sliding.id), { points: 9, pending_points: 0 });
});

// Which card, and how often.

test("an event that names a card counts for its member only, and one that is not the customer's is refused", async (t) => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const earnings = [{ effects: [club.points(1)] }];
  const [one, two] = [
    await club.open([{ trigger: on(visit), earnings }]),
    await club.open([{ trigger: on(visit), earnings }]),
  ];
  const [first, second] = [await one.enrol("ann"), await two.enrol("ann")];
  const bob = await one.enrol("bob");
  const { code } = await second.cardOf();
  await holdsRows(t, "events", {
    rule2: async () => {
      await club.track("visit", "ann", { loyalty: { code: code.toLowerCase() } });
      assert.deepEqual([(await first.balance()).points, (await second.balance()).points], [0, 1]);
    },
  });
  await club.track("visit", "ann");
  assert.deepEqual([(await first.balance()).points, (await second.balance()).points], [1, 2]);
  for (const other of [(await bob.cardOf()).code, "nobody's"]) {
    const body = { event: "visit", customer: { source_id: "ann" }, loyalty: { code: other } };
    const reply = await club.call("POST /v1/events", body);
    assert.deepEqual([reply.status, reply.body.key, reply.body.resource_type], [404, "not_found", "loyalty_card"]);
  }
  assert.equal((await first.balance()).points, 1);
});

test("64 events at once on one card, each told twice with one key, earn 64 times", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const { enrol } = await club.open([{ trigger: on(visit), earnings: [{ effects: [club.points(3)] }] }]);
  const ann = await enrol("ann");
  const keys = Array.from({ length: 128 }, (_, n) => `k${n % 64}`);
  await Promise.all(keys.map((key) => club.track("visit", "ann", {}, { "idempotency-key": key })));
  assert.deepEqual(await ann.balance(), { points: 192, pending_points: 0 });
  const moves = await ann.moves();
  assert.equal(moves.length, 64);
});

test("one order that is told 32 times at once earns once, with and without a key", async () => {
  const club = await clubOf(db);
  const { enrol } = await club.open([{ trigger: PAID, earnings: [{ effects: [club.points(3)] }] }]);
  const ann = await enrol("ann");
  const order = { source_id: "o-1", status: "PAID", amount: 100, customer: { source_id: "ann" } };
  const told = Array.from({ length: 32 }, (_, n) =>
    club.call("POST /v1/orders", order, n % 2 ? { "idempotency-key": "k" } : {}),
  );
  for (const { status, text } of await Promise.all(told)) assert.equal(status, 200, text);
  assert.deepEqual(totals(await ann.moves()), [["POINTS_EARNED", "APPROVED", 3]]);
});

test("nothing is earned when the event is refused, and what was earned is shown to a retry that earns no more", async () => {
  const club = await clubOf(db);
  const visit = await club.define("visit", { stars: { type: "number", optional: false } });
  const { enrol } = await club.open([{ trigger: on(visit), earnings: [{ effects: [club.points(3)] }] }]);
  const ann = await enrol("ann");
  const body = { event: "visit", customer: { source_id: "ann" } };
  const refused = await club.call("POST /v1/events", body, { "idempotency-key": "a" });
  assert.deepEqual([refused.status, refused.body.key], [400, "metadata_validation_failed"]);
  const sent = { ...body, metadata: { stars: 1 } };
  const made = await club.call("POST /v1/events", sent, { "idempotency-key": "b" });
  const again = await club.call("POST /v1/events", sent, { "idempotency-key": "b" });
  assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [made.text, "true"]);
  assert.equal((await ann.balance()).points, 3);
});

// An order that is cancelled.

const CANCELLED = [
  ["nothing", { type: "NONE", methods: [] }, 10, [["POINTS_EARNED", "APPROVED", 10]]],
  [
    "what is there, to zero at most",
    { type: "REFUNDABLE", methods: [{ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" }] },
    0,
    [
      ["POINTS_EARNED", "APPROVED", 10],
      ["POINTS_REFUNDED", "APPROVED", 10],
    ],
  ],
] as const;

for (const [name, earned_points, left, expected] of CANCELLED)
  test(`a cancelled order takes back ${name}, once`, async () => {
    const club = await clubOf(db, {
      wallet: { refunds: { spent_points: { type: "NONE", methods: [] }, earned_points } },
    });
    const { enrol } = await club.open([{ trigger: PAID, earnings: [{ effects: [club.points(10)] }] }]);
    const ann = await enrol("ann");
    const { id } = await club.pay("ann", { amount: 100 });
    for (const status of ["CANCELED", "PAID", "CANCELED"]) await club.ok(`PUT /v1/orders/${id}`, { status });
    assert.deepEqual(totals(await ann.moves()), expected);
    assert.equal((await ann.balance()).points, left);
  });

test("a cancelled order takes back what still waits, and a rollback cancels the order of its redemption", async () => {
  const refunds = {
    spent_points: { type: "NONE", methods: [] },
    earned_points: { type: "REFUNDABLE", methods: [{ type: "REVOKE_FROM_PENDING" }] },
  };
  const pending_points = { type: "PERIOD_BASED", period_based: { period: { value: 5, unit: "DAY" } } };
  const club = await clubOf(db, { wallet: { refunds, pending_points } });
  const { enrol } = await club.open([{ trigger: PAID, earnings: [{ effects: [club.points(10)] }] }]);
  const ann = await enrol("ann");
  await club.ok("POST /v1/vouchers/A", { discount: { type: "AMOUNT", amount_off: 10 } });
  const { redemptions } = await club.ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "A" }],
    customer: { source_id: "ann" },
    order: { amount: 5000 },
  });
  assert.deepEqual(await ann.balance(), { points: 0, pending_points: 10 });
  await club.ok(`POST /v1/redemptions/${redemptions[0].id}/rollback`, {});
  assert.deepEqual(await ann.balance(), { points: 0, pending_points: 0 });
  assert.deepEqual(
    (await ann.moves()).map(({ type }: any) => type),
    ["PENDING_POINTS_ADDED", "PENDING_POINTS_CANCELED"],
  );
});

test("an order that is paid with the points it earned, and cancelled, leaves none of them, however often", async () => {
  const refunds = {
    spent_points: { type: "REFUNDABLE", methods: [{ type: "RETURN_POINTS", mode: "REFUND_ALL" }] },
    earned_points: { type: "REFUNDABLE", methods: [{ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" }] },
  };
  const pay_with_points = { type: "EXCHANGE_RATIO", exchange_ratio: { formula: "1" } };
  const club = await clubOf(db, { wallet: { refunds, pay_with_points } });
  const { enrol } = await club.open([{ trigger: PAID, earnings: [{ effects: [club.points(100)] }] }]);
  const ann = await enrol("ann");
  for (let n = 0; n < 3; n += 1) {
    const { id } = await club.pay("ann", { amount: 10_000 });
    assert.equal((await ann.balance()).points, 100);
    const paid = await club.call(`POST ${ann.path}/orders/payments`, {
      card_id: (await ann.cardOf()).id,
      order: { id },
    });
    assert.equal(paid.status, 202);
    assert.equal((await ann.balance()).points, 0);
    await club.ok(`PUT /v1/orders/${id}`, { status: "CANCELED" });
    assert.equal((await ann.balance()).points, 0);
  }
});

test("another project's members earn nothing", async () => {
  const [club, other] = [await clubOf(db), await clubOf(db)];
  const visit = await club.define("visit");
  await other.define("visit");
  const { enrol } = await club.open([{ trigger: on(visit), earnings: [{ effects: [club.points(1)] }] }]);
  const ann = await enrol("ann");
  await other.track("visit", "ann");
  assert.equal((await ann.balance()).points, 0);
});

test("every pot and every balance of what happened here is right", async () => {
  for (const [name, find] of Object.entries(INVARIANTS)) {
    const [{ count, example }] = (await find(db as never)) as any;
    assert.equal(Number(count), 0, `${name}: ${example}`);
  }
});

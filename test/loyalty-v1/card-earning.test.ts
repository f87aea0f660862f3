import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { assertHolds, cardClub, FIXED, on, PAID, tierRule } from "../support/card-clubs.ts";
import { newId, testDatabase } from "../support/engine.ts";

const { db } = await testDatabase();
const brief = (moves: any[]) => moves.map(({ type, details }) => [type, details.balance.points]);

// What starts a rule.

test("a custom event earns the points of its rule each time, in a transaction that names its cause", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const program = await club.open([on(visit, 10, { source: { banner: "Come in" } })], { points: 5 });
  const [ann, bob] = [await program.join("ann"), await program.join("bob")];
  await club.track("visit", "ann");
  await club.track("visit", "ann");
  await club.define("other");
  await club.track("other", "bob");
  assert.equal(await ann.balance(), 25);
  assert.equal(await bob.balance(), 5);
  const { loyalty_card } = await ann.card();
  assert.equal(loyalty_card.points, 25);
  const moves = await ann.moves();
  assert.deepEqual(brief(moves), [
    ["POINTS_ACCRUAL", 10],
    ["POINTS_ACCRUAL", 10],
  ]);
  assert.equal(moves[0].source, "Automation");
  const { data } = await club.ok(`GET /v1/customers/${ann.customer}/activity?type=customer.custom_event&limit=100`);
  const event = data.at(-1);
  const { balance, ...details } = moves[0].details;
  assert.deepEqual([balance.total, balance.balance], [15, 15]);
  assert.deepEqual(details, {
    event: { id: event.id, type: "customer.custom_event" },
    earning_rule: { id: program.rules[0].id, source: { banner: "Come in" } },
    custom_event: { id: event.id.replace("evcus_", "event_"), type: "visit" },
    event_schema: { id: visit.id, name: "visit" },
  });
  const rewarded = await club.events("customer.rewarded.loyalty_points");
  assert.equal(rewarded.length, 2);
  assert.equal(rewarded[0].customer_id, ann.customer);
  assert.equal(rewarded[0].campaign_id, program.campaign.id);
  assert.equal(rewarded[0].payload.transaction_id, moves[0].id);
  assert.equal(rewarded[0].payload.points, 10);
  assert.equal((await club.events("voucher.loyalty_card.points_added")).length, 2);
  assert.equal((await club.events("customer.voucher.loyalty_card.points_added")).length, 2);
});

test("an event that names a card earns on that card alone, and otherwise on every card of the customer", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const [first, second] = [await club.open([on(visit, 10)]), await club.open([on(visit, 7)])];
  const [one, other] = [await first.join("ann"), await second.join("ann")];
  await club.track("visit", "ann");
  assert.deepEqual([await one.balance(), await other.balance()], [10, 7]);
  await club.track("visit", "ann", { loyalty: { code: other.code } });
  assert.deepEqual([await one.balance(), await other.balance()], [10, 14]);
});

test("an order earns when it is created paid or becomes paid, and never twice", async () => {
  const club = await cardClub(db);
  const program = await club.open([PAID(10)]);
  const ann = await program.join("ann");
  const { id } = await club.pay("ann", { source_id: "o-1", amount: 1000 });
  assert.equal(await ann.balance(), 10);
  await club.pay("ann", { source_id: "o-1", amount: 2000 });
  await club.ok(`PUT /v1/orders/${id}`, { status: "FULFILLED" });
  await club.ok(`PUT /v1/orders/${id}`, { status: "PAID" });
  assert.equal(await ann.balance(), 10, "paid once more, and earned before");
  const second = await club.ok("POST /v1/orders", { amount: 1, customer: { source_id: "ann" } });
  assert.equal(await ann.balance(), 10, "created and not paid");
  await club.ok(`PUT /v1/orders/${second.id}`, { status: "PAID" });
  assert.equal(await ann.balance(), 20);
  const [move] = await ann.moves();
  assert.deepEqual(move.details.order, { id, source_id: "o-1" });
  assert.equal(move.details.event.type, "customer.order.paid");
});

test("points are counted from the amount, the total, the lines and the metadata of an order", async () => {
  const club = await cardClub(db);
  const [cup, pen] = [
    await club.ok("POST /v1/products", { name: "cup", price: 500 }),
    await club.ok("POST /v1/products", { name: "pen", price: 100 }),
  ];
  const cups = { junction: "AND", name: { conditions: { $is: ["cup"] } } };
  const collection = await club.ok("POST /v1/product-collections", { name: "cups", type: "AUTO_UPDATE", filter: cups });
  const per = (calculation_type: string, branch: object) => ({
    event: "order.paid",
    loyalty: { type: "PROPORTIONAL", calculation_type, ...branch },
  });
  const rules = [
    per("ORDER_AMOUNT", { order: { amount: { every: 100, points: 1 } } }),
    per("ORDER_TOTAL_AMOUNT", { order: { total_amount: { every: 100, points: 1 } } }),
    per("ORDER_METADATA", { order: { metadata: { every: 1, points: 3, property: "bags" } } }),
    per("ORDER_ITEMS_QUANTITY", { order_items: { quantity: { every: 1, points: 5, object: "product", id: pen.id } } }),
    per("ORDER_ITEMS_AMOUNT", {
      order_items: {
        amount: { every: 100, points: 2, applicable_to: [{ object: "products_collection", id: collection.id }] },
      },
    }),
    per("CUSTOMER_METADATA", { customer: { metadata: { every: 1, points: 1, property: "level" } } }),
  ];
  const program = await club.open(rules.slice(0, 5));
  const ann = await program.join("ann");
  await club.pay("ann", {
    items: [
      { product_id: cup.id, quantity: 2 },
      { product_id: pen.id, quantity: 3 },
    ],
    discount_amount: 300,
    metadata: { bags: 2 },
  });
  assert.deepEqual(
    (await ann.moves()).map(({ details }) => details.balance.points),
    [13, 10, 6, 15, 20],
  );
});

test("who enters a segment earns, and a change that leaves them in it earns nothing", async () => {
  const club = await cardClub(db);
  const filter = { junction: "AND", "metadata.vip": { conditions: { $is: [true] } } };
  const segment = await club.ok("POST /v1/segments", { name: "vip", type: "auto-update", filter });
  const rule = { event: "customer.segment.entered", segment: { id: segment.id }, loyalty: FIXED(50) };
  const program = await club.open([rule]);
  const ann = await program.join("ann");
  await club.ok("POST /v1/customers", { source_id: "ann", metadata: { vip: true } });
  await club.ok("POST /v1/customers", { source_id: "ann", metadata: { vip: true, more: 1 } });
  assert.equal(await ann.balance(), 50);
  const [move] = await ann.moves();
  assert.deepEqual(move.details.segment, { id: segment.id, name: "vip" });
  assert.equal(move.details.event.type, "customer.segment.entered");
});

test("a rule gives only when its validation rule holds, with segments, metadata of the event and the tier", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit", { stars: { type: "number", optional: true } });
  const program = await club.open([]);
  const [tier] = await program.addTiers({ name: "Gold", points: { from: 15 } });
  const rich = await club.rule({ name: "customer.metadata", property: "rich", conditions: { $is: [true] } });
  const isGold = await club.rule({ name: "customer.loyalty.tier", conditions: { $is: [tier.id] } });
  await program.addRules([
    on(visit, 10),
    on(visit, 100, { validation_rule_id: rich }),
    on(visit, 1000, { validation_rule_id: isGold }),
  ]);
  const ann = await program.join("ann");
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 10);
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 20, "the tier is that of before");
  await club.track("visit", "ann", { customer: { source_id: "ann", metadata: { rich: true } } });
  assert.equal(await ann.balance(), 1130);
});

test("a rule gives within its time, a program within its dates, and a card that is disabled or over gets nothing", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const later = "2026-06-01T00:00:00Z";
  const program = await club.open([
    on(visit, 1),
    on(visit, 10, { start_date: later }),
    on(visit, 100, { expiration_date: "2025-12-31T00:00:00Z" }),
    on(visit, 1000, { validity_day_of_week: [1] }),
    on(visit, 10_000, { active: false }),
  ]);
  const [ann, bob] = [await program.join("ann"), await program.join("bob")];
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 1, "1 January 2026 is a Thursday");
  await club.ok(`POST /v1/vouchers/${ann.code}/disable`);
  await club.track("visit", "ann");
  await club.ok(`POST /v1/vouchers/${ann.code}/enable`);
  assert.equal(await ann.balance(), 1, "disabled");
  await club.ok(`PUT /v1/vouchers/${bob.code}`, { expiration_date: "2026-01-02T00:00:00Z" });
  club.setNow("2026-06-08T12:00:00.000Z");
  await club.track("visit", "ann");
  await club.track("visit", "bob");
  assert.equal(await ann.balance(), 1012, "a Monday in June");
  assert.equal(await bob.balance(), 0, "over");
  await club.ok(`PUT ${program.path}`, { expiration_date: "2026-06-09T00:00:00Z" });
  club.setNow("2026-06-15T12:00:00.000Z");
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 1012, "the program is over");
});

test("a rule that is switched off or deleted, and a program in the bin, give nothing", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const program = await club.open([on(visit, 1), on(visit, 10)]);
  const ann = await program.join("ann");
  await club.ok(`POST ${program.path}/earning-rules/${program.rules[0].id}/disable`);
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 10);
  await club.ok(`DELETE ${program.path}/earning-rules/${program.rules[1].id}`);
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 10);
  await club.ok(`DELETE ${program.path}`);
  await club.track("visit", "ann");
  assert.equal((await club.events("customer.rewarded.loyalty_points")).length, 1);
});

test("a formula says how many points a rule gives", async () => {
  const club = await cardClub(db);
  const loyalty = { type: "FIXED", points: 1, points_formula: "ORDER_AMOUNT * 2" };
  const program = await club.open([{ event: "order.paid", loyalty }]);
  const ann = await program.join("ann");
  await club.pay("ann", { amount: 1250 });
  assert.equal(await ann.balance(), 25);
});

// Who earns.

test("who has no card earns nothing, unless everybody may join: then a card is published first, and earns", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const closed = await club.open([on(visit, 10)]);
  const rule = await club.rule({ name: "customer.metadata", property: "vip", conditions: { $is: [true] } });
  const open = await club.open([on(visit, 10), PAID(5)], { auto_join: true, points: 100 });
  const picky = await club.open([on(visit, 10, { validation_rule_id: rule })], { auto_join: true });
  await club.track("visit", "ann");
  await club.track("visit", "ann");
  const cards = await db<{ code: string; campaign_id: string; holder_id: string }[]>`
    select code, campaign_id, holder_id from vouchers where project_id = ${club.project.id} and holder_id is not null`;
  assert.deepEqual(
    cards.map(({ campaign_id }) => campaign_id),
    [open.campaign.id],
    `not ${closed.campaign.id}, and not ${picky.campaign.id}`,
  );
  const ann = club.cardOf(cards[0]!.code, cards[0]!.holder_id);
  assert.equal(await ann.balance(), 120);
  assert.equal((await club.events("customer.publication.succeeded")).length, 1);
  await club.pay("bob", { amount: 100 });
  const [{ count }] = await db<[{ count: number }]>`
    select count(*) from publications where project_id = ${club.project.id} and result = 'SUCCESS'`;
  assert.equal(count, 2);
  await club.track("visit", "carl", { customer: { source_id: "carl", metadata: { vip: true } } });
  const [{ held }] = await db<[{ held: number }]>`
    select count(*) as held from vouchers where project_id = ${club.project.id} and campaign_id = ${picky.campaign.id}
      and holder_id is not null`;
  assert.equal(held, 1);
});

test("points that are sent twice under one key are earned once", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const program = await club.open([on(visit, 10)]);
  const ann = await program.join("ann");
  for (let n = 0; n < 3; n += 1) await club.track("visit", "ann", {}, { "idempotency-key": "visit 1" });
  assert.equal(await ann.balance(), 10);
});

test("events of a client application earn only where the project lets them", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const program = await club.open([on(visit, 10)]);
  const ann = await program.join("ann");
  const path = `PUT /management/v1/projects/${club.project.id}`;
  await club.ok(path, { client_trusted_domains: ["https://shop.example"], client_create_customer_enabled: true });
  const fromPage = () =>
    club.call(
      "POST /client/v1/events",
      { event: "visit", customer: { source_id: "ann" } },
      { origin: "https://shop.example" },
    );
  assert.equal((await fromPage()).status, 200);
  assert.equal(await ann.balance(), 0);
  await club.ok(path, { client_loyalty_events_enabled: true });
  assert.equal((await fromPage()).status, 200);
  assert.equal(await ann.balance(), 10);
});

// Tiers.

test("the tier before the event changes what a rule gives, and the transaction names it", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit", { steps: { type: "number", optional: true } });
  const loyalty = {
    type: "PROPORTIONAL",
    calculation_type: "CUSTOM_EVENT_METADATA",
    custom_event: { metadata: { every: 10, points: 100, property: "steps" } },
  };
  const program = await club.open([on(visit, 100), on(visit, 20), { ...on(visit, 0), loyalty }], { points: 450 });
  const [hundred, twenty, ratio] = program.rules.map(({ id }: { id: string }) => id);
  const [, top] = await program.addTiers(
    { name: "Bottom", points: { from: 1, to: 499 }, earning_rules: { [twenty]: { type: "CUSTOM", points: 5 } } },
    {
      name: "Top",
      points: { from: 500 },
      earning_rules: {
        [hundred]: { type: "MULTIPLY", multiplier: 3 },
        [twenty]: { type: "CUSTOM", points: 200 },
        [ratio]: { type: "MULTIPLY", multiplier: 3 },
      },
    },
  );
  const ann = await program.join("ann");
  const points = async () => (await ann.moves()).map(({ details }) => details.balance.points);
  await club.track("visit", "ann", { metadata: { steps: 25 } });
  assert.deepEqual(await points(), [100, 5, 200]);
  await club.track("visit", "ann", { metadata: { steps: 25 } });
  assert.deepEqual(await points(), [100, 5, 200, 300, 200, 600]);
  const moves = await ann.moves();
  assert.deepEqual(moves.at(-1).details.loyalty_tier, { id: top.id, name: "Top" });
  assert.deepEqual(moves.at(-1).details.holder_loyalty_tier, { id: top.id, name: "Top" });
  assert.equal(moves[0].details.loyalty_tier, undefined);
  assert.equal(moves[0].details.holder_loyalty_tier.name, "Bottom");
});

test("a move between tiers earns by rules for it, each move once, and what it earns may lead on", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const program = await club.open([on(visit, 100)]);
  const [bronze, silver, gold] = await program.addTiers(
    { name: "Bronze", points: { from: 1, to: 149 } },
    { name: "Silver", points: { from: 150, to: 299 } },
    { name: "Gold", points: { from: 300 } },
  );
  await program.addRules([
    tierRule("joined", bronze.id, 60),
    tierRule("upgraded", "__ANY__", 150),
    tierRule("upgraded", gold.id, 1000),
  ]);
  const ann = await program.join("ann");
  await club.track("visit", "ann");
  // 100 lead to bronze, which gives 60 and leads to silver, which gives 150 and leads to gold, which gives 150 and 1000.
  assert.deepEqual(brief(await ann.moves()), [
    ["POINTS_ACCRUAL", 100],
    ["POINTS_ACCRUAL", 60],
    ["POINTS_ACCRUAL", 150],
    ["POINTS_ACCRUAL", 150],
    ["POINTS_ACCRUAL", 1000],
  ]);
  assert.equal(await ann.tier(), gold.id);
  const upgraded = await club.events("customer.loyalty.tier.upgraded");
  assert.deepEqual(
    upgraded.map(({ payload }) => payload.tier_to),
    [silver.id, gold.id],
  );
  const moves = await ann.moves();
  assert.deepEqual(moves[2].details.event, {
    id: upgraded[0].id.replace("ev_", "evcus_"),
    type: "customer.loyalty.tier.upgraded",
  });
  await club.track("visit", "ann");
  assert.equal((await ann.moves()).length, 6, "no tier was entered");
});

test("rules on tiers that would follow one another without end give each once", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const [one, other] = [await club.open([on(visit, 10)]), await club.open([])];
  const [low, high] = await one.addTiers(
    { name: "Low", points: { from: 1, to: 14 } },
    { name: "High", points: { from: 15, to: 20 } },
  );
  const [far] = await other.addTiers({ name: "Far", points: { from: 1 } });
  await one.addRules([
    tierRule("joined", low.id, 5),
    tierRule("upgraded", high.id, 5),
    tierRule("left", high.id, 1),
    tierRule("joined", far.id, 1),
  ]);
  await other.addRules([tierRule("joined", low.id, 1), tierRule("left", "__ANY__", 1), tierRule("left", high.id, 2)]);
  const [ann, hers] = [await one.join("ann"), await other.join("ann")];
  await club.track("visit", "ann");
  // 10 lead to low, 5 more to high and 5 more stay there; the other program gives 1, joins far, and 1 more leaves high.
  assert.equal(await ann.balance(), 22);
  assert.equal(await hers.balance(), 3);
});

test("points by hand, from another card and by the passing of time lead to tiers, and rules for that give", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const expiration_rules = { period_type: "MONTH", period_value: 1 };
  const program = await club.open([on(visit, 40, { expiration_rules: { period_type: "MONTH", period_value: 1 } })]);
  const [low, high] = await program.addTiers(
    { name: "Low", points: { from: 1, to: 99 } },
    { name: "High", points: { from: 100 } },
  );
  await program.addRules([
    { ...tierRule("upgraded", high.id, 7), expiration_rules },
    tierRule("downgraded", low.id, 3),
    tierRule("joined", "__ANY__", 1),
  ]);
  const [ann, bob, eve] = [await program.join("ann"), await program.join("bob"), await program.join("eve")];
  await club.ok(`POST /v1/loyalties/members/${ann.code}/balance`, { points: 50, expiration_type: "NON_EXPIRING" });
  assert.equal(await ann.balance(), 51);
  await club.ok(`POST /v1/vouchers/${bob.code}/balance`, { amount: 100 });
  assert.equal(await bob.balance(), 101, "who joins the higher tier is not moved up");
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 91);
  await club.ok(`POST ${program.path}/members/${ann.code}/transfers`, [{ code: bob.code, points: 10, source_id: "t" }]);
  assert.equal(await ann.balance(), 108, "moved up");
  assert.equal(await bob.balance(), 94, "moved down");
  const sweep = (now: string) => advanceCards.run({ db, now: () => now, newId, random: randomBytes });
  club.setNow("2026-02-02T00:00:00.000Z");
  await sweep("2026-02-02T00:00:00.000Z");
  assert.equal(await ann.balance(), 64, "40 and 7 have expired, and 3 were given for the move down");
  assert.equal((await ann.moves()).at(-1).details.event.type, "customer.loyalty.tier.downgraded");
  await sweep("2026-02-02T00:00:00.000Z");
  assert.equal(await ann.balance(), 64);
  assert.equal(await eve.balance(), 0);
});

test("a request that comes before the sweep finds what moves between tiers earned meanwhile, each at its moment", async () => {
  const stories: unknown[] = [];
  for (const isSwept of [true, false]) {
    const club = await cardClub(db);
    const month = (period_value: number) => ({ expiration_rules: { period_type: "MONTH", period_value } });
    const program = await club.open([PAID(40)], month(1));
    const other = await club.open([]);
    const [low] = await program.addTiers(
      { name: "Low", points: { from: 1, to: 49 } },
      { name: "High", points: { from: 50 } },
    );
    await program.addRules([{ ...tierRule("downgraded", low.id, 7), ...month(0) }]);
    await other.addRules([tierRule("downgraded", low.id, 2)]);
    const [ann, also] = [await program.join("ann"), await other.join("ann")];
    await club.ok(`POST /v1/loyalties/members/${ann.code}/balance`, { points: 20, expiration_type: "NON_EXPIRING" });
    await club.pay("ann", { amount: 100 });
    const now = "2026-03-15T12:00:00.000Z";
    if (isSwept) await advanceCards.run({ db, now: () => now, newId, random: randomBytes });
    club.setNow(now);
    await club.pay("ann", { amount: 100 });
    const story = async ({ moves }: typeof ann) =>
      (await moves()).map(({ type, created_at, details }) => `${created_at} ${type} ${details.balance.points}`);
    stories.push([await story(ann), await story(also)]);
    await club.ok(`DELETE /v1/loyalties/${program.campaign.id}`);
  }
  assert.deepEqual(stories[1], stories[0]);
  const [[own, others]] = stories as [[string[], string[]]];
  assert.deepEqual(own.slice(-4), [
    "2026-02-02T00:00:00.000Z POINTS_EXPIRATION -40",
    "2026-02-02T00:00:00.000Z POINTS_ACCRUAL 7",
    "2026-02-03T00:00:00.000Z POINTS_EXPIRATION -7",
    "2026-03-15T12:00:00.000Z POINTS_ACCRUAL 40",
  ]);
  assert.deepEqual(others, ["2026-02-02T00:00:00.000Z POINTS_ACCRUAL 2"]);
});

// Points that wait.

test("points of a paid order may wait: they are outside of the balance until their day", async () => {
  const club = await cardClub(db);
  const pending_points = { period_type: "DAY", period_value: 3 };
  const program = await club.open([PAID(15, { pending_points })]);
  const ann = await program.join("ann");
  const { id } = await club.pay("ann", { source_id: "o-1", amount: 100 });
  assert.deepEqual([await ann.balance(), await ann.pending()], [0, 15]);
  assert.deepEqual(await ann.moves(), []);
  assert.equal((await club.events("customer.rewarded.loyalty_points")).length, 0);
  const [added] = await club.events("voucher.loyalty_card.pending_points.added");
  const { pending_points: entry } = added.payload;
  assert.deepEqual([entry.points, entry.activates_at, entry.order_id], [15, "2026-01-04", id]);
  assert.deepEqual(entry.details.order, { id, source_id: "o-1" });
  assert.deepEqual(entry.details.earning_rule, { id: program.rules[0].id, source: { banner: null } });
  const { event } = entry.details;
  assert.deepEqual([event.type, event.entity_id, event.category], ["customer.order.paid", ann.customer, "ACTION"]);
  club.setNow("2026-01-04T00:00:00.000Z");
  await club.pay("ann", { amount: 100 });
  assert.deepEqual([await ann.balance(), await ann.pending()], [15, 15]);
  const [move] = await ann.moves();
  assert.equal(move.type, "PENDING_POINTS_ACTIVATION");
  assert.deepEqual(move.details.earning_rule, { id: program.rules[0].id, source: { banner: null } });
});

test("points of a rule expire as the rule says, and else as the program says", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const expiration_rules = { period_type: "MONTH", period_value: 1 };
  const own = { expiration_rules: { period_type: "MONTH", period_value: 3 } };
  const program = await club.open([on(visit, 10), on(visit, 5, own)], { expiration_rules });
  const ann = await program.join("ann");
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 15);
  club.setNow("2026-02-02T00:00:00.000Z");
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 20);
  club.setNow("2026-04-02T00:00:00.000Z");
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 20);
  assert.deepEqual(
    (await ann.moves()).filter(({ type }) => type === "POINTS_EXPIRATION").map(({ details }) => details.balance.points),
    [-10, -10, -5],
  );
});

// Taking back.

const redeem = (club: Awaited<ReturnType<typeof cardClub>>, code: string, order: object) =>
  club.ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: code }],
    customer: { source_id: "ann" },
    order,
  });

test("an order that is cancelled takes back what it earned, once, and what waits is cancelled", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const pending_points = { period_type: "DAY", period_value: 3 };
  const program = await club.open([PAID(10), PAID(7, { pending_points }), on(visit, 3)]);
  const ann = await program.join("ann");
  await club.track("visit", "ann");
  const { id } = await club.pay("ann", { source_id: "o-1", amount: 100 });
  assert.deepEqual([await ann.balance(), await ann.pending()], [13, 7]);
  await club.ok(`PUT /v1/orders/${id}`, { status: "CANCELED" });
  assert.deepEqual([await ann.balance(), await ann.pending()], [3, 0]);
  const last = (await ann.moves()).at(-1);
  assert.deepEqual([last.type, last.details.balance.points], ["POINTS_REMOVAL", -10]);
  assert.deepEqual([last.details.forgiven, last.reason], [{ points: 0 }, "Order canceled"]);
  assert.deepEqual(last.details.order, { id, source_id: "o-1" });
  assert.equal((await club.events("voucher.loyalty_card.pending_points.canceled")).length, 1);
  await club.ok(`PUT /v1/orders/${id}`, { status: "CANCELED" });
  assert.equal(await ann.balance(), 3, "it is taken back once");
});

test("an order that is paid again after it was cancelled earns again, and is taken back again", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const pending_points = { period_type: "DAY", period_value: 3 };
  const program = await club.open([PAID(100), PAID(7, { pending_points }), on(visit, 500)]);
  const ann = await program.join("ann");
  await club.track("visit", "ann");
  const { id } = await club.pay("ann", { amount: 100 });
  const put = (status: string) => club.ok(`PUT /v1/orders/${id}`, { status });
  for (let n = 0; n < 3; n += 1) {
    assert.deepEqual([await ann.balance(), await ann.pending()], [600, 7], `${n}: paid`);
    await put("FULFILLED");
    await put("PAID");
    assert.deepEqual([await ann.balance(), await ann.pending()], [600, 7], `${n}: earned before`);
    await put("CANCELED");
    assert.deepEqual([await ann.balance(), await ann.pending()], [500, 0], `${n}: cancelled`);
    await put("CREATED");
    await put("CANCELED");
    assert.deepEqual([await ann.balance(), await ann.pending()], [500, 0], `${n}: cancelled before`);
    await put("PAID");
  }
  const { details } = (await ann.moves()).find(({ type }: { type: string }) => type === "POINTS_REMOVAL");
  assert.deepEqual(Object.keys(details).sort(), ["balance", "forgiven", "order"]);
});

test("an order that earned nothing when it was paid first may earn when it is paid again", async () => {
  const club = await cardClub(db);
  const rules = { 1: { name: "order.amount", conditions: { $more_than: [1000] } }, logic: "1" };
  const { id: validation_rule_id } = await club.ok("POST /v1/validation-rules", { name: "r", rules });
  const program = await club.open([PAID(10, { validation_rule_id })]);
  const ann = await program.join("ann");
  const { id } = await club.pay("ann", { amount: 100 });
  assert.equal(await ann.balance(), 0);
  await club.ok(`PUT /v1/orders/${id}`, { status: "CANCELED" });
  await club.ok(`PUT /v1/orders/${id}`, { status: "PAID", amount: 2000 });
  assert.equal(await ann.balance(), 10);
});

test("what an order earned is taken back to zero at most, and the entry says what was forgiven", async () => {
  const club = await cardClub(db);
  const program = await club.open([PAID(10)]);
  const ann = await program.join("ann");
  const { id } = await club.pay("ann", { amount: 100 });
  await club.ok(`POST /v1/vouchers/${ann.code}/balance`, { amount: -8 });
  await club.ok(`PUT /v1/orders/${id}`, { status: "CANCELED" });
  assert.equal(await ann.balance(), 0);
  const last = (await ann.moves()).at(-1);
  assert.deepEqual([last.details.balance.points, last.details.forgiven], [-2, { points: 8 }]);
});

test("what an order earned and has expired is gone, and is not taken from other points", async () => {
  const club = await cardClub(db);
  const visit = await club.define("visit");
  const expiration_rules = { period_type: "MONTH", period_value: 1 };
  const program = await club.open([PAID(10, { expiration_rules }), on(visit, 20)]);
  const ann = await program.join("ann");
  const [one, other] = [await club.pay("ann", { amount: 100 }), await club.pay("ann", { amount: 100 })];
  await club.track("visit", "ann");
  await club.ok(`POST /v1/vouchers/${ann.code}/balance`, { amount: -4 });
  club.setNow("2026-02-02T00:00:00.000Z");
  // The 4 came from the first order: 6 of it have expired, and all of the other.
  await club.ok(`PUT /v1/orders/${one.id}`, { status: "CANCELED" });
  assert.equal(await ann.balance(), 16);
  await club.ok(`PUT /v1/orders/${other.id}`, { status: "CANCELED" });
  assert.equal(await ann.balance(), 16);
});

test("rolling back a redemption takes back what its order earned, also when the order stays paid", async () => {
  const club = await cardClub(db);
  const program = await club.open([PAID(10)]);
  const ann = await program.join("ann");
  for (const code of ["A", "B", "C"])
    await club.ok(`POST /v1/vouchers/${code}`, { discount: { type: "AMOUNT", amount_off: 10 } });
  const one = (await redeem(club, "A", { source_id: "o-1", amount: 1000 })).redemptions[0];
  const other = (await redeem(club, "B", { source_id: "o-2", amount: 1000 })).redemptions[0];
  assert.equal(await ann.balance(), 20);
  await club.ok(`POST /v1/redemptions/${one.id}/rollback`, {});
  assert.equal(await ann.balance(), 10);
  await club.ok(`POST /v1/redemptions/${other.id}/rollback`, { order: { status: "PAID" } });
  assert.equal(await ann.balance(), 0);
  assert.equal((await ann.moves()).at(-1).reason, "Redemption rolled back");
});

test("what is taken back leads to a lower tier, and rules for that give", async () => {
  const club = await cardClub(db);
  const program = await club.open([PAID(100)]);
  const [low] = await program.addTiers(
    { name: "Low", points: { from: 0, to: 99 } },
    { name: "High", points: { from: 100 } },
  );
  await program.addRules([tierRule("downgraded", low.id, 7)]);
  const ann = await program.join("ann");
  const { id } = await club.pay("ann", { amount: 100 });
  await club.ok(`PUT /v1/orders/${id}`, { status: "CANCELED" });
  assert.equal(await ann.balance(), 7);
  assert.equal(await ann.tier(), low.id);
});

// Asking before.

test("what an order would earn is estimated for members and for who may join, and nothing is written", async () => {
  const club = await cardClub(db);
  const loyalty = {
    type: "PROPORTIONAL",
    calculation_type: "ORDER_TOTAL_AMOUNT",
    order: { total_amount: { every: 100, points: 1 } },
  };
  const visit = await club.define("visit");
  const rules = [PAID(1), { event: "order.paid", loyalty }, on(visit, 1000), PAID(9, { active: false })];
  const program = await club.open(rules, { points: 10 });
  const [gold] = await program.addTiers({
    name: "Gold",
    points: { from: 10 },
    earning_rules: { [program.rules[0].id]: { type: "CUSTOM", points: 100 } },
  });
  const ann = await program.join("ann");
  const ask = (customer: unknown, order: unknown = { amount: 5099 }, path = program.path) =>
    club.call(`POST ${path}/qualifications`, { customer, order });
  const reply = await ask({ source_id: "ann" });
  assert.deepEqual(reply.body, {
    campaign: { id: program.campaign.id, name: program.campaign.name, object: "campaign" },
    points_estimation: 150,
  });
  assert.equal((await ask({ source_id: "ann" }, { amount: 5099, discount_amount: 1000 })).body.points_estimation, 140);
  assert.equal(
    (await ask({ id: ann.customer }, {}, `/v1/loyalties/${encodeURIComponent(program.campaign.name)}`)).body
      .points_estimation,
    100,
  );
  assert.equal(await ann.balance(), 10);
  assert.ok(gold);
  const open = await club.open([PAID(1), { event: "order.paid", loyalty }], { auto_join: true });
  assert.equal((await ask({ source_id: "new" }, { amount: 5099 }, open.path)).body.points_estimation, 51);
  assert.equal((await club.call("GET /v1/customers/new")).status, 404);
  const refusals: [Promise<any>, number, string][] = [
    [ask({ source_id: "new" }), 400, "campaign_not_allow_auto_join"],
    [ask("ann"), 400, "invalid_payload"],
    [ask({ source_id: "ann" }, "none"), 400, "invalid_payload"],
    [ask({ source_id: "ann" }, { amount: 2 ** 60 }), 400, "invalid_payload"],
    [ask({ id: "cust_nobody" }), 404, "not_found"],
    [ask({ source_id: "ann" }, {}, "/v1/loyalties/camp_none"), 404, "not_found"],
  ];
  for (const [answer, status, key] of refusals) {
    const { body, status: found } = await answer;
    assert.deepEqual([found, body.key], [status, key]);
  }
  await club.ok(`POST /v1/vouchers/${ann.code}/disable`);
  const disabled = await ask({ source_id: "ann" });
  assert.deepEqual([disabled.status, disabled.body.key], [400, "loyalty_card_not_active"]);
  assert.match(disabled.body.details, new RegExp(ann.code));
  await club.ok(`POST /v1/campaigns/${program.campaign.id}/disable`);
  assert.equal((await ask({ source_id: "ann" })).body.key, "campaign_not_active");
});

test("what must always hold of cards, lots and entries holds after all of this", () => assertHolds(db));

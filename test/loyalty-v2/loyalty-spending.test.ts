import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertInvariants, counted, ROLLING, refused, testClub } from "../support/loyalty-club.ts";

const { db } = await testDatabase();
type TestClub = Awaited<ReturnType<typeof testClub>>;
const V2 = "/v2/loyalties";
const LIMITED = (quantity: number) => ({ type: "LIMITED", limited: { quantity } });
const cost = (points: number, card_definition_id: string, more: object = {}) => ({
  spending: [{ points, card_definition_id }],
  ...more,
});
const campaign = ({ ok }: TestClub, type: "DISCOUNT_COUPONS" | "GIFT_VOUCHERS", more: Record<string, unknown> = {}) =>
  ok("POST /v1/campaigns", {
    name: `${type} ${Math.random()}`,
    campaign_type: type,
    type: "AUTO_UPDATE",
    voucher:
      type === "GIFT_VOUCHERS"
        ? { type: "GIFT_VOUCHER", gift: { amount: 100 } }
        : { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 100 } },
    ...more,
  });

/** Nothing changed of a club whose member has so many points, and of whose reward so many are there. */
async function assertUnchanged(club: TestClub, points: number, rewardId?: string, stock?: object): Promise<void> {
  const card = await club.cardOf();
  assert.equal(card.balance.points, points);
  assert.equal(card.lifetime_bucket.points.locked, 0);
  assert.deepEqual(await club.purchases(), []);
  if (rewardId && stock) {
    const { stock: left, redeemed } = await club.stockOf(rewardId);
    assert.deepEqual([left, redeemed], [stock, 0]);
  }
}

test("goods are bought with points: the purchase waits in the answer and is settled when it is read", async () => {
  const club = await testClub(db, { wallet: { points_expiration: ROLLING } });
  const { adjust, cardOf, moves, member, program, stockOf } = club;
  await adjust(740);
  const reward = await club.reward({}, LIMITED(3));
  const { made, settled } = await club.bought(reward.id);
  const [, spent] = await moves();
  const transaction = {
    id: made.transaction.id,
    card_id: member.card,
    card_transaction_id: spent.id,
    program_id: program.id,
    member_id: member.id,
    reward_id: reward.id,
    status: "PENDING",
    type: "PURCHASE",
    details: { reason: "Points spent on reward", rejection: null, metadata: {}, points: { total: 100 }, result: null },
    created_at: NOW,
    updated_at: null,
    object: "reward_transaction",
  };
  assert.match(made.transaction.id, /^lrtx_/);
  assert.deepEqual(made, {
    transaction,
    status: "TRANSACTION_CREATED",
    message: "Reward purchase transaction created",
  });
  const result = {
    reward: { id: reward.id, type: "MATERIAL" },
    quantity: 1,
    material: reward.material,
    digital: null,
  };
  assert.deepEqual(settled, {
    ...transaction,
    status: "APPROVED",
    details: { ...transaction.details, result },
    updated_at: NOW,
  });
  assert.deepEqual(
    [spent.type, spent.status, spent.details],
    [
      "POINTS_SPENT_ON_REWARD",
      "APPROVED",
      {
        reason: "Points spent on reward",
        rejection: null,
        metadata: {},
        points: { total: 100 },
        reward: { id: reward.id },
        reward_transaction: { id: made.transaction.id },
      },
    ],
  );
  const card = await cardOf();
  assert.equal(card.balance.points, 640);
  assert.deepEqual(counted(card), { total: 740, added: 740, spent: 100, locked: 100, unlocked: 100 });
  assert.deepEqual(card.next_expiration, { points: 640, date: "2026-02-01" });
  const { stock, redeemed } = await stockOf(reward.id);
  assert.deepEqual([stock, redeemed], [LIMITED(2), 1]);
});

test("a dry run says what would be bought, and changes nothing", async () => {
  const club = await testClub(db);
  const { adjust, member, program, buy } = club;
  await adjust(100);
  const reward = await club.reward({}, LIMITED(1));
  const reply = await buy(reward.id, { mode: "DRY_RUN" });
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.body, {
    transaction: {
      card_id: member.card,
      card_transaction_id: null,
      program_id: program.id,
      member_id: member.id,
      reward_id: reward.id,
      status: "SIMULATED",
      type: "PURCHASE",
      details: {
        reason: "Points spent on reward",
        rejection: null,
        metadata: {},
        points: { total: 100 },
        result: null,
      },
      updated_at: null,
      object: "reward_transaction",
    },
    status: "DRY_RUN",
    message: "Dry run mode. No transaction was created. This is only a simulation.",
  });
  await assertUnchanged(club, 100, reward.id, LIMITED(1));
  await adjust(-1);
  refused(await buy(reward.id, { mode: "DRY_RUN" }), 423, "insufficient_card_balance");
});

test("a coupon is published to the customer who buys it", async () => {
  const club = await testClub(db);
  await club.adjust(250);
  const coupons = await campaign(club, "DISCOUNT_COUPONS");
  const digital = { discount_coupons: { campaign_id: coupons.id } };
  const reward = await club.reward({ type: "DIGITAL", digital });
  const { settled } = await club.bought(reward.id);
  const given: any = settled.details.result.digital;
  assert.deepEqual(
    { ...given },
    {
      type: "DISCOUNT_COUPONS",
      discount_coupons: [{ id: given.discount_coupons[0].id, code: given.discount_coupons[0].code }],
    },
  );
  assert.equal(settled.details.result.material, null);
  const voucher = await club.ok(`GET /v1/vouchers/${given.discount_coupons[0].code}`);
  assert.deepEqual(
    [voucher.id, voucher.campaign_id, voucher.holder_id],
    [given.discount_coupons[0].id, coupons.id, club.member.customer.id],
  );
  const published = (await club.ok(`GET /v1/publications?customer=${club.member.customer.id}`)).publications;
  assert.deepEqual([published.length, published[0].result, published[0].vouchers_id], [1, "SUCCESS", [voucher.id]]);
  const again = (await club.bought(reward.id)).settled.details.result.digital.discount_coupons[0];
  assert.notEqual(again.code, voucher.code, "each purchase gives another code");
  assert.equal((await club.cardOf()).balance.points, 50);
});

test("a gift card gets the credits on top of its own, and is filled up by the next purchase", async () => {
  const club = await testClub(db);
  await club.adjust(300);
  const gifts = await campaign(club, "GIFT_VOUCHERS");
  const reward = await club.reward({
    type: "DIGITAL",
    digital: { gift_vouchers: { campaign_id: gifts.id, balance: 10 } },
  });
  const [first] = (await club.bought(reward.id)).settled.details.result.digital.gift_vouchers;
  assert.deepEqual([first.amount, first.balance], [110, 110]);
  assert.equal((await club.ok(`GET /v1/vouchers/${first.code}`)).gift.balance, 110);
  await club.ok(`POST /v1/vouchers/${first.code}/balance`, { amount: -64 });
  const [second] = (await club.bought(reward.id)).settled.details.result.digital.gift_vouchers;
  assert.deepEqual(second, { id: first.id, code: first.code, amount: 10, balance: 56 });
  const { gift } = await club.ok(`GET /v1/vouchers/${first.code}`);
  assert.equal(gift.balance, 56);
  const moves = (await club.ok(`GET /v1/vouchers/${first.code}/transactions`)).data;
  assert.deepEqual(
    moves.map((one: any) => [one.type, one.details.balance.amount]),
    [
      ["CREDITS_ADDITION", 10],
      ["CREDITS_REMOVAL", -64],
      ["CREDITS_ADDITION", 10],
    ],
  );
});

test("points of another card are bought, and both transactions name each other", async () => {
  const club = await testClub(db, { second: { points_expiration: ROLLING } });
  const { adjust, member, second, cardOf, moves } = club;
  await adjust(100);
  const reward = await club.reward({
    type: "DIGITAL",
    digital: { loyalty_card_points: { points: 7, card_definition_id: second.id } },
  });
  const { made, settled } = await club.bought(reward.id);
  assert.deepEqual(settled.details.result.digital, {
    type: "LOYALTY_CARD_POINTS",
    loyalty_card_points: { points: 7, card_definition_id: second.id, card_id: member.other },
  });
  const [, spent] = await moves();
  const [purchased] = await moves(member, member.other);
  assert.deepEqual(
    [spent.details.target_card, spent.details.purchase_transaction],
    [{ id: member.other }, { id: purchased.id }],
  );
  assert.deepEqual(
    [purchased.type, purchased.status, purchased.details.points, purchased.details.card_transaction],
    [
      "POINTS_PURCHASED",
      "APPROVED",
      { total: 7, expiration_date: "2026-02-01", expiration_type: "ROLLING_EXPIRATION" },
      { id: spent.id },
    ],
  );
  assert.deepEqual(purchased.details.reward_transaction, { id: made.transaction.id });
  assert.equal((await cardOf()).balance.points, 0);
  assert.deepEqual(counted(await cardOf(member, 1)), { total: 7, purchased: 7 });
});

test("points that are bought with points of the same card are counted on both sides", async () => {
  const club = await testClub(db);
  await club.adjust(100);
  const reward = await club.reward({
    type: "DIGITAL",
    digital: { loyalty_card_points: { points: 30, card_definition_id: club.wallet.id } },
  });
  await club.bought(reward.id);
  const card = await club.cardOf();
  assert.deepEqual(
    [card.balance.points, counted(card)],
    [30, { total: 130, added: 100, purchased: 30, spent: 100, locked: 100, unlocked: 100 }],
  );
});

test("what is not there cannot be bought", async () => {
  const club = await testClub(db);
  const { call, ok, buy, member, path } = club;
  await club.adjust(100);
  const reward = await club.reward();
  const loose = await ok(`POST ${V2}/rewards`, {
    name: "Loose",
    type: "MATERIAL",
    status: "ACTIVE",
    material: reward.material,
    costs: [cost(1, club.wallet.id)],
  });
  const line = (of: string) => `POST ${of}/rewards/purchases`;
  const body = { reward_id: reward.id };
  refused(await call(line(`${V2}/programs/lprg_1/members/${member.id}`), body), 404, "not_found", /program/);
  refused(await call(line(`${path}/members/lmbr_1`), body), 404, "not_found", /member/);
  const [missing, unassigned] = [await buy(`lrew_${"0".repeat(18)}`), await buy(loose.id)];
  for (const reply of [missing, unassigned]) {
    refused(reply, 404, "not_found");
    assert.equal(reply.body.resource_type, "reward");
  }
  const strange = await testClub(db);
  const theirs = await strange.reward();
  refused(await buy(theirs.id), 404, "not_found");
  refused(await call(line(strange.member.path), body), 404, "not_found", /program/);
  for (const wrong of [
    {},
    { reward_id: "x" },
    { reward_id: 1 },
    { ...body, mode: "LATER" },
    { ...body, colour: 1 },
    [],
  ])
    refused(await call(line(member.path), wrong), 400, "invalid_payload");
  await assertUnchanged(club, 100);
});

test("each reason not to sell has its key, in the order of the checks, and nothing changes", async () => {
  const club = await testClub(db, { wallet: { spending_limits: spendingLimits({ transaction: 300, global: 1000 }) } });
  const { ok, buy, path, member, clock } = club;
  await club.adjust(99);
  const stock = LIMITED(0);
  const reward = await club.reward({ start_date: "2026-01-01T13:00:00.000Z" }, stock);
  await ok(`POST ${V2}/rewards/${reward.id}/deactivate`);
  const set = (body: object) => ok(`PUT ${V2}/rewards/${reward.id}`, body);
  const fails = async (key: string, details?: RegExp) => {
    refused(await buy(reward.id), 423, key, details);
    refused(await buy(reward.id, { mode: "DRY_RUN" }), 423, key);
  };
  await ok(`POST ${member.path}/deactivate`);
  await ok(`POST ${path}/deactivate`);
  await fails("non_active_program");
  await ok(`PUT ${path}`, { start_date: "2026-01-01T12:30:00.000Z" });
  await ok(`POST ${path}/activate`);
  await fails("program_outside_validity_window");
  clock.now = "2026-01-01T12:30:00.000Z";
  await fails("non_active_member");
  await ok(`POST ${member.path}/activate`);
  await fails("non_active_reward");
  await ok(`POST ${V2}/rewards/${reward.id}/activate`);
  await fails("reward_outside_validity_window");
  clock.now = "2026-01-01T13:00:00.000Z";
  await fails("reward_out_of_stock", /^Cannot purchase reward when stock is not available$/);
  await ok(`PUT ${path}/rewards/${reward.id}`, { stock: LIMITED(5) });
  const gold = { "1": { name: "member.metadata", property: "level", conditions: { $is: ["gold"] } }, logic: "1" };
  await set({ costs: [cost(301, club.wallet.id, { rules: gold })] });
  await fails("no_matching_reward_cost");
  await ok(`PUT ${member.path}`, { metadata: { level: "gold" } });
  await fails("transaction_spending_limit_exceeded");
  await set({ costs: [cost(100, club.wallet.id)] });
  await fails("insufficient_card_balance", /^Operation exceeds the available card balance$/);
  await assertUnchanged(club, 99, reward.id, LIMITED(5));
  await club.adjust(1);
  await club.bought(reward.id);
});

function spendingLimits({ transaction, global }: { transaction?: number; global?: number | object }) {
  const global_ = typeof global === "number" ? { type: "SPENDING_BASED", max: global } : global;
  const none = { type: "NO_LIMIT" };
  return {
    transactions: transaction ? { type: "LIMITED", limits: [{ type: "POINTS", max: transaction }] } : none,
    global: global_ ? { type: "LIMITED", limits: [global_] } : none,
  };
}

test("a card of a wallet that the program does not have can neither pay nor be filled", async () => {
  const club = await testClub(db);
  await club.adjust(1000);
  const other = await club.walletOf("Other");
  const paid = await club.reward();
  const filled = await club.reward({
    type: "DIGITAL",
    digital: { loyalty_card_points: { points: 1, card_definition_id: club.wallet.id } },
  });
  // Only a reward that was assigned before it changed can ask for such a card.
  await db`update loyalty_rewards set costs = ${db.json([
    {
      id: "lrcst_1",
      tier_rules: { type: "NO_REQUIREMENTS" },
      spending: [{ id: "lrspn_1", name: null, points: 1, card_definition_id: other.id }],
    },
  ] as never)}
    where id = ${paid.id}`;
  await db`update loyalty_rewards set digital = ${db.json({
    type: "LOYALTY_CARD_POINTS",
    loyalty_card_points: { points: 1, card_definition_id: other.id },
  } as never)} where id = ${filled.id}`;
  for (const { id } of [paid, filled]) await club.ok(`PUT ${V2}/rewards/${id}`, { metadata: { read: "again" } });
  refused(await club.buy(paid.id), 423, "no_card_for_cost");
  refused(await club.buy(filled.id), 423, "no_target_card");
  await assertUnchanged(club, 1000);
});

test("the first cost whose rules hold is the price, and too few points are no reason to look further", async () => {
  const club = await testClub(db);
  const { ok, member, wallet, second, buy } = club;
  await club.adjust(50);
  await club.adjust(50, member, member.other);
  const segment = await ok("POST /v1/segments", { name: "VIP", customers: [member.customer.id] });
  const vip = { "1": { name: "customer.segment", conditions: { $is: [segment.id] } }, logic: "1" };
  const never = { "1": { name: "customer.metadata", property: "shoe", conditions: { $is: [44] } }, logic: "1" };
  const reward = await club.reward({
    costs: [cost(1, wallet.id, { rules: never }), cost(60, wallet.id, { rules: vip }), cost(20, second.id)],
  });
  refused(await buy(reward.id), 423, "insufficient_card_balance");
  await ok(`PUT ${V2}/rewards/${reward.id}`, {
    costs: [cost(1, wallet.id, { rules: never }), cost(20, second.id), cost(60, wallet.id, { rules: vip })],
  });
  const { made } = await club.bought(reward.id);
  assert.equal(made.transaction.card_id, member.other);
  assert.deepEqual([(await club.cardOf()).balance.points, (await club.cardOf(member, 1)).balance.points], [50, 30]);
});

test("a cost can be for members of a tier", async () => {
  const club = await testClub(db);
  const { ok, wallet, rule, reward } = club;
  const structure = await ok(`POST ${V2}/tier-structures`, {
    name: "Levels",
    type: "POINT_BALANCE",
    card_definition_id: wallet.id,
  });
  const gold = await ok(`POST ${V2}/tier-structures/${structure.id}/tiers`, {
    name: "Gold",
    qualification_rules: { type: "POINTS", points: { min_value: 100 } },
  });
  await ok(`POST ${V2}/tier-structures/${structure.id}/activate`);
  const program = await ok(`POST ${V2}/programs`, {
    name: "Tiers",
    status: "ACTIVE",
    card_definitions: [{ id: wallet.id }],
    earning_rules: [{ id: rule.id }],
    tier_structures: [{ id: structure.id }],
  });
  const path = `${V2}/programs/${program.id}`;
  const member = await ok(`POST ${path}/members`, { customer_id: club.member.customer.id });
  const tier_rules = { type: "ANY_OF", any_of: [{ tier_structure_id: structure.id, tier_ids: [gold.id] }] };
  const { id } = await reward({ costs: [cost(10, wallet.id, { tier_rules })] });
  await ok(`POST ${path}/rewards/batch`, { assign: [{ id, stock: { type: "UNLIMITED" } }] });
  const points = (n: number) =>
    ok(`POST ${path}/members/${member.id}/cards/${member.cards[0].card.id}/points`, { points: n });
  const buy = () => club.call(`POST ${path}/members/${member.id}/rewards/purchases`, { reward_id: id });
  await points(99);
  refused(await buy(), 423, "no_matching_reward_cost");
  await points(2);
  assert.equal((await buy()).status, 202);
});

test("a member buys a reward again after its cooldown, and so often in a period", async () => {
  const club = await testClub(db);
  const { buy, clock } = club;
  await club.adjust(1000);
  const often = {
    type: "LIMITED",
    limits: [{ type: "TIME_BASED", period: { current_period: { unit: "MONTH" } }, triggers: { max: 2 } }],
  };
  const purchase_limits = { cooldown: { fixed_cooldown: { period: { value: 2, unit: "HOUR" } } }, frequency: often };
  const reward = await club.reward({ purchase_limits });
  await club.bought(reward.id);
  clock.now = "2026-01-01T13:59:59.999Z";
  refused(await buy(reward.id), 423, "reward_purchase_cooldown");
  clock.now = "2026-01-01T14:00:00.000Z";
  await club.bought(reward.id);
  clock.now = "2026-01-31T23:00:00.000Z";
  refused(await buy(reward.id), 423, "reward_purchase_limit_exceeded");
  clock.now = "2026-02-01T00:00:00.000Z";
  await club.bought(reward.id);
  assert.equal((await club.cardOf()).balance.points, 700);
  const other = await club.enrol("bob");
  await club.adjust(100, other);
  await club.bought(reward.id, other);
});

test("what a wallet may spend in all and in a period holds back purchases", async () => {
  const month = { type: "TIME_BASED", period: { current_period: { unit: "MONTH" } }, points: { max: 250 } };
  const timed = await testClub(db, { wallet: { spending_limits: spendingLimits({ global: month }) } });
  await timed.adjust(1000);
  const mug = await timed.reward();
  await timed.bought(mug.id);
  await timed.bought(mug.id);
  refused(await timed.buy(mug.id), 423, "global_spending_limit_exceeded");
  timed.clock.now = "2026-02-01T00:00:00.000Z";
  await timed.bought(mug.id);
  const once = await testClub(db, { wallet: { spending_limits: spendingLimits({ global: 100 }) } });
  await once.adjust(1000);
  const cup = await once.reward();
  await once.bought(cup.id);
  refused(await once.buy(cup.id), 423, "global_spending_limit_exceeded");
  assert.equal((await once.cardOf()).balance.points, 900);
});

test("below zero nothing is bought, and what a card owes is no balance", async () => {
  const club = await testClub(db, { wallet: { balance_settings: { allow_negative: true } } });
  await club.adjust(50);
  const reward = await club.reward();
  refused(await club.buy(reward.id), 423, "insufficient_card_balance");
  assert.equal((await club.cardOf()).balance.points, 50);
});

test("a coupon that cannot be published makes the purchase rejected: points, stock and limits stay", async () => {
  const club = await testClub(db);
  await club.adjust(100);
  const coupons = await campaign(club, "DISCOUNT_COUPONS", { type: "STATIC", vouchers_count: 0 });
  const reward = await club.reward(
    {
      type: "DIGITAL",
      digital: { discount_coupons: { campaign_id: coupons.id } },
      purchase_limits: { cooldown: { fixed_cooldown: { period: { value: 1, unit: "DAY" } } } },
    },
    LIMITED(1),
  );
  const { made, settled } = await club.bought(reward.id);
  assert.deepEqual([made.transaction.status, made.transaction.details.rejection], ["PENDING", null]);
  const rejection = { reason: "NO_VOUCHER_SUITABLE_FOR_PUBLICATION", details: null };
  assert.deepEqual([settled.status, settled.details.rejection, settled.details.result], ["REJECTED", rejection, null]);
  const last = (await club.moves()).at(-1);
  assert.deepEqual(
    [last.id, last.status, last.details.rejection],
    [settled.card_transaction_id, "REJECTED", rejection],
  );
  const card = await club.cardOf();
  assert.deepEqual([card.balance.points, counted(card)], [100, { total: 100, added: 100, locked: 100, unlocked: 100 }]);
  const { stock, redeemed } = await club.stockOf(reward.id);
  assert.deepEqual([stock, redeemed], [LIMITED(1), 0]);
  await club.ok(`POST /v1/campaigns/${coupons.id}/vouchers/THE-ONE`, {});
  const { settled: second } = await club.bought(reward.id);
  assert.deepEqual([second.status, second.details.result.digital.discount_coupons[0].code], ["APPROVED", "THE-ONE"]);
});

test("a campaign that is gone, or gives each customer one code, gives none as a reward", async () => {
  const club = await testClub(db);
  await club.adjust(300);
  const once = await campaign(club, "DISCOUNT_COUPONS", { join_once: true });
  const reward = await club.reward({ type: "DIGITAL", digital: { discount_coupons: { campaign_id: once.id } } });
  assert.equal((await club.bought(reward.id)).settled.status, "APPROVED");
  assert.equal((await club.bought(reward.id)).settled.details.rejection.reason, "NO_VOUCHER_SUITABLE_FOR_PUBLICATION");
  await club.ok(`DELETE /v1/campaigns/${once.id}`, undefined, 202);
  assert.equal((await club.bought(reward.id)).settled.details.rejection.reason, "CAMPAIGN_NOT_FOUND");
  assert.equal((await club.cardOf()).balance.points, 200);
});

test("a purchase is refunded once: the price comes back with a new expiration, and the stock with it", async () => {
  const club = await testClub(db, { wallet: { points_expiration: ROLLING } });
  const { clock, refund, member, program } = club;
  await club.adjust(100);
  const reward = await club.reward({ refunds: { type: "REFUNDABLE" } }, LIMITED(1));
  const { settled } = await club.bought(reward.id);
  clock.now = "2026-01-20T12:00:00.000Z";
  const reply = await refund(settled.id);
  assert.equal(reply.status, 202, reply.text);
  const returned = (await club.moves()).at(-1);
  const purchase = { card_transaction: { id: settled.card_transaction_id }, reward_transaction: { id: settled.id } };
  assert.deepEqual(reply.body, {
    transaction: {
      id: reply.body.transaction.id,
      card_id: member.card,
      card_transaction_id: returned.id,
      program_id: program.id,
      member_id: member.id,
      reward_id: reward.id,
      status: "APPROVED",
      type: "REFUND",
      details: {
        reason: "Reward purchase refunded",
        rejection: null,
        metadata: {},
        points: { total: 100 },
        result: settled.details.result,
        purchase,
      },
      created_at: clock.now,
      updated_at: clock.now,
      object: "reward_transaction",
    },
    status: "APPROVED",
    message: "Reward refund transaction created. Points will be returned to the member's card shortly.",
  });
  assert.deepEqual(
    [returned.type, returned.status, returned.details],
    [
      "POINTS_RETURNED",
      "APPROVED",
      {
        reason: "Reward purchase refunded",
        rejection: null,
        metadata: {},
        points: { total: 100, expiration_date: "2026-02-20", expiration_type: "ROLLING_EXPIRATION" },
        reward: { id: reward.id },
        purchase,
        reward_transaction: { id: reply.body.transaction.id },
      },
    ],
  );
  const card = await club.cardOf();
  assert.deepEqual(
    [card.balance.points, counted(card)],
    [100, { total: 100, added: 100, spent: 100, returned: 100, locked: 100, unlocked: 100 }],
  );
  const { stock, redeemed } = await club.stockOf(reward.id);
  assert.deepEqual([stock, redeemed], [LIMITED(1), 0]);
  const all = await club.purchases();
  assert.deepEqual(
    all.map(({ id, status, updated_at }: any) => [id, status, updated_at]),
    [[settled.id, "REFUNDED", clock.now]],
    "the list holds purchases only",
  );
  refused(await refund(settled.id), 409, "invalid_reward_transaction_status", /REFUNDED/);
  refused(await refund(reply.body.transaction.id), 409, "invalid_reward_transaction_status", /REFUND/);
  assert.equal((await club.cardOf()).balance.points, 100);
});

test("a reward that is not refundable is refunded only when the call allows it, and stock can be written off", async () => {
  const club = await testClub(db);
  const { refund, call, path } = club;
  await club.adjust(200);
  const reward = await club.reward({}, LIMITED(5));
  const { settled } = await club.bought(reward.id);
  for (const policies of [undefined, null, {}, { refund: "DEFAULT" }, { refund: null, stock: null }])
    refused(await refund(settled.id, policies), 409, "reward_not_refundable");
  refused(await refund(settled.id, { refund: "MAYBE" }), 400, "invalid_payload");
  refused(await refund(settled.id, { colour: 1 }), 400, "invalid_payload");
  refused(await call(`POST ${path}/rewards/purchases/${settled.id}/refund`, { colour: 1 }), 400, "invalid_payload");
  refused(await refund("lrtx_1"), 404, "not_found", /reward_transaction/);
  refused(await call(`POST ${V2}/programs/lprg_1/rewards/purchases/${settled.id}/refund`), 404, "not_found", /program/);
  const strange = await testClub(db);
  refused(await strange.refund(settled.id), 404, "not_found");
  assert.equal((await club.cardOf()).balance.points, 100);
  await club.ok(`POST ${club.member.path}/deactivate`);
  await club.ok(`POST ${path}/deactivate`);
  assert.equal((await refund(settled.id, { refund: "ALLOW", stock: "WRITE_OFF" })).status, 202);
  assert.equal((await club.cardOf()).balance.points, 200);
  const { stock, redeemed } = await club.stockOf(reward.id);
  assert.deepEqual([stock, redeemed], [LIMITED(4), 1]);
});

test("a rejected purchase cannot be refunded", async () => {
  const club = await testClub(db);
  await club.adjust(100);
  const coupons = await campaign(club, "DISCOUNT_COUPONS", { type: "STATIC", vouchers_count: 0 });
  const reward = await club.reward({ type: "DIGITAL", digital: { discount_coupons: { campaign_id: coupons.id } } });
  const { settled } = await club.bought(reward.id);
  refused(await club.refund(settled.id, { refund: "ALLOW" }), 409, "invalid_reward_transaction_status", /REJECTED/);
});

test("a coupon that is refunded is deleted, unless it was used", async () => {
  const club = await testClub(db);
  await club.adjust(300);
  const coupons = await campaign(club, "DISCOUNT_COUPONS");
  const reward = await club.reward({
    type: "DIGITAL",
    digital: { discount_coupons: { campaign_id: coupons.id } },
    refunds: { type: "REFUNDABLE" },
  });
  const { settled: free } = await club.bought(reward.id);
  const { settled: used } = await club.bought(reward.id);
  const codeOf = ({ details }: any) => details.result.digital.discount_coupons[0];
  const redeemables = [{ object: "voucher", id: codeOf(used).code }];
  await club.ok("POST /v1/redemptions", { redeemables, order: { amount: 1000 } });
  const back = async (id: string) => (await club.refund(id)).body.transaction.details.result.digital;
  assert.deepEqual(await back(free.id), {
    type: "DISCOUNT_COUPONS",
    discount_coupons: [{ ...codeOf(free), result: "DELETED" }],
  });
  assert.equal((await club.call(`GET /v1/vouchers/${codeOf(free).code}`)).status, 404);
  assert.equal((await back(used.id)).discount_coupons[0].result, "SKIPPED");
  assert.equal((await club.call(`GET /v1/vouchers/${codeOf(used).code}`)).status, 200);
  assert.equal((await club.cardOf()).balance.points, 300);
  const { settled: gone } = await club.bought(reward.id);
  await club.ok(`DELETE /v1/vouchers/${codeOf(gone).code}?force=true`, undefined, 204);
  assert.equal((await back(gone.id)).discount_coupons[0].result, "SKIPPED");
});

test("credits of a gift card that is refunded are taken back when all of them are there", async () => {
  const club = await testClub(db);
  await club.adjust(300);
  const gifts = await campaign(club, "GIFT_VOUCHERS");
  const reward = await club.reward({
    type: "DIGITAL",
    digital: { gift_vouchers: { campaign_id: gifts.id, balance: 10 } },
    refunds: { type: "REFUNDABLE" },
  });
  const { settled: first } = await club.bought(reward.id);
  const { settled: second } = await club.bought(reward.id);
  const [{ code }] = first.details.result.digital.gift_vouchers;
  const back = async (id: string) => (await club.refund(id)).body.transaction.details.result.digital.gift_vouchers[0];
  const topUp = await back(second.id);
  assert.deepEqual([topUp.amount, topUp.balance, topUp.result], [10, 110, "CREDITS_SUBTRACTED"]);
  assert.equal((await club.ok(`GET /v1/vouchers/${code}`)).gift.balance, 110);
  await club.ok(`POST /v1/vouchers/${code}/balance`, { amount: -1 });
  const partly = await back(first.id);
  assert.deepEqual([partly.amount, partly.balance, partly.result], [110, 109, "SKIPPED"]);
  assert.equal((await club.ok(`GET /v1/vouchers/${code}`)).gift.balance, 109);
  assert.equal((await club.cardOf()).balance.points, 300);
});

test("points that were bought are taken back as far as they are there", async () => {
  const club = await testClub(db);
  const { member, second } = club;
  await club.adjust(200);
  const reward = await club.reward({
    type: "DIGITAL",
    digital: { loyalty_card_points: { points: 50, card_definition_id: second.id } },
    refunds: { type: "REFUNDABLE" },
  });
  const { settled: first } = await club.bought(reward.id);
  const { settled: other } = await club.bought(reward.id);
  await club.adjust(-80, member, member.other);
  assert.equal((await club.refund(first.id)).status, 202);
  const reversed = (await club.moves(member, member.other)).at(-1);
  assert.deepEqual(
    [reversed.type, reversed.details.points, reversed.details.purchase.reward_transaction],
    ["POINTS_PURCHASE_REVERSED", { total: 20 }, { id: first.id }],
  );
  assert.equal((await club.refund(other.id)).status, 202);
  assert.deepEqual(counted(await club.cardOf(member, 1)), {
    total: 100,
    purchased: 100,
    purchased_reversed: 20,
    subtracted: 80,
  });
  assert.equal((await club.cardOf()).balance.points, 200);
});

const PAYS = (formula: string | number = 1) => ({ pay_with_points: { exchange_ratio: { formula } } });

async function shop(formula: string | number = 1, wallet: object = {}) {
  const club = await testClub(db, { wallet: { ...PAYS(formula), ...wallet } });
  const order = (source_id: string, amount: number, more: object = {}) =>
    club.ok("POST /v1/orders", { source_id, amount, customer: { id: club.member.customer.id }, ...more });
  const pay = (order: object, more: object = {}) =>
    club.call(`POST ${club.member.path}/orders/payments`, { card_id: club.member.card, order, ...more });
  const paid = async (given: object, more: object = {}) => {
    const reply = await pay(given, more);
    assert.equal(reply.status, 202, reply.text);
    const all = await club.payments();
    return { made: reply.body, settled: all.find(({ id }: { id: string }) => id === reply.body.transaction.id) };
  };
  return { ...club, order, pay, paid };
}

test("an order is paid with all points of a card", async () => {
  const { adjust, order, paid, member, program, wallet, moves, cardOf } = await shop();
  await adjust(200);
  const { id: order_id } = await order("o-1", 500);
  const { made, settled } = await paid({ id: order_id }, { payment_limit: { type: "CARD_BALANCE" } });
  const [, spent] = await moves();
  const transaction = {
    id: made.transaction.id,
    program_id: program.id,
    member_id: member.id,
    card_id: member.card,
    card_definition_id: wallet.id,
    card_transaction_id: spent.id,
    order_id,
    status: "PENDING",
    type: "PAY_WITH_POINTS",
    details: {
      reason: "Points spent on order payment",
      rejection: null,
      metadata: {},
      payment: { amount: 200, points_spent: 200, exchange_ratio: 1 },
    },
    created_at: NOW,
    updated_at: null,
    object: "order_transaction",
  };
  assert.match(made.transaction.id, /^lotx_/);
  assert.deepEqual(made, {
    transaction,
    status: "TRANSACTION_CREATED",
    message: "Pay with points transaction created",
  });
  const { id: paymentId } = settled.details.payment;
  assert.match(paymentId, /^ordpay_/);
  assert.deepEqual(settled, {
    ...transaction,
    status: "APPROVED",
    updated_at: NOW,
    details: { ...transaction.details, payment: { id: paymentId, ...transaction.details.payment } },
  });
  assert.deepEqual(
    [spent.type, spent.status, spent.details],
    [
      "POINTS_SPENT_ON_ORDER",
      "APPROVED",
      {
        reason: "Points spent on order payment",
        rejection: null,
        metadata: {},
        points: { total: 200 },
        order: { id: order_id },
        order_transaction: { id: made.transaction.id },
      },
    ],
  );
  const card = await cardOf();
  assert.deepEqual(
    [card.balance.points, counted(card)],
    [0, { total: 200, added: 200, spent: 200, locked: 200, unlocked: 200 }],
  );
});

test("what is paid follows from the balance, the ratio and the limits", async () => {
  const cases = [
    [200, 1, { type: "CARD_BALANCE" }, { amount: 200, points_spent: 200, metadata: {} }],
    [650, 1, amountLimit(2000), { amount: 650, points_spent: 650, metadata: { amount_limit: 2000 } }],
    [100, 1, pointsLimit(150), { amount: 100, points_spent: 100, metadata: { points_limit: 150 } }],
    [5000, 1, amountLimit(2000), { amount: 2000, points_spent: 2000, metadata: { amount_limit: 2000 } }],
    [1000, 0.5, amountLimit(50), { amount: 50, points_spent: 25, metadata: { amount_limit: 50 } }],
    [10, 3, undefined, { amount: 3, points_spent: 9, metadata: {} }],
  ] as const;
  for (const [balance, ratio, payment_limit, expected] of cases) {
    const { adjust, order, pay, payments, cardOf, member, program, wallet } = await shop(ratio);
    await adjust(balance);
    const { id } = await order("o-1", 10);
    const reply = await pay({ source_id: "o-1" }, { mode: "DRY_RUN", ...(payment_limit && { payment_limit }) });
    assert.equal(reply.status, 200, reply.text);
    const { metadata, ...payment } = expected;
    assert.deepEqual(reply.body, {
      transaction: {
        program_id: program.id,
        member_id: member.id,
        card_id: member.card,
        card_definition_id: wallet.id,
        card_transaction_id: null,
        order_id: id,
        status: "SIMULATED",
        type: "PAY_WITH_POINTS",
        details: {
          reason: "Points spent on order payment",
          rejection: null,
          metadata,
          payment: { ...payment, exchange_ratio: ratio },
        },
        updated_at: null,
        object: "order_transaction",
      },
      status: "DRY_RUN",
      message: "Dry run mode. No transaction was created. This is only a simulation.",
    });
    assert.deepEqual([await payments(), (await cardOf()).balance.points], [[], balance]);
  }
});
function amountLimit(max: number) {
  return { type: "AMOUNT_LIMIT", amount_limit: { max } };
}
function pointsLimit(max: number) {
  return { type: "POINTS_LIMIT", points_limit: { max } };
}

test("spending limits cap a payment, the stricter one", async () => {
  const month = { type: "TIME_BASED", period: { current_period: { unit: "MONTH" } }, points: { max: 500 } };
  const { adjust, order, paid, pay } = await shop(1, {
    spending_limits: spendingLimits({ transaction: 300, global: month }),
  });
  await adjust(1000);
  const { id } = await order("o-1", 10_000);
  const spentBy = async () => (await paid({ id })).settled.details.payment.points_spent;
  assert.deepEqual([await spentBy(), await spentBy()], [300, 200]);
  refused(await pay({ id }), 423, "insufficient_card_balance");
});

test("the ratio can follow from the order", async () => {
  const { adjust, order, pay, paid } = await shop('ORDER_METADATA("ratio")');
  await adjust(100);
  const { id } = await order("o-1", 1000, { metadata: { ratio: 2 } });
  assert.deepEqual((await paid({ id })).made.transaction.details.payment, {
    amount: 50,
    points_spent: 100,
    exchange_ratio: 2,
  });
  await adjust(100);
  for (const [source, ratio] of [
    ["none", undefined],
    ["zero", 0],
    ["less", -1],
    ["text", "two"],
  ] as const) {
    await order(source, 1000, ratio === undefined ? {} : { metadata: { ratio } });
    refused(await pay({ source_id: source }), 423, "invalid_exchange_ratio");
  }
});

test("no more is paid than is left to pay: the payment is rejected, and the points are unlocked", async () => {
  const { adjust, order, paid, cardOf, moves } = await shop();
  await adjust(2600);
  const { id } = await order("o-1", 1500);
  const { made, settled } = await paid({ id }, { payment_limit: amountLimit(2000) });
  assert.deepEqual([made.transaction.status, made.transaction.details.rejection], ["PENDING", null]);
  const rejection = { reason: "PAYMENT_EXCEEDS_ORDER_TOTAL_AMOUNT", details: null };
  assert.deepEqual([settled.status, settled.details.rejection], ["REJECTED", rejection]);
  assert.deepEqual(settled.details.payment, { amount: 2000, points_spent: 2000, exchange_ratio: 1 });
  const last = (await moves()).at(-1);
  assert.deepEqual([last.status, last.details.rejection], ["REJECTED", rejection]);
  const card = await cardOf();
  assert.deepEqual(
    [card.balance.points, counted(card)],
    [2600, { total: 2600, added: 2600, locked: 2000, unlocked: 2000 }],
  );
  const pay = async (max: number) => (await paid({ id }, { payment_limit: amountLimit(max) })).settled.status;
  assert.deepEqual(
    [await pay(1000), await pay(501), await pay(500), await pay(1)],
    ["APPROVED", "REJECTED", "APPROVED", "REJECTED"],
  );
  assert.equal((await cardOf()).balance.points, 1100);
});

test("what is not there, not active or not enabled pays nothing", async () => {
  const club = await shop();
  const { call, ok, order, pay, adjust, member, path, payments, cardOf, clock } = club;
  const { id } = await order("o-1", 1000);
  const given = { id };
  refused(await pay(given), 423, "zero_card_balance", /^Operation requires a positive card balance$/);
  await adjust(100);
  const body = { card_id: member.card, order: given };
  const line = (of: string) => `POST ${of}/orders/payments`;
  refused(await call(line(`${V2}/programs/lprg_1/members/${member.id}`), body), 404, "not_found", /program/);
  refused(await call(line(`${path}/members/lmbr_1`), body), 404, "not_found", /member/);
  refused(await pay(given, { card_id: `lcrd_${"0".repeat(18)}` }), 404, "not_found", /card/);
  refused(await pay({ id: `ord_${"0".repeat(18)}` }), 404, "not_found", /order/);
  refused(await pay({ source_id: "nothing" }), 404, "not_found", /order/);
  refused(await pay({ id, source_id: "o-2" }), 404, "not_found", /order/);
  const strange = await shop();
  const theirs = await strange.order("theirs", 10);
  refused(await pay({ id: theirs.id }), 404, "not_found", /order/);
  for (const wrong of [
    {},
    { card_id: member.card },
    { ...body, order: {} },
    { ...body, order: { id: null, source_id: null } },
    { ...body, order: { source_id: "" } },
    { ...body, order: { id, colour: 1 } },
    { ...body, payment_limit: { type: "POINTS_LIMIT" } },
    { ...body, payment_limit: { type: "AMOUNT_LIMIT", points_limit: { max: 1 } } },
    { ...body, payment_limit: { type: "CARD_BALANCE", points_limit: { max: 1 } } },
    { ...body, payment_limit: pointsLimit(0) },
    { ...body, payment_limit: pointsLimit(1.5) },
    { ...body, payment_limit: { type: "ALL" } },
    { ...body, mode: "LATER" },
    { ...body, colour: 1 },
  ])
    refused(await call(line(member.path), wrong), 400, "invalid_payload");
  await adjust(10, member, member.other);
  refused(await pay(given, { card_id: member.other }), 423, "pay_with_points_not_enabled", /pay with points enabled/);
  await order("off", 10, { status: "CANCELED" });
  refused(await pay({ source_id: "off" }), 423, "order_canceled");
  await ok(`POST ${member.path}/deactivate`);
  refused(await pay(given), 423, "non_active_member");
  await ok(`POST ${member.path}/activate`);
  await ok(`POST ${path}/deactivate`);
  refused(await pay(given), 423, "non_active_program");
  await ok(`PUT ${path}`, { end_date: "2026-01-02T00:00:00.000Z" });
  await ok(`POST ${path}/activate`);
  clock.now = "2026-01-02T00:00:00.000Z";
  refused(await pay(given), 423, "program_outside_validity_window");
  assert.deepEqual([await payments(), (await cardOf()).balance.points], [[], 100]);
  const poor = await shop(1000);
  await poor.adjust(999);
  const dear = await poor.order("o-1", 10);
  refused(await poor.pay({ id: dear.id }), 423, "insufficient_card_balance");
});

test("spending begins sliding expirations again", async () => {
  const points_expiration = {
    type: "SLIDING_EXPIRATION",
    sliding_expiration: {
      period: { value: 1, unit: "MONTH" },
      earning_activity: false,
      spending_activity: true,
      custom_activity: false,
      custom_activity_types: [],
    },
  };
  const club = await testClub(db, { wallet: { points_expiration } });
  await club.adjust(150);
  const reward = await club.reward();
  club.clock.now = "2026-01-20T12:00:00.000Z";
  await club.bought(reward.id);
  assert.deepEqual((await club.cardOf()).next_expiration, { points: 50, date: "2026-02-20" });
});

test("points of several days are spent in the order in which they expire", async () => {
  const club = await testClub(db, { wallet: { points_expiration: ROLLING } });
  await club.adjust(30);
  club.clock.now = "2026-01-10T12:00:00.000Z";
  await club.adjust(40);
  club.clock.now = "2026-01-20T12:00:00.000Z";
  await club.adjust(100);
  const reward = await club.reward({ costs: [cost(60, club.wallet.id)] });
  await club.bought(reward.id);
  const left = (await club.ok(`GET ${club.member.cardPath}/expiring-points`)).data;
  assert.deepEqual(
    left.map((one: any) => [one.expiration_date, one.points.total]),
    [
      ["2026-02-10", 10],
      ["2026-02-20", 100],
    ],
  );
});

test("a request with an idempotency key buys once", async () => {
  const club = await testClub(db);
  await club.adjust(300);
  const reward = await club.reward();
  const send = () =>
    (club.call as (line: string, body: unknown, headers: object) => ReturnType<typeof club.call>)(
      `POST ${club.member.path}/rewards/purchases`,
      { reward_id: reward.id },
      { "idempotency-key": "once" },
    );
  const [first, again] = [await send(), await send()];
  assert.deepEqual([first.status, again.status, again.text === first.text], [202, 202, true]);
  assert.equal((await club.cardOf()).balance.points, 200);
});

test("what must always hold, holds after all of this", () => assertInvariants(db));

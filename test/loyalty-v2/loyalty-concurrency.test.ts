import assert from "node:assert/strict";
import { test } from "node:test";
import { FORM, form, testDatabase, testProject } from "../support/engine.ts";
import { assertInvariants, type Call, type Club, counted, makeClub, ROLLING } from "../support/loyalty-club.ts";
import { inParallel, type Reply, twoServers } from "../support/two-servers.ts";

// 64 clients over two server processes, all at once on the same member, card or reward.
const database = await testDatabase();
const { db } = database;
const servers = await twoServers(database);

/** A club in a project of its own, whose calls go to both servers in turn. */
async function club(given: Parameters<typeof makeClub>[1] = {}): Promise<Club> {
  const project = await testProject(db);
  const payload = form({ grant_type: "client_credentials", scope: "api" });
  const token = await fetch(`${servers[0]!.url}/v1/oauth/token`, {
    method: "POST",
    headers: { ...project.headers, ...FORM },
    body: payload,
  });
  const { access_token } = (await token.json()) as { access_token: string };
  let turn = 0;
  const call: Call = async (line, body) => {
    const [method, path] = line.split(" ") as [string, string];
    const reply = await fetch(`${servers[turn++ % servers.length]!.url}${path}`, {
      method,
      headers: {
        ...project.headers,
        ...(path.startsWith("/v2/") && { authorization: `Bearer ${access_token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(600_000),
    });
    const text = await reply.text();
    return { status: reply.status, body: text && JSON.parse(text), text };
  };
  return makeClub(call, given);
}

const won = (replies: readonly Reply[]) => replies.filter(({ status }) => status < 300).length;
/** Everything that failed was refused with one of these keys. */
function assertRefusals(replies: readonly Reply[], ...keys: string[]): void {
  const others = replies.filter(({ status, body }) => status >= 300 && !keys.includes(body.key));
  assert.deepEqual(
    others.map(({ text }) => text),
    [],
  );
}

test("the last one in stock is bought once", async () => {
  const it = await club();
  const members = await Promise.all([..."abcdefgh"].map((name) => it.enrol(name)));
  for (const member of members) await it.adjust(1000, member);
  const reward = await it.reward({}, { type: "LIMITED", limited: { quantity: 1 } });
  const replies = await inParallel(64, (n) => it.buy(reward.id, {}, members[n % members.length]!) as Promise<Reply>);
  assert.equal(won(replies), 1);
  assertRefusals(replies, "reward_out_of_stock");
  const { stock, redeemed } = await it.stockOf(reward.id);
  assert.deepEqual([stock, redeemed], [{ type: "LIMITED", limited: { quantity: 0 } }, 1]);
  const left = await Promise.all(members.map((member) => it.cardOf(member)));
  assert.equal(
    left.reduce((sum, { balance }) => sum + balance.points, 0),
    7900,
  );
});

test("parallel purchases spend no more points than there are", async () => {
  const it = await club();
  await it.adjust(1050);
  const reward = await it.reward();
  const replies = await inParallel(64, () => it.buy(reward.id) as Promise<Reply>);
  assert.equal(won(replies), 10);
  assertRefusals(replies, "insufficient_card_balance");
  const card = await it.cardOf();
  assert.equal(card.balance.points, 50);
  assert.deepEqual(counted(card), { total: 1050, added: 1050, spent: 1000, locked: 1000, unlocked: 1000 });
  const balances =
    await db`select balance from ledger_entries where account_id = ${it.member.card} order by balance desc`;
  assert.deepEqual(
    balances.map(({ balance }) => balance),
    [1050, 950, 850, 750, 650, 550, 450, 350, 250, 150, 50],
    "every balance was seen once",
  );
});

test("a purchase limit of a member holds", async () => {
  const it = await club();
  await it.adjust(10_000);
  const frequency = {
    limits: [{ period: { current_period: { unit: "YEAR" } }, triggers: { max: 3 } }],
  };
  const reward = await it.reward({ purchase_limits: { frequency } });
  const replies = await inParallel(64, () => it.buy(reward.id) as Promise<Reply>);
  assert.equal(won(replies), 3);
  assertRefusals(replies, "reward_purchase_limit_exceeded");
  assert.equal((await it.cardOf()).balance.points, 9700);
});

test("codes of a campaign are each sold once, and a customer's gift card gets all credits", async () => {
  const it = await club();
  const members = [it.member, await it.enrol("bob"), await it.enrol("cid"), await it.enrol("dan")];
  for (const member of members) await it.adjust(100_000, member);
  const voucher = { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 100 } };
  const few = { name: "Few", campaign_type: "DISCOUNT_COUPONS", type: "STATIC", voucher };
  const coupons = await it.ok("POST /v1/campaigns", few);
  for (let n = 0; n < 5; n += 1) await it.ok(`POST /v1/campaigns/${coupons.id}/vouchers/FEW-${n}`, {});
  const gift = { type: "GIFT_VOUCHER", gift: { amount: 100 } };
  const auto = { name: "Gifts", campaign_type: "GIFT_VOUCHERS", type: "AUTO_UPDATE", voucher: gift };
  const gifts = await it.ok("POST /v1/campaigns", auto);
  const codes = await it.reward({ type: "DIGITAL", digital: { discount_coupons: { campaign_id: coupons.id } } });
  const cards = await it.reward({
    type: "DIGITAL",
    digital: { gift_vouchers: { campaign_id: gifts.id, balance: 10 } },
  });
  const replies = await inParallel(
    64,
    (n) => it.buy(n % 2 === 0 ? codes.id : cards.id, {}, members[(n >> 1) % members.length]!) as Promise<Reply>,
  );
  assertRefusals(replies);
  const all = (await Promise.all(members.map((member) => it.purchases(member)))).flat() as any[];
  const given = all.flatMap(({ details }) => details.result?.digital.discount_coupons?.[0].code ?? []);
  assert.deepEqual(given.sort(), ["FEW-0", "FEW-1", "FEW-2", "FEW-3", "FEW-4"]);
  assert.equal(all.filter(({ status }) => status === "REJECTED").length, 27);
  const held = new Set(all.flatMap(({ details }) => details.result?.digital.gift_vouchers?.[0].code ?? []));
  assert.equal(held.size, members.length, "each has one card");
  for (const code of held) assert.equal((await it.ok(`GET /v1/vouchers/${code}`)).gift.balance, 100 + 8 * 10);
  const left = await Promise.all(members.map((member) => it.cardOf(member)));
  assert.equal(
    left.reduce((sum, { balance }) => sum + balance.points, 0),
    400_000 - 37 * 100,
  );
});

test("parallel credits, debits, purchases, payments and expiries on one card keep it exact", async () => {
  const it = await club({
    wallet: { points_expiration: ROLLING, pay_with_points: { exchange_ratio: { formula: 1 } } },
  });
  await it.adjust(500);
  const [bucket] = (await it.ok(`GET ${it.member.cardPath}/expiring-points`)).data;
  const reward = await it.reward();
  const order = await it.ok("POST /v1/orders", { source_id: "o", amount: 1_000_000 });
  const payment_limit = { type: "POINTS_LIMIT", points_limit: { max: 7 } };
  const payment = { card_id: it.member.card, order: { id: order.id }, payment_limit };
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => it.call(`POST ${it.member.cardPath}/points`, { points: 50 }),
    () => it.call(`POST ${it.member.cardPath}/points`, { points: -20 }),
    () => it.buy(reward.id),
    () => it.call(`POST ${it.member.path}/orders/payments`, payment),
    () => it.call(`POST ${it.member.cardPath}/expiring-points/${bucket.id}/expire`),
  ];
  const replies = (await inParallel(200, (n) => kinds[n % kinds.length]!())) as Reply[];
  assertRefusals(replies, "insufficient_card_balance", "zero_card_balance", "invalid_points_bucket_status");
  const card = await it.cardOf();
  const points = card.lifetime_bucket.points;
  const moves: any[] = await db`
    select kind, sum(amount)::bigint as moved from ledger_entries where account_id = ${it.member.card} group by kind`;
  const moved = Object.fromEntries(moves.map(({ kind, moved: sum }) => [kind, Math.abs(sum)]));
  assert.deepEqual(
    [points.added, points.subtracted, points.spent, points.expired],
    [
      moved.addition ?? 0,
      moved.removal ?? 0,
      (moved.reward_spend ?? 0) + (moved.order_spend ?? 0),
      moved.manual_expiration ?? 0,
    ],
  );
  assert.equal(points.added, 500 + 40 * 50, "every credit is there");
  assert.equal(card.balance.points, points.total - points.subtracted - points.expired - points.spent);
  assert.ok(card.balance.points >= 0);
  const paid = (await it.payments()).filter(({ status }: any) => status === "APPROVED");
  assert.equal(
    paid.reduce((sum: number, one: any) => sum + one.details.payment.points_spent, 0),
    moved.order_spend ?? 0,
  );
});

test("a purchase that many refund at once is refunded once", async () => {
  const it = await club();
  await it.adjust(100);
  const reward = await it.reward({ refunds: { type: "REFUNDABLE" } }, { type: "LIMITED", limited: { quantity: 4 } });
  const { settled } = await it.bought(reward.id);
  const replies = await inParallel(64, () => it.refund(settled.id) as Promise<Reply>);
  assert.equal(won(replies), 1);
  assertRefusals(replies, "invalid_reward_transaction_status");
  assert.equal((await it.cardOf()).balance.points, 100);
  const { stock, redeemed } = await it.stockOf(reward.id);
  assert.deepEqual([stock.limited.quantity, redeemed], [4, 0]);
});

test("an order that many members pay at once is paid no more than once", async () => {
  const it = await club({ wallet: { pay_with_points: { exchange_ratio: { formula: 1 } } } });
  const members = await Promise.all([..."abcdefghijklmnop"].map((name) => it.enrol(name)));
  for (const member of members) await it.adjust(10_000, member);
  const order = await it.ok("POST /v1/orders", { source_id: "o", amount: 1000 });
  const payment_limit = { type: "POINTS_LIMIT", points_limit: { max: 100 } };
  const replies = (await inParallel(64, (n) => {
    const { path, card } = members[n % members.length]!;
    return it.call(`POST ${path}/orders/payments`, { card_id: card, order: { id: order.id }, payment_limit });
  })) as Reply[];
  assert.equal(won(replies), 64);
  const left = await Promise.all(members.map((member) => it.cardOf(member)));
  assert.equal(
    left.reduce((sum, { balance }) => sum + balance.points, 0),
    160_000 - 1000,
  );
});

test("what must always hold, holds after all races, and nothing was logged as an error", async () => {
  await assertInvariants(db);
  for (const { seen } of servers) assert.equal(seen.stderr, "");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NOW, testDatabase } from "../support/engine.ts";
import { friends } from "../support/friends.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { ROLLING, testClub } from "../support/loyalty-club.ts";
import { cardWorld } from "../support/point-cards.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

/** A shop with a campaign of gift cards, and what happens to them. */
async function giftShop() {
  const shop = await testShop(db);
  const { ok } = shop;
  const campaign = await ok("POST /v1/campaigns", {
    name: "Gifts",
    campaign_type: "GIFT_VOUCHERS",
    type: "STATIC",
    voucher: { type: "GIFT_VOUCHER", gift: { amount: 1000 } },
  });
  const card = (code: string, body: object = {}) => ok(`POST /v1/campaigns/${campaign.id}/vouchers/${code}`, body);
  const spend = async (code: string, credits: number) => {
    const redeemables = [{ object: "voucher", id: code, gift: { credits } }];
    return (await ok("POST /v1/redemptions", { redeemables, order: { amount: 100_000 } })).redemptions[0].id as string;
  };
  const balance = (query = "") => ok(`GET /v1/gift-cards/balance${query}`);
  /** The same, from the cards one by one. */
  const recount = async (query = "") => {
    const { vouchers } = await ok(`GET /v1/vouchers?limit=100${query}`);
    const gifts = vouchers.filter(({ type }: any) => type === "GIFT_VOUCHER").map(({ gift }: any) => gift);
    const sum = (of: (gift: any) => number) => gifts.reduce((all: number, gift: any) => all + of(gift), 0);
    const [issued, removed] = [sum(({ amount }) => amount), sum((gift) => gift.subtracted_amount ?? 0)];
    const left = sum((gift) => gift.balance);
    return { cards: gifts.length, issued, removed, spent: issued - removed - left, balance: left };
  };
  return { ...shop, campaign, card, spend, balance, recount };
}

test("gift cards: what is left is exact after spending, a rollback, a top-up and a change of the campaign", async () => {
  const { ok, campaign, card, spend, balance } = await giftShop();
  const figures = async (query = "") => {
    const { cards, issued, removed, spent, balance: left } = await balance(query);
    return [cards, issued, removed, spent, left];
  };
  assert.deepEqual(await balance(), {
    object: "gift_card_balance",
    campaign_id: null,
    ...{ cards: 0, issued: 0, removed: 0, spent: 0, balance: 0 },
    counted_at: NOW,
  });
  for (const code of ["ONE", "TWO", "THREE"]) await card(code);
  await card("OWN", { gift: { amount: 250 } });
  await ok("POST /v1/vouchers/ALONE", { type: "GIFT_VOUCHER", gift: { amount: 40 } });
  await ok("POST /v1/vouchers/NONE", { discount: { type: "AMOUNT", amount_off: 100 } });
  assert.deepEqual(await figures(), [5, 3290, 0, 0, 3290]);
  assert.deepEqual(await figures("?campaign=Gifts"), [4, 3250, 0, 0, 3250]);
  const redemption = await spend("ONE", 300);
  assert.deepEqual(await figures(), [5, 3290, 0, 300, 2990]);
  await ok(`POST /v1/redemptions/${redemption}/rollback`, {});
  assert.deepEqual(await figures(), [5, 3290, 0, 0, 3290]);
  await ok("POST /v1/vouchers/TWO/balance", { amount: 500 });
  await ok("POST /v1/vouchers/TWO/balance", { amount: -100 });
  assert.deepEqual(await figures(`?campaign=${campaign.id}`), [4, 3750, 100, 0, 3650]);
  await ok("PUT /v1/campaigns/Gifts", { voucher: { type: "GIFT_VOUCHER", gift: { amount: 2000 } } });
  const three = (await ok("GET /v1/vouchers/THREE")).gift.balance;
  assert.equal((await figures())[4], 1000 + 1400 + three + 250 + 40);
  await ok("DELETE /v1/vouchers/THREE");
  assert.deepEqual((await figures())[4], 1000 + 1400 + 250 + 40, "a card in the bin is not there");
  await ok("DELETE /v1/campaigns/Gifts");
  assert.deepEqual((await figures())[4], 40, "nor are those of a campaign in the bin");
});

test("gift cards: the sums are those of a recount, whatever was done", async () => {
  const { ok, campaign, card, spend, balance, recount } = await giftShop();
  const codes = ["A", "B", "C", "D"];
  for (const code of codes) await card(code);
  const spent: string[] = [];
  const acts = {
    spend: async (code: string, amount: number) => {
      const { gift } = await ok(`GET /v1/vouchers/${code}`);
      if (gift.balance >= amount) spent.push(await spend(code, amount));
    },
    undo: async () => {
      const id = spent.pop();
      if (id) await ok(`POST /v1/redemptions/${id}/rollback`, {});
    },
    add: (code: string, amount: number) => ok(`POST /v1/vouchers/${code}/balance`, { amount }),
    own: (code: string, amount: number) => ok(`PUT /v1/vouchers/${code}`, { gift: { amount } }).catch(() => null),
    all: (_: string, amount: number) =>
      ok("PUT /v1/campaigns/Gifts", { voucher: { type: "GIFT_VOUCHER", gift: { amount } } }),
    make: (_: string, amount: number) => card(`N${amount}-${spent.length}`).catch(() => null),
  };
  const step = fc.record({
    act: fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])),
    code: fc.constantFrom(...codes),
    amount: fc.integer({ min: 1, max: 900 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      for (const { act, code, amount } of steps) await acts[act](code, amount);
      const { object: _, campaign_id, counted_at: __, ...sums } = await balance(`?campaign=${campaign.id}`);
      assert.equal(campaign_id, campaign.id);
      assert.deepEqual(sums, await recount());
    }),
    { numRuns: 12 },
  );
});

test("gift cards: of very many the sum holds for a minute, and says when it was counted", async () => {
  const clock = { now: NOW };
  const { ok, project } = await testShop(db, {}, { now: () => clock.now });
  await ok("POST /v1/vouchers/ALONE", { type: "GIFT_VOUCHER", gift: { amount: 40 } });
  await db`
    insert into vouchers (project_id, id, code, code_folded, type, settings, created_at)
    select ${project.id}, 'v_' || n, n, n, 'GIFT_VOUCHER', settings, created_at + n * interval '1 microsecond'
    from vouchers, generate_series(1, 50000) as n where project_id = ${project.id}`;
  const read = async () => {
    const { balance, counted_at } = await ok("GET /v1/gift-cards/balance");
    return [balance, counted_at];
  };
  assert.deepEqual(await read(), [50_001 * 40, NOW]);
  await ok("POST /v1/vouchers/ALONE/balance", { amount: 5 });
  assert.deepEqual(await read(), [50_001 * 40, NOW]);
  clock.now = "2026-01-01T12:01:00.000Z";
  assert.deepEqual(await read(), [50_001 * 40 + 5, clock.now]);
});

test("loyalty campaign: members, and what became of their points", async () => {
  const { ok, program, join, add, move } = await cardWorld(db);
  const club = await program("Club", { points: 10, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  const overview = () => ok("GET /v1/loyalties/Club/overview");
  assert.deepEqual((await overview()).members, { total: 0, active: 0, inactive: 0 });
  const { code } = await join("Club", "ann");
  const { code: other } = await join("Club", "bob");
  await add(code, 100, { expiration_type: "CUSTOM_DATE", expiration_date: "2026-03-10" });
  await add(code, 7, { expiration_type: "NON_EXPIRING" });
  await add(other, -4);
  await ok(`POST /v1/vouchers/${other}/disable`);
  const { object, campaign_id, members, cards, issued, removed, outstanding, expiring } = await overview();
  assert.deepEqual(
    [object, campaign_id, members, cards, issued, removed, outstanding],
    ["loyalty_overview", club.id, { total: 2, active: 1, inactive: 1 }, 2, 127, 4, 123],
  );
  const balances = await Promise.all(
    [code, other].map(async (one) => (await ok(`GET /v1/vouchers/${one}`)).loyalty_card),
  );
  assert.equal(
    outstanding,
    balances.reduce((sum, { balance }) => sum + balance, 0),
  );
  assert.deepEqual(
    expiring.map(({ month }: any) => month),
    ["2026-01", "2026-02", "2026-03"],
  );
  assert.equal(expiring[2].points, 100);
  // What has expired is gone, whether or not the sweep has been to the card.
  await move("2026-03-20T00:00:00.000Z", { isSwept: false });
  const later = await overview();
  assert.equal(later.outstanding, 7);
  await move("2026-03-20T00:00:01.000Z");
  const swept = await overview();
  assert.deepEqual([swept.outstanding, swept.expired], [7, 116]);
  assert.equal(swept.issued, 127);
});

test("program: members, and the points of each wallet by the month in which they expire", async () => {
  const club = await testClub(db, { wallet: { points_expiration: ROLLING } });
  const overview = () => club.ok(`GET ${club.path}/overview`);
  const bob = await club.enrol("bob");
  await club.adjust(30);
  await club.adjust(50, bob);
  await club.adjust(5, bob, bob.other);
  await club.ok(`POST ${bob.path}/deactivate`);
  const { object, program_id, members, wallets, counted_at } = await overview();
  assert.deepEqual(
    [object, program_id, members, counted_at],
    ["program_overview", club.program.id, { total: 2, active: 1, inactive: 1 }, NOW],
  );
  const of = (id: string) => wallets.find((one: any) => one.card_definition_id === id);
  const none = { removed: 0, spent: 0, expired: 0, pending: 0 };
  const month = (name: string, points: number) => ({ month: name, points });
  assert.deepEqual(of(club.wallet.id), {
    card_definition_id: club.wallet.id,
    ...{ cards: 2, issued: 80, outstanding: 80, ...none },
    expiring: [month("2026-01", 0), month("2026-02", 80), month("2026-03", 0)],
  });
  assert.deepEqual(of(club.second.id), {
    card_definition_id: club.second.id,
    ...{ cards: 2, issued: 5, outstanding: 5, ...none },
    expiring: [month("2026-01", 0), month("2026-02", 0), month("2026-03", 0)],
  });
  const reward = await club.reward({ costs: [{ spending: [{ points: 20, card_definition_id: club.wallet.id }] }] });
  await club.bought(reward.id);
  const after = (await overview()).wallets.find((one: any) => one.card_definition_id === club.wallet.id);
  assert.deepEqual([after.issued, after.spent, after.outstanding, after.expiring[1].points], [80, 20, 60, 60]);
  assert.equal(after.outstanding, (await club.cardOf()).balance.points + (await club.cardOf(bob)).balance.points);
  await club.adjust(-4);
  const less = (await overview()).wallets.find((one: any) => one.card_definition_id === club.wallet.id);
  assert.deepEqual([less.issued, less.removed, less.spent, less.outstanding], [80, 4, 20, 56]);
});

test("top referrers: over all codes, the most friends first", async () => {
  const { ok, publish, redeem, customer, referral, call } = await friends(db);
  for (const code of ["BEA", "CAT"]) await ok(`POST /v1/campaigns/${referral.id}/vouchers/${code}`, {});
  await publish("BEA", "bea");
  await publish("CAT", "cat");
  for (const [code, who] of [
    ["BEA", "x1"],
    ["BEA", "x2"],
    ["ANN", "x3"],
    ["BEA", "x1"],
  ] as const)
    assert.equal((await redeem(code, who)).status, 200);
  const top = async (query = "") => (await ok(`GET /v1/referrals/Friends/top-referrers${query}`)).data;
  const shown = (rows: any[]) => rows.map(({ customer_id, code, friends: count }) => [customer_id, code, count]);
  const [ann, bea] = [(await customer("ann")).id, (await customer("bea")).id];
  assert.deepEqual(shown(await top()), [
    [bea, "BEA", 2],
    [ann, "ANN", 1],
  ]);
  assert.deepEqual(shown(await top("?limit=1")), [[bea, "BEA", 2]]);
  assertRefused(await call("GET /v1/referrals/Friends/top-referrers?limit=0"), "invalid_query_params");
  // Who was erased brought nobody.
  assert.equal((await call("DELETE /v1/customers/bea?force=true")).status, 204);
  assert.deepEqual(
    (await top()).map(({ friends: count }: any) => count),
    [1],
  );
});

test("figures of cards: another project's, wrong keys and other scopes are refused", async () => {
  const mine = await giftShop();
  const theirs = await giftShop();
  const club = await cardWorld(db);
  const loyal = await club.program("Club");
  const v2 = await testClub(db);
  const lines = [
    ["GET /v1/gift-cards/balance", `?campaign=${theirs.campaign.id}`, "orders"],
    [`GET /v1/loyalties/${loyal.id}/overview`, "", "orders"],
    [`GET ${v2.path}/overview`, "", null],
    ["GET /v1/referrals/Friends/top-referrers", "", "orders"],
  ] as const;
  const { call, project } = mine;
  for (const [line, query, scope] of lines) {
    assertRefused(await call(`${line}${query}`), "not_found");
    assertRefused(await call(line, undefined, { "x-app-token": "wrong" }), "unauthorized");
    const client = { "x-app-id": project.client.id, "x-app-token": project.client.secret };
    assertRefused(await call(line, undefined, client), "unauthorized");
    if (scope === null) continue;
    const authorization = `Bearer ${await tokenOf(call, scope)}`;
    const bare = { "x-app-id": "", "x-app-token": "", authorization };
    assertRefused(await call(line, undefined, bare), "missing_required_permission");
  }
  // A campaign of another type is not found here.
  assertRefused(await call(`GET /v1/loyalties/${mine.campaign.id}/overview`), "not_found");
  assertRefused(await call(`GET /v1/referrals/${mine.campaign.id}/top-referrers`), "not_found");
  assertRefused(await club.call(`GET /v1/gift-cards/balance?campaign=${loyal.id}`), "not_found");
});

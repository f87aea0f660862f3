import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { assertHolds, cardClub, on, PAID } from "../support/card-clubs.ts";
import { newId, testDatabase } from "../support/engine.ts";
import { jobsOf } from "../support/point-cards.ts";
import { inParallel, sender, twoServers } from "../support/two-servers.ts";

const database = await testDatabase();
const { db } = database;

type Setup = {
  stock?: number | null;
  /** What a visit brings, and what a card has from the beginning. */
  visit?: number;
  points?: number;
  /** Days that the points of an order wait. */
  waits?: number;
  quantity?: number | null;
  project?: object;
};

/** A club in which a reward of this price is redeemed by itself. A paid order brings 30 points. */
async function autoClub(price: number, setup: Setup = {}) {
  const { stock = null, visit = 10, points = 0, waits, quantity = null, project } = setup;
  const club = await cardClub(db, project ? { project } : {});
  const pending = waits ? { pending_points: { period_type: "DAY", period_value: waits } } : {};
  const rules = [on(await club.define("visit"), visit), PAID(30, pending)];
  const program = await club.open(rules, {
    points,
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points }, redemption: { quantity } },
  });
  const mug = await club.ok("POST /v1/products", { name: "Mug" });
  const made = (parameters: object, more: object = {}) =>
    club.ok("POST /v1/rewards", { name: "Prize", parameters, ...more });
  const reward = await made({ product: { id: mug.id } }, stock === null ? {} : { stock });
  const assign = async ({ id } = reward): Promise<{ id: string }> =>
    club.ok(`POST /v1/rewards/${id}/assignments`, {
      campaign: program.campaign.id,
      parameters: { loyalty: { points: price, auto_redeem: true } },
    });
  return {
    ...club,
    program,
    reward,
    assign,
    /** Instead of a mug it is something of another campaign. */
    assignOf: async (campaign: { id: string; campaign_type: string }, more: object = {}) =>
      assign(await made({ campaign: { id: campaign.id, type: campaign.campaign_type, ...more } })),
    add: (code: string, by: number) => club.ok(`POST /v1/loyalties/members/${code}/balance`, { points: by }),
    redemptions: async (): Promise<any[]> => (await club.ok("GET /v1/redemptions?limit=100")).redemptions,
    count: async (): Promise<number> => {
      const [row] = await db<[{ count: number }]>`
        select count(*) from redemptions where project_id = ${club.project.id} and object = 'redemption'`;
      return row.count;
    },
    sweep: (now: string) => {
      club.setNow(now);
      return advanceCards.run({ db, now: () => now, newId, random: randomBytes });
    },
    left: async () => {
      const { stock: left, redeemed } = await club.ok(`GET /v1/rewards/${reward.id}`);
      return [left === null ? null : Number(left), Number(redeemed ?? 0)];
    },
  };
}

test("points that reach the price are spent before the tier is looked at", async () => {
  const club = await autoClub(100);
  const assignment = await club.assign();
  await club.program.addTiers({ name: "Top", points: { from: 100 } });
  const ann = await club.program.join("ann");
  await club.add(ann.code, 90);
  assert.deepEqual(await club.redemptions(), []);
  await club.track("visit", "ann");
  assert.equal(await ann.balance(), 0);
  assert.equal(await ann.tier(), null);
  assert.equal((await club.events("customer.loyalty.tier.joined")).length, 0);
  const [made, ...others] = await club.redemptions();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [made.amount, made.customer_id, made.voucher.code, made.reward.id, made.reward.assignment_id, made.channel],
    [
      100,
      ann.customer,
      ann.code,
      club.reward.id,
      assignment.id,
      { channel_id: assignment.id, channel_type: "AUTO_REDEEM" },
    ],
  );
  const moves = await ann.moves();
  assert.deepEqual(
    moves.map(({ type, details }) => [type, details.balance.points, details.balance.balance]),
    [
      ["POINTS_ADDITION", 90, 90],
      ["POINTS_ACCRUAL", 10, 100],
      ["POINTS_REDEMPTION", -100, 0],
    ],
  );
  const { redemption } = await ann.card();
  assert.deepEqual([redemption.redeemed_quantity, redemption.redeemed_points], [1, 100]);
  for (const kind of ["customer.redemption.succeeded", "customer.rewarded", "customer.reward_redemptions.pending"]) {
    const events = await club.events(kind);
    assert.equal(events.length, 1, kind);
    assert.equal(events[0].payload.redemption_id, made.id);
  }
  const { redeemed } = await club.ok(`GET /v1/rewards/${club.reward.id}`);
  assert.equal(Number(redeemed), 1);
  await assertHolds(db);
});

test("several rewards at once are each a redemption of their own, and what is left stays", async () => {
  const club = await autoClub(100);
  await club.assign();
  const ann = await club.program.join("ann");
  const answer = await club.add(ann.code, 350);
  assert.deepEqual([answer.points, answer.balance], [350, 350]);
  assert.equal(await ann.balance(), 50);
  const made = await club.redemptions();
  assert.deepEqual(
    made.map(({ amount }) => amount),
    [100, 100, 100],
  );
  assert.equal(new Set(made.map(({ id }) => id)).size, 3);
  assert.deepEqual(await club.left(), [null, 3]);
  assert.equal((await ann.card()).redemption.redeemed_quantity, 3);
  await club.ok(`POST /v1/vouchers/${ann.code}/balance`, { amount: 60 });
  assert.equal(await ann.balance(), 10);
  await assertHolds(db);
});

test("a tier changes the price, and who is in a tier without the reward keeps the points", async () => {
  const club = await autoClub(100);
  const { id } = await club.assign();
  await club.program.addTiers(
    { name: "Half", points: { from: 10, to: 60 }, rewards: { [id]: { type: "MULTIPLY", multiplier: 0.5 } } },
    { name: "Never", points: { from: 61 }, rewards: { [id]: { type: "NOT_AVAILABLE" } } },
  );
  const ann = await club.program.join("ann");
  await club.add(ann.code, 20);
  await club.add(ann.code, 35);
  assert.equal(await ann.balance(), 5, "50 of 55");
  const bob = await club.program.join("bob");
  await club.add(bob.code, 99);
  await club.add(bob.code, 200);
  assert.equal(await bob.balance(), 299);
});

test("a card gives 250 rewards a day in ten occasions of 25, and goes on at midnight where it is", async () => {
  const club = await autoClub(1, { project: { timezone: "Europe/Warsaw" } });
  await club.assign();
  const ann = await club.program.join("ann");
  await club.add(ann.code, 300);
  assert.equal(await ann.balance(), 50);
  assert.equal(await club.count(), 250);
  await club.add(ann.code, 1);
  assert.equal(await ann.balance(), 51, "blocked");
  await club.sweep("2026-01-01T22:59:59.000Z");
  assert.equal(await ann.balance(), 51);
  await club.sweep("2026-01-01T23:00:00.000Z");
  assert.equal(await ann.balance(), 0);
  assert.equal(await club.count(), 301);
  const [last] = await club.redemptions();
  assert.equal(last.date, "2026-01-01T23:00:00.000Z");
  for (let n = 0; n < 9; n += 1) await club.add(ann.code, 1);
  assert.equal(await ann.balance(), 2, "51 took three occasions, and seven were left");
  await assertHolds(db);
});

test("of what is out of stock nothing is redeemed and the points stay, until a day on which there is some", async () => {
  const club = await autoClub(10, { stock: 2 });
  await club.assign();
  const [ann, bob] = [await club.program.join("ann"), await club.program.join("bob")];
  await club.add(ann.code, 30);
  assert.equal(await ann.balance(), 10, "two of three");
  await club.track("visit", "bob");
  assert.equal(await bob.balance(), 10);
  assert.deepEqual(await club.left(), [0, 2]);
  assert.equal((await club.events("customer.redemption.succeeded")).length, 2);
  await club.sweep("2026-01-02T00:00:00.000Z");
  assert.equal(await bob.balance(), 10);
  await club.ok(`PUT /v1/rewards/${club.reward.id}`, { stock: 5 });
  await club.sweep("2026-01-02T12:00:00.000Z");
  assert.equal(await bob.balance(), 10, "not before the next day");
  await club.sweep("2026-01-03T00:00:00.000Z");
  assert.deepEqual([await ann.balance(), await bob.balance()], [0, 0]);
  assert.deepEqual(await club.left(), [3, 4]);
  await assertHolds(db);
});

test("a card is redeemed as often as it may be", async () => {
  const club = await autoClub(10, { quantity: 2 });
  await club.assign();
  const ann = await club.program.join("ann");
  await club.add(ann.code, 50);
  assert.equal(await ann.balance(), 30);
  await club.add(ann.code, 10);
  assert.equal(await ann.balance(), 40);
});

test("a card that is disabled, or a reward that has rules, redeems nothing by itself", async () => {
  const club = await autoClub(10);
  const { id } = await club.assign();
  const [ann, bob] = [await club.program.join("ann"), await club.program.join("bob")];
  await club.ok(`POST /v1/vouchers/${ann.code}/disable`);
  await club.add(ann.code, 10);
  assert.equal(await ann.balance(), 10);
  const rule = await club.rule({ name: "order.amount", conditions: { $more_than: [1] } });
  await club.ok(`POST /v1/validation-rules/${rule}/assignments`, {
    related_object_type: "reward_assignment",
    related_object_id: id,
  });
  await club.add(bob.code, 10);
  assert.equal(await bob.balance(), 10);
});

test("points of an order and of a transfer reach the price too", async () => {
  const club = await autoClub(30);
  await club.assign();
  const [ann, bob] = [await club.program.join("ann"), await club.program.join("bob")];
  await club.pay("ann", { amount: 100 });
  assert.deepEqual([await ann.balance(), await club.count()], [0, 1]);
  await club.add(bob.code, 29);
  await club.add(ann.code, 5);
  const transfers = [{ code: ann.code, points: 1, source_id: "t-1" }];
  const moved = await club.ok(`POST ${club.program.path}/members/${bob.code}/transfers`, transfers);
  assert.equal(moved.loyalty_card.balance, 0);
  assert.deepEqual([await ann.balance(), await club.count()], [4, 2]);
  await assertHolds(db);
});

test("pending points are spent when they are activated, by hand or at their midnight, before the tier", async () => {
  const club = await autoClub(30, { waits: 2 });
  await club.assign();
  await club.program.addTiers({ name: "Top", points: { from: 30 } });
  const [ann, bob] = [await club.program.join("ann"), await club.program.join("bob")];
  await club.pay("bob", { amount: 100 });
  const { data } = await club.ok(`GET /v1/loyalties/members/${bob.code}/pending-points`);
  await club.ok(`POST /v1/loyalties/members/${bob.code}/pending-points/${data[0].id}/activate`);
  assert.deepEqual([await bob.balance(), await club.count()], [0, 1]);
  await club.pay("ann", { amount: 100 });
  assert.equal(await club.count(), 1);
  await club.sweep("2026-01-04T00:10:00.000Z");
  assert.deepEqual([await ann.balance(), await club.count()], [0, 2]);
  assert.deepEqual([await ann.tier(), await bob.tier()], [null, null]);
  const [made] = await club.redemptions();
  assert.equal(made.customer_id, ann.customer);
  assert.equal((await club.events("customer.loyalty.tier.joined")).length, 0);
  await assertHolds(db);
});

test("a clock that is moved over several days leaves what every midnight would have left", async () => {
  const club = await autoClub(1);
  await club.assign();
  const ann = await club.program.join("ann");
  await club.add(ann.code, 700);
  const moved = await club.call(`POST /management/v1/projects/${club.project.id}/test-clock`, {
    now: "2026-01-05T00:00:00.000Z",
  });
  assert.equal(moved.status, 202, moved.text);
  for (let isDone = false; !isDone; ) {
    await runAsyncActions.run(jobsOf(db));
    isDone = (await club.ok(`GET /v1/async-actions/${moved.body.async_action_id}`)).status === "DONE";
  }
  const days = await db`
    select created_at::date::text as day, count(*) from redemptions where project_id = ${club.project.id}
    group by 1 order by 1`;
  assert.deepEqual(
    days.map(({ day, count }) => [day, count]),
    [
      ["2026-01-01", 250],
      ["2026-01-02", 250],
      ["2026-01-03", 200],
    ],
  );
  assert.equal(await ann.balance(), 0);
  await assertHolds(db);
});

test("points from the beginning, and those from before the assignment, are redeemed by who sweeps", async () => {
  const club = await autoClub(10, { points: 10 });
  const ann = await club.program.join("ann");
  await club.sweep("2026-01-01T12:01:00.000Z");
  assert.equal(await ann.balance(), 10);
  await club.assign();
  const bob = await club.program.join("bob");
  await club.sweep("2026-01-01T12:02:00.000Z");
  assert.deepEqual([await ann.balance(), await bob.balance()], [0, 0]);
  await club.sweep("2026-01-01T12:03:00.000Z");
  assert.equal(await club.count(), 2);
});

const DISCOUNT = { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 100 } };

test("a reward of a discount campaign gives a code for each, and none where there are no codes left", async () => {
  const club = await autoClub(10);
  const campaign = await club.ok("POST /v1/campaigns", {
    name: "Coupons",
    campaign_type: "DISCOUNT_COUPONS",
    type: "STATIC",
    voucher: DISCOUNT,
  });
  for (const code of ["C-1", "C-2", "C-3"]) await club.ok(`POST /v1/campaigns/${campaign.id}/vouchers/${code}`, {});
  await club.assignOf(campaign);
  const [ann, bob] = [await club.program.join("ann"), await club.program.join("bob")];
  await club.add(ann.code, 20);
  assert.equal(await ann.balance(), 0);
  const made = await club.redemptions();
  assert.deepEqual(made.map((one) => one.reward.voucher.code).sort(), ["C-1", "C-2"]);
  for (const { reward: given } of made) {
    const { holder_id } = await club.ok(`GET /v1/vouchers/${given.voucher.code}`);
    assert.equal(holder_id, ann.customer);
  }
  const published = await club.ok("GET /v1/publications?limit=50");
  assert.equal(published.publications.length, 4, "two cards and two codes");
  await club.add(bob.code, 25);
  assert.equal(await bob.balance(), 15, "one code was left");
  assert.equal(await club.count(), 3);
  const [redemption] = await club.redemptions();
  await club.ok(`POST /v1/redemptions/${redemption.id}/rollback`, {});
  assert.equal(await bob.balance(), 25);
  await assertHolds(db);
});

test("a reward of a gift campaign fills up one card, however many rewards there are", async () => {
  const club = await autoClub(10);
  const campaign = await club.ok("POST /v1/campaigns", {
    name: "Gifts",
    campaign_type: "GIFT_VOUCHERS",
    type: "AUTO_UPDATE",
    voucher: { type: "GIFT_VOUCHER", gift: { amount: 0 } },
  });
  await club.assignOf(campaign, { balance: 500 });
  const ann = await club.program.join("ann");
  await club.add(ann.code, 30);
  const codes = new Set((await club.redemptions()).map((one) => one.reward.voucher.code));
  assert.equal(codes.size, 1);
  const { gift } = await club.ok(`GET /v1/vouchers/${[...codes][0]}`);
  assert.deepEqual([gift.balance, await ann.balance()], [1500, 0]);
  await assertHolds(db);
});

test("from two processes at once each reward is redeemed once, and no more of them than there are", async () => {
  const club = await autoClub(20, { stock: 7 });
  await club.assign();
  const [ann, bob] = [await club.program.join("ann"), await club.program.join("bob")];
  const servers = await twoServers(database);
  try {
    const send = sender(servers, club.project);
    const replies = await inParallel(40, (n) =>
      send({ line: "POST /v1/events", body: { event: "visit", customer: { source_id: n % 2 ? "ann" : "bob" } } }),
    );
    for (const { status, text } of replies) assert.equal(status, 200, text);
  } finally {
    for (const one of servers) await one.stop();
  }
  assert.equal((await ann.balance()) + (await bob.balance()), 400 - 7 * 20);
  assert.equal(await club.count(), 7);
  assert.deepEqual(await club.left(), [0, 7]);
  await assertHolds(db);
});

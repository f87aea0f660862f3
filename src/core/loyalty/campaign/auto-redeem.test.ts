import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EMPTY } from "../../ledger/account.ts";
import { refundPoints } from "../../redeem/reward-points.ts";
import { advance, dueAt } from "../card/advance.ts";
import { andThen, type CardState, type Change, noChange } from "../card/card.ts";
import type { World } from "../card/moves.ts";
import { addPoints } from "../card/points.ts";
import { earn } from "../earning/earn.ts";
import { lookAgain } from "../tiers/review.ts";
import { OCCASIONS_MAX, REWARDS_MAX } from "./auto-redeem.ts";
import { campaignWorld } from "./world.ts";

const ZONE = "Europe/Warsaw";
const NOON = "2026-03-28T12:00:00.000Z";
const TOP = { id: "ltr_top", name: "Top", points_from: 100, points_to: null };
const DETAILS = { reward: { id: "rew_1", name: "Mug" } };

type SituationOptions = { now?: string; price?: number | null; inTop?: number | null; tiers?: (typeof TOP)[] };
function worldAt({ now = NOON, price = 100, inTop = price, tiers = [] }: SituationOptions = {}): World {
  let count = 0;
  const newId = (prefix: string) => `${prefix}_${String(++count).padStart(8, "0")}`;
  const settings = { campaign_id: "camp_1", expiration_rules: null, tiers, tiers_expiration: null };
  const priceIn = (tierId: string | null) => (tierId === TOP.id ? inTop : price);
  return { ...campaignWorld(settings, { now, zone: ZONE, newId }), auto: { priceIn, details: DETAILS } };
}
const CARD: CardState = {
  id: "v_1",
  program_id: "camp_1",
  member_id: "v_1",
  card_definition_id: "camp_1",
  created_at: NOON,
  account: { sums: EMPTY, earned: null, spent: null },
  lots: [],
  tier: null,
  rewards_left: Number.POSITIVE_INFINITY,
};
const add = (card: CardState, world: World, points: number): Change =>
  addPoints(card, world, { kind: "addition", points, reason: null });
const held = ({ card }: Change): number => card.account.sums.available;
const redeemed = ({ entries }: Change) => entries.filter(({ kind }) => kind === "redemption");

test("a card with 90 points that earns 10 pays a price of 100 and comes to no tier", () => {
  const world = worldAt({ tiers: [TOP] });
  const before = andThen(lookAgain(CARD, world), (card) => add(card, world, 90));
  const change = earn(before.card, world, { points: 10, reason: null, orderTotal: null }).change;
  assert.equal(held(change), 0);
  assert.equal(change.card.tier!.tier_id, null);
  assert.deepEqual(change.tiers, []);
  const [entry] = redeemed(change);
  assert.deepEqual([entry!.amount, entry!.balance, entry!.details.reward], [-100, 0, DETAILS.reward]);
  assert.match(entry!.cause!.redemption_id!, /^r_/);
});

test("as many are redeemed as can be paid, each in a transaction of its own", () => {
  const change = add(CARD, worldAt(), 350);
  assert.equal(redeemed(change).length, 3);
  assert.equal(held(change), 50);
  assert.equal(new Set(redeemed(change).map(({ cause }) => cause!.redemption_id)).size, 3);
});

test("the price is that of the tier that the card is in; without one, or at no price, nothing is redeemed", () => {
  const inTop = (more: SituationOptions) => {
    const world = worldAt({ price: null, tiers: [TOP], ...more });
    const card = andThen(lookAgain(CARD, world), (one) => add(one, world, 100)).card;
    assert.equal(card.tier!.tier_id, TOP.id);
    return held(add(card, world, 50));
  };
  assert.equal(inTop({ inTop: 150 }), 0);
  assert.equal(inTop({ inTop: null }), 150);
  assert.equal(held(add(CARD, worldAt({ price: 0 }), 100)), 100);
});

test("a day has ten occasions, and the next one begins at midnight where the card is", () => {
  const most = OCCASIONS_MAX * REWARDS_MAX;
  const first = add(CARD, worldAt({ price: 1 }), most + 30);
  assert.equal(held(first), 30);
  const again = add(first.card, worldAt({ price: 1 }), 1);
  assert.equal(held(again), 31, "blocked");
  const midnight = "2026-03-28T23:00:00.000Z";
  assert.equal(dueAt(again.card, worldAt({ price: 1 })), midnight);
  const before = advance(again.card, worldAt({ price: 1, now: "2026-03-28T22:59:59.999Z" }));
  assert.equal(held(before), 31);
  const next = advance(again.card, worldAt({ price: 1, now: "2026-03-29T07:00:00.000Z" }));
  assert.equal(held(next), 0);
  assert.deepEqual([...new Set(next.entries.map(({ created_at }) => created_at))], [midnight]);
  assert.deepEqual(next.card.account.sums.auto_redeemed, { day: "2026-03-29", occasions: 2 });
  assert.equal(dueAt(next.card, worldAt({ price: 1 })), null);
});

test("where there are no rewards the points stay, and it is tried again once a day", () => {
  const change = add({ ...CARD, rewards_left: 1 }, worldAt(), 350);
  assert.deepEqual([held(change), change.card.rewards_left], [250, 0]);
  assert.equal(dueAt(change.card, worldAt()), "2026-03-28T23:00:00.000Z");
  const later = advance(change.card, worldAt({ now: "2026-04-02T12:00:00.000Z" }));
  assert.deepEqual([held(later), later.entries.length], [250, 0]);
  assert.equal(dueAt(later.card, worldAt()), "2026-04-02T22:00:00.000Z");
  const filled = advance({ ...later.card, rewards_left: 9 }, worldAt({ now: "2026-04-02T22:00:00.000Z" }));
  assert.equal(held(filled), 50);
});

test("who gives no rewards redeems none, and says that the card is due", () => {
  const { rewards_left: _, ...plain } = CARD;
  const change = add(plain, worldAt(), 100);
  assert.equal(held(change), 100);
  assert.equal(dueAt(change.card, worldAt()), NOON);
  assert.equal(held(advance(change.card, worldAt())), 100);
  assert.equal(held(advance({ ...change.card, rewards_left: 1 }, worldAt())), 0);
});

test("points that come where no rewards are given open the day again, those of a rollback do not", () => {
  const { rewards_left: _, ...done } = add({ ...CARD, rewards_left: 1 }, worldAt(), 150).card;
  const more = add(done, worldAt(), 60).card;
  assert.deepEqual(more.account.sums.auto_redeemed, { day: "2026-03-28", occasions: 1, isOpen: true });
  assert.equal(dueAt(more, worldAt()), NOON);
  const tried = advance({ ...more, rewards_left: 0 }, worldAt());
  assert.deepEqual(tried.card.account.sums.auto_redeemed, { day: "2026-03-28", occasions: 1 });
  assert.equal(held(advance({ ...more, rewards_left: 5 }, worldAt())), 10);
  const back = refundPoints(done, worldAt(), { points: 100, from: [], lots: new Map(), reason: null }).card;
  assert.equal(dueAt(back, worldAt()), "2026-03-28T23:00:00.000Z");
});

test("for any points, prices and stock, no more is given than was paid for, is there, and a day allows", () => {
  const hours = fc.integer({ min: 0, max: 60 });
  const step = fc.record({ hours, points: fc.integer({ min: 1, max: 600 }) });
  const given = fc.record({
    price: fc.integer({ min: 1, max: 90 }),
    stock: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 400 })),
    steps: fc.array(step, { maxLength: 8 }),
  });
  fc.assert(
    fc.property(given, ({ price, stock, steps }) => {
      let change = noChange({ ...CARD, rewards_left: stock });
      let [at, sum] = [Temporal.Instant.from(NOON), 0];
      for (const one of steps) {
        at = at.add({ hours: one.hours });
        const world = worldAt({ price, now: at.toString({ fractionalSecondDigits: 3 }) });
        change = andThen(change, (card) => advance(card, world));
        change = andThen(change, (card) => add(card, world, one.points));
        sum += one.points;
      }
      const all = redeemed(change);
      assert.equal(held(change), sum - all.length * price);
      assert.ok(all.length <= stock);
      const days = Map.groupBy(all, (one) =>
        Temporal.Instant.from(one.created_at).toZonedDateTimeISO(ZONE).toPlainDate().toString(),
      );
      for (const some of days.values()) assert.ok(some.length <= OCCASIONS_MAX * REWARDS_MAX);
    }),
  );
});

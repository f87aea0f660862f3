import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { campaignWorld } from "../loyalty/campaign/world.ts";
import { type CardState, newAccount, noChange } from "../loyalty/card/card.ts";
import { credit, type World } from "../loyalty/card/moves.ts";
import { redeemPoints, refundPoints, rewardPoints } from "./reward-points.ts";

let made = 0;
const newId = (prefix: string) => `${prefix}_${String(made++).padStart(6, "0")}`;
const tiers = [{ id: "top", name: "Top", points_from: 100, points_to: null }];
const worldAt = (now: string): World =>
  campaignWorld(
    { campaign_id: "camp", expiration_rules: null, tiers, tiers_expiration: null },
    { now, zone: "Europe/Berlin", newId },
  );
const NOW = "2026-03-10T12:00:00Z";
const empty: CardState = {
  id: "v_1",
  program_id: "camp",
  member_id: "v_1",
  card_definition_id: "camp",
  created_at: NOW,
  account: newAccount(false),
  lots: [],
  tier: null,
};
const expiry = (day: string | null) => ({
  expires_at: day && `${day}T23:00:00Z`,
  bucket_date: day,
  bucket_type: null,
  expiration: null,
});
const cardWith = (lots: readonly [day: string | null, points: number][]): CardState =>
  lots.reduce((card, [day, points]) => {
    const told = { kind: "addition", points, expiry: expiry(day), reason: null } as const;
    return credit(card, worldAt(NOW), told).card;
  }, noChange(empty).card);
const held = ({ lots }: CardState) =>
  lots
    .filter(({ remaining }) => remaining > 0)
    .map(({ bucket_date, remaining }) => [bucket_date, remaining])
    .sort();

test("points are spent first where they expire first, and go back to where they came from", () => {
  const card = cardWith([
    [null, 10],
    ["2026-03-20", 10],
    ["2026-03-15", 10],
  ]);
  const spent = redeemPoints(card, worldAt(NOW), { points: 15, reason: null });
  assert.deepEqual(held(spent.card), [
    [null, 10],
    ["2026-03-20", 5],
  ]);
  assert.equal(spent.card.account.sums.spent, 15);
  const lots = new Map(card.lots.map((lot) => [lot.id, { ...lot, remaining: 0 }]));
  const from = spent.entries[0]!.lots;
  const back = refundPoints(spent.card, worldAt(NOW), { points: 15, from, lots, reason: null });
  assert.deepEqual(held(back.card), held(card));
  assert.equal(back.card.account.sums.spent, 0);
});

test("what is over by now comes back for the rest of the day", () => {
  const card = cardWith([
    ["2026-03-15", 10],
    ["2026-03-20", 10],
  ]);
  const spent = redeemPoints(card, worldAt(NOW), { points: 20, reason: null });
  const lots = new Map(card.lots.map((lot) => [lot.id, { ...lot, remaining: 0 }]));
  const later = worldAt("2026-03-17T22:30:00Z");
  const back = refundPoints(spent.card, later, { points: 20, from: spent.entries[0]!.lots, lots, reason: null });
  assert.deepEqual(held(back.card), [
    ["2026-03-17", 10],
    ["2026-03-20", 10],
  ]);
  const fresh = back.card.lots.find(({ bucket_date }) => bucket_date === "2026-03-17")!;
  assert.equal(fresh.expires_at, "2026-03-17T23:00:00Z");
  assert.equal(rewardPoints(back.card, later, { points: 5, reason: null }).card.account.sums.available, 25);
});

test("whatever is spent and given back, the card holds what its lots hold", () => {
  const day = fc.constantFrom(null, "2026-03-11", "2026-03-15", "2026-03-20");
  const some = fc.array(fc.tuple(day, fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(some, fc.integer({ min: 0, max: 100 }), fc.integer({ min: 10, max: 25 }), (lots, percent, on) => {
      const card = cardWith(lots as [string | null, number][]);
      const points = Math.floor((card.account.sums.available * percent) / 100);
      const spent = redeemPoints(card, worldAt(NOW), { points, reason: null });
      const known = new Map(card.lots.map((lot) => [lot.id, { ...lot, remaining: 0 }]));
      const at = worldAt(`2026-03-${on}T13:00:00Z`);
      const back = refundPoints(spent.card, at, { points, from: spent.entries[0]!.lots, lots: known, reason: null });
      for (const one of [spent.card, back.card]) {
        const sum = one.lots.reduce((all, { remaining }) => all + remaining, 0);
        assert.equal(one.account.sums.available, sum);
      }
      assert.equal(back.card.account.sums.available, card.account.sums.available);
      assert.equal(back.card.account.sums.spent, 0);
    }),
  );
});

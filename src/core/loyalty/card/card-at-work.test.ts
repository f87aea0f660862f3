import assert from "node:assert/strict";
import { test } from "node:test";
import { earn } from "../earning/earn.ts";
import { sampleCard, sampleTiers, sampleWorld } from "../program/sample.ts";
import { noChange } from "./card.ts";
import { advanceCard, type CardAtWork, cardDueAt, changeCard, changedCards, type SpentPoints } from "./card-at-work.ts";
import { debit, type World } from "./moves.ts";

const EARLY = "2026-01-01T12:00:00.000Z";
const LATE = "2026-03-01T12:00:00.000Z";
const MONTHLY = { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "MONTH" } } } as const;

function cardAtWork(world: World, code?: Partial<NonNullable<CardAtWork["code"]>>): CardAtWork {
  const card: CardAtWork = { row: {}, change: noChange(sampleCard(world)), world: null, changed_at: null };
  return code ? { ...card, code: { ownWorld: (given) => given, isUnopened: false, spent: null, ...code } } : card;
}
const earnOn = (card: CardAtWork, world: World, points: number) =>
  changeCard(card, world, (state, own) => earn(state, own, { points, reason: null, orderTotal: null }));

for (const [version, code] of [
  ["a card of a program", undefined],
  ["a code of a campaign", {}],
] as const)
  test(`${version} is advanced before it is changed, and tells when it was changed last`, () => {
    const world = sampleWorld({ now: EARLY, wallet: { points_expiration: MONTHLY } });
    const card = cardAtWork(world, code);
    advanceCard(card, world);
    assert.deepEqual(changedCards([card]), [], "nothing has happened yet");
    earnOn(card, world, 10);
    assert.equal(card.changed_at, EARLY);
    const due = cardDueAt(card, world)!;
    earnOn(card, { ...world, now: LATE }, 5);
    assert.deepEqual(
      card.change.entries.map(({ kind, created_at }) => [kind, created_at]),
      [
        ["accrual", EARLY],
        ["expiration", due],
        ["accrual", LATE],
      ],
    );
    assert.equal(card.change.card.account.sums.available, 5);
    assert.deepEqual(changedCards([card]), [card]);
  });

test("a late advance is dated at what it brought, and not at the moment of the sweep", () => {
  const world = sampleWorld({ now: EARLY, wallet: { points_expiration: MONTHLY } });
  const card = cardAtWork(world);
  earnOn(card, world, 10);
  const due = cardDueAt(card, world)!;
  advanceCard(card, { ...world, now: LATE });
  assert.equal(card.changed_at, due);
});

test("a code is opened by its first change, once, and lives in a world of its own", () => {
  const world = sampleWorld({ now: EARLY });
  const never: World["wallet"] = { ...world.wallet, points_expiration: MONTHLY };
  const code = cardAtWork(world, { isUnopened: true, ownWorld: (given) => ({ ...given, wallet: never }) });
  earnOn(code, world, 10);
  earnOn(code, world, 10);
  assert.deepEqual(
    code.change.entries.map(({ kind }) => kind),
    ["opening", "accrual", "accrual"],
  );
  assert.ok(
    code.change.card.lots.every(({ expires_at }) => expires_at !== null),
    "its own settings let points expire",
  );
  assert.equal(code.world!.wallet, never);
});

test("a code begins to be watched when it is advanced, and a card of a program waits for a review", () => {
  const world = sampleWorld({ now: EARLY });
  const watched = { ...world, tiers: sampleTiers() };
  const [code, card] = [cardAtWork(world, {}), cardAtWork(world)];
  for (const one of [code, card]) advanceCard(one, watched);
  assert.equal(code.change.card.tier!.tier_id, "bronze");
  assert.equal(card.change.card.tier, null);
});

test("points that a code spends on rewards are noted with what it had received by then", () => {
  const world = sampleWorld({ now: EARLY });
  const spent: SpentPoints[] = [];
  const code = cardAtWork(world, { spent });
  earnOn(code, world, 30);
  changeCard(code, world, (state, own) => ({
    change: debit(state, own, { kind: "redemption", points: 20, reason: null }),
  }));
  earnOn(code, world, 5);
  assert.deepEqual(
    spent.map(({ card_id, entry, received }) => [card_id, entry.amount, received]),
    [[code.change.card.id, -20, 30]],
  );
});

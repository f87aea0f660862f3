import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EMPTY } from "../../ledger/account.ts";
import { advance, dueAt } from "../card/advance.ts";
import { andThen, type CardState, type Change, nextOf, noChange } from "../card/card.ts";
import { lastDay } from "../card/expiration.ts";
import type { World } from "../card/moves.ts";
import { addPoints, adjustWaiting, expiryOn, opened, takePoints } from "../card/points.ts";
import { earn } from "../earning/earn.ts";
import type { ExpirationRules, TiersExpiration } from "./shapes.ts";
import { campaignWorld, pendingPointsOf, pointsExpirationOf } from "./world.ts";

const ZONE = "Europe/Warsaw";
const day = (text: string) => Temporal.PlainDate.from(text);
let count = 0;
const newId = (prefix: string) => `${prefix}_${String(++count).padStart(8, "0")}`;

const TIERS = [
  { id: "ltr_bronze", name: "Bronze", points_from: 100, points_to: 199 },
  { id: "ltr_silver", name: "Silver", points_from: 200, points_to: 499 },
  { id: "ltr_gold", name: "Gold", points_from: 500, points_to: null },
];
type WorldOptions = {
  rules?: ExpirationRules;
  tiers?: typeof TIERS;
  expiration?: TiersExpiration;
};
const worldAt = (now: string, { rules, tiers = [], expiration }: WorldOptions = {}): World =>
  campaignWorld(
    { campaign_id: "camp_1", expiration_rules: rules ?? null, tiers, tiers_expiration: expiration ?? null },
    { now, zone: ZONE, newId },
  );
const noon = (date: string) => `${date}T12:00:00.000Z`;
const CARD: CardState = {
  id: "v_1",
  program_id: "camp_1",
  member_id: "v_1",
  card_definition_id: "camp_1",
  created_at: noon("2026-01-10"),
  account: { sums: EMPTY, earned: null, spent: null },
  lots: [],
  tier: null,
};

test("points expire on the last day of their month, rounded as the rules say", () => {
  const until = (earned: string, rules: ExpirationRules) => lastDay(pointsExpirationOf(rules), day(earned))!.toString();
  const months = (period_value: number, more: object = {}): ExpirationRules => ({
    period_type: "MONTH",
    period_value,
    ...more,
  });
  assert.equal(until("2026-01-31", months(1)), "2026-02-28");
  assert.equal(until("2028-01-31", months(1)), "2028-02-29");
  assert.equal(until("2026-01-31", months(0)), "2026-01-31");
  assert.equal(until("2026-02-10", months(3)), "2026-05-10");
  const rounded = (type: string, more = {}) => until("2026-02-10", months(3, { rounding_type: type, ...more }));
  assert.equal(rounded("END_OF_MONTH"), "2026-05-31");
  assert.equal(rounded("END_OF_QUARTER"), "2026-06-30");
  assert.equal(rounded("END_OF_HALF_YEAR"), "2026-06-30");
  assert.equal(rounded("END_OF_YEAR"), "2026-12-31");
  assert.equal(rounded("PARTICULAR_MONTH", { rounding_value: 9 }), "2026-09-30");
  assert.equal(rounded("PARTICULAR_MONTH", { rounding_value: 4 }), "2027-04-30", "that of this year has passed");
  const fixed: ExpirationRules = { period_type: "FIXED_DAY_OF_YEAR", fixed_month: 11, fixed_day: 25 };
  assert.equal(until("2026-11-25", fixed), "2026-11-25", "that very day");
  assert.equal(until("2026-11-26", fixed), "2027-11-25");
  assert.equal(lastDay(pointsExpirationOf(null), day("2026-01-01")), null);
});

const PERIODIC = (start: "IMMEDIATE" | "NEXT_PERIOD", type: "END_OF_PERIOD" | "END_OF_NEXT_PERIOD", more = {}) =>
  ({
    qualification_type: "POINTS_IN_PERIOD",
    qualification_period: "MONTH",
    start_date: { type: start },
    expiration_date: { type, ...more },
  }) as const satisfies TiersExpiration;

/** Adds points on some days, and tells in which tier the card is on others. */
function story(given: WorldOptions, steps: readonly [date: string, points: number][], asked: readonly string[]) {
  let change: Change = noChange(CARD);
  const seen: (string | null)[] = [];
  const all = [
    ...steps.map(([date, points]) => ({ date, points, isAsked: false })),
    ...asked.map((date) => ({ date, points: 0, isAsked: true })),
  ].toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : Number(a.isAsked) - Number(b.isAsked)));
  change = opened(CARD, worldAt(CARD.created_at, given), 0);
  for (const { date, points, isAsked } of all) {
    const world = worldAt(noon(date), given);
    change = andThen(change, (card) => advance(card, world));
    if (points > 0)
      change = andThen(change, (card) => addPoints(card, world, { kind: "addition", points, reason: null }));
    if (points < 0)
      change = andThen(change, (card) => takePoints(card, world, { kind: "removal", points: -points, reason: null }));
    if (isAsked) seen.push(change.card.tier?.tier_id?.replace("ltr_", "") ?? null);
  }
  return { seen, tier: change.card.tier, change };
}
const lastDayOf = (expires_at: string | null) =>
  expires_at &&
  Temporal.Instant.from(expires_at).subtract({ milliseconds: 1 }).toZonedDateTimeISO(ZONE).toPlainDate().toString();

test("without settings a tier follows the balance, up and down at once", () => {
  const { seen, change } = story(
    { tiers: TIERS },
    [
      ["2026-02-01", 150],
      ["2026-02-03", 400],
      ["2026-02-05", -400],
      ["2026-02-07", -100],
    ],
    ["2026-02-01", "2026-02-03", "2026-02-05", "2026-02-07"],
  );
  assert.deepEqual(seen, ["bronze", "gold", "bronze", null]);
  const moves = change.tiers.map((one) => one.kind === "made" && one.transaction.type);
  assert.deepEqual(moves, ["JOINED", "UPGRADED", "DOWNGRADED", "LEFT"]);
});

test("a tier of points in a month begins at once or with the next month, and lasts until the end of one", () => {
  const reached = [["2026-03-10", 250]] as const;
  const asked = ["2026-03-10", "2026-03-31", "2026-04-01", "2026-04-30", "2026-05-01", "2026-05-31", "2026-06-01"];
  const of = (start: "IMMEDIATE" | "NEXT_PERIOD", type: "END_OF_PERIOD" | "END_OF_NEXT_PERIOD", more = {}) =>
    story({ tiers: TIERS, expiration: PERIODIC(start, type, more) }, [...reached] as never, asked).seen;
  const s = "silver";
  assert.deepEqual(of("IMMEDIATE", "END_OF_PERIOD"), [s, s, null, null, null, null, null]);
  assert.deepEqual(of("IMMEDIATE", "END_OF_NEXT_PERIOD"), [s, s, s, s, null, null, null]);
  assert.deepEqual(of("NEXT_PERIOD", "END_OF_PERIOD"), [null, null, s, s, null, null, null]);
  assert.deepEqual(of("NEXT_PERIOD", "END_OF_NEXT_PERIOD"), [null, null, s, s, s, s, null]);
  const extended = story(
    { tiers: TIERS, expiration: PERIODIC("IMMEDIATE", "END_OF_PERIOD", { extend: "P7D" }) },
    [["2026-03-10", 250]],
    [],
  );
  assert.equal(lastDayOf(extended.tier!.expires_at), "2026-04-07");
});

test("who reaches a tier again in the next period keeps it for that period too", () => {
  const steps = [
    ["2026-03-10", 250],
    ["2026-04-20", 250],
  ] as [string, number][];
  const asked = ["2026-04-10", "2026-04-25", "2026-05-10", "2026-06-10"];
  const of = (start: "IMMEDIATE" | "NEXT_PERIOD") =>
    story({ tiers: TIERS, expiration: PERIODIC(start, "END_OF_PERIOD") }, steps, asked).seen;
  assert.deepEqual(of("IMMEDIATE"), [null, "silver", null, null]);
  assert.deepEqual(of("NEXT_PERIOD"), ["silver", "silver", "silver", null]);
});

test("who reaches only a lower tier in the next period has that one when the higher one is over", () => {
  const tiers = [
    { id: "ltr_s", name: "S", points_from: 100, points_to: 199 },
    { id: "ltr_g", name: "G", points_from: 200, points_to: null },
  ];
  const steps = [
    ["2026-03-10", 210],
    ["2026-04-10", 110],
  ] as [string, number][];
  const asked = ["2026-03-31", "2026-04-30", "2026-05-01", "2026-05-31", "2026-06-01", "2026-06-30", "2026-07-01"];
  const of = (
    start: "IMMEDIATE" | "NEXT_PERIOD",
    type: "END_OF_PERIOD" | "END_OF_NEXT_PERIOD",
    more: [string, number][] = [],
  ) => story({ tiers, expiration: PERIODIC(start, type) }, [...steps, ...more], asked).seen;
  assert.deepEqual(of("NEXT_PERIOD", "END_OF_PERIOD"), [null, "g", "s", "s", null, null, null]);
  assert.deepEqual(of("IMMEDIATE", "END_OF_NEXT_PERIOD"), ["g", "g", "s", "s", null, null, null]);
  assert.deepEqual(of("NEXT_PERIOD", "END_OF_NEXT_PERIOD"), [null, "g", "g", "g", "s", "s", null]);
  const { change } = story({ tiers, expiration: PERIODIC("NEXT_PERIOD", "END_OF_PERIOD") }, steps, asked);
  const moves = change.tiers.map((one) => (one.kind === "made" ? one.transaction.type : one.status));
  assert.deepEqual(moves, ["JOINED", "APPROVED", "DOWNGRADED", "LEFT"]);
  assert.deepEqual(
    of("NEXT_PERIOD", "END_OF_PERIOD", [["2026-05-05", 250]]),
    [null, "g", "s", "s", "g", "g", null],
    "and moves up from it",
  );
});

test("quarters and halves of a year are those of the calendar, whenever the card was made", () => {
  const of = (qualification_period: "QUARTER" | "HALF_YEAR" | "YEAR") => {
    const expiration: TiersExpiration = { ...PERIODIC("IMMEDIATE", "END_OF_PERIOD"), qualification_period };
    return lastDayOf(story({ tiers: TIERS, expiration }, [["2026-05-10", 250]], []).tier!.expires_at);
  };
  assert.deepEqual([of("QUARTER"), of("HALF_YEAR"), of("YEAR")], ["2026-06-30", "2026-06-30", "2026-12-31"]);
});

test("a tier that is kept for three months ends with the month, though the balance falls", () => {
  const rounding = { type: "MONTH", strategy: "END" } as const;
  const expiration: TiersExpiration = {
    qualification_type: "BALANCE",
    start_date: { type: "IMMEDIATE" },
    expiration_date: { type: "CUSTOM", extend: "P3M", rounding },
  };
  const { tier, seen } = story(
    { tiers: TIERS, expiration },
    [
      ["2026-11-10", 250],
      ["2026-11-20", -250],
    ],
    ["2026-11-20", "2027-02-28"],
  );
  assert.deepEqual([tier!.start_at, lastDayOf(tier!.expires_at)], [noon("2026-11-10"), "2027-02-28"]);
  assert.deepEqual(seen, ["silver", "silver"]);
  const until = (rounded: NonNullable<TiersExpiration["expiration_date"]["rounding"]>) => {
    const own = { ...expiration, expiration_date: { ...expiration.expiration_date, rounding: rounded } };
    return lastDayOf(story({ tiers: TIERS, expiration: own }, [["2026-11-10", 250]], []).tier!.expires_at);
  };
  assert.equal(until({ type: "QUARTER", strategy: "END" }), "2027-03-31");
  assert.equal(until({ type: "MONTH", strategy: "START" }), "2027-03-01");
  assert.equal(until({ type: "CUSTOM", strategy: "END", unit: "MONTH", value: 0 }), "2028-01-31");
  assert.equal(until({ type: "CUSTOM", strategy: "START", unit: "MONTH", value: 5 }), "2027-06-01");
});

test("at one midnight a tier is looked at before points expire", () => {
  const rules: ExpirationRules = { period_type: "MONTH", period_value: 1, rounding_type: "END_OF_MONTH" };
  const expiration: TiersExpiration = {
    qualification_type: "BALANCE",
    start_date: { type: "IMMEDIATE" },
    expiration_date: { type: "CUSTOM", extend: "P1M", rounding: { type: "MONTH", strategy: "END" } },
  };
  const { change, seen } = story({ rules, tiers: TIERS, expiration }, [["2026-02-10", 250]], ["2026-04-01"]);
  assert.equal(change.card.account.sums.available, 0, "the points are gone");
  assert.deepEqual(seen, ["silver"], "the tier was prolonged while they were there");
});

test("what waits becomes available one entry at a time, at the midnight of its day, and expires counted from then", () => {
  const rules: ExpirationRules = { period_type: "MONTH", period_value: 1 };
  const at = worldAt(noon("2026-03-01"), { rules });
  const waiting = { ...at, wallet: { ...at.wallet, pending_points: pendingPointsOf({ period_value: 3 }) } };
  const told = { reason: null, orderTotal: null };
  let change = earn(CARD, waiting, { ...told, points: 15, waits: { earning_rule: { id: "ern_1" } } }).change;
  change = andThen(
    change,
    (card) => earn(card, waiting, { ...told, points: 5, waits: { earning_rule: { id: "ern_2" } } }).change,
  );
  const [first] = change.card.lots;
  change = andThen(change, (card) => adjustWaiting(card, at, { lotId: first!.id, points: 1, reason: null }));
  assert.deepEqual([change.card.account.sums.pending, change.card.account.sums.available], [21, 0]);
  assert.equal(dueAt(change.card, at), "2026-03-03T23:00:00.000Z");
  const before = change.entries.length;
  change = andThen(change, (card) => advance(card, worldAt(noon("2026-03-04"), { rules })));
  const activated = change.entries.slice(before).filter(({ kind }) => kind === "activation_in");
  assert.deepEqual(
    activated.map(({ amount }) => amount),
    [16, 5],
  );
  assert.deepEqual(nextOf(change.card.lots, "available"), {
    points: 21,
    date: "2026-04-04",
    type: "ROLLING_EXPIRATION",
  });
});

/** Numbers that follow from a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x7fffffff) * below) % below;
  };
}

const SETTINGS: readonly WorldOptions[] = [
  { rules: { period_type: "MONTH", period_value: 1 }, tiers: TIERS },
  { rules: { period_type: "FIXED_DAY_OF_YEAR", fixed_month: 3, fixed_day: 31 }, tiers: TIERS },
  {
    rules: { period_type: "MONTH", period_value: 2, rounding_type: "END_OF_QUARTER" },
    tiers: TIERS,
    expiration: PERIODIC("NEXT_PERIOD", "END_OF_NEXT_PERIOD"),
  },
  { tiers: TIERS, expiration: PERIODIC("IMMEDIATE", "END_OF_PERIOD") },
];

/** The same things happen to a card on the same days, looked at every `every` days between them. */
function life(given: WorldOptions, seed: number, every: number): CardState {
  const random = randomOf(seed);
  let card = opened(CARD, worldAt(CARD.created_at, given), random(100)).card;
  let date = day("2026-01-11");
  for (let n = 0; n < 25; n++) {
    const next = date.add({ days: random(20) });
    for (let look = date; Temporal.PlainDate.compare(look, next) < 0; look = look.add({ days: every }))
      card = advance(card, worldAt(noon(look.toString()), given)).card;
    date = next;
    const world = worldAt(noon(date.toString()), given);
    card = advance(card, world).card;
    const points = 1 + random(300);
    const { available } = card.account.sums;
    const taken = Math.min(points, available);
    const told = { reason: null };
    const waiting = { ...world, wallet: { ...world.wallet, pending_points: pendingPointsOf({ period_value: 5 }) } };
    const run = [
      () => addPoints(card, world, { kind: "addition", points, ...told }),
      () => addPoints(card, world, { kind: "transfer_in", points, ...told }),
      () =>
        addPoints(card, world, { kind: "addition", points, expiry: expiryOn(date.add({ days: 9 }), ZONE), ...told }),
      () => takePoints(card, world, { kind: "removal", points: taken, ...told }),
      () => takePoints(card, world, { kind: "transfer_out", points: taken, ...told }),
      () => earn(card, world, { points, orderTotal: null, ...told }).change,
      () => earn(card, waiting, { points, orderTotal: null, waits: {}, ...told }).change,
    ][random(7)]!;
    card = run().card;
    const { sums } = card.account;
    assert.equal(sums.available, sums.received - sums.expired - sums.subtracted - sums.spent, "the balance");
    for (const pot of ["available", "pending"] as const) {
      const left = card.lots.filter((lot) => lot.pot === pot).reduce((sum, { remaining }) => sum + remaining, 0);
      assert.equal(left, sums[pot], `what is left of the lots of ${pot}`);
    }
  }
  return advance(card, worldAt(noon("2028-06-01"), given)).card;
}

test("for any sequence the pots hold, and one leap of time is the same as many steps", () => {
  // Ids differ, since they are made on the way; what is held, when and in which tier does not.
  const shape = ({ account, lots, tier }: CardState) => ({
    account,
    lots: lots.map(({ pot, amount, remaining, expires_at, activates_at }) => [
      ...[pot, amount, remaining, expires_at, activates_at],
    ]),
    tier: tier && { ...tier, deferred: tier.deferred && { ...tier.deferred, transaction_id: "" } },
  });
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...SETTINGS), fc.integer({ min: 1, max: 9 }), (seed, given, every) => {
      assert.deepEqual(shape(life(given, seed, every)), shape(life(given, seed, 1000)));
    }),
    { numRuns: 150 },
  );
});

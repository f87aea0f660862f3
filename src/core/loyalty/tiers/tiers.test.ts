import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { METALS, sampleIds, sampleTier, sampleTiers } from "../program/sample.ts";
import { graceEndsAt, tierExpiresAt, trackingWindow } from "./dates.ts";
import { noTier, type TierState } from "./state.ts";
import {
  applyDeferred,
  evaluateTier,
  leaveTier,
  slideTier,
  type TierWatch,
  targetTier,
  type WatchedStructure,
} from "./tiers.ts";

const T0 = "2026-07-20T14:00:00.000Z";
const watch = (structure: Partial<WatchedStructure> = {}, tiers = METALS): TierWatch => ({
  ...sampleTiers(structure, tiers),
  isInSegment: () => false,
  card_created_at: "2026-01-10T09:00:00.000Z",
  zone: "UTC",
  newId: sampleIds(),
});
const origin = { type: "card_operations", card_transaction_ids: ["lctx_1"] } as const;
const inTier = (tier_id: string, given: Partial<TierState> = {}): TierState => ({
  ...noTier("lts_1"),
  tier_id,
  start_at: T0,
  ...given,
});
const look = (state: TierState, w: TierWatch, metric: number, at = T0) => {
  const { state: after, effects } = evaluateTier(state, w, { at, metric, origin });
  const told = effects.map((one) => (one.kind === "made" ? one.transaction.type : one.status));
  return { after, effects, told, tier: after.tier_id };
};

const MATCHES: [metric: number, tier: string | null][] = [
  [250, "gold"],
  [50, "bronze"],
  [0, "bronze"],
  [99, "bronze"],
  [99.5, null],
  [100, "silver"],
  [1_000_000, "platinum"],
  [-1, null],
];
for (const [metric, tier] of MATCHES)
  test(`${metric} points reach ${tier ?? "no tier"}`, () => {
    assert.equal(targetTier(watch(), metric)?.id ?? null, tier);
  });

test("in a gap there is no tier, and of equal tiers the one of the segment is the target", () => {
  assert.equal(targetTier(watch({}, [sampleTier("bronze", 0, 99), sampleTier("gold", 200)]), 150), null);
  const vip = sampleTier("vip", 100, 199);
  vip.qualification_rules = { ...vip.qualification_rules, type: "POINTS_AND_SEGMENT", segment: { id: "seg_1" } };
  const both = watch({}, [...METALS, vip]);
  assert.equal(targetTier(both, 150)?.id, "silver");
  const member = { ...both, isInSegment: (id: string) => id === "seg_1" };
  assert.equal(targetTier(member, 150)?.id, "vip");
  assert.deepEqual(look(inTier("silver"), member, 150).told, ["UPGRADED"]);
});

test("when tiers expire", () => {
  const rolling = (value: number, unit: "DAY" | "MONTH" | "YEAR") =>
    ({ type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value, unit } } }) as const;
  assert.equal(tierExpiresAt(rolling(30, "DAY"), "2026-07-20T14:00:00Z", "UTC"), "2026-08-20T00:00:00.000Z");
  assert.equal(tierExpiresAt(rolling(1, "YEAR"), "2026-06-15T00:00:00Z", "UTC"), "2027-06-15T00:00:00.000Z");
  assert.equal(tierExpiresAt(rolling(1, "MONTH"), "2026-01-31T00:00:00Z", "UTC"), "2026-02-28T00:00:00.000Z");
  assert.equal(tierExpiresAt({ type: "NO_EXPIRATION" }, T0, "UTC"), null);
  assert.equal(tierExpiresAt(null, T0, "UTC"), null);
  const calendar = {
    type: "CALENDAR_EXPIRATION",
    calendar_expiration: { calendar_dates: [{ day: 31, month: 12 }] },
  } as const;
  assert.equal(
    tierExpiresAt(
      { ...calendar, calendar_expiration: { calendar_dates: [...calendar.calendar_expiration.calendar_dates] } },
      T0,
      "UTC",
    ),
    "2027-01-01T00:00:00.000Z",
  );
  assert.equal(
    tierExpiresAt(
      { type: "CALENDAR_EXPIRATION", calendar_expiration: { calendar_dates: [{ day: 20, month: 7 }] } },
      T0,
      "UTC",
    ),
    "2026-07-21T00:00:00.000Z",
  );
  // Clocks in São Paulo skipped midnight on 4 November 2018.
  assert.equal(
    tierExpiresAt(rolling(1, "DAY"), "2018-11-02T15:00:00Z", "America/Sao_Paulo"),
    "2018-11-04T03:00:00.000Z",
  );
});

test("a grace ends at a midnight, rounded up with its month or year", () => {
  const from = (since: string, round_up: boolean, unit: "DAY" | "MONTH" | "YEAR" = "MONTH") =>
    graceEndsAt({ value: 1, unit, round_up }, since, "UTC");
  assert.equal(from("2026-07-20T00:00:00Z", false), "2026-08-20T00:00:00.000Z");
  assert.equal(from("2026-07-20T00:00:00Z", true), "2026-09-01T00:00:00.000Z");
  assert.equal(from("2026-07-25T14:00:00Z", false), "2026-08-26T00:00:00.000Z");
  assert.equal(from("2026-08-01T00:00:00Z", true), "2026-09-01T00:00:00.000Z");
  assert.equal(from("2026-07-20T00:00:00Z", true, "YEAR"), "2028-01-01T00:00:00.000Z");
  assert.equal(from("2026-07-20T10:00:00Z", true, "DAY"), "2026-07-22T00:00:00.000Z");
});

test("tracking periods follow one another from the unit in which the card was made", () => {
  const at = (value: number, unit: "HOUR" | "DAY" | "WEEK" | "MONTH" | "YEAR", now: string, zone = "UTC") => {
    const { start_at, end_at } = trackingWindow({ value, unit }, { createdAt: "2026-01-10T09:30:00Z", at: now, zone });
    return [start_at, end_at].map((text) => text.replace(".000Z", "Z"));
  };
  assert.deepEqual(at(1, "YEAR", "2028-05-05T00:00:00Z"), ["2028-01-01T00:00:00Z", "2029-01-01T00:00:00Z"]);
  assert.deepEqual(at(5, "MONTH", "2026-06-01T00:00:00Z"), ["2026-06-01T00:00:00Z", "2026-11-01T00:00:00Z"]);
  assert.deepEqual(at(5, "MONTH", "2026-05-31T23:59:59Z"), ["2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z"]);
  assert.deepEqual(at(2, "WEEK", "2026-01-19T00:00:00Z"), ["2026-01-19T00:00:00Z", "2026-02-02T00:00:00Z"]);
  assert.deepEqual(at(3, "DAY", "2026-01-13T00:00:00Z"), ["2026-01-13T00:00:00Z", "2026-01-16T00:00:00Z"]);
  assert.deepEqual(at(36, "HOUR", "2026-01-11T21:00:00Z"), ["2026-01-11T21:00:00Z", "2026-01-13T09:00:00Z"]);
  assert.deepEqual(at(1, "MONTH", "2026-03-31T22:30:00Z", "Europe/Warsaw"), [
    "2026-03-31T22:00:00Z",
    "2026-04-30T22:00:00Z",
  ]);
  assert.equal(at(Number.MAX_SAFE_INTEGER, "HOUR", "2026-03-31T22:30:00Z")[0], "2026-01-10T09:00:00Z");
  assert.equal(at(Number.MAX_SAFE_INTEGER, "WEEK", "2026-03-31T22:30:00Z")[0], "2026-01-05T00:00:00Z");
});

test("every moment is in exactly one tracking period, in any zone", () => {
  const zones = [
    "UTC",
    "Europe/Warsaw",
    "America/Sao_Paulo",
    "Asia/Tehran",
    "Pacific/Apia",
    "America/St_Johns",
    "Australia/Lord_Howe",
  ];
  const moment = fc.date({ min: new Date("2005-01-01"), max: new Date("2030-01-01"), noInvalidDate: true });
  const span = fc.record({
    value: fc.integer({ min: 1, max: 40 }),
    unit: fc.constantFrom("HOUR", "DAY", "WEEK", "MONTH", "YEAR"),
  });
  fc.assert(
    fc.property(moment, moment, span, fc.constantFrom(...zones), (one, other, period, zone) => {
      const [createdAt, at] = [one, other]
        .toSorted((a, b) => a.getTime() - b.getTime())
        .map((date) => date.toISOString());
      const { start_at, end_at } = trackingWindow(period, { createdAt: createdAt!, at: at!, zone });
      assert.ok(Date.parse(start_at) <= Date.parse(at!) && Date.parse(at!) < Date.parse(end_at));
      const next = trackingWindow(period, { createdAt: createdAt!, at: end_at, zone });
      assert.equal(next.start_at, end_at);
    }),
  );
});

test("who qualifies joins and moves up at once, and a transaction says so", () => {
  const { after, effects } = look(noTier("lts_1"), watch(), 150);
  assert.deepEqual([after.tier_id, after.start_at, after.expires_at], ["silver", T0, null]);
  const [made] = effects;
  assert.ok(made?.kind === "made");
  assert.deepEqual(made.transaction, {
    id: "lttx_000001",
    type: "JOINED",
    tier_structure_id: "lts_1",
    tier_id: "silver",
    status: "APPROVED",
    details: {
      points: 150,
      tier_from: null,
      tier_to: "silver",
      origin,
      rejection: null,
      start_at: T0,
      expires_at: null,
    },
    created_at: T0,
  });
  assert.deepEqual(look(inTier("bronze"), watch(), 350).told, ["UPGRADED"]);
  assert.deepEqual(look(inTier("gold"), watch(), 250).told, []);
});

test("without a time of its own a tier is lost at once: by all levels, or by one a day", () => {
  assert.deepEqual(
    [look(inTier("gold"), watch(), 50).tier, look(inTier("gold"), watch(), 50).told],
    ["bronze", ["DOWNGRADED"]],
  );
  const single = watch({ downgrade: { type: "SINGLE_LEVEL" } });
  const step = look(inTier("gold"), single, 50);
  assert.deepEqual(
    [step.tier, step.told, step.after.held_until],
    ["silver", ["DOWNGRADED"], "2026-07-21T00:00:00.000Z"],
  );
  assert.deepEqual(look(step.after, single, 50, "2026-07-20T23:59:59Z").told, []);
  const next = look(step.after, single, 50, "2026-07-21T00:00:00Z");
  assert.deepEqual([next.tier, next.told, next.after.held_until], ["bronze", ["DOWNGRADED"], null]);
  // Out of the lowest goes only who is below it.
  const gap = watch({ downgrade: { type: "SINGLE_LEVEL" } }, [sampleTier("low", 10, 20), sampleTier("high", 50)]);
  assert.deepEqual(look(inTier("low"), gap, 5).told, ["LEFT"]);
  assert.deepEqual(look(inTier("low"), gap, 30).told, []);
  assert.deepEqual(look(inTier("silver"), watch({}, METALS.slice(1)), 5).told, ["LEFT"]);
});

test("nobody moves down where the structure or the tier forbids it", () => {
  assert.deepEqual(
    look(inTier("gold"), watch({ downgrade: { type: "NO_DOWNGRADE", grace_period: { value: 1, unit: "DAY" } } }), 50)
      .after,
    inTier("gold"),
  );
  assert.deepEqual(look(inTier("gold"), watch({ downgrade: null }), 50).told, []);
  const own = METALS.map((tier) => ({ ...tier, downgrade: { type: "NO_DOWNGRADE" } as const }));
  assert.deepEqual(look(inTier("gold"), watch({}, own), 50).told, []);
});

const rolling = {
  expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 30, unit: "DAY" } } },
} as const;

test("a tier with a time is kept until it ends, then prolonged or lost", () => {
  const w = watch(rolling);
  const joined = look(noTier("lts_1"), w, 250).after;
  assert.equal(joined.expires_at, "2026-08-20T00:00:00.000Z");
  assert.deepEqual(look(joined, w, 50, "2026-08-19T23:59:59Z").told, []);
  const end = "2026-08-20T00:00:00.000Z";
  const longer = look(joined, w, 250, end);
  assert.deepEqual(
    [longer.told, longer.after.start_at, longer.after.expires_at],
    [["PROLONGED"], end, "2026-09-19T00:00:00.000Z"],
  );
  const lower = look(joined, w, 150, end);
  assert.deepEqual(
    [lower.told, lower.tier, lower.after.expires_at],
    [["DOWNGRADED"], "silver", "2026-09-19T00:00:00.000Z"],
  );
  assert.deepEqual(look(joined, watch({ ...rolling, downgrade: { type: "NO_DOWNGRADE" } }), 0, end).told, [
    "PROLONGED",
  ]);
});

test("a grace keeps the tier, ends with qualifying again, and else with the tier", () => {
  const downgrade = { type: "MULTI_LEVEL", grace_period: { value: 1, unit: "MONTH", round_up: true } } as const;
  const w = watch({ downgrade });
  const waits = look(inTier("gold"), w, 50);
  assert.deepEqual(
    [waits.told, waits.tier, waits.after.grace],
    [[], "gold", { since: T0, ends_at: "2026-09-01T00:00:00.000Z" }],
  );
  assert.deepEqual(look(waits.after, w, 40, "2026-08-31T23:59:59Z").after, waits.after);
  assert.equal(look(waits.after, w, 200, "2026-08-15T00:00:00Z").after.grace, null);
  assert.deepEqual(look(waits.after, w, 50, "2026-09-01T00:00:00Z").told, ["DOWNGRADED"]);
  // With a time of its own the grace begins when that ends, and who qualifies again begins a new one.
  const timed = watch({ ...rolling, downgrade });
  const joined = look(noTier("lts_1"), timed, 250).after;
  const late = look(joined, timed, 50, "2026-08-20T00:00:00.000Z").after;
  assert.equal(late.grace?.ends_at, "2026-10-01T00:00:00.000Z");
  const again = look(late, timed, 200, "2026-09-05T10:00:00.000Z");
  assert.deepEqual(
    [again.told, again.after.start_at, again.after.expires_at],
    [["PROLONGED"], "2026-09-05T10:00:00.000Z", "2026-10-06T00:00:00.000Z"],
  );
});

const nextPeriod = {
  type: "POINT_EARNED",
  point_earned: { period: { value: 1, unit: "MONTH" }, type: "NEXT_TRACKING_PERIOD" },
} as const;

test("a higher tier waits for the next tracking period, and a later one takes its place", () => {
  const w = watch({ ...nextPeriod, ...rolling });
  const tracking = { start_at: "2026-07-01T00:00:00.000Z", end_at: "2026-08-01T00:00:00.000Z", points: 120 };
  const silver = look(inTier("bronze", { tracking, expires_at: "2026-12-01T00:00:00Z" }), w, 120);
  assert.deepEqual([silver.tier, silver.told], ["bronze", ["UPGRADED"]]);
  assert.deepEqual(silver.after.deferred, {
    tier_id: "silver",
    start_at: tracking.end_at,
    transaction_id: "lttx_000001",
  });
  assert.ok(silver.effects[0]?.kind === "made" && silver.effects[0].transaction.status === "PENDING");
  assert.deepEqual(look(silver.after, w, 130).told, []);
  const gold = look(silver.after, w, 220);
  assert.deepEqual(gold.told, ["REJECTED", "UPGRADED"]);
  assert.deepEqual(look(gold.after, w, 20).told, ["REJECTED"]);
  // The new period has begun with nothing earned: what was scheduled stays.
  const begun = look({ ...gold.after, tracking: null }, w, 0, tracking.end_at);
  assert.deepEqual(begun.told, []);
  const { state, effects } = applyDeferred(begun.after, w, tracking.end_at);
  assert.deepEqual(
    [state.tier_id, state.start_at, state.expires_at, state.deferred],
    ["gold", tracking.end_at, "2026-08-31T00:00:00.000Z", null],
  );
  assert.deepEqual(effects[0], {
    kind: "settled",
    id: "lttx_000002",
    status: "APPROVED",
    expires_at: "2026-08-31T00:00:00.000Z",
    at: tracking.end_at,
  });
});

test("the first tier waits for the next tracking period too", () => {
  const w = watch(nextPeriod);
  const first = look(noTier("lts_1"), w, 120);
  assert.deepEqual([first.tier, first.told], [null, ["JOINED"]]);
  assert.ok(first.effects[0]?.kind === "made" && first.effects[0].transaction.status === "PENDING");
  const start_at = "2026-08-01T00:00:00.000Z";
  assert.deepEqual(first.after.deferred, { tier_id: "silver", start_at, transaction_id: "lttx_000001" });
  const { state } = applyDeferred(first.after, w, start_at);
  assert.deepEqual([state.tier_id, state.start_at], ["silver", start_at]);
});

test("one level a day without a time of its own: the grace runs once, before the first step", () => {
  const w = watch({ downgrade: { type: "SINGLE_LEVEL", grace_period: { value: 3, unit: "DAY" } } });
  const waits = look(inTier("platinum"), w, 50);
  assert.equal(waits.after.grace?.ends_at, "2026-07-24T00:00:00.000Z");
  const first = look(waits.after, w, 50, "2026-07-24T00:00:00.000Z");
  assert.deepEqual([first.tier, first.after.held_until], ["gold", "2026-07-25T00:00:00.000Z"]);
  assert.deepEqual(look(first.after, w, 50, "2026-07-24T23:59:59Z").after, first.after, "one step a day");
  const second = look(first.after, w, 50, "2026-07-25T00:00:00.000Z");
  assert.deepEqual([second.tier, second.told, second.after.grace], ["silver", ["DOWNGRADED"], null]);
  const third = look(second.after, w, 50, "2026-07-26T00:00:00.000Z");
  assert.deepEqual([third.tier, third.after.held_until], ["bronze", null]);
  // Who qualifies again on the way down falls no further, and has the grace again when it is lost again.
  const caught = look(first.after, w, 250, "2026-07-24T12:00:00Z");
  assert.deepEqual([caught.tier, caught.after.held_until], ["gold", null]);
  assert.equal(look(caught.after, w, 50, "2026-07-24T13:00:00Z").after.grace?.ends_at, "2026-07-28T00:00:00.000Z");
});

test("an activity moves a tier that slides, and a deleted card leaves its tier", () => {
  const sliding_expiration = {
    earning_activity: true,
    spending_activity: false,
    custom_activity: false,
    custom_activity_types: [],
    period: { value: 10, unit: "DAY" },
  } as const;
  const w = watch({
    expiration: {
      type: "SLIDING_EXPIRATION",
      sliding_expiration: { ...sliding_expiration, custom_activity_types: [] },
    },
  });
  const joined = look(noTier("lts_1"), w, 250).after;
  assert.equal(joined.expires_at, "2026-07-31T00:00:00.000Z");
  const now = "2026-07-25T08:00:00Z";
  assert.equal(slideTier(joined, w, { activity: { kind: "earning" }, now }).expires_at, "2026-08-05T00:00:00.000Z");
  assert.equal(slideTier(joined, w, { activity: { kind: "spending" }, now }), joined);
  const left = leaveTier(joined, w, {
    at: now,
    metric: 250,
    origin: { type: "member_card_deleted", card_transaction_ids: [] },
  });
  assert.equal(left.state.tier_id, null);
  assert.ok(left.effects[0]?.kind === "made" && left.effects[0].transaction.type === "LEFT");
});

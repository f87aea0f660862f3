import assert from "node:assert/strict";
import type { Lot } from "../../ledger/account.ts";
import { earliest, isBefore } from "../../time/calendar.ts";
import { autoRedeem, autoRedeemDueAt } from "../campaign/auto-redeem.ts";
import type { TierOrigin } from "../tiers/state.ts";
import { applyDeferred } from "../tiers/tiers.ts";
import { afterwards } from "./afterwards.ts";
import { andThen, type CardState, type Change, type EntryCause, noChange } from "./card.ts";
import { activate, emptied, reviewed, type World, watchOf } from "./moves.ts";

const DAILY: TierOrigin = { type: "daily_task_operations", card_transaction_ids: [] };

/** Something that time alone brings: when it comes next to a card, and what happens then. `world.now` is that moment. */
type Due = { at(card: CardState, world: World): string | null; run(card: CardState, world: World): Change };

const firstOf = (lots: readonly Lot[], pot: Lot["pot"], field: "activates_at" | "expires_at"): string | null =>
  earliest(lots.map((lot) => (lot.pot === pot && lot.remaining > 0 ? lot[field] : null)));
const isDue = (at: string | null, now: string): boolean => at !== null && !isBefore(now, at);

/** Lots that are due, gathered by the day that clients see: one transaction for each. */
function dueLots(
  lots: readonly Lot[],
  now: string,
  { pot, field }: { pot: Lot["pot"]; field: "activates_at" | "expires_at" },
) {
  const due = lots.filter((lot) => lot.pot === pot && isDue(lot[field], now));
  const keyOf = ({ bucket_date, bucket_type, details, id }: Lot) =>
    pot === "pending" ? `${bucket_date} ${bucket_type}${details ? ` ${id}` : ""}` : `${bucket_date}`;
  const groups = Map.groupBy(due, keyOf);
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** One change after the other, each for a group of lots. */
const forEach = (card: CardState, groups: readonly Lot[][], run: (card: CardState, lots: Lot[]) => Change): Change =>
  groups.reduce((change, lots) => andThen(change, (after) => run(after, lots)), noChange(card));

const ACTIVATED: Due = {
  at: ({ lots }) => firstOf(lots, "pending", "activates_at"),
  run: (card, world) =>
    forEach(card, dueLots(card.lots, world.now, { pot: "pending", field: "activates_at" }), (after, lots) =>
      afterwards(activate(after, world, { lots, reason: "Points activated automatically", isTimed: true }), world),
    ),
};
const CANCELED: Due = {
  at: ({ lots }) => firstOf(lots, "pending", "expires_at"),
  run: (card, world) =>
    forEach(card, dueLots(card.lots, world.now, { pot: "pending", field: "expires_at" }), (after, lots) =>
      cancelLots(after, world, { lots, reason: "Points canceled automatically" }),
    ),
};
const AUTO_REDEEMED: Due = {
  // Who cannot give rewards leaves them to who comes next.
  at: (card, world) => (card.rewards_left === undefined ? null : autoRedeemDueAt(card, world)),
  run: (card, world) => afterwards(autoRedeem(card, world), world),
};
const EXPIRED: Due = {
  at: ({ lots }) => firstOf(lots, "available", "expires_at"),
  run: (card, world) =>
    forEach(card, dueLots(card.lots, world.now, { pot: "available", field: "expires_at" }), (after, lots) =>
      expireLots(after, world, { lots, kind: "expiration", reason: "Points expired automatically" }),
    ),
};
const TIER_ENDED: Due = {
  at: ({ tier }) => (tier && !tier.grace ? earliest([tier.expires_at, tier.held_until]) : null),
  run: (card, world) => reviewed(card, world, DAILY),
};
const GRACE_ENDED: Due = {
  at: ({ tier }) => tier?.grace?.ends_at ?? null,
  run: (card, world) => reviewed(card, world, DAILY),
};
const PERIOD_ENDED: Due = {
  // A period in which nothing was earned ends without a trace.
  at: ({ tier }) => (tier?.tracking && tier.tracking.points > 0 ? tier.tracking.end_at : null),
  run: (card, world) => reviewed({ ...card, tier: { ...card.tier!, tracking: null } }, world, DAILY),
};
const DEFERRED_STARTED: Due = {
  at: ({ tier }) => tier?.deferred?.start_at ?? null,
  run: (card, world) => {
    const { state, effects } = applyDeferred(card.tier!, watchOf(card, world)!, world.now);
    return { ...noChange({ ...card, tier: state }), tiers: effects };
  },
};

/** In the order in which they happen at one midnight. */
const DUE: readonly Due[] = [
  ...[ACTIVATED, CANCELED, EXPIRED],
  ...[TIER_ENDED, GRACE_ENDED, PERIOD_ENDED, DEFERRED_STARTED],
];
/** Here a new period counts from its first moment, so the points of the last one keep nobody in a tier that ends. */
const TIERS_FIRST: readonly Due[] = [
  ...[ACTIVATED, CANCELED, AUTO_REDEEMED],
  ...[DEFERRED_STARTED, PERIOD_ENDED, TIER_ENDED, GRACE_ENDED],
  EXPIRED,
];
const WITHOUT_TIERS: readonly Due[] = [ACTIVATED, CANCELED, AUTO_REDEEMED, EXPIRED];

const dueIn = ({ tiers, areTiersFirst }: World): readonly Due[] => {
  if (!tiers) return WITHOUT_TIERS;
  return areTiersFirst ? TIERS_FIRST : DUE;
};

/** What is due first, and of things at the same moment the one that comes first. Tiers that nothing watches wait. */
function nextDue(card: CardState, world: World): { at: string; due: Due } | null {
  let next: { at: string; due: Due } | null = null;
  for (const due of dueIn(world)) {
    const at = due.at(card, world);
    if (at && (next === null || isBefore(at, next.at))) next = { at, due };
  }
  return next;
}

/** When time alone changes the card next; null: never. */
export const dueAt = (card: CardState, world: World): string | null =>
  earliest([nextDue(card, world)?.at ?? null, autoRedeemDueAt(card, world)]);

/** What time alone has brought, and when the last of it happened; null: nothing did. */
export type Advanced = Change & { last_at: string | null };

/** More than every hour of twenty years. */
const STEPS_MAX = 200_000;

/**
 * Everything that time alone has brought until `world.now`, in the order of time, each at its own moment. Nothing of it
 * depends on when it is asked for: one leap is the same as many steps, and asking twice does nothing more. Every change
 * of a card comes after this.
 */
export function advance(card: CardState, world: World): Advanced {
  let change = noChange(card);
  let last_at: string | null = null;
  for (let steps = 0; ; steps++) {
    const next = nextDue(change.card, world);
    if (!next || isBefore(world.now, next.at)) return { ...change, last_at };
    assert(steps < STEPS_MAX, "what is due is done, and due no more");
    change = andThen(change, (after) => next.due.run(after, { ...world, now: next.at }));
    last_at = next.at;
  }
}

/** Cancels what waits. */
export function cancelLots(
  card: CardState,
  world: World,
  { lots, ...told }: { lots: readonly Lot[]; reason: string; cause?: EntryCause },
): Change {
  const [first] = lots;
  if (!first) return noChange(card);
  const total = lots.reduce((sum, { remaining }) => sum + remaining, 0);
  const points = { total, date: first.bucket_date, type: first.bucket_type };
  const details = { points, ...(first.details && { waited: first }) };
  return afterwards(emptied(card, world, { ...told, kind: "cancellation", lots, details }), world);
}

/** Lets points expire that are of one day. */
export function expireLots(
  card: CardState,
  world: World,
  { lots, kind, reason }: { lots: readonly Lot[]; kind: "expiration" | "manual_expiration"; reason: string | null },
): Change {
  const buckets = [...Map.groupBy(lots, ({ bucket_id }) => bucket_id)].map(([id, [first, ...more]]) => ({
    id,
    points: { total: more.reduce((sum, { remaining }) => sum + remaining, first!.remaining) },
    expiration_date: first!.bucket_date,
    expiration_type: first!.bucket_type,
  }));
  const total = lots.reduce((sum, { remaining }) => sum + remaining, 0);
  const details =
    kind === "manual_expiration" ? { bucket: buckets[0] } : { points: { total }, date: lots[0]!.bucket_date, buckets };
  return afterwards(emptied(card, world, { kind, lots, reason, details }), world);
}

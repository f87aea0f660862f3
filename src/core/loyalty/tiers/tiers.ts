import { dayEnd, isBefore, localDate, type Span } from "../../time/calendar.ts";
import type { NewCardId } from "../card/card.ts";
import { type CardActivity, isCounted } from "../card/expiration.ts";
import { graceEndsAt, tierExpiresAt, trackingWindow, type WatchedExpiration } from "./dates.ts";
import type { TierEffect, TierMoveType, TierOrigin, TierState } from "./state.ts";
import type { PointEarned, Tier, TierStructure } from "./structure.ts";

/** What the engine knows of a tier. */
export type WatchedTier = Pick<Tier, "id" | "name" | "qualification_rules" | "downgrade" | "points_expiration">;
export type WatchedStructure = Pick<TierStructure, "id" | "type" | "downgrade"> & {
  point_earned: { type: PointEarned["type"]; period: Span } | null;
  expiration: WatchedExpiration | null;
};
/** A structure that watches a card. The program and the structure are active. */
export type TierWatch = {
  structure: WatchedStructure;
  tiers: readonly WatchedTier[];
  isInSegment(segmentId: string): boolean;
  card_created_at: string;
  zone: string;
  newId: NewCardId;
};
/** One look at what a card is worth now. */
export type Look = { at: string; metric: number; origin: TierOrigin };
export type TierChange = { state: TierState; effects: readonly TierEffect[] };

/** Higher tiers ask for more; of two that ask for the same the one of a segment is higher. */
export function compareTiers({ qualification_rules: a }: WatchedTier, { qualification_rules: b }: WatchedTier): number {
  return a.points.min_value - b.points.min_value || Number(Boolean(a.segment)) - Number(Boolean(b.segment));
}

const isForCustomer = ({ isInSegment }: TierWatch, { qualification_rules: { segment } }: WatchedTier): boolean =>
  !segment || isInSegment(segment.id);

/** The highest tier that so many points reach; null: none does. */
export function targetTier(watch: TierWatch, metric: number): WatchedTier | null {
  const fits = watch.tiers.filter((tier) => {
    const { min_value, max_value } = tier.qualification_rules.points;
    return min_value <= metric && metric <= (max_value ?? Number.POSITIVE_INFINITY) && isForCustomer(watch, tier);
  });
  return fits.toSorted(compareTiers).at(-1) ?? null;
}

/** The tier that a state names. A tier that does not exist any more is none. */
export const currentTier = ({ tiers }: TierWatch, { tier_id }: TierState): WatchedTier | null =>
  tiers.find(({ id }) => id === tier_id) ?? null;

const isDeferring = ({ structure }: TierWatch): boolean =>
  structure.type === "POINT_EARNED" && structure.point_earned?.type === "NEXT_TRACKING_PERIOD";

export const watchedWindow = ({ structure, card_created_at, zone }: TierWatch, at: string) =>
  trackingWindow(structure.point_earned!.period, { createdAt: card_created_at, at, zone });

type Move = { type: TierMoveType; from: WatchedTier | null; to: WatchedTier | null };

function made(
  { newId }: TierWatch,
  { at, metric, origin }: Look,
  { type, from, to, state, status }: Move & { state: TierState; status: "APPROVED" | "PENDING" },
): TierEffect {
  const isBetween = type === "UPGRADED" || type === "DOWNGRADED";
  return {
    kind: "made",
    transaction: {
      id: newId("lttx"),
      type,
      tier_structure_id: state.tier_structure_id,
      tier_id: to?.id ?? null,
      status,
      details: {
        points: metric,
        tier_from: isBetween || type === "LEFT" ? (from?.id ?? null) : null,
        tier_to: to?.id ?? null,
        origin,
        rejection: null,
        start_at: state.start_at,
        expires_at: state.expires_at,
      },
      created_at: at,
    },
  };
}

// Contract is silent: a tier that has to wait for the next tracking period, and has no time of its own, is kept for that
// period; what is earned in it counts for the one after.
/** The state as it is when a tier starts. */
function started(
  state: TierState,
  watch: TierWatch,
  { tier, at }: { tier: WatchedTier | null; at: string },
): TierState {
  const expires_at = tier && tierExpiresAt(watch.structure.expiration, at, watch.zone);
  const isHeld = tier && expires_at === null && isDeferring(watch);
  return {
    ...state,
    tier_id: tier?.id ?? null,
    start_at: tier && at,
    expires_at,
    grace: null,
    held_until: isHeld ? watchedWindow(watch, at).end_at : null,
  };
}

function move(state: TierState, watch: TierWatch, look: Look, how: Move): TierChange {
  const after = started(state, watch, { tier: how.to, at: look.at });
  return { state: after, effects: [made(watch, look, { ...how, state: after, status: "APPROVED" })] };
}

/** Looks at a card again: who qualifies for more moves up, who no longer qualifies moves down when it is time. */
export function evaluateTier(state: TierState, watch: TierWatch, look: Look): TierChange {
  const target = targetTier(watch, look.metric);
  const current = currentTier(watch, state);
  if (!current) {
    // A tier that does not exist any more ends without a word.
    const none = state.tier_id === null ? state : started(state, watch, { tier: null, at: look.at });
    if (isDeferring(watch)) return defer(none, watch, look, { current: null, target });
    return target ? move(none, watch, look, { type: "JOINED", from: null, to: target }) : { state: none, effects: [] };
  }
  const isHigher = target !== null && compareTiers(target, current) > 0;
  if (isHigher && !isDeferring(watch)) return move(state, watch, look, { type: "UPGRADED", from: current, to: target });
  const noted = noteLower(state, watch, look.at, { current, target });
  const deferred = defer(noted, watch, look, { current, target: isHigher ? target : null });
  const isQualified = target !== null && compareTiers(target, current) >= 0;
  const { state: after, effects } = isQualified
    ? kept(deferred.state, watch, look, current)
    : lost(deferred.state, watch, look, { current, target });
  return { state: after, effects: [...deferred.effects, ...effects] };
}

/**
 * Where members keep tiers for a term, notes a lower tier that the points of this period reach: a member in no tier would
 * have it.
 */
function noteLower(
  state: TierState,
  watch: TierWatch,
  at: string,
  { current, target }: { current: WatchedTier; target: WatchedTier | null },
): TierState {
  const { expiration, type } = watch.structure;
  if (expiration?.type !== "TERM_EXPIRATION" || type !== "POINT_EARNED") return state;
  const { end_at: period_end } = watchedWindow(watch, at);
  const before = state.lower ?? [];
  const others = before.filter((one) => one.period_end !== period_end && isBefore(at, one.until));
  const isLower = target !== null && compareTiers(target, current) < 0;
  if (!isLower) return before.length > 0 ? { ...state, lower: others } : state;
  const known = before.find((one) => one.period_end === period_end && one.tier_id === target.id);
  const start_at = isDeferring(watch) ? period_end : at;
  const until = tierExpiresAt(expiration, start_at, watch.zone)!;
  return { ...state, lower: [...others, known ?? { tier_id: target.id, period_end, start_at, until }] };
}

/** The highest lower tier that lasts now, and until when; null: none does, or the points of now reach as much. */
function lowerTier(
  state: TierState,
  watch: TierWatch,
  at: string,
  { current, target }: { current: WatchedTier; target: WatchedTier | null },
): { tier: WatchedTier; until: string } | null {
  const lasting = (state.lower ?? []).flatMap(({ tier_id, start_at, until }) => {
    const tier = watch.tiers.find(({ id }) => id === tier_id);
    const isNow = !isBefore(at, start_at) && isBefore(at, until);
    return tier && isNow && compareTiers(tier, current) < 0 ? [{ tier, until }] : [];
  });
  const best = lasting.toSorted((a, b) => compareTiers(a.tier, b.tier) || (isBefore(a.until, b.until) ? -1 : 1)).at(-1);
  return best && (target === null || compareTiers(best.tier, target) > 0) ? best : null;
}

/** Points that become available as a period ends still count in it, and may lead higher than what starts with the next. */
function isLateHigher({ deferred, tracking }: TierState, { tiers }: TierWatch, target: WatchedTier | null): boolean {
  const scheduled = tiers.find(({ id }) => id === deferred?.tier_id);
  if (!target || !scheduled || tracking?.end_at !== deferred?.start_at) return false;
  return compareTiers(target, scheduled) > 0;
}

/** Schedules a higher tier for the next tracking period. One that was scheduled before gives way to it. */
function defer(
  state: TierState,
  watch: TierWatch,
  look: Look,
  { current, target }: { current: WatchedTier | null; target: WatchedTier | null },
): TierChange {
  const { deferred } = state;
  const isDue = deferred !== null && !isBefore(look.at, deferred.start_at);
  if ((isDue && !isLateHigher(state, watch, target)) || (deferred?.tier_id ?? null) === (target?.id ?? null))
    return { state, effects: [] };
  const effects: TierEffect[] = deferred
    ? [
        {
          kind: "settled",
          id: deferred.transaction_id,
          status: "REJECTED",
          rejection: { reason: "SUPERSEDED_BY_LATER_TRANSACTION", details: null },
          at: look.at,
        },
      ]
    : [];
  if (!target) return { state: { ...state, deferred: null }, effects };
  const start_at = state.tracking?.end_at ?? watchedWindow(watch, look.at).end_at;
  const then = started(state, watch, { tier: target, at: start_at });
  const type = current ? "UPGRADED" : "JOINED";
  const how = { type, from: current, to: target, state: then, status: "PENDING" } as const;
  const waits = made(watch, look, how);
  const transaction_id = waits.kind === "made" ? waits.transaction.id : "";
  return {
    state: { ...state, deferred: { tier_id: target.id, start_at, transaction_id } },
    effects: [...effects, waits],
  };
}

const isOver = (until: string | null, at: string): boolean => until !== null && !isBefore(at, until);

/** A member who qualifies for the tier. */
function kept(state: TierState, watch: TierWatch, look: Look, current: WatchedTier): TierChange {
  const again = qualifiedUntil(watch, look.at);
  if (again && state.expires_at && isBefore(state.expires_at, again)) {
    const after = { ...state, expires_at: again, grace: null };
    const how = { type: "PROLONGED", from: null, to: current, state: after, status: "APPROVED" } as const;
    return { state: after, effects: [made(watch, look, how)] };
  }
  // Contract is silent: who qualifies again within the grace begins a new term with that moment.
  if (isOver(state.expires_at, look.at))
    return prolonged(state, watch, look, { current, start: state.grace ? look.at : state.expires_at! });
  // Who qualifies again falls no further: a later fall has its grace again.
  const isCaught = isFalling(watch, state) && watch.structure.downgrade?.grace_period;
  const held_until = isCaught || isOver(state.held_until, look.at) ? heldAgain(watch, look.at) : state.held_until;
  return { state: { ...state, grace: null, held_until }, effects: [] };
}

/** Whether the last move was a step down that is not the last one: the next one is due when the day is over. */
const isFalling = (watch: TierWatch, { held_until }: TierState): boolean => held_until !== null && !isDeferring(watch);

/** The grace before the next step down. It runs once, before the first step. */
export const graceOf = (watch: TierWatch, state: TierState) =>
  isFalling(watch, state) ? null : (watch.structure.downgrade?.grace_period ?? null);

/** Until when a tier is kept that is qualified for now, where that is a matter of periods: each qualifies anew. */
function qualifiedUntil(watch: TierWatch, at: string): string | null {
  const { expiration, type } = watch.structure;
  if (expiration?.type !== "TERM_EXPIRATION" || type !== "POINT_EARNED") return null;
  if ("term" in expiration && expiration.term.from === "START") return null;
  const start = isDeferring(watch) ? watchedWindow(watch, at).end_at : at;
  return tierExpiresAt(expiration, start, watch.zone);
}

const heldAgain = (watch: TierWatch, at: string): string | null =>
  isDeferring(watch) && !watchesTerms(watch) ? watchedWindow(watch, at).end_at : null;

/** Whether tiers have a time for which they are kept. */
const watchesTerms = ({ structure, zone }: TierWatch): boolean =>
  tierExpiresAt(structure.expiration, "2000-01-01T00:00:00Z", zone) !== null;

function prolonged(
  state: TierState,
  watch: TierWatch,
  look: Look,
  { current, start }: { current: WatchedTier; start: string },
): TierChange {
  const after = started(state, watch, { tier: current, at: start });
  const how = { type: "PROLONGED", from: null, to: current, state: after, status: "APPROVED" } as const;
  return { state: after, effects: [made(watch, look, how)] };
}

/** A member who does not qualify for the tier any more: nothing happens before it is time. */
function lost(
  state: TierState,
  watch: TierWatch,
  look: Look,
  { current, target }: { current: WatchedTier; target: WatchedTier | null },
): TierChange {
  const { at } = look;
  const isKept = [state.expires_at, state.held_until, state.grace?.ends_at ?? null].some(
    (until) => until !== null && isBefore(at, until),
  );
  if (isKept) return { state, effects: [] };
  const reached = lowerTier(state, watch, at, { current, target });
  if (reached) {
    const fallen = {
      ...started(state, watch, { tier: reached.tier, at }),
      expires_at: reached.until,
      held_until: null,
    };
    const how = { type: "DOWNGRADED", from: current, to: reached.tier, state: fallen, status: "APPROVED" } as const;
    return { state: fallen, effects: [made(watch, look, how)] };
  }
  const lower = fallsTo(watch, { current, target, metric: look.metric });
  if (lower === current) {
    if (isOver(state.expires_at, at)) return prolonged(state, watch, look, { current, start: state.expires_at! });
    return { state: { ...state, held_until: null, grace: null }, effects: [] };
  }
  const grace = graceOf(watch, state);
  if (grace && !state.grace) {
    const ends_at = graceEndsAt(grace, at, watch.zone);
    return { state: { ...state, grace: { since: at, ends_at }, held_until: null }, effects: [] };
  }
  if (!lower) return move(state, watch, look, { type: "LEFT", from: current, to: null });
  const fallen = move(state, watch, look, { type: "DOWNGRADED", from: current, to: lower });
  const isStep = lower !== target && fallen.state.expires_at === null && fallen.state.held_until === null;
  // One step a day: the next one is due when the day is over.
  const held_until = isStep ? dayEnd(localDate(at, watch.zone), watch.zone) : fallen.state.held_until;
  return { state: { ...fallen.state, held_until }, effects: fallen.effects };
}

/** The tier that a member falls to who no longer qualifies: another one, none (null), or the one they are in. */
export function fallsTo(
  watch: TierWatch,
  { current, target, metric }: { current: WatchedTier; target: WatchedTier | null; metric: number },
): WatchedTier | null {
  const { downgrade, expiration } = watch.structure;
  const how = downgrade?.type ?? "NO_DOWNGRADE";
  if (how === "NO_DOWNGRADE" || current.downgrade.type === "NO_DOWNGRADE") return current;
  // Contract is silent: a sliding expiration without a period never ends.
  if (expiration?.sliding_expiration?.period === null) return current;
  if (how === "MULTI_LEVEL") return target;
  const below = watch.tiers.filter((tier) => compareTiers(tier, current) < 0 && isForCustomer(watch, tier));
  const next = below.toSorted(compareTiers).at(-1);
  return next ?? (metric < current.qualification_rules.points.min_value ? null : current);
}

/** The tier that was scheduled starts. */
export function applyDeferred(state: TierState, watch: TierWatch, at: string): TierChange {
  const { deferred } = state;
  const tier = watch.tiers.find(({ id }) => id === deferred?.tier_id);
  if (!deferred || !tier) return { state: { ...state, deferred: null }, effects: [] };
  const after = { ...started(state, watch, { tier, at: deferred.start_at }), deferred: null };
  const { expires_at } = after;
  return {
    state: after,
    effects: [{ kind: "settled", id: deferred.transaction_id, status: "APPROVED", expires_at, at }],
  };
}

/** An activity begins the time of a tier again, where it slides. */
export function slideTier(
  state: TierState,
  watch: TierWatch,
  { activity, now }: { activity: CardActivity; now: string },
) {
  const sliding = watch.structure.expiration?.sliding_expiration;
  if (!sliding || !state.expires_at || state.grace || !isCounted(sliding, activity)) return state;
  return { ...state, expires_at: tierExpiresAt(watch.structure.expiration!, now, watch.zone) };
}

/** The card is deleted, and its tier ends with it. */
export function leaveTier(state: TierState, watch: TierWatch, look: Look): TierChange {
  const current = currentTier(watch, state);
  const without = current
    ? defer(state, watch, look, { current, target: null })
    : { state: { ...state, deferred: null }, effects: [] };
  if (!current) return without;
  const left = move(without.state, watch, look, { type: "LEFT", from: current, to: null });
  return { state: left.state, effects: [...without.effects, ...left.effects] };
}

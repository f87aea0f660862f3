import type { CardState } from "../card/card.ts";
import { metricOf, type World, watchOf } from "../card/moves.ts";
import { graceEndsAt, tierExpiresAt } from "./dates.ts";
import type { TierState } from "./state.ts";
import {
  compareTiers,
  currentTier,
  fallsTo,
  graceOf,
  type TierWatch,
  targetTier,
  type WatchedTier,
  watchedWindow,
} from "./tiers.ts";

type Named = { id: string; name: string };
export type TierProgress = {
  current: {
    tier: Named | null;
    start_at: string | null;
    expires_at: string | null;
    points: { current: number; min: number; max?: number } | null;
  } | null;
  tier_structure: { id: string; object: "tier_structure" } | null;
  deferred: { tier: Named | null; start_at: string | null; expires_at: string | null }[];
  risks: { type: "TIER_DOWNGRADE" | "TIER_LEFT"; date: string | null; tier: Named | null }[];
  opportunities: { valid_until: string | null; tier: Named; points: number }[];
  object: "member_tier_progress";
};

const tierName = ({ id, name }: WatchedTier): Named => ({ id, name });

/** How a card stands in its tiers; null: none watch it. The card was advanced to now. */
export function tierProgress(card: CardState, world: World): TierProgress | null {
  const { tier: state } = card;
  const watch = watchOf(card, world);
  if (!state || !watch) return null;
  const metric = metricOf(card, world);
  const current = currentTier(watch, state);
  return {
    current: current && placeIn(state, current, metric),
    tier_structure: { id: state.tier_structure_id, object: "tier_structure" },
    deferred: deferredOf(state, watch),
    risks: current ? risksOf(state, watch, { current, metric }) : [],
    opportunities: opportunitiesOf(state, watch, { current, metric, now: world.now }),
    object: "member_tier_progress",
  };
}

function placeIn({ start_at, expires_at }: TierState, current: WatchedTier, metric: number): TierProgress["current"] {
  const { min_value: min, max_value: max } = current.qualification_rules.points;
  return {
    tier: tierName(current),
    start_at,
    expires_at,
    points: { current: metric, min, ...(max !== undefined && { max }) },
  };
}

function deferredOf({ deferred }: TierState, { tiers, structure, zone }: TierWatch): TierProgress["deferred"] {
  const tier = tiers.find(({ id }) => id === deferred?.tier_id);
  if (!deferred || !tier) return [];
  const { start_at } = deferred;
  return [{ tier: tierName(tier), start_at, expires_at: tierExpiresAt(structure.expiration, start_at, zone) }];
}

/** When the member would fall if nothing else is earned, and where to. */
function risksOf(
  state: TierState,
  watch: TierWatch,
  { current, metric }: { current: WatchedTier; metric: number },
): TierProgress["risks"] {
  const target = targetTier(watch, metric);
  if (target && compareTiers(target, current) >= 0) return [];
  const lower = fallsTo(watch, { current, target, metric });
  if (lower === current) return [];
  const ends = state.expires_at ?? state.held_until;
  const grace = graceOf(watch, state);
  const date = state.grace?.ends_at ?? (ends && grace ? graceEndsAt(grace, ends, watch.zone) : ends);
  return [lower ? { type: "TIER_DOWNGRADE", date, tier: tierName(lower) } : { type: "TIER_LEFT", date, tier: null }];
}

/** The tiers above, and what is missing. A tier of a segment is none for those who are not in it. */
function opportunitiesOf(
  { deferred }: TierState,
  watch: TierWatch,
  { current, metric, now }: { current: WatchedTier | null; metric: number; now: string },
): TierProgress["opportunities"] {
  const valid_until = watch.structure.type === "POINT_EARNED" ? watchedWindow(watch, now).end_at : null;
  return watch.tiers
    .filter((tier) => !current || compareTiers(tier, current) > 0)
    .filter(
      ({ id, qualification_rules: { segment } }) =>
        id !== deferred?.tier_id && (!segment || watch.isInSegment(segment.id)),
    )
    .map((tier) => ({ valid_until, tier, points: tier.qualification_rules.points.min_value - metric }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => compareTiers(a.tier, b.tier))
    .map(({ tier, ...rest }) => ({ ...rest, tier: tierName(tier) }));
}

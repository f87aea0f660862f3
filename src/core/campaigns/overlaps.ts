import { DEFAULT_STACKING, type StackingSettings } from "../stacking/settings.ts";
import { type SkipKey, type Stackable, walkStack } from "../stacking/walk.ts";
import { type Steps, spend } from "../steps.ts";

/** Something that takes money off: a tier of a promotion, or a campaign of codes. */
export type ComparedOffer = {
  campaign_id: string;
  tier_id: string | null;
  /** In milliseconds, both included; infinite where there is no date. */
  from: number;
  to: number;
  /** Names of goods; null: whatever is in the cart. */
  goods: ReadonlySet<string> | null;
  category: Stackable;
};
export type Pair = {
  kind: "overlap" | "exclusion";
  offers: readonly [ComparedOffer, ComparedOffer];
  reason: "same_products" | SkipKey;
};

// About what a step of a validation costs.
const OFFER_STEPS = 10;
const PAIR_STEPS = 2;

/** What is running as the line moves on, by its goods and by its category. */
type Running = {
  all: Set<ComparedOffer>;
  anything: Set<ComparedOffer>;
  byGood: Map<string, Set<ComparedOffer>>;
  byCategory: Map<string | null, Set<ComparedOffer>>;
};

/**
 * Pairs of offers of different campaigns that are valid at one moment: for the same goods, or such that one cannot be applied beside the other.
 * A line moves over their beginnings and ends. What begins is compared only with what is found by its goods or by its
 * category, so the work grows with the pairs that there are and not with those that could be.
 */
export function* overlappingPairs(
  offers: readonly ComparedOffer[],
  settings: StackingSettings = DEFAULT_STACKING,
  steps?: Steps,
): Generator<Pair> {
  const beginnings = offers.filter(({ from, to }) => from <= to).toSorted((a, b) => a.from - b.from);
  const ends = beginnings.toSorted((a, b) => a.to - b.to);
  const running: Running = { all: new Set(), anything: new Set(), byGood: new Map(), byCategory: new Map() };
  const excludes = exclusionsOf(settings);
  let ended = 0;
  for (const offer of beginnings) {
    spend(steps, OFFER_STEPS + (offer.goods?.size ?? 0));
    for (; ends[ended]!.to < offer.from; ended += 1) leave(running, ends[ended]!);
    for (const other of sameGoods(running, offer))
      if (other.campaign_id !== offer.campaign_id) {
        spend(steps, PAIR_STEPS);
        yield { kind: "overlap", offers: [other, offer], reason: "same_products" };
      }
    for (const others of running.byCategory.values()) {
      const [first] = others;
      const reason = first && excludes(first.category, offer.category);
      if (!reason) continue;
      for (const other of others)
        if (other.campaign_id !== offer.campaign_id) {
          spend(steps, PAIR_STEPS);
          yield { kind: "exclusion", offers: [other, offer], reason };
        }
    }
    enter(running, offer);
  }
}

function sameGoods({ all, anything, byGood }: Running, { goods }: ComparedOffer): Iterable<ComparedOffer> {
  if (goods === null) return all;
  const found = new Set(anything);
  for (const good of goods) for (const other of byGood.get(good) ?? []) found.add(other);
  return found;
}

function enter({ all, anything, byGood, byCategory }: Running, offer: ComparedOffer): void {
  all.add(offer);
  if (offer.goods === null) anything.add(offer);
  for (const good of offer.goods ?? []) byGood.getOrInsertComputed(good, () => new Set()).add(offer);
  byCategory.getOrInsertComputed(offer.category.category_id, () => new Set()).add(offer);
}

function leave({ all, anything, byGood, byCategory }: Running, offer: ComparedOffer): void {
  all.delete(offer);
  anything.delete(offer);
  for (const good of offer.goods ?? []) byGood.get(good)?.delete(offer);
  byCategory.get(offer.category.category_id)?.delete(offer);
}

/** Why two redeemables that both would apply cannot be applied together; null: they can. Only their categories decide. */
function exclusionsOf(settings: StackingSettings) {
  const known = new Map<string, SkipKey | null>();
  return (one: Stackable, other: Stackable): SkipKey | null =>
    known.getOrInsertComputed(JSON.stringify([one.category_id, other.category_id]), () =>
      exclusionOf(one, other, settings),
    );
}

const ALWAYS_APPLIES = {
  initial: null,
  judge: {
    standsAlone: () => true,
    failsAnyway: () => null,
    try: () => ({ state: null, result: null, hasEffect: true }),
  },
};

/** The stack itself is asked, with two that always apply. */
export function exclusionOf(one: Stackable, other: Stackable, settings: StackingSettings): SkipKey | null {
  const { outcomes } = walkStack([{ ...one }, { ...other }], settings, ALWAYS_APPLIES);
  const skipped = outcomes.flatMap(({ outcome }) => (outcome.status === "SKIPPED" ? [outcome.reason] : []));
  return skipped[0] ?? null;
}

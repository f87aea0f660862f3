import { compileRules, type IndexFacts, markCandidates, markedIn, type RuleIndex } from "../rules/compile.ts";
import { parseInstant } from "../time/instant.ts";
import { type CursorMoment, cursorMoment } from "./cursor.ts";
import type { SingleOffer } from "./offer.ts";
import { concernOf } from "./products.ts";
import type { Scenario } from "./scenario.ts";
import { dependsOnUse } from "./use.ts";

/** Promotions that were compiled together, newest first. */
type Block = {
  readonly offers: readonly SingleOffer[];
  readonly places: ReadonlyMap<SingleOffer, number>;
  readonly moments: readonly CursorMoment[];
  /** When each begins and ends, in milliseconds: most that are over are passed by without a closer look. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** A 1 for those of which it matters how often they were redeemed. */
  readonly used: Uint8Array;
  readonly rules: RuleIndex;
  /** The promotions by the products they concern. Compiled when first asked for. */
  readonly products: Record<NonNullable<Scenario["items"]>, () => RuleIndex>;
};

/** The tiers and campaigns of a project, so that those which a request may use are found without looking at all. */
export type PromotionIndex = {
  readonly zone: string;
  readonly base: Block;
  /** 1 at the place of each promotion of the base that was removed since. */
  readonly gone: Uint8Array;
  readonly goneCount: number;
  /** What came after the base was compiled. */
  readonly recent: Block;
};

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function compileBlock(given: readonly SingleOffer[], zone: string): Block {
  const sorted = given
    .map((offer) => ({ offer, moment: cursorMoment(offer.created_at) }))
    .sort((a, b) => (a.moment < b.moment ? 1 : a.moment > b.moment ? -1 : 0));
  const offers = sorted.map(({ offer }) => offer);
  const at = (text: string | null, none: number): number =>
    (text === null ? null : parseInstant(text, zone)?.epochMilliseconds) ?? none;
  const byProducts = (items: NonNullable<Scenario["items"]>) =>
    once(() => compileRules(offers.map(({ redeemable }) => concernOf(items, redeemable))));
  return {
    offers,
    places: new Map(offers.map((offer, place) => [offer, place])),
    moments: sorted.map(({ moment }) => moment),
    starts: Float64Array.from(offers, ({ redeemable: { validity } }) => at(validity.start_date, -Infinity)),
    ends: Float64Array.from(offers, ({ redeemable: { validity } }) => at(validity.expiration_date, Infinity)),
    used: Uint8Array.from(offers, ({ redeemable }) => Number(dependsOnUse(redeemable))),
    rules: compileRules(offers.map(({ redeemable }) => redeemable.rules.map(({ definition }) => definition))),
    products: { touched: byProducts("touched"), discounted: byProducts("discounted") },
  };
}

const CHANGES_MIN = 64;
const CHANGES_SHARE = 0.1;

/**
 * Compiles the promotions; those that are switched off are left out. With the index from before, only what is new is
 * compiled: an offer is the same when it is the same object, so that a change costs little until many have gathered.
 */
export function indexPromotions(
  given: readonly SingleOffer[],
  zone: string,
  before: PromotionIndex | null = null,
): PromotionIndex {
  const offers = given.filter(({ redeemable }) => redeemable.is_active);
  if (before && before.zone === zone) {
    const { base } = before;
    const gone = new Uint8Array(base.offers.length).fill(1);
    const added: SingleOffer[] = [];
    for (const offer of offers) {
      const place = base.places.get(offer);
      if (place === undefined) added.push(offer);
      else gone[place] = 0;
    }
    const goneCount = base.offers.length - (offers.length - added.length);
    if (added.length + goneCount <= Math.max(CHANGES_MIN, base.offers.length * CHANGES_SHARE))
      return { zone, base, gone, goneCount, recent: compileBlock(added, zone) };
  }
  const base = compileBlock(offers, zone);
  return { zone, base, gone: new Uint8Array(offers.length), goneCount: 0, recent: compileBlock([], zone) };
}

export type PromotionQuery = {
  scenario: Scenario;
  facts: IndexFacts & { now: string };
  /** Only what is older. */
  after: CursorMoment | null;
};

/** The promotions that may apply, newest first, made one by one as the caller asks. No other promotion applies. */
export function* promotionsFor(index: PromotionIndex, query: PromotionQuery): Generator<SingleOffer> {
  const { base, recent, gone } = index;
  const [older, newer] = [candidatesOf(base, query, gone), candidatesOf(recent, query, null)];
  let [one, two] = [older.next(), newer.next()];
  while (!one.done || !two.done) {
    if (two.done || (!one.done && base.moments[one.value]! > recent.moments[two.value]!)) {
      yield base.offers[one.value as number]!;
      one = older.next();
    } else {
      yield recent.offers[two.value]!;
      two = newer.next();
    }
  }
}

/** The promotions that may apply and have a limit: the caller must know how often they were redeemed. */
export const usedPromotions = ({ base, recent, gone }: PromotionIndex, query: PromotionQuery): SingleOffer[] => [
  ...usedIn(base, query, gone),
  ...usedIn(recent, query, null),
];
function usedIn(block: Block, query: PromotionQuery, gone: Uint8Array | null): SingleOffer[] {
  if (!block.used.includes(1)) return [];
  return [...candidatesOf(block, query, gone)].flatMap((place) => (block.used[place] ? [block.offers[place]!] : []));
}

function* candidatesOf(block: Block, query: PromotionQuery, gone: Uint8Array | null): Generator<number> {
  const { scenario, facts, after } = query;
  const { sources, items, asked } = scenario;
  if (block.offers.length === 0) return;
  const [tiers, campaigns] = [sources.has("tiers"), sources.has("campaigns")];
  if (!tiers && !campaigns) return;
  const byRules = markCandidates(block.rules, facts, { phase: "before", ...asked });
  const byProducts = items && markCandidates(block.products[items](), facts, { phase: "before" });
  const now = Temporal.Instant.from(facts.now).epochMilliseconds;
  for (const place of markedIn(byProducts ?? byRules, after === null ? 0 : firstOlder(block.moments, after))) {
    if (gone?.[place] || byRules[place] === 0) continue;
    if (now < block.starts[place]! || now > block.ends[place]!) continue;
    if (block.offers[place]!.object === "campaign" ? campaigns : tiers) yield place;
  }
}

/** The index of the first moment that is older than `after`; `moments` go from new to old. */
function firstOlder(moments: readonly CursorMoment[], after: CursorMoment): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (moments[middle]! < after) high = middle;
    else low = middle + 1;
  }
  return low;
}

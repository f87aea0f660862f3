import { FilterEvaluation } from "../filters/operator.ts";
import { spend } from "../steps.ts";
import { type CursorMoment, cursorMoment } from "./cursor.ts";
import { passesFilter } from "./filter.ts";
import { type Offer, refOf } from "./offer.ts";
import { type PromotionIndex, promotionsFor } from "./promotions.ts";
import { type Current, dealOf, type Match, type Question, qualifyOffer } from "./qualify.ts";

/** Deals are sorted among so many at most, the newest. */
export const CONSIDERED_MAX = 10_000;
export const LIMIT_MAX = 50;
export const LIMIT_DEFAULT = 5;

export type Sources = {
  /** Null: the scenario takes no promotions, or they are not wanted. */
  promotions: PromotionIndex | null;
  /** Codes and stacks, in any order; one that stands here twice counts once. */
  listed: readonly Offer[];
  /** Where the list ends, when there are older ones that were not loaded; null when it is all there is. */
  listedTo?: CursorMoment | null;
  current?: Current;
};
export type Paging = {
  limit: number;
  /** Only what comes after the entry of this moment. */
  after: CursorMoment | null;
  sorting: "DEFAULT" | "BEST_DEAL" | "LEAST_DEAL";
};
export type MatchPage = {
  matches: readonly Match[];
  hasMore: boolean;
  /** The page is not full and the list of codes was: load those that are older than this and ask again after it. */
  resume: CursorMoment | null;
};

/** The entries of one page. It stops looking when the page is full and it is known whether there is one more. */
export function offersPage(sources: Sources, question: Question, paging: Paging): MatchPage {
  if (paging.sorting !== "DEFAULT") return pageOfDeals(sources, question, paging);
  const { limit, after } = paging;
  const listedTo = sources.listedTo ?? null;
  const matches: Match[] = [];
  for (const offer of newestFirst(sources, question, after)) {
    if (listedTo !== null && cursorMoment(offer.created_at) < listedTo) break;
    const match = qualifyOffer(offer, question, sources.current);
    if (!match) continue;
    if (matches.length === limit) return { matches, hasMore: true, resume: null };
    matches.push(match);
  }
  return { matches, hasMore: false, resume: listedTo };
}

// Contract is silent on a cursor whose entry is gone: then the older ones follow.
/** All that can be used, by what comes off; the cursor names the entry after which the page begins. */
function pageOfDeals(sources: Sources, question: Question, { limit, after, sorting }: Paging): MatchPage {
  const matches: Match[] = [];
  let considered = 0;
  for (const offer of newestFirst(sources, question, null)) {
    if (considered >= CONSIDERED_MAX) break;
    considered += 1;
    const match = qualifyOffer(offer, question, sources.current);
    if (match) matches.push(match);
  }
  const sign = sorting === "BEST_DEAL" ? -1 : 1;
  const sorted = matches
    .map((match) => ({ match, deal: dealOf(match), moment: cursorMoment(match.offer.created_at) }))
    .sort((a, b) => sign * (a.deal - b.deal));
  const last = after === null ? -1 : sorted.findIndex(({ moment }) => moment === after);
  const rest = after !== null && last < 0 ? sorted.filter(({ moment }) => moment < after) : sorted.slice(last + 1);
  return {
    matches: rest.slice(0, limit).map(({ match }) => match),
    hasMore: rest.length > limit,
    resume: null,
  };
}

/** Everything that may be used, as far as it is asked for. */
function* newestFirst(sources: Sources, question: Question, after: CursorMoment | null): Generator<Offer> {
  const { scenario, order, situation, filter } = question;
  const facts = { customer: situation.customer, order, now: situation.now };
  const found = sources.promotions ? promotionsFor(sources.promotions, { scenario, facts, after }) : [].values();
  const listed = offersInOrder(sources.listed, after);
  const at = new FilterEvaluation({ now: situation.now, zone: situation.zone });
  const passes = (offer: Offer): boolean => {
    if (filter === null) return true;
    spend(situation.steps, filter.steps);
    return passesFilter(filter, offer, at);
  };
  let place = 0;
  for (const promotion of found) {
    for (const moment = cursorMoment(promotion.created_at); listed[place] && listed[place]!.moment > moment; place += 1)
      if (passes(listed[place]!.offer)) yield listed[place]!.offer;
    if (passes(promotion)) yield promotion;
  }
  for (const { offer } of listed.slice(place)) if (passes(offer)) yield offer;
}

function offersInOrder(offers: readonly Offer[], after: CursorMoment | null): { offer: Offer; moment: CursorMoment }[] {
  const seen = new Map(offers.map((offer) => [`${offer.object} ${refOf(offer)}`, offer]));
  return [...seen.values()]
    .map((offer) => ({ offer, moment: cursorMoment(offer.created_at) }))
    .filter(({ moment }) => after === null || moment < after)
    .sort((a, b) => (a.moment < b.moment ? 1 : a.moment > b.moment ? -1 : 0));
}

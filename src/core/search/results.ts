import { permits } from "../users/roles.ts";

/** What can be found, with the scope that opens it to a token. Of equal results the type that stands first comes first. */
export const SEARCH_SCOPES = {
  voucher: "vouchers",
  customer: "customers",
  campaign: "campaigns",
  promotion_tier: "promotions",
  order: "orders",
  redemption: "redemptions",
  refusal: "refusals",
  request: "request-log",
} as const;
export type SearchType = keyof typeof SEARCH_SCOPES;
export const SEARCH_TYPES = Object.keys(SEARCH_SCOPES) as SearchType[];
export const RESULTS_MAX = 20;

/** Something that was found, with the texts that it may have been found by. */
export type SearchHit = {
  type: SearchType;
  id: string;
  title: string;
  detail: string;
  texts: readonly (string | null)[];
};
export type SearchResult = Omit<SearchHit, "texts"> & { score: number };

type Reader = { scopes?: readonly string[] | undefined; permissions?: readonly string[] | undefined };

/** Whether somebody may read a type: a token by its scopes, a user by their permissions. A key pair may read all. */
export const mayRead =
  ({ scopes, permissions }: Reader) =>
  (type: SearchType): boolean =>
    (scopes === undefined || scopes.includes("api") || scopes.includes(SEARCH_SCOPES[type])) &&
    (permissions === undefined || permits(permissions, `${SEARCH_SCOPES[type]}.read`));

/** 1: it is what was typed; 0.5: it begins so; 0.25: it holds it somewhere. */
function scoreOf(texts: SearchHit["texts"], typed: string): number {
  let score = 0;
  for (const text of texts) {
    const lower = text?.toLowerCase();
    if (lower === undefined || !lower.includes(typed)) continue;
    score = Math.max(score, lower === typed ? 1 : lower.startsWith(typed) ? 0.5 : 0.25);
  }
  return score;
}

/** The best first. Of each type the best is there before the third of another, so that many codes hide no customer. */
export function ranked(hits: readonly SearchHit[], q: string): SearchResult[] {
  const typed = q.toLowerCase();
  const scored = hits.map(({ texts, ...hit }) => ({ ...hit, score: scoreOf(texts, typed) }));
  const compare = (a: SearchResult, b: SearchResult) =>
    b.score - a.score ||
    SEARCH_TYPES.indexOf(a.type) - SEARCH_TYPES.indexOf(b.type) ||
    (a.title < b.title ? -1 : a.title > b.title ? 1 : a.id < b.id ? -1 : 1);
  const ofType = Map.groupBy(scored.toSorted(compare), ({ type }) => type);
  const first = [...ofType.values()].flatMap((all) => all.slice(0, 2));
  const rest = scored.filter((one) => !first.includes(one)).sort(compare);
  return [...first, ...rest].slice(0, RESULTS_MAX).sort(compare);
}

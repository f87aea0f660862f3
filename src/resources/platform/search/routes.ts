import type { Catalog } from "../../../catalog/catalog.ts";
import { ApiError } from "../../../core/errors.ts";
import { mayRead, ranked, SEARCH_TYPES, type SearchHit, type SearchType } from "../../../core/search/results.ts";
import { read } from "../../../http/route.ts";
import { Search, SearchQuery } from "./schema.ts";
import { searchRows } from "./store.ts";

/** The types that were asked for; all unless told. */
function requireTypes(types: string | undefined): readonly SearchType[] {
  if (types === undefined) return SEARCH_TYPES;
  const names = types.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !SEARCH_TYPES.includes(name as SearchType));
  if (unknown !== undefined)
    throw new ApiError("invalid_query_params", {
      details: `Query parameter types must be some of ${SEARCH_TYPES.join(", ")}`,
    });
  return names as SearchType[];
}

/** What is in memory anyway is searched there, in the middle of names too. */
function configured({ campaigns, promotion_tiers }: Catalog, q: string, types: readonly SearchType[]): SearchHit[] {
  const typed = q.toLowerCase();
  const has = ({ id, name }: { id: string; name: string }) => id === q || name.toLowerCase().includes(typed);
  const hits = <R extends { id: string; name: string }>(
    type: SearchType,
    all: Iterable<R>,
    detail: (row: R) => string,
  ) =>
    types.includes(type)
      ? [...all]
          .filter(has)
          .map((row) => ({ type, id: row.id, title: row.name, detail: detail(row), texts: [row.id, row.name] }))
      : [];
  return [
    ...hits("campaign", campaigns.values(), ({ campaign_type }) => campaign_type),
    ...hits("promotion_tier", promotion_tiers.values(), ({ campaign_id }) => campaigns.get(campaign_id)?.name ?? ""),
  ];
}

export const searchRoutes = [
  read(
    "GET /v1/search",
    {
      id: "searchProject",
      summary: "Search",
      description:
        "Finds codes and customers by how they begin, customers by name, e-mail address, source id or phone number, campaigns and promotion tiers by any part of the name, orders, redemptions, refusals and logged requests by their ids. A token finds what its scopes may read, a user what their role may read.",
      query: SearchQuery,
      ok: Search,
    },
    async (c) => {
      const q = c.query.q.trim().replaceAll("\0", "");
      const types = requireTypes(c.query.types).filter(mayRead(c.caller));
      if (q === "") return { results: [], object: "search" as const };
      const [catalog, rows] = await Promise.all([c.catalog(), searchRows(c.db, { project: c.project, q }, types)]);
      return { results: ranked([...configured(catalog, q, types), ...rows], q), object: "search" as const };
    },
  ),
];

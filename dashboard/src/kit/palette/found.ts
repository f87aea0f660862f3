import { useDebouncedValue } from "@mantine/hooks";
import { op } from "../../api/op.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";

type Result = { type: string; id: string; title: string; detail: string | null; score: number };
// Its type comes from openapi.json once the operation is part of it.
const search = op<{ params: { q: string }; body: undefined; answer: { object: "search"; results: Result[] } }>(
  "search",
  "GET",
  "/v1/search",
);

/** The page of what was found. */
const PAGES: Record<string, (id: string) => string> = {
  campaign: (id) => `/campaigns/${id}`,
  voucher: (id) => `/codes/${id}`,
  customer: (id) => `/customers/${id}`,
  order: (id) => `/orders/${id}`,
  redemption: (id) => `/redemptions/${id}`,
  promotion_tier: (id) => `/promotions/${id}`,
  request: (id) => `/why?q=${id}`,
  refusal: (id) => `/why?q=${id}`,
};
const SHORTEST = 2;
const TYPING_MS = 120;

/** What the server finds for a text, with the page that shows it. */
export function useFound(text: string): { id: string; title: string; detail: string; to: string }[] {
  const can = useCan();
  const [q] = useDebouncedValue(text, TYPING_MS);
  const { data } = useOp(search, { q }, { enabled: q.length >= SHORTEST && can("search"), keepOld: true });
  if (q.length < SHORTEST) return [];
  return (data?.results ?? []).flatMap(({ type, id, title, detail }) => {
    const to = PAGES[type]?.(encodeURIComponent(id));
    return to === undefined ? [] : { id: `${type}:${id}`, title, detail: detail ?? "", to };
  });
}

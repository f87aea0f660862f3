import { useDebouncedValue } from "@mantine/hooks";
import { searchProject } from "../api/operations.gen.ts";
import { useCan } from "../api/session.ts";
import { useOp } from "../api/use-op.ts";

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
  const { data } = useOp(
    searchProject,
    { q },
    { enabled: q.length >= SHORTEST && can("searchProject"), keepOld: true },
  );
  if (q.length < SHORTEST) return [];
  return (data?.results ?? []).flatMap(({ type, id, title, detail }) => {
    const to = PAGES[type]?.(encodeURIComponent(id));
    return to === undefined ? [] : { id: `${type}:${id}`, title, detail, to };
  });
}

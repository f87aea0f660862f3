import { useDebouncedValue } from "@mantine/hooks";
import { matchPath } from "react-router";
import { searchProject } from "../api/operations.gen.ts";
import { useCan } from "../api/session.ts";
import { useOp } from "../api/use-op.ts";
import { SCREENS } from "../routes/routes.ts";

const why = (id: string) => `/why?q=${id}`;
const simulator = (id: string) => `/simulator?code=${id}`;
/** The pages of what was found; the first that there is, and that who is signed in may open. */
const PAGES: Record<string, readonly ((id: string) => string)[]> = {
  campaign: [(id) => `/campaigns/${id}`],
  voucher: [(id) => `/codes/${id}`, why],
  customer: [(id) => `/customers/${id}`, why],
  order: [(id) => `/orders/${id}`, why],
  redemption: [(id) => `/redemptions/${id}`, why],
  promotion_tier: [(id) => `/promotions/${id}`, simulator],
  request: [why, (id) => `/requests/${id}`],
  refusal: [why],
};
const SHORTEST = 2;
const TYPING_MS = 120;

type Result = NonNullable<ReturnType<typeof useOp<typeof searchProject>>["data"]>["results"][number];
type SearchHit = Pick<Result, "type" | "id" | "title" | "detail"> & { to: string };

/** What the server finds for a text, with the page that shows it. */
export function useFound(text: string): SearchHit[] {
  const can = useCan();
  const [q] = useDebouncedValue(text, TYPING_MS);
  const { data } = useOp(
    searchProject,
    { q },
    { enabled: q.length >= SHORTEST && can("searchProject"), keepOld: true },
  );
  if (q.length < SHORTEST) return [];
  const isOpen = (to: string) =>
    SCREENS.some(({ path, needs }) => matchPath(path, to.split("?")[0]!) && (needs === null || can(needs)));
  return (data?.results ?? []).flatMap(({ type, id, title, detail }) => {
    const to = PAGES[type]?.map((page) => page(encodeURIComponent(id))).find(isOpen);
    // What is only a word of the interface tells a reader nothing.
    const more = /^[A-Z_]+$/.test(detail) ? "" : detail;
    return to === undefined ? [] : { id: `${type}:${id}`, type, title, detail: more, to };
  });
}

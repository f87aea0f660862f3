import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import type { AnyOp, Call, ParamsOf, RowOf } from "../../api/op.ts";
import { send } from "../../api/send.ts";
import { useOp } from "../../api/use-op.ts";

/** How a list gives its next rows: by number, after a row, or with a cursor. */
export type Paging = "page" | "starting_after_id" | "cursor";
type ListAnswer = {
  data_ref?: string;
  data?: unknown[];
  total?: number;
  has_more?: boolean;
  more_starting_after?: string | null;
  /** Lists of v2 have a cursor that ends; the feed of events has one for ever. */
  cursor?: string | { next: string } | null;
};

/** Parts of the address that are the page's own and no filter of the operation. */
export const OF_THE_PAGE = ["project", "view", "tab", "days", "span"];
const ROWS = 25;
const EXPORT_LIMIT = 100;
/** Lists have no page behind this one. */
const EXPORT_PAGES_MAX = 99;
/** So many rows are written into a file at most; whoever needs more makes an export of the server. */
export const EXPORT_ROWS_MAX = EXPORT_LIMIT * EXPORT_PAGES_MAX;

export const rowsOf = <R>(answer: unknown): R[] => {
  const { data_ref, data } = answer as ListAnswer;
  return (data_ref === undefined ? (data ?? []) : ((answer as Record<string, R[]>)[data_ref] ?? [])) as R[];
};

/** What the next page is asked with, or null on the last one. */
function nextOf(answer: ListAnswer, paging: Paging, at: { page: number; limit: number; rows: number }) {
  if (paging === "cursor" && typeof answer.cursor === "string") return answer.has_more ? answer.cursor : null;
  if (paging === "cursor") return (answer.cursor as { next: string } | null)?.next ?? null;
  if (paging === "starting_after_id") return answer.has_more ? (answer.more_starting_after ?? null) : null;
  const isMore = answer.total === undefined ? at.rows === at.limit : at.page * at.limit < answer.total;
  return (answer.has_more ?? isMore) ? String(at.page + 1) : null;
}

export type List<R> = {
  operation: AnyOp;
  params: Record<string, unknown>;
  rows: R[] | undefined;
  total: number | null;
  from: number | null;
  next: string | null;
  hasPrevious: boolean;
  error: Error | null;
  isFetching: boolean;
  refetch: () => void;
  query: URLSearchParams;
  /** Sets filters and goes back to the first page; empty ones are taken out. */
  filter: (values: Record<string, string | null>, options?: { replace?: boolean }) => void;
  clear: () => void;
  isFiltered: boolean;
  goTo: (page: string | null) => void;
  /** All rows that the filters let through, page by page. */
  readAll: () => Promise<R[]>;
};

function changed(old: URLSearchParams, values: Record<string, string | null>): URLSearchParams {
  const next = new URLSearchParams(old);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

type ListOptions<O extends AnyOp> = {
  paging?: Paging;
  limit?: number;
  everyMs?: number;
  /** What takes the server longer, such as figures of each row: asked for once the rows are there. */
  later?: Partial<ParamsOf<O>>;
};
type Asked = { first: Record<string, unknown>; params: Record<string, unknown>; everyMs: number | undefined };

/** The rows, and then the same rows with what `params` ask for beyond `first`. Rows never wait for figures. */
function useRows<O extends AnyOp>(operation: O, { first, params, everyMs }: Asked) {
  const hasLater = Object.keys(params).length > Object.keys(first).length;
  const rows = useOp(operation, first as ParamsOf<O>, { keepOld: true, enabled: hasLater });
  const areThere = rows.data !== undefined && !rows.isPlaceholderData;
  const whole = useOp(operation, params as ParamsOf<O>, {
    keepOld: true,
    enabled: !hasLater || areThere,
    ...(everyMs !== undefined && { everyMs }),
  });
  if (!hasLater) return whole;
  const isWhole = whole.data !== undefined && !whole.isPlaceholderData;
  return {
    data: isWhole || !areThere ? (whole.data ?? rows.data) : rows.data,
    error: rows.error,
    isFetching: rows.isFetching || whole.isFetching,
    refetch: async () => Promise.all([rows.refetch(), ...(areThere ? [whole.refetch()] : [])]),
  };
}

/** What a list asks for when its address has no filters. */
export const firstRows = <O extends AnyOp>(operation: O, fixed: Partial<ParamsOf<O>> = {}): Call => ({
  operation,
  params: { limit: ROWS, ...fixed },
});

/** A list whose whole state is in the address: back, reload and a link to a colleague show the same rows. */
export function useList<O extends AnyOp>(
  operation: O,
  fixed: Partial<ParamsOf<O>> = {},
  { paging = "page" as Paging, limit = ROWS, everyMs, later }: ListOptions<O> = {},
): List<RowOf<O>> {
  const [query, setQuery] = useSearchParams();
  const filters = useMemo(
    () => Object.fromEntries([...query].filter(([name]) => !OF_THE_PAGE.includes(name))),
    [query],
  );
  const first: Record<string, unknown> = { limit, ...fixed, ...filters };
  const params: Record<string, unknown> = { ...first, ...later };
  const { data, error, isFetching, refetch } = useRows(operation, { first, params, everyMs });
  const rows = data === undefined ? undefined : rowsOf<RowOf<O>>(data);
  const page = Number(query.get("page") ?? 1);
  const answer = (data ?? {}) as ListAnswer;
  const filter = useCallback(
    (values: Record<string, string | null>, { replace = false } = {}) =>
      setQuery((old) => changed(old, { [paging]: null, ...values }), { replace }),
    [setQuery, paging],
  );
  const readAll = async () => {
    const all: RowOf<O>[] = [];
    let at: string | null = null;
    for (let number = 1; number <= EXPORT_PAGES_MAX; number += 1) {
      const { page: _, cursor: __, starting_after_id: ___, ...rest } = params;
      const asked = { ...rest, limit: EXPORT_LIMIT, ...(at !== null && { [paging]: at }) };
      const read = await send(operation, asked as ParamsOf<O>);
      const more = rowsOf<RowOf<O>>(read);
      all.push(...more);
      at = nextOf(read as ListAnswer, paging, { page: number, limit: EXPORT_LIMIT, rows: more.length });
      if (at === null) break;
    }
    return all;
  };
  return {
    operation,
    params,
    rows,
    total: answer.total ?? null,
    from: paging === "page" ? (page - 1) * limit + 1 : null,
    next: rows === undefined ? null : nextOf(answer, paging, { page, limit, rows: rows.length }),
    hasPrevious: query.has(paging),
    error,
    isFetching,
    refetch: () => void refetch(),
    query,
    filter,
    clear: () => setQuery((old) => new URLSearchParams([...old].filter(([name]) => OF_THE_PAGE.includes(name)))),
    isFiltered: Object.keys(filters).some((name) => name !== "order" && name !== paging),
    goTo: (to) => setQuery((old) => changed(old, { [paging]: to })),
    readAll,
  };
}

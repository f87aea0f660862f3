type Page = { limit?: number; page?: number; order?: string };
type Dated = { id: string; created_at: string; updated_at: string | null };

/** A page of rows that the catalog holds, in the order that lists of the database have. */
export function pageIn<R extends Dated>(
  rows: readonly R[],
  { limit = PAGE_LIMIT, page = 1, order = "-created_at" }: Page,
): { rows: R[]; total: number } {
  const field = order.replace(/^-/, "") as "created_at" | "updated_at";
  const sorted = [...rows].sort((a, b) => compare(a[field], b[field]) || (a.id < b.id ? -1 : 1));
  if (order.startsWith("-")) sorted.reverse();
  return { rows: sorted.slice((page - 1) * limit, page * limit), total: rows.length };
}
const PAGE_LIMIT = 10;

/** Never updated comes last, as in the database. */
function compare(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return Temporal.Instant.compare(a, b);
}

import { ApiError } from "../../../core/errors.ts";
import { toInstant } from "../../../core/filters/filter.ts";
import type { CustomerRow } from "../../../core/rows/customer.ts";
import { inPieces } from "../../../db/bounded.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import { between, startsWith, whereOf } from "../../../db/filters.ts";
import type { CustomerQuery } from "./schema.ts";

const LIMIT = 10;
/** How many customers one request looks at, where their segment is worked out and not stored. */
const SCANNED_MAX = 50_000;
const SCANNED_AT_ONCE = 1_000;

type Query = Omit<CustomerQuery, "segment_id"> & {
  /** Only the members that are stored for this segment. */
  members_of?: string;
  now: string;
};
type Page = { rows: CustomerRow[]; total: number; has_more: boolean };

const textIs = (db: Db, column: Fragment, value: string | undefined): Fragment =>
  value === undefined ? db`true` : db`lower(${column}) = lower(${value})`;

/** Who is found as somebody types: each part has an index. */
function typed(db: Db, q: string | undefined): Fragment {
  if (q === undefined) return db`true`;
  const lower = q.toLowerCase();
  return db`((${startsWith(db, db`lower(name)`, lower)}) or (${startsWith(db, db`lower(source_id)`, lower)})
    or (${startsWith(db, db`lower(phone)`, lower)}) or (${between(db, db`lower(email)`, lower)}) or id = ${q})`;
}

function customersWhere(db: Db, projectId: string, { q, email, city, name, members_of, ...query }: Query): Fragment {
  const members =
    members_of === undefined
      ? db`true`
      : db`id in (select m.customer_id from segment_members m
          where m.project_id = ${projectId} and m.segment_id = ${members_of})`;
  return db`project_id = ${projectId} and ${textIs(db, db`email`, email)} and ${textIs(db, db`name`, name)}
    and ${textIs(db, db`address ->> 'city'`, city)} and ${typed(db, q)} and ${members} and ${whereOf(db, query, { fields: {}, now: query.now })}`;
}

const sortingOf = ({ order = "-created_at" }: Query) => ({
  column: order.replace(/^-/, ""),
  falls: order.startsWith("-"),
});

/** What follows the cursor in the order that is asked for. */
function afterCursor(db: Db, query: Query): Fragment {
  const { column, falls } = sortingOf(query);
  if (query.starting_after === undefined) return db`true`;
  if (column !== "created_at")
    throw new ApiError("invalid_query_params", {
      details: "Property .starting_after takes the order created_at or -created_at",
    });
  const cursor = toInstant(query.starting_after);
  return falls ? db`created_at < ${cursor}` : db`created_at > ${cursor}`;
}

/** Customers without a value come last either way; the id breaks ties. */
function sortedCustomers(db: Db, query: Query): Fragment {
  const { column, falls } = sortingOf(query);
  const direction = falls ? db`desc` : db`asc`;
  return db`order by ${db(column)} ${direction} nulls last, id ${direction}`;
}

export async function listCustomers(db: Db, projectId: string, query: Query): Promise<Page> {
  const { limit = LIMIT, page = 1 } = query;
  const where = customersWhere(db, projectId, query);
  const [rows, counts] = await Promise.all([
    db<CustomerRow[]>`
      select * from customers where project_id = ${projectId} and ${where} and ${afterCursor(db, query)}
      ${sortedCustomers(db, query)} limit ${limit + 1} offset ${(page - 1) * limit}`,
    db<{ total: number }[]>`select count(*) as total from customers where project_id = ${projectId} and ${where}`,
  ]);
  return { rows: pageOf(rows, query), total: counts[0]!.total, has_more: rows.length > limit };
}

/** A list that is read on from its last `created_at` leaves those together that have the same: nobody is passed over. */
function pageOf(rows: readonly CustomerRow[], { limit = LIMIT, page, order = "-created_at" }: Query): CustomerRow[] {
  const next = rows[limit];
  const shown = rows.slice(0, limit);
  if (!next || page !== undefined || !order.endsWith("created_at")) return shown;
  const whole = shown.filter(({ created_at }) => created_at !== next.created_at);
  return whole.length > 0 ? whole : shown;
}

/**
 * The same for a condition that is not SQL: customers are looked at in the order of the list, a thousand at a time, or as
 * many as fit. So that no request takes for ever, a list that would look at more than `SCANNED_MAX` is refused.
 */
export async function scanCustomers(
  db: Db,
  projectId: string,
  query: Query,
  fits: (rows: readonly CustomerRow[]) => Promise<readonly boolean[]>,
): Promise<Page> {
  const { limit = LIMIT, page = 1 } = query;
  const where = customersWhere(db, projectId, query);
  const found = await db<{ id: string; follows: boolean }[]>`
    select id, (${afterCursor(db, query)}) as follows from customers where project_id = ${projectId} and ${where}
    ${sortedCustomers(db, query)} limit ${SCANNED_MAX + 1}`;
  if (found.length > SCANNED_MAX)
    throw new ApiError("invalid_query_params", {
      details: `Property .segment_id names a segment that is looked up among at most ${SCANNED_MAX} customers; narrow them by another parameter`,
    });
  const first = (page - 1) * limit;
  const rows: CustomerRow[] = [];
  let [total, position] = [0, 0];
  const load = async (own: Db, some: readonly { id: string }[]) => own<CustomerRow[]>`
    select * from customers where project_id = ${projectId} and id = any(${some.map(({ id }) => id)})`;
  for await (const { some, found: loaded } of inPieces(db, found, { atOnce: SCANNED_AT_ONCE }, load)) {
    const holds = await fits(loaded);
    const byId = new Map(loaded.filter((_, n) => holds[n]).map((row) => [row.id, row]));
    for (const { id, follows } of some) {
      const row = byId.get(id);
      if (!row) continue;
      total += 1;
      if (!follows) continue;
      if (position >= first && rows.length < limit) rows.push(row);
      position += 1;
    }
  }
  return { rows, total, has_more: position > first + rows.length };
}

const SAMPLE_MAX = 20_000;
type Sample = { rows: CustomerRow[]; scanned: number; fitting: number; total: number };

/** Looks at the newest customers, as many as a request may: how many of them fit a condition, and the first that do. */
export async function sampleCustomers(
  db: Db,
  projectId: string,
  shown: number,
  fits: (rows: readonly CustomerRow[]) => Promise<readonly boolean[]>,
): Promise<Sample> {
  const found = await db<{ id: string }[]>`
    select id from customers where project_id = ${projectId} order by created_at desc, id desc limit ${SAMPLE_MAX + 1}`;
  const rows: CustomerRow[] = [];
  let fitting = 0;
  const newest = found.slice(0, SAMPLE_MAX);
  const load = async (own: Db, some: readonly { id: string }[]) => own<CustomerRow[]>`
    select * from customers where project_id = ${projectId} and id = any(${some.map(({ id }) => id)})
    order by created_at desc, id desc`;
  for await (const { found: loaded } of inPieces(db, newest, { atOnce: SCANNED_AT_ONCE }, load)) {
    const holds = await fits(loaded);
    const some = loaded.filter((_, n) => holds[n]);
    fitting += some.length;
    rows.push(...some.slice(0, shown - rows.length));
  }
  if (found.length <= SAMPLE_MAX) return { rows, scanned: newest.length, fitting, total: newest.length };
  const [all] = await db<{ total: number }[]>`select count(*) as total from customers where project_id = ${projectId}`;
  return { rows, scanned: newest.length, fitting, total: all!.total };
}

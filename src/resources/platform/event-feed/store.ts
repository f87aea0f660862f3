import { ApiError } from "../../../core/errors.ts";
import { toInstant } from "../../../core/filters/filter.ts";
import { firstRows } from "../../../db/bounded.ts";
import { type Db, type Fragment, isWaitOver } from "../../../db/db.ts";
import { unfolded } from "../../../db/unfolded.ts";

/**
 * Where a reader is: behind this event, in the order of the feed. An empty id stands before all events of the transaction.
 * `span` is how many transactions the next statement looks at: as many as hold some pages. Numbers of transactions mean
 * nothing in another cluster of databases, so it is named; empty: before everything.
 */
export type FeedPosition = { cluster: string; transaction: bigint; rowId: string; place: number; span: number };
export type FeedFilters = {
  kinds?: readonly string[];
  customer_id?: string;
  campaign_id?: string;
  voucher_id?: string;
  created_at?: { before?: string; after?: string };
};
export type FeedRow = {
  /** The place right behind it. */
  position: FeedPosition;
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  created_at: string;
  group_id: string | null;
  customer_id: string | null;
  voucher_id: string | null;
  campaign_id: string | null;
};
type PlacedRow = Omit<FeedRow, "position"> & { transaction_id: string; row_id: string; place: number };

const SPAN = 4_096;
/** A span holds about as many rows of all projects as it has transactions, and a statement looks at each of them. */
const SPAN_MAX = 500_000;
/** A statement that finds more events looks at fewer transactions instead: it has to sort what it finds. */
const FOUND_MAX = 20_000;
/** So many statements a page may take. What is left is for the next page, which goes on behind it. */
const STATEMENTS_MAX = 16;

export const FEED_START: FeedPosition = { cluster: "", transaction: 0n, rowId: "", place: 0, span: SPAN };

const PREFIX = "evcur";
/** A cursor as it is sent: `evcur_<cluster>_<transaction>_<span>_<place>_<row>`. */
export const feedCursor = ({ cluster, transaction, span, place, rowId }: FeedPosition): string =>
  `${PREFIX}_${cluster}_${transaction}_${span}_${place}_${rowId}`;

/** Whoever makes a cursor up reads the events of their own project from wherever they like. */
export function parseFeedCursor(text: string): FeedPosition {
  const [, cluster, transaction, span, place, rowId] =
    /^evcur_([0-9a-f]{0,16})_(\d{1,18})_(\d{1,9})_(\d{1,3})_(\w{0,60})$/.exec(text) ?? [];
  if (transaction === undefined)
    throw new ApiError("invalid_query_params", {
      details: `The cursor is not one that this list gave; a cursor begins with ${PREFIX}_`,
    });
  const at = { transaction: BigInt(transaction), rowId: rowId!, place: Number(place) };
  return { cluster: cluster!, ...at, span: Math.min(SPAN_MAX, Math.max(1, Number(span))) };
}

/**
 * Events behind a position, in the order (transaction, event). Transactions end in any order, so only those are shown that are
 * older than the oldest one that is still running: what comes later has a higher number, and no event is ever skipped.
 */
export async function readFeed(
  db: Db,
  projectId: string,
  from: FeedPosition,
  { limit, ...filters }: FeedFilters & { limit: number },
): Promise<{ rows: FeedRow[]; position: FeedPosition; has_more: boolean }> {
  const end = await endOfFeed(db);
  if ((from.cluster !== "" && from.cluster !== end.cluster) || from.transaction > end.newest)
    throw new ApiError("invalid_query_params", {
      details: "The cursor was made by another database: begin again with created_at[after]",
    });
  const rows: FeedRow[] = [];
  let position: FeedPosition = { ...from, cluster: end.cluster };
  let isSlow = false;
  for (let statements = 0; statements < STATEMENTS_MAX && position.transaction < end.oldest; statements += 1) {
    const until = bigMin(position.transaction + BigInt(position.span), end.oldest);
    const read = position.span === 1 ? readTransaction : readSpan;
    const found = await orTooSlow(
      position.span > 1,
      read(db, projectId, position, { until, limit: limit - rows.length, filters }),
    );
    if (typeof found === "string") {
      isSlow ||= found === "too slow";
      position = { ...position, span: Math.max(1, Math.floor(position.span / 8)) };
      continue;
    }
    // A page that was too slow once does not try as many transactions again.
    const span = nextSpan(position.span, found.count, { limit, most: isSlow ? position.span : SPAN_MAX });
    rows.push(...found.rows.map((row) => feedRow(row, { cluster: end.cluster, span })));
    if (found.rows.length > 0 && found.rows.length < found.count) {
      position = rows.at(-1)!.position;
      break;
    }
    position = { cluster: end.cluster, transaction: until, rowId: "", place: 0, span };
    if (rows.length === limit) break;
  }
  return { rows, position, has_more: position.transaction < end.oldest };
}

/** Behind all that is shown now. */
export async function endPosition(db: Db): Promise<FeedPosition> {
  const { cluster, oldest } = await endOfFeed(db);
  return { ...FEED_START, cluster, transaction: oldest };
}

/**
 * Where the feed ends now: asked where transactions get their numbers. On a database that is spread over machines that is the one we
 * connect to, and a transaction ends there after it has ended on the machine of its rows.
 */
async function endOfFeed(db: Db): Promise<{ cluster: string; oldest: bigint; newest: bigint }> {
  const [row] = await db<[{ cluster: string; oldest: string; newest: string }]>`
    select to_hex((select system_identifier from pg_control_system())) as cluster,
      pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_snapshot_xmax(pg_current_snapshot())::text as newest`;
  return { cluster: row.cluster, oldest: BigInt(row.oldest), newest: BigInt(row.newest) };
}

/** A span that holds some pages: few statements for who is far behind, and little to sort for each. */
function nextSpan(span: number, count: number, { limit, most }: { limit: number; most: number }): number {
  if (count > 8 * limit) return Math.max(1, Math.floor((span * 4 * limit) / count));
  return count < limit ? Math.min(span * 8, most) : span;
}

/**
 * What a statement finds, or that it was stopped for taking too long: events that are asked for may be few among many that
 * are looked at. One that cannot be made smaller fails. It runs in no transaction, so the next one can be made.
 */
const orTooSlow = <F>(isDivisible: boolean, finding: Promise<F>): Promise<F | "too slow"> =>
  finding.catch((error) => {
    if (isDivisible && isWaitOver(error)) return "too slow" as const;
    throw error;
  });

type SpanQuery = { until: bigint; limit: number; filters: FeedFilters };
type Span = { rows: PlacedRow[]; count: number };

/**
 * The first events of so many transactions, and how many there are. A page of very large events has fewer of them.
 */
async function readSpan(
  db: Db,
  projectId: string,
  { transaction, rowId, place }: FeedPosition,
  { until, limit, filters }: SpanQuery,
): Promise<Span | "too many"> {
  const from = `${transaction}`;
  const rows = db`r.project_id = ${projectId} and r.transaction_id >= ${from} and r.transaction_id < ${`${until}`}
    and (r.transaction_id > ${from} or r.id >= ${rowId}) and ${rowsWhere(db, filters)}`;
  const query = db<(PlacedRow & { count: number })[]>`
    with found as materialized (
      select transaction_id, row_id, place from ${unfolded(db, rows)} as e
      where (transaction_id > ${from} or row_id > ${rowId} or place > ${place}) and ${eventsWhere(db, filters)}
      limit ${FOUND_MAX + 1}),
    counted as (select count(*) as count from found),
    page as (
      select found.* from found cross join counted where count <= ${FOUND_MAX}
      order by transaction_id, row_id, place limit ${limit})
    select e.*, count
    from counted left join (page p join ${unfolded(db, db`r.project_id = ${projectId} and r.id = any(array(select row_id from page))`)} as e
      on e.row_id = p.row_id and e.place = p.place) on true
    order by p.transaction_id, p.row_id, p.place`;
  const { rows: found } = await firstRows(query, limit);
  const { count } = found[0]!;
  if (count > FOUND_MAX) return "too many";
  return { rows: count === 0 ? [] : found.map(({ count: _, ...row }) => row), count };
}

/**
 * The first events of a single transaction. It may have millions, as one that has restored a project, so they are not sorted
 * but read in the order of their ids, which are close together: made at the same time.
 */
async function readTransaction(
  db: Db,
  projectId: string,
  { transaction, rowId, place }: FeedPosition,
  { limit, filters }: SpanQuery,
): Promise<Span> {
  const [first] =
    rowId === ""
      ? await db<
          [{ id: string | null }]
        >`select min(r.id) as id from events r where r.project_id = ${projectId} and r.transaction_id = ${`${transaction}`}`
      : [];
  const from = first ? first.id : rowId;
  if (from === null) return { rows: [], count: 0 };
  const rows = db`r.project_id = ${projectId} and r.id >= ${from} and r.transaction_id = ${`${transaction}`}
    and ${rowsWhere(db, filters)}`;
  const query = db<PlacedRow[]>`
    select * from ${unfolded(db, rows)} as e
    where (row_id > ${rowId} or place > ${place}) and ${eventsWhere(db, filters)}
    order by row_id, place limit ${limit + 1}`;
  const { rows: found, has_more } = await firstRows(query, limit);
  return { rows: found, count: found.length + (has_more ? 1 : 0) };
}

/** What a row must have, so that an event in it can be meant. */
function rowsWhere(
  db: Db,
  { kinds, customer_id, created_at: { before, after } = {}, ...about }: FeedFilters,
): Fragment {
  const parts = [
    kinds && db`(r.kind = any(${kinds as string[]}) or r.also && ${kinds as string[]})`,
    customer_id !== undefined && db`r.customer_id = ${customer_id}`,
    about.voucher_id !== undefined && db`r.voucher_id = ${about.voucher_id}`,
    about.campaign_id !== undefined && db`r.campaign_id = ${about.campaign_id}`,
    before !== undefined && db`r.created_at < ${toInstant(before)}`,
    after !== undefined && db`r.created_at > ${toInstant(after)}`,
  ];
  return parts.reduce<Fragment>((sum, part) => (part ? db`${sum} and ${part}` : sum), db`true`);
}

/** The same for each event of a row: one of an order names no code and no campaign. */
function eventsWhere(db: Db, { kinds, voucher_id, campaign_id }: FeedFilters): Fragment {
  const parts = [
    kinds && db`kind = any(${kinds as string[]})`,
    voucher_id !== undefined && db`voucher_id = ${voucher_id}`,
    campaign_id !== undefined && db`campaign_id = ${campaign_id}`,
  ];
  return parts.reduce<Fragment>((sum, part) => (part ? db`${sum} and ${part}` : sum), db`true`);
}

const feedRow = (
  { transaction_id, row_id: rowId, place, ...row }: PlacedRow,
  { cluster, span }: Pick<FeedPosition, "cluster" | "span">,
): FeedRow => ({ ...row, position: { cluster, transaction: BigInt(transaction_id), rowId, place, span } });

const bigMin = (a: bigint, b: bigint): bigint => (a < b ? a : b);

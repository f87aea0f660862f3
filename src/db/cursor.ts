import { createHmac, timingSafeEqual } from "node:crypto";
import { ApiError } from "../core/errors.ts";
import type { FilterFields } from "../core/filters/filter.ts";
import { serverTime } from "../core/time/project-time.ts";
import { firstRows } from "./bounded.ts";
import type { Db, Fragment } from "./db.ts";
import { type FieldSql, whereOf } from "./filters.ts";

const LIFETIME_MS = 10 * 60_000;
const MAC_HEX = 32;

/** What a cursor remembers: the list goes on as it began, whatever the next call asks for. */
export type CursorState = {
  filters: Record<string, unknown> | null;
  order: readonly string[];
  limit: number;
  /** The values of the order's fields, and the id, of the last row that was shown. */
  after: readonly (string | number)[];
};
type Sealed = CursorState & { expires_at: string };
export type CursorKind = { prefix: `lcrs${string}`; secret: string; now: string };

const macOf = ({ prefix, secret }: CursorKind, payload: string) =>
  createHmac("sha256", secret).update(`${prefix} ${payload}`).digest("hex").slice(0, MAC_HEX);

/** A cursor for the next page. It is signed and not stored: any process can go on with it, and nobody can make one. */
export function makeCursor(kind: CursorKind, state: CursorState): { next: string; expires_at: string } {
  const expires_at = new Date(Date.parse(kind.now) + LIFETIME_MS).toISOString();
  const payload = Buffer.from(JSON.stringify({ ...state, expires_at } satisfies Sealed)).toString("hex");
  return { next: `${kind.prefix}_${macOf(kind, payload)}${payload}`, expires_at };
}

export function parseCursor(text: string, kind: CursorKind): CursorState {
  const invalid = () =>
    new ApiError("invalid_or_expired_cursor", { details: "The provided cursor is invalid or has expired" });
  const [, mac, payload] = new RegExp(`^${kind.prefix}_([0-9a-f]{${MAC_HEX}})([0-9a-f]+)$`).exec(text) ?? [];
  if (!mac || !payload) throw invalid();
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(kind, payload)))) throw invalid();
  const { expires_at, ...state } = JSON.parse(Buffer.from(payload, "hex").toString()) as Sealed;
  if (expires_at <= kind.now) throw invalid();
  return state;
}

/** The order of a cursor list. The id comes last, so that no two rows are equal. */
export function requireOrder(
  given: string | readonly string[] | undefined,
  sortable: readonly string[],
  usual = "-created_at",
): string[] {
  const fields = given === undefined ? [usual] : [given].flat();
  const names = fields.map((field) => field.replace(/^-/, ""));
  const unknown = names.find((name) => !sortable.includes(name));
  if (unknown !== undefined)
    throw new ApiError("invalid_query_params", {
      details: `Unknown order ${unknown}; there are ${sortable.join(", ")}`,
    });
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new ApiError("invalid_query_params", { details: `The order names ${twice} twice` });
  return names.includes("id") ? [...fields] : [...fields, fields.at(-1)!.startsWith("-") ? "-id" : "id"];
}

/** `order by …` for the fields of an order. Their columns are never null. */
export function orderSql(db: Db, order: readonly string[]): Fragment {
  const parts = order.map((field) => (field.startsWith("-") ? db`${db(field.slice(1))} desc` : db`${db(field)} asc`));
  return parts.slice(1).reduce((sum, part) => db`${sum}, ${part}`, db`order by ${parts[0]!}`);
}

/**
 * The rows behind the last one shown. For the order `-created_at, id` after (t, x):
 * `created_at < t or (created_at = t and id > x)`.
 */
export function afterSql(db: Db, order: readonly string[], after: readonly (string | number)[]): Fragment {
  if (after.length === 0) return db`true`;
  const behind = order.map((field, i) => {
    const column = db(field.replace(/^-/, ""));
    const step = field.startsWith("-") ? db`${column} < ${after[i]!}` : db`${column} > ${after[i]!}`;
    const same = order.slice(0, i).map((one, j) => db`${db(one.replace(/^-/, ""))} = ${after[j]!}`);
    return same.reduce((sum, part) => db`${part} and ${sum}`, step);
  });
  return db`(${behind.slice(1).reduce((sum, part) => db`${sum} or (${part})`, db`(${behind[0]!})`)})`;
}

export type CursorAsked = {
  limit?: number;
  order?: string | readonly string[];
  cursor?: string;
  filters?: Record<string, unknown>;
};
/** A list of v2: where its rows are, and what it can be ordered and filtered by. */
export type CursorList = {
  prefix: CursorKind["prefix"];
  /** A table, or a fragment that stands for one. */
  from: (db: Db) => Fragment;
  /** Which rows there are at all; it names the project. */
  where: (db: Db) => Fragment;
  /** Their columns are never null. */
  sortable: readonly string[];
  /** `-created_at` unless told. */
  order?: string;
  fields?: FilterFields;
  sql?: FieldSql;
};
export type CursorPage<Row> = { rows: Row[]; cursor: { next: string; expires_at: string } | null };

const LIMIT = 10;

/**
 * A page of a v2 list. With a cursor the list goes on as it began; what else is asked for is not looked at. A page of very
 * large rows has fewer of them than were asked for.
 */
export async function cursorPage<Row extends { id: string }>(
  db: Db,
  of: { project: { secret: string; clock_offset_ms?: number }; now: string },
  list: CursorList,
  { cursor, ...asked }: CursorAsked,
): Promise<CursorPage<Row>> {
  const { secret, clock_offset_ms = 0 } = of.project;
  // A cursor lives in the time of the server: a clock that was moved ends no list.
  const kind = { prefix: list.prefix, secret, now: serverTime(of.now, { clock_offset_ms }) };
  const { filters, order, limit, after } =
    cursor === undefined
      ? {
          filters: asked.filters ?? null,
          order: requireOrder(asked.order, list.sortable, list.order),
          limit: asked.limit ?? LIMIT,
          after: [],
        }
      : parseCursor(cursor, kind);
  const { fields = {}, sql = {} } = list;
  const wanted = whereOf(db, filters ? { filters } : {}, { fields, sql, now: of.now, dialect: "v2" });
  const query = db<Row[]>`
    select * from ${list.from(db)} where ${list.where(db)} and ${wanted} and ${afterSql(db, order, after)}
    ${orderSql(db, order)} limit ${limit + 1}`;
  const { rows, has_more } = await firstRows(query, limit);
  if (!has_more) return { rows, cursor: null };
  const last = rows.at(-1) as unknown as Record<string, string | number>;
  const next = { filters, order, limit, after: order.map((field) => last[field.replace(/^-/, "")]!) };
  return { rows, cursor: makeCursor(kind, next) };
}

import type { ISql, PendingQuery, Row, Sql, TransactionSql } from "postgres";
import { ApiError, invalid } from "../core/errors.ts";
import { toInstantText } from "../core/time/instant-text.ts";
import { postgres } from "./driver.ts";

type Types = { bigint: number; instant: string };
/** What a store takes as its first argument: the pool or a transaction. */
export type Db = ISql<Types>;
/** What a store takes that locks or must be part of a larger change. */
export type Tx = TransactionSql<Types>;
export type Pool = Sql<Types>;
/** A piece of SQL that becomes part of a statement. */
export type Fragment = PendingQuery<Row[]>;
/** Ids, or a piece of SQL that finds them: an array. */
export type IdList = readonly string[] | Fragment;

type Options = {
  max?: number;
  /** False is for servers behind a transaction pooler. */
  prepare?: boolean;
  statementTimeoutMs?: number;
  onQuery?: (text: string, parameters: readonly unknown[]) => void;
};

const BACKOFF_MAX_S = 1;

export const openDb = (url: string, options: Options = {}, driver = postgres): Pool => {
  const { max = 4, prepare = true, statementTimeoutMs = 5_000, onQuery } = options;
  const { address, path } = addressOf(url);
  return driver(address, {
    ...(path && { path }),
    max,
    prepare,
    onnotice: () => {},
    connect_timeout: 5,
    // Seconds. The driver's own would let a request wait for 20 s after the server is back.
    backoff: (retries: number) => Math.min(2 ** retries / 100, BACKOFF_MAX_S),
    connection: {
      search_path: "laurel",
      application_name: "laurel",
      // JSON that the server makes of a row has the same moments on every connection.
      TimeZone: "UTC",
      statement_timeout: statementTimeoutMs,
      // A transaction whose process hangs must not keep its locks for ever.
      idle_in_transaction_session_timeout: 30_000,
      // To compile a statement takes longer than any of these statements runs, and the planner does not know how few rows it will read.
      jit: "off",
    },
    ...(onQuery && { debug: (_: number, text: string, parameters: unknown[]) => onQuery(text, parameters) }),
    types: {
      bigint: { to: 20, from: [20], serialize: String, parse: toSafeInteger },
      instant: { to: 1184, from: [1184], serialize: String, parse: toInstantText },
    },
  });
};

/**
 * Connections that are opened from now on keep one plan for each statement: for statements that look up what a request names, however much
 * else there is. Without the first, the planner plans them again and again where that looks cheaper. Without the second, a table
 * that is empty when its statement is planned is read as a whole until it has statistics, however large it is by then.
 */
export const planOnce = (pool: Pool): void =>
  void Object.assign(pool.options.connection, { plan_cache_mode: "force_generic_plan", enable_seqscan: "off" });

/**
 * A URL may name the folder of a Unix socket, as PostgreSQL's own tools have it: `postgres://user@/db?host=/run/postgresql` or
 * `postgres://user@%2Frun%2Fpostgresql/db`. The driver knows no such URL, but a path beside one.
 */
export function addressOf(url: string): { address: string; path: string | null } {
  const parsed = new URL(url.replace(/^(\w+:\/\/[^/?]*@)\//, "$1localhost/"));
  const host = parsed.searchParams.get("host") ?? decodeURIComponent(parsed.hostname);
  if (!host.startsWith("/")) return { address: url, path: null };
  const port = parsed.searchParams.get("port") ?? (parsed.port || "5432");
  for (const name of ["host", "port"]) parsed.searchParams.delete(name);
  parsed.hostname = "localhost";
  return { address: parsed.href, path: `${host}/.s.PGSQL.${port}` };
}

/** Amounts are 64-bit in storage. A number that JavaScript would round must never reach a calculation. */
function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
  return value;
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/** The server said that this transaction is undone. A lost connection or a shutdown (57P01) says nothing. */
export const isReported = (error: unknown): boolean => /^(22|23|40|53)...$|^(55P03|57014)$/.test(codeOf(error));

/** A machine of a database that is spread over several was lost: Citus has no code of its own for that. */
const isMachineLost = (error: unknown): boolean =>
  codeOf(error) === "XX000" &&
  /^(?:failure on connection marked as essential|could not commit transaction for shard)/.test(
    (error as Error).message,
  );

/**
 * Worth the same work again. Errors of class 22 and 23 are not: the input causes them. 25006: it is a standby, and another machine
 * is the primary, or will be.
 */
export const isPassing = (error: unknown): boolean =>
  /^(40|53|08)...$|^(25006|55P03|57014|57P0.)$|^CONN|^E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN)|^ENOTFOUND$/.test(
    codeOf(error),
  ) || isMachineLost(error);

/** Another row has what must be unique. */
export const isTaken = (error: unknown): boolean => codeOf(error) === "23505";

/** A condition of a statement does not hold, on which its transaction depends: something was divided by zero for it. */
export const isGuarded = (error: unknown): boolean => codeOf(error) === "22012";

/** The database cannot store a value (22…), or a row breaks a rule of its table (23…). What is guarded has another cause. */
export const isUnstorable = (error: unknown): boolean => /^2[23]...$/.test(codeOf(error)) && !isGuarded(error);

/** A lock was waited for as long as allowed. */
export const isLockHeld = (error: unknown): boolean => codeOf(error) === "55P03";

/** A lock or a statement was waited for as long as allowed. */
export const isWaitOver = (error: unknown): boolean => /^(55P03|57014)$/.test(codeOf(error));

/**
 * The constraint that an error names. A database that is spread over machines says it in the message only, with the number of
 * the part of the table behind it: `violates unique constraint "categories_unique_name_102008"`.
 */
export function constraintOf(error: unknown): string | undefined {
  const { constraint_name, message = "" } = error as { constraint_name?: string; message?: string };
  return constraint_name ?? /constraint "(\w+?)(?:_\d{6,})?"/.exec(message)?.[1];
}

/**
 * The one place where an error of the database becomes an error of the interface. Undefined: it is our bug.
 * Unique constraints are named `<table>_unique_<field>`, so the client reads which value of which field is taken.
 */
export function apiErrorOf(error: unknown, object = "resource"): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof postgres.PostgresError) {
    const field = error.code === "23505" ? constraintOf(error)?.split("_unique_")[1] : undefined;
    if (field) {
      // "Key (project_id, name)=(proj_1, Summer) already exists."
      const value = /\)=\([^,]*, (.*)\)/s.exec(error.detail ?? "")?.[1] ?? "";
      const details = `Duplicated ${object} exists with ${field} ${value}`;
      return new ApiError("duplicate_found", { details, resource_id: value, resource_type: object });
    }
    if (error.code === "22021") return invalid("Text must not hold U+0000");
  }
  if (!isPassing(error)) return undefined;
  const details = isReported(error) ? "The database did not answer in time" : "The database cannot be reached";
  return new ApiError("overloaded", { details });
}

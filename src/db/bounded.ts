import type { PendingQuery, Row } from "postgres";
import type { Db } from "./db.ts";

/** How many bytes of rows one statement may read, and what it fails with when there are more. */
export type Bound = { readonly bytesMax: number; readonly error: () => Error };
/** A statement of a bounded handle. The driver asks `takes` before it reads a row (`driver-corrections.ts`). */
type BoundedQuery = {
  bound?: Bound & { readonly takes: typeof takes; readonly endsEarly?: true };
  bytes?: number;
  isCut?: true;
  reject(error: Error): void;
};

/** A list that may end early does so at this part of what a page may have; what its rows are shown with has the rest. */
const EARLY = 1 / 4;

/**
 * Whether a row is kept. From the first that is not, none is: what is left of the result is thrown away as it comes. A
 * list that may end early has one row at least, or nobody could read on.
 */
function takes(query: BoundedQuery, bytes: number, kept: number): boolean {
  if (query.isCut) return false;
  const { bytesMax, endsEarly, error } = query.bound!;
  query.bytes = (query.bytes ?? 0) + bytes;
  if (query.bytes <= bytesMax || (endsEarly && kept === 0)) return true;
  query.isCut = true;
  if (!endsEarly) query.reject(error());
  return false;
}

const bounds = new WeakMap<object, Bound>();

/** The same handle, each statement of which fails when its rows pass so many bytes: none of them fills the memory. */
export function boundedDb<D extends Db>(db: D, bound: Bound): D {
  const shared = { ...bound, takes };
  const bounded = new Proxy(db, {
    apply(target, _, args) {
      const made = (target as unknown as (...all: unknown[]) => object)(...args);
      // What is made from no template is a name or a list of values.
      return Array.isArray(args[0]?.raw) ? Object.assign(made, { bound: shared }) : made;
    },
  });
  bounds.set(bounded, bound);
  return bounded;
}

/**
 * The rows of a page that may end early, and whether there are more. The statement has the order of the list and one row
 * more than `limit`.
 */
export async function firstRows<R extends Row>(
  query: PendingQuery<R[]>,
  limit: number,
): Promise<{ rows: R[]; has_more: boolean }> {
  const own = query as unknown as BoundedQuery;
  if (own.bound) own.bound = { ...own.bound, bytesMax: own.bound.bytesMax * EARLY, endsEarly: true };
  const found = await query;
  return { rows: found.slice(0, limit), has_more: found.length > limit || own.isCut === true };
}

/** How much of a page its rows may be made of; without a bound as much as they are. */
export const pageBytes = (db: Db): number => (bounds.get(db)?.bytesMax ?? Number.POSITIVE_INFINITY) * EARLY;

class PieceTooLarge extends Error {}

/**
 * What `read` gives for all of the keys, piece by piece and in their order. A piece that reads too much at once is read
 * again in two: `size` is how many keys there are in one, and gets smaller.
 */
export async function* inPieces<D extends Db, K, T>(
  db: D,
  keys: readonly K[],
  size: { atOnce: number },
  read: (db: D, some: readonly K[]) => Promise<T>,
): AsyncGenerator<{ some: readonly K[]; found: T }> {
  const small = boundedDb(db, { bytesMax: pageBytes(db), error: () => new PieceTooLarge() });
  for (let at = 0; at < keys.length; ) {
    const some = keys.slice(at, at + size.atOnce);
    try {
      // One key alone may have as much as a page.
      const found = await read(some.length === 1 ? db : small, some);
      yield { some, found };
      at += some.length;
    } catch (error) {
      if (!(error instanceof PieceTooLarge)) throw error;
      size.atOnce = Math.ceil(some.length / 2);
    }
  }
}

import type { BulkOutcome } from "../../core/bulk/entry.ts";
import { errorBody } from "../../core/errors.ts";
import { isUnstorable } from "../../db/db.ts";
import type { BulkCtx } from "./turn.ts";

/**
 * Saves the objects of a turn. Where the database does not take them, half of them are saved at a time, until it is known which
 * one it does not take: that one is refused, and all others are saved. Our own checks should have found it before.
 */
export async function saveOrBisect<C extends BulkCtx, V>(
  c: C,
  values: readonly V[],
  save: (c: C, values: readonly V[]) => Promise<BulkOutcome[]>,
): Promise<BulkOutcome[]> {
  if (values.length === 0) return [];
  const changes: Parameters<BulkCtx["changed"]>[] = [];
  try {
    const outcomes = await c.db.savepoint((db) =>
      save({ ...c, db, changed: (...change: Parameters<BulkCtx["changed"]>) => void changes.push(change) }, values),
    );
    for (const change of changes) c.changed(...change);
    return outcomes as BulkOutcome[];
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    if (values.length === 1) return [refusedBy(error as Error)];
    const middle = Math.ceil(values.length / 2);
    const first = await saveOrBisect(c, values.slice(0, middle), save);
    return [...first, ...(await saveOrBisect(c, values.slice(middle), save))];
  }
}

const refusedBy = ({ message }: Error): BulkOutcome => ({
  found: false,
  refused: errorBody("invalid_payload", { details: `The database does not take it: ${message}` }),
});

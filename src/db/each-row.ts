import { type Fragment, isGuarded, type Tx } from "./db.ts";
import { tenantOf } from "./records.ts";

/** A row that the transaction needs is gone, or is not what was decided on. Nothing of the transaction is stored. */
export class RowGone extends Error {
  readonly code: unknown;
  constructor(cause: { code?: unknown }) {
    super("a row that the transaction needs is gone, or is not what was decided on", { cause });
    // The server said so, and has undone the transaction: who asks how that ended looks at this.
    this.code = cause.code;
  }
}

/**
 * Runs an `update` that must find so many rows, without `returning`. Where it finds more or fewer, the statement divides by zero,
 * and the COMMIT that was sent behind it undoes all: a count that Node compares comes too late (ADR 0037). The row of the project
 * is read as well, since inserts of a project without one insert nothing.
 *
 * This is the one `with` that writes. A database that is spread over machines runs it where the rows are, as long as it is an
 * update of a project and nothing is written with what it returns.
 */
export async function updateEach(tx: Tx, projectId: string, count: number, update: Fragment): Promise<void> {
  try {
    await tx`
      with done as (${update} returning 1)
      select 1 / (count(*) = ${count}::bigint)::int from ${tenantOf(tx, projectId)} cross join done`;
  } catch (error) {
    throw isGuarded(error) ? new RowGone(error as { code: unknown }) : error;
  }
}

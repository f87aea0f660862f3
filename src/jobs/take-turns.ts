import { ApiError } from "../core/errors.ts";
import { isPassing, isWaitOver } from "../db/db.ts";
import type { JobCtx } from "./job.ts";

type Turns<T> = {
  /** What takes a turn next, in this order. */
  list(): Promise<readonly T[]>;
  /** False when there is nothing to do, or another worker is at it. */
  take(one: T): Promise<boolean>;
  /** Counts a turn that failed. */
  note(one: T, error: unknown): Promise<unknown>;
};

/** Gives turns as long as something is left. What fails keeps nobody else from a turn of the same round. */
export async function takeTurns<T>(
  { list, take, note }: Turns<T>,
  { signal, progress }: Pick<JobCtx, "signal" | "progress"> = {},
): Promise<void> {
  const errors: unknown[] = [];
  for (let worked = true; worked && errors.length === 0; ) {
    worked = false;
    for (const one of await list()) {
      if (signal?.aborted) return;
      try {
        worked = (await take(one)) || worked;
        progress?.();
      } catch (error) {
        errors.push(error);
        if (isCounted(error)) await note(one, error).catch((failed) => errors.push(failed));
      }
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} turns failed`);
}

/**
 * Whether the work itself may be to blame: then it fails so often at most. A database that cannot be reached is not its fault.
 * What takes longer than a statement may is: it would take as long for ever.
 */
const isCounted = (error: unknown): boolean => isWaitOver(error) || !(isPassing(error) || isUnknown(error));

const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.body.key === "outcome_unknown";

/** What whoever waits for the work is told, where it was given up. */
export const reasonOf = (error: unknown, failures: number): string =>
  isWaitOver(error)
    ? `A part of it took the database too long, ${failures} times.`
    : `It failed ${failures} times; the log says why.`;

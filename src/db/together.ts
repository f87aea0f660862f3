/** A statement of a transaction that has failed before. */
const FOLLOWS = "25P02";

/**
 * Waits for statements that were sent without waiting for each other. When one fails, all that come after it in the
 * transaction fail, too, and say only that: told is the first one with a reason of its own. It may stand behind others here:
 * a function that waits before its statement sends it later than one that does not.
 */
export async function together<T extends readonly unknown[]>(
  sent: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(sent);
  const reasons = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => reason?.code !== FOLLOWS) ?? reasons[0];
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as { [K in keyof T]: Awaited<T[K]> };
}

/** Statements that are under way, and that nobody has waited for yet: the end of the transaction does. */
export type Writes = Promise<unknown>[];

/** Puts statements there. Their failure is told at the end; until then it is nobody's to catch. */
export function writeLater(writes: Writes, writing: Promise<unknown>): void {
  writing.catch(() => {});
  writes.push(writing);
}

/** Runs what puts statements there, and waits for them. What was written before, and failed, is the reason. */
export async function withWrites<T>(run: (writes: Writes) => Promise<T>): Promise<T> {
  const writes: Writes = [];
  try {
    const value = await run(writes);
    await together(writes);
    return value;
  } catch (error) {
    await together(writes);
    throw error;
  }
}

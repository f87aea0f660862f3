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

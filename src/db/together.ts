/**
 * Waits for statements that were sent without waiting for each other. When one fails, all that come after it in the
 * transaction fail, too: told is the first of them in the order in which they were sent, which is the reason.
 */
export async function together<T extends readonly unknown[]>(
  sent: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(sent);
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as { [K in keyof T]: Awaited<T[K]> };
}

import type { Pool, Tx } from "../../src/db/db.ts";

/** Holds what a statement locks, on a connection of its own. Whoever needs it waits until the function that this gives is called. */
export async function hold(db: Pool, lock: (tx: Tx) => PromiseLike<unknown>): Promise<() => Promise<void>> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = db.begin(async (tx) => {
    await lock(tx as Tx);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return async () => {
    release.resolve();
    await holder;
  };
}

import { setTimeout as wait } from "node:timers/promises";
import { transaction } from "./commit.ts";
import { isPassing, type Pool, type Tx } from "./db.ts";

/** Writes what need not stand before its answer is sent. It may be written twice, so it stores what it stores by its ids. */
export type Write = (tx: Tx) => Promise<void>;
type Waiting = { size: number; write: Write; done(): void };
type Limits = {
  /** So many records may wait; whoever brings more waits until theirs are written. */
  waitingMax?: number;
  report(error: unknown): void;
};

const WAITING_MAX = 4096;
const AGAIN_MS = 50;

/**
 * Writes behind the answers, beginning at once: nothing waits for more to come. What comes while a transaction is under way
 * is written with the next one, all of a project in one. What fails for a reason that passes is tried until it is
 * written; what would never be written is reported and dropped, alone.
 */
export function createBehind(pool: Pool, { waitingMax = WAITING_MAX, report }: Limits) {
  // Projects take turns: the first of the map has waited longest.
  const waitingOf = new Map<string, Waiting[]>();
  let [waiting, running] = [0, Promise.resolve()];
  let isRunning = false;

  const writeAll = async (all: readonly Waiting[]): Promise<void> => {
    try {
      await transaction(pool, async (tx) => {
        for (const { write } of all) await write(tx);
      });
    } catch (error) {
      if (isPassing(error) || (error as { key?: string }).key === "outcome_unknown") {
        await wait(AGAIN_MS);
        return writeAll(all);
      }
      if (all.length === 1) return report(error);
      for (const one of all) await writeAll([one]);
    }
  };
  const run = async (): Promise<void> => {
    for (let next = waitingOf.entries().next().value; next; next = waitingOf.entries().next().value) {
      const [projectId, all] = next;
      waitingOf.delete(projectId);
      await writeAll(all);
      for (const { size, done } of all) {
        waiting -= size;
        done();
      }
    }
    isRunning = false;
  };

  return {
    /** Holds at once while there is room, else when it is written. */
    add: (projectId: string, size: number, write: Write): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waitingOf.getOrInsertComputed(projectId, () => []).push({ size, write, done: resolve });
      waiting += size;
      if (!isRunning) {
        isRunning = true;
        // After the answer that it is behind.
        running = new Promise((done) => setImmediate(() => void run().then(done)));
      }
      return waiting > waitingMax ? promise : Promise.resolve();
    },
    /** Holds when all that was added is written. */
    end: async (): Promise<void> => {
      while (isRunning) await running;
    },
  };
}

export type Behind = ReturnType<typeof createBehind>;

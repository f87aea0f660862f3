import { setTimeout as wait } from "node:timers/promises";
import { type Db, isPassing, type Pool, type Tx } from "../db.ts";
import { commit, ended, withinTime } from "./commit.ts";

/** Writes what need not stand before its answer is sent. It may be written twice, so it stores what it stores by its ids. */
export type Write = (tx: Tx) => Promise<void>;
/** The same as one statement that waits for nobody's lock: when nothing else waits, it needs no transaction around it. */
export type Alone = { alone?: (db: Db) => Promise<void> };
type Waiting = Alone & { size: number; since: number; write: Write; done(): void };
type Limits = {
  /** So many records may wait; whoever brings more waits until theirs are written. */
  waitingMax?: number;
  now?(): number;
  report(error: unknown): void;
};

const WAITING_MAX = 4096;
/** Once a record of a project has waited this long, whoever brings more for the project waits until theirs are written. */
const AGE_MAX_MS = 100;
const AGAIN_MS = 50;
/** So long a transaction waits for the server, and for a row that somebody holds. */
const LIMIT_MS = 10_000;
const LOCK_MS = 250;
/** So long a process that ends waits: then it still stops the rest in order before it has to be gone. */
const END_MS = 10_000;

/** What is not written yet, also what is under way. */
function createUnwritten() {
  // The first of a set has waited longest.
  const unwrittenOf = new Map<string, Set<Waiting>>();
  let count = 0;
  return {
    count: () => count,
    add: (projectId: string, one: Waiting): void => {
      unwrittenOf.getOrInsertComputed(projectId, () => new Set()).add(one);
      count += one.size;
    },
    remove: (projectId: string, one: Waiting): void => {
      const all = unwrittenOf.get(projectId)!;
      all.delete(one);
      if (all.size === 0) unwrittenOf.delete(projectId);
      count -= one.size;
    },
    /** Since when the oldest of a project waits. There is one. */
    oldest: (projectId: string): number => unwrittenOf.get(projectId)!.values().next().value!.since,
  };
}

/**
 * Writes behind the answers, beginning at once: nothing waits for more to come. What comes while a transaction is under way
 * is written with the next one, all of a project in one. Projects take turns: what fails for a reason that passes is tried
 * again after the others, until it is written. What would never be written is reported and dropped, alone.
 */
export function createBehind(pool: Pool, { waitingMax = WAITING_MAX, now = () => performance.now(), report }: Limits) {
  // The first of the map has waited longest.
  const waitingOf = new Map<string, readonly Waiting[]>();
  const unwritten = createUnwritten();
  let running = Promise.resolve();
  let [isRunning, isOver] = [false, false];

  /** Those that are to be tried again. */
  const writeAll = async (projectId: string, all: readonly Waiting[]): Promise<readonly Waiting[]> => {
    const alone = all.length === 1 ? all[0]!.alone : undefined;
    const outcome = alone
      ? await ended(alone(pool), LIMIT_MS)
      : await commit(
          pool,
          async (tx) => {
            for (const { write } of all) await write(tx);
          },
          { limitMs: LIMIT_MS, lockMs: LOCK_MS, projectId },
        );
    if (outcome.kind === "unknown" || (outcome.kind === "aborted" && isPassing(outcome.error))) return all;
    if (outcome.kind === "aborted" && all.length > 1) {
      const again: Waiting[] = [];
      for (const one of all) again.push(...(await writeAll(projectId, [one])));
      return again;
    }
    if (outcome.kind === "aborted") report(outcome.error);
    for (const one of all) {
      unwritten.remove(projectId, one);
      one.done();
    }
    return [];
  };
  const run = async (): Promise<void> => {
    let failed = 0;
    for (let next = waitingOf.entries().next().value; next && !isOver; next = waitingOf.entries().next().value) {
      const [projectId, all] = next;
      waitingOf.delete(projectId);
      const again = await writeAll(projectId, all);
      failed = again.length > 0 ? failed + 1 : 0;
      if (again.length > 0) waitingOf.set(projectId, [...again, ...(waitingOf.get(projectId) ?? [])]);
      // All of them have failed in turn.
      if (failed >= waitingOf.size && failed > 0) await wait(AGAIN_MS);
    }
    isRunning = false;
  };

  const idle = async (): Promise<true> => {
    while (isRunning) await running;
    return true;
  };

  return {
    /** Holds at once while there is room and nothing of the project is late, else when it is written. */
    add: (projectId: string, size: number, write: Write, how: Alone = {}): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const since = now();
      const one = { ...how, size, since, write, done: resolve };
      unwritten.add(projectId, one);
      waitingOf.set(projectId, [...(waitingOf.get(projectId) ?? []), one]);
      if (!isRunning) {
        isRunning = true;
        // After the answer that it is behind.
        running = new Promise((done) => setImmediate(() => void run().then(done)));
      }
      const isLate = since - unwritten.oldest(projectId) > AGE_MAX_MS;
      return unwritten.count() > waitingMax || isLate ? promise : Promise.resolve();
    },
    /** Holds when all that was added is written, or the time is over: what is left then is reported, and not tried again. */
    end: async (limitMs = END_MS): Promise<void> => {
      if (await withinTime(limitMs, idle())) return;
      isOver = true;
      report(
        new Error(`${unwritten.count()} records were not written: the database did not take them in ${limitMs} ms`),
      );
    },
  };
}

export type Behind = ReturnType<typeof createBehind>;

import { setImmediate as turn } from "node:timers/promises";
import type { RequestRow } from "../../core/rows/request.ts";
import { withinTime } from "../../db/batches/commit.ts";
import { bytesOf, type RequestToLog, rowOf } from "./entry.ts";

type Options = {
  /** Stores rows of a project. */
  save(projectId: string, rows: readonly RequestRow[]): Promise<void>;
  /** By the server's clock. */
  now(): string;
  countDropped(count: number): void;
  report(error: unknown): void;
  /** How many requests are written in a second at most. */
  perSecond: number;
  /** How many may wait, of those that were refused and of the others. */
  waitingMax?: number;
};

const PAUSE_MS = 500;
const WAITING_MAX = 1_000;
const BYTES_WAITING_MAX = 8_388_608;
/** What one project may have of the places and of the bytes: somebody who calls very often takes no other's. */
const SHARE = 1 / 4;
/** What is read and masked at once. */
const SLICE = 10;
const BYTES_OF_SLICE = 131_072;
/** Whoever calls too often would fill the log with saying so. */
const TOO_OFTEN = 429;
const BYTES_AT_ONCE = 2_097_152;
/** What waited longer is dropped: whoever was erased meanwhile must not come back. */
const LATE_MS = 30_000;
/** So long a process that ends waits for the log. */
const END_MS = 2_000;

type Waiting = { entry: RequestToLog; size: number };
type Sum = { count: number; bytes: number };

/** Requests that wait, each project within its share. */
function createLane(countMax: number) {
  const waiting: Waiting[] = [];
  const all: Sum = { count: 0, bytes: 0 };
  const ofProject = new Map<string, Sum>();
  const fits = (sum: Sum, size: number, share: number): boolean =>
    sum.count < Math.max(1, countMax * share) && sum.bytes + size <= BYTES_WAITING_MAX * share;
  const count = (sum: Sum, size: number, by: 1 | -1): void => {
    sum.count += by;
    sum.bytes += by * size;
  };
  return {
    isEmpty: () => waiting.length === 0,
    /** False: there is no place. */
    add: (entry: RequestToLog): boolean => {
      const size = bytesOf(entry);
      const own = ofProject.get(entry.project_id) ?? { count: 0, bytes: 0 };
      if (!fits(all, size, 1) || !fits(own, size, SHARE)) return false;
      ofProject.set(entry.project_id, own);
      for (const sum of [all, own]) count(sum, size, 1);
      waiting.push({ entry, size });
      return true;
    },
    take: (): Waiting | undefined => {
      const first = waiting.shift();
      if (!first) return undefined;
      const own = ofProject.get(first.entry.project_id)!;
      for (const sum of [all, own]) count(sum, first.size, -1);
      if (own.count === 0) ofProject.delete(first.entry.project_id);
      return first;
    },
  };
}

/**
 * Requests on their way into the log. Noting one costs nothing but a place in a list, and never waits: when there is none left, it
 * is dropped and counted. All work is done later, so much in a second at most. Those that were refused come first, since
 * they are what somebody will look for, and have places of their own.
 */
export function createRequestQueue({ save, now, countDropped, report, perSecond, ...options }: Options) {
  // The share of a project holds what is written in a second: an installation with one project logs as many as any other.
  const { waitingMax = Math.max(WAITING_MAX, perSecond / SHARE) } = options;
  const [refused, others] = [createLane(waitingMax), createLane(waitingMax)];
  let isDue = false;
  let isEnded = false;
  let writing: Promise<void> = Promise.resolve();
  const perTurn = Math.max(1, Math.floor((perSecond * PAUSE_MS) / 1000));

  const take = (countMax: number): Waiting[] => {
    const taken: Waiting[] = [];
    for (let bytes = 0; taken.length < countMax && bytes < BYTES_AT_ONCE; ) {
      const next = refused.take() ?? others.take();
      if (!next) break;
      bytes += next.size;
      taken.push(next);
    }
    return taken;
  };

  const write = async (taken: readonly Waiting[]): Promise<void> => {
    const rowsOf = new Map<string, RequestRow[]>();
    for (const slice of slicesOf(taken)) {
      await turn();
      for (const entry of slice) {
        const row = Date.parse(now()) - Date.parse(entry.ended_at) > LATE_MS ? null : tryRow(entry);
        if (row) rowsOf.getOrInsertComputed(entry.project_id, () => []).push(row);
        else countDropped(1);
      }
    }
    for (const [projectId, rows] of rowsOf) await saveOrDrop(projectId, rows);
  };
  /** One that cannot be made takes no other with it. */
  const tryRow = (entry: RequestToLog): RequestRow | null => {
    try {
      return rowOf(entry);
    } catch (error) {
      report(error);
      return null;
    }
  };
  const saveOrDrop = (projectId: string, rows: readonly RequestRow[]) =>
    save(projectId, rows).catch((error: unknown) => {
      countDropped(rows.length);
      // A process that has waited long enough closes its connections under what is still written.
      if (!isEnded) report(error);
    });

  const start = () => {
    if (isDue) return;
    isDue = true;
    const run = () => {
      writing = write(take(perTurn)).then(() => {
        isDue = false;
        if (!refused.isEmpty() || !others.isEmpty()) start();
      });
    };
    setTimeout(run, PAUSE_MS).unref();
  };
  const flush = async (): Promise<void> => {
    await writing;
    for (let entries = take(perTurn); entries.length > 0; entries = take(perTurn)) await write(entries);
  };

  return {
    note: (entry: RequestToLog): void => {
      const lane = entry.status >= 400 ? refused : others;
      if (entry.status === TOO_OFTEN || !lane.add(entry)) {
        countDropped(1);
        return;
      }
      start();
    },
    /** Holds when all that was noted is written, or could not be. */
    flush,
    /** The same for a process that ends, which cannot wait for a database that does not answer. */
    end: async (): Promise<void> => {
      await withinTime(END_MS, flush());
      isEnded = true;
    },
  };
}

/** So many, or so many bytes, that others wait for them for a few milliseconds only. */
export function slicesOf(taken: readonly Waiting[]): RequestToLog[][] {
  const slices: RequestToLog[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { entry, size } of taken) {
    const last = slices.at(-1);
    if (!last || last.length >= SLICE || bytes + size > BYTES_OF_SLICE) {
      slices.push([entry]);
      bytes = size;
    } else {
      last.push(entry);
      bytes += size;
    }
  }
  return slices;
}

export type RequestQueue = ReturnType<typeof createRequestQueue>;

import { setImmediate as turn } from "node:timers/promises";
import type { RequestRow } from "../../core/rows/request.ts";
import { withinTime } from "../../db/commit.ts";
import { bytesOf, type LoggedRequest, rowOf } from "./entry.ts";

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
const BYTES_WAITING_MAX = 16_777_216;
/** What is read and masked at once. */
const SLICE = 10;
const BYTES_AT_ONCE = 2_097_152;
/** What waited longer is dropped: whoever was erased meanwhile must not come back. */
const LATE_MS = 30_000;
/** So long a process that ends waits for the log. */
const END_MS = 2_000;

/**
 * Requests on their way into the log. Noting one costs nothing but a place in a list, and never waits: when there is none left, it
 * is dropped and counted. All work is done later, so much in a second at most. Those that were refused come first, since
 * they are what somebody will look for.
 */
export function createRequestQueue({ save, now, countDropped, report, perSecond, waitingMax = WAITING_MAX }: Options) {
  const [refused, others]: [LoggedRequest[], LoggedRequest[]] = [[], []];
  let bytes = 0;
  let isDue = false;
  let writing: Promise<void> = Promise.resolve();
  const perTurn = Math.max(1, Math.floor((perSecond * PAUSE_MS) / 1000));

  const take = (countMax: number): LoggedRequest[] => {
    const taken: LoggedRequest[] = [];
    for (let size = 0; taken.length < countMax && size < BYTES_AT_ONCE; ) {
      const entry = refused.shift() ?? others.shift();
      if (!entry) break;
      size += bytesOf(entry);
      bytes -= bytesOf(entry);
      taken.push(entry);
    }
    return taken;
  };

  const write = async (entries: readonly LoggedRequest[]): Promise<void> => {
    const rowsOf = new Map<string, RequestRow[]>();
    for (const [n, entry] of entries.entries()) {
      if (n % SLICE === 0) await turn();
      const row = Date.parse(now()) - Date.parse(entry.ended_at) > LATE_MS ? null : tryRow(entry);
      if (row) rowsOf.getOrInsertComputed(entry.project_id, () => []).push(row);
      else countDropped(1);
    }
    for (const [projectId, rows] of rowsOf) await saveOrDrop(projectId, rows);
  };
  /** One that cannot be made takes no other with it. */
  const tryRow = (entry: LoggedRequest): RequestRow | null => {
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
      report(error);
    });

  const start = () => {
    if (isDue) return;
    isDue = true;
    const run = () => {
      writing = write(take(perTurn)).then(() => {
        isDue = false;
        if (refused.length + others.length > 0) start();
      });
    };
    setTimeout(run, PAUSE_MS).unref();
  };
  const flush = async (): Promise<void> => {
    await writing;
    for (let entries = take(perTurn); entries.length > 0; entries = take(perTurn)) await write(entries);
  };

  return {
    note: (entry: LoggedRequest): void => {
      const list = entry.status >= 400 ? refused : others;
      const size = bytesOf(entry);
      if (list.length >= waitingMax || bytes + size > BYTES_WAITING_MAX) {
        countDropped(1);
        return;
      }
      bytes += size;
      list.push(entry);
      start();
    },
    /** Holds when all that was noted is written, or could not be. */
    flush,
    /** The same for a process that ends, which cannot wait for a database that does not answer. */
    end: async (): Promise<void> => void (await withinTime(END_MS, flush())),
  };
}

export type RequestQueue = ReturnType<typeof createRequestQueue>;

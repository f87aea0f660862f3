import { createHash } from "node:crypto";
import type { Db, Pool } from "../../db/db.ts";
import { compareTexts } from "../../db/records.ts";

const EVERY_MS = 1_000;
/** So many go in one statement. */
const BATCH = 100;
/** So many wait to be told. Whoever comes beyond them is counted by this process alone. */
const PENDING_MAX = 10_000;

/** How often something was done in a window, which ends at a moment in milliseconds. */
export type WindowCount = { used: number; endsAt: number };
type Pending = WindowCount & { learn(all: WindowCount): void };
type Row = { name: string; used: number; ends_at: string };

export type SharedCounts = {
  /** Counts on in the window that ends then, for all machines; `learn` is told what all of them counted. */
  add(name: string, count: WindowCount, learn: Pending["learn"]): void;
  /** Sends what was counted since the last time. */
  flush(): Promise<void>;
  close(): Promise<void>;
};
type Options = { now(): string; report(error: unknown): void; everyMs?: number };

/**
 * Counts of all machines, in the database. A process counts by itself and tells the others once a second, in one statement for all
 * of its keys and addresses: no request waits for it. So together they allow what comes within a second more than the limit. While
 * the database is away each counts alone, and tells later.
 */
export function createSharedCounts(pool: Pool, { now, report, everyMs = EVERY_MS }: Options): SharedCounts {
  let pending = new Map<string, Pending>();
  let running: Promise<void> = Promise.resolve();

  const send = async (): Promise<void> => {
    const batch = pending;
    pending = new Map();
    const named = new Map([...batch.keys()].map((name) => [hashOf(name), name]));
    const rows = [...named].map(([hash, name]) => {
      const { used, endsAt } = batch.get(name)!;
      return { name: hash, used, ends_at: new Date(endsAt).toISOString() };
    });
    // In one order, so that two processes never wait for each other.
    rows.sort((a, b) => compareTexts(a.name, b.name));
    try {
      for (let at = 0; at < rows.length; at += BATCH)
        for (const row of await saveCounts(pool, rows.slice(at, at + BATCH), now())) {
          const name = named.get(row.name)!;
          batch.get(name)!.learn({
            used: row.used + (pending.get(name)?.used ?? 0),
            endsAt: Date.parse(row.ends_at),
          });
          batch.delete(name);
        }
    } catch (error) {
      report(error);
      const time = Date.parse(now());
      // Who counted meanwhile is who learns: the window before may be over.
      for (const [name, count] of batch)
        if (count.endsAt > time) note(name, count, pending.get(name)?.learn ?? count.learn);
    }
  };
  const note = (name: string, { used, endsAt }: WindowCount, learn: Pending["learn"]) => {
    const before = pending.get(name);
    if (!before && pending.size >= PENDING_MAX) return;
    // What was counted in a window that is over is of no use to anybody.
    const known = before && before.endsAt > Date.parse(now()) ? before : undefined;
    pending.set(name, { used: used + (known?.used ?? 0), endsAt: Math.max(endsAt, known?.endsAt ?? 0), learn });
  };
  const flush = () => {
    running = running.then(() => (pending.size > 0 ? send() : undefined));
    return running;
  };
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    add: note,
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

const hashOf = (name: string): string => createHash("sha256").update(name).digest("hex");

/** Adds counts to those of all others, or begins with them where a window is over, and gives what all have together. */
const saveCounts = (db: Db, rows: readonly Row[], now: string) => db<Row[]>`
  insert into limit_counts ${db(rows as Row[], "name", "used", "ends_at")}
  on conflict (name) do update set
    used = excluded.used + case when limit_counts.ends_at > ${now} then limit_counts.used else 0 end,
    ends_at = greatest(limit_counts.ends_at, excluded.ends_at)
  returning name, used, ends_at`;

import type { Pool } from "../db/db.ts";
import type { NewId } from "../request.ts";

export type JobCtx = {
  db: Pool;
  now(): string;
  newId: NewId;
  random(bytes: number): Uint8Array;
  /** What the files of a project may have together; undefined: as much as the store says. */
  filesBytesMax?: number;
  /** How long requests are logged; undefined: as long as unless told. */
  requestLogDays?: number;
  /** Told of each part of long work that ended well: a run may take hours. */
  progress?: () => void;
  /** Says that the process ends: long work stops where it can go on later. */
  signal?: AbortSignal;
};

/**
 * Work that time brings. A job carries no data: it looks for what is due, in bounded batches, and may run twice or on
 * several machines at once. So a lost tick costs nothing, and neither does a tick too many.
 */
export type Job = {
  name: string;
  run(c: JobCtx): Promise<void>;
} & (
  | {
      /** Minute, hour, day of month, month, day of week; UTC. One of several processes takes each tick. */
      cron: string;
    }
  | {
      /** The pause between two runs, in every process: for what somebody waits for. Its question must be a cheap one. */
      everyMs: number;
    }
);

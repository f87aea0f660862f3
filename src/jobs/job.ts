import type { NewId } from "../ctx.ts";
import type { Pool } from "../db/db.ts";

export type JobCtx = { db: Pool; now(): string; newId: NewId };

/**
 * Work that time brings. A job carries no data: it looks for what is due, in bounded batches, and may run twice or on
 * several machines at once. So a lost tick costs nothing, and neither does a tick too many.
 */
export type Job = {
  name: string;
  /** Minute, hour, day of month, month, day of week; UTC. */
  cron: string;
  run(c: JobCtx): Promise<void>;
};

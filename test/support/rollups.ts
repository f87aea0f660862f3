import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "../../src/db/db.ts";
import { createCountRollups } from "../../src/jobs/count-rollups.ts";
import { NOW, newId } from "./engine.ts";

/** The follower runs once. Tests of other databases of the server may keep it from coming to the end. */
export const follow = (db: Pool, now = NOW): Promise<void> =>
  createCountRollups().run({ db, now: () => now, newId, random: Buffer.alloc });

/** The follower runs until it has counted all that was stored before the call. */
export async function followAll(db: Pool, projectId: string, now = NOW): Promise<void> {
  const [{ xid }] = await db<[{ xid: string }]>`select pg_snapshot_xmax(pg_current_snapshot())::text as xid`;
  const isBehind = async () => {
    await follow(db, now);
    const [row] = await db<{ at: string }[]>`
      select transaction_id::text as at from rollup_positions
      where project_id = ${projectId} and is_cleared and redemptions_from = '-infinity' and entries_from = ''`;
    return !row || BigInt(row.at) < BigInt(xid);
  };
  while (await isBehind()) await wait(20);
}

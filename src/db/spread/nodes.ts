import type { Db, Pool } from "../db.ts";

/** Pools whose database is spread over machines by project (`distribute.ts`). Each is asked once, when its process starts. */
const spread = new WeakSet<object>();

/** Whether the tables of a database are spread over machines. */
export async function isSpreadOut(db: Db): Promise<boolean> {
  const [citus] = await db<{ there: boolean }[]>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null and to_regclass('laurel.tenants') is not null as there`;
  if (!citus!.there) return false;
  return (await db`select 1 from pg_dist_partition where logicalrelid = 'laurel.tenants'::regclass`).length === 1;
}

/** Asks the first of the pools, all of which are of one database, and notes it of all. */
export async function noteNodes(pools: readonly Pool[]): Promise<void> {
  if (await isSpreadOut(pools[0]!)) markSpread(pools);
}

/** Where it is known already. */
export function markSpread(pools: readonly Pool[]): void {
  for (const pool of pools) spread.add(pool);
}

/** Whether a row of a project may be on another machine than the one that the pool connects to. */
export const isSpread = (pool: Pool): boolean => spread.has(pool);

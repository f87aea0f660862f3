import { transaction } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import { deleteTenantRows } from "../db/tenant-tables.ts";

/**
 * Deletes everything in a project but the project and its keys, and returns how many rows there were. Its clock, if it
 * was moved, is right again.
 */
export const wipeProject = (db: Pool, projectId: string): Promise<number> =>
  transaction(db, async (tx) => {
    const deleted = await deleteTenantRows(tx, projectId);
    // What is held of the configuration in memory is gone too, and nothing is left that a later time made.
    await tx`update tenants set catalog_revision = catalog_revision + 1 where project_id = ${projectId}`;
    await tx`update projects set clock_offset_ms = 0 where id = ${projectId}`;
    return deleted;
  });

import { transaction } from "../db/commit.ts";
import type { Pool } from "../db/db.ts";
import { deleteTenantRows } from "../db/tenant-tables.ts";

/** Deletes everything in a project but the project and its keys, and returns how many rows there were. */
export const wipeProject = (db: Pool, projectId: string): Promise<number> =>
  transaction(db, async (tx) => {
    const deleted = await deleteTenantRows(tx, projectId);
    // What is held of the configuration in memory is gone too.
    await tx`update projects set catalog_revision = catalog_revision + 1 where id = ${projectId}`;
    return deleted;
  });

import type { Catalog } from "../../catalog/catalog.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";

/**
 * The catalog as it is now, for a change of what loyalty programs are made of. The project's row is held until the end,
 * so that such changes happen one after another: what is found here, who uses what and in which status, still holds when
 * the change is committed. It is the first thing that a handler does, before it locks anything else.
 */
export async function lockConfiguration(c: WriteCtx): Promise<Catalog> {
  return c.catalog(await lockRevision(c.db, c.project.id));
}

async function lockRevision(tx: Tx, projectId: string): Promise<number> {
  const [row] = await tx<[{ revision: number }]>`
    select catalog_revision as revision from tenants where project_id = ${projectId} order by project_id for no key update`;
  return row.revision;
}

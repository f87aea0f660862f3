import type { Tx } from "../db/db.ts";
import { tenantOf } from "../db/records.ts";
import type { CatalogKind } from "../request.ts";

export type CatalogChange = { kind: CatalogKind; id: string };

/**
 * Raises the project's revision and notes what changed. It is the last statement of a configuration write: it locks
 * the project's row, and whoever waits for that lock must not wait for the rest of the write too.
 */
export async function raiseRevision(tx: Tx, projectId: string, changes: readonly CatalogChange[]): Promise<void> {
  const [row] = await tx<{ revision: number }[]>`
    update tenants set catalog_revision = catalog_revision + 1 where project_id = ${projectId}
    returning catalog_revision as revision`;
  await tx`
    insert into catalog_changes (project_id, revision, kind, id)
    select distinct p.project_id, ${row!.revision}::bigint, x.kind, x.id
    from ${tenantOf(tx, projectId)} cross join unnest(
      ${changes.map((c) => c.kind as string)}::text[], ${changes.map((c) => c.id)}::text[]) as x (kind, id)`;
}

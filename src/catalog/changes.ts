import { limitsUse } from "../core/rules/limits.ts";
import { OldConfiguration } from "../db/batches/commit.ts";
import { isGuarded, type Tx } from "../db/db.ts";
import { tenantOf } from "../db/records.ts";
import type { CatalogKind } from "../request.ts";
import { loadAssignments } from "../resources/promotions/validation-rule-assignments/store.ts";
import { validationRules } from "../resources/promotions/validation-rules/store.ts";

export type CatalogChange = { kind: CatalogKind; id: string };

/** Whether what changed brings a rule that limits how often something is used. */
export async function bringsLimit(tx: Tx, projectId: string, changes: readonly CatalogChange[]): Promise<boolean> {
  const idsOf = (kind: CatalogKind) => changes.flatMap((one) => (one.kind === kind ? one.id : []));
  const assigned = idsOf("validation_rule_assignment");
  const assignments = assigned.length > 0 ? await loadAssignments(tx, projectId, assigned) : [];
  const ids = [...idsOf("validation_rule"), ...assignments.map(({ rule_id }) => rule_id)];
  return ids.length > 0 && (await validationRules.load(tx, projectId, ids)).some(limitsUse);
}

/**
 * The last statement of what uses something: it fails when a limit came after the revision that was decided with. Without it
 * a limit of 10 could be passed: one batch knows it and takes the tenth, and another one, which does not, adds an eleventh
 * after the limit was answered. What is used is locked by then: whoever knows the limit waits for us, and counts us.
 * It fails as well when the row is gone, without which inserts insert nothing.
 */
export async function requireNoNewLimit(tx: Tx, projectId: string, revision: number): Promise<void> {
  await tx`
    select 1 / count(*) filter (where limits_revision <= ${revision}) from tenants where project_id = ${projectId}`.catch(
    (error) => {
      throw isGuarded(error) ? new OldConfiguration("a limit came meanwhile") : error;
    },
  );
}

/**
 * Raises the project's revision and notes what changed. It is the last statement of a configuration write: it locks
 * the project's row, and whoever waits for that lock must not wait for the rest of the write too.
 */
export async function raiseRevision(
  tx: Tx,
  projectId: string,
  changes: readonly CatalogChange[],
  { isLimit = false } = {},
): Promise<void> {
  const [row] = await tx<{ revision: number }[]>`
    update tenants set catalog_revision = catalog_revision + 1,
      limits_revision = case when ${isLimit} then catalog_revision + 1 else limits_revision end
    where project_id = ${projectId}
    returning catalog_revision as revision`;
  await tx`
    insert into catalog_changes (project_id, revision, kind, id)
    select distinct p.project_id, ${row!.revision}::bigint, x.kind, x.id
    from ${tenantOf(tx, projectId)} cross join unnest(
      ${changes.map((c) => c.kind as string)}::text[], ${changes.map((c) => c.id)}::text[]) as x (kind, id)`;
}

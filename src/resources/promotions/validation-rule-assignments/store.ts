import { crudStore, type Page, pageSql } from "../../../db/crud-store.ts";
import type { Db, IdList, Tx } from "../../../db/db.ts";
import type { RelatedObjectType, ValidationRuleAssignment } from "./schema.ts";

export type ValidationRuleAssignmentRow = {
  project_id: string;
  id: string;
  rule_id: string;
  related_object_type: RelatedObjectType;
  related_object_id: string;
  created_at: string;
};

const SORTABLE = ["created_at"];

export const validationRuleAssignments = crudStore<ValidationRuleAssignmentRow>({
  table: "validation_rule_assignments",
  object: "validation_rules_assignment",
  columns: ["project_id", "id", "rule_id", "related_object_type", "related_object_id", "created_at"],
  sortable: SORTABLE,
});

export const view = ({ project_id: _, ...row }: ValidationRuleAssignmentRow): ValidationRuleAssignment => ({
  ...row,
  object: "validation_rules_assignment",
});

/** What the catalog holds: all but those of vouchers, of which there may be millions. */
export const isInCatalog = ({ related_object_type }: Pick<ValidationRuleAssignmentRow, "related_object_type">) =>
  related_object_type !== "voucher";
export const loadAssignments = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<ValidationRuleAssignmentRow[]>`
    select * from validation_rule_assignments
    where project_id = ${projectId} and related_object_type <> 'voucher'
      and ${ids === null ? db`true` : db`id = any(${ids})`}`;

/** Assignments of vouchers, which are read with the vouchers, in the order of their assignment. */
export const loadVoucherAssignments = (db: Db, projectId: string, voucherIds: IdList) =>
  db<ValidationRuleAssignmentRow[]>`
    select a.* from unnest(${voucherIds}::text[]) as x (voucher_id)
      join validation_rule_assignments a on a.project_id = ${projectId} and a.related_object_id = voucher_id
    where a.related_object_type = 'voucher' order by a.id`;

type Wanted = { rule?: string; related_object_id?: string };

export async function listRuleAssignments(db: Db, projectId: string, query: Page & Wanted) {
  const { rule, related_object_id } = query;
  const ofRule = rule === undefined ? db`true` : db`rule_id = ${rule}`;
  const ofObject = related_object_id === undefined ? db`true` : db`related_object_id = ${related_object_id}`;
  const [rows, counts] = await Promise.all([
    db<ValidationRuleAssignmentRow[]>`
      select * from validation_rule_assignments where project_id = ${projectId} and ${ofRule} and ${ofObject}
      ${pageSql(db, query, SORTABLE)}`,
    db<{ total: number }[]>`
      select count(*) as total from validation_rule_assignments
      where project_id = ${projectId} and ${ofRule} and ${ofObject}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** The assignment of a rule to an object. Whoever calls it holds the lock of the rule, so none appears meanwhile. */
export async function findAssignment(tx: Tx, projectId: string, ruleId: string, relatedObjectId: string) {
  const [row] = await tx<ValidationRuleAssignmentRow[]>`
    select * from validation_rule_assignments
    where project_id = ${projectId} and related_object_id = ${relatedObjectId} and rule_id = ${ruleId}`;
  return row;
}

/** Removes all assignments of a rule: how many there were, and the ids of those that the catalog holds. */
export async function removeAssignmentsOf(tx: Tx, projectId: string, ruleId: string) {
  const gone = await tx<Pick<ValidationRuleAssignmentRow, "id" | "related_object_type">[]>`
    delete from validation_rule_assignments where project_id = ${projectId} and rule_id = ${ruleId}
    returning id, related_object_type`;
  const inCatalog = gone.filter(({ related_object_type }) => related_object_type !== "voucher");
  return { count: gone.length, in_catalog: inCatalog.map(({ id }) => id) };
}

/** Removes all rules of an object that is deleted, and returns the ids of the assignments. */
export async function removeAssignmentsOfObject(tx: Tx, projectId: string, relatedObjectId: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    delete from validation_rule_assignments
    where project_id = ${projectId} and related_object_id = ${relatedObjectId} returning id`;
  return rows.map(({ id }) => id);
}

/** The assignments of each of the objects, in the order in which they were made. */
export async function loadAssignmentsOf(db: Db, projectId: string, relatedObjectIds: readonly string[]) {
  const rows = await db<ValidationRuleAssignmentRow[]>`
    select * from validation_rule_assignments
    where project_id = ${projectId} and related_object_id = any(${relatedObjectIds}) order by id`;
  return Map.groupBy(rows, ({ related_object_id }) => related_object_id);
}

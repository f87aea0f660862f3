import { crudStore } from "../../db/crud-store.ts";
import type { Db } from "../../db/db.ts";

export type ValidationRuleAssignmentRow = {
  project_id: string;
  id: string;
  rule_id: string;
  related_object_type: string;
  related_object_id: string;
  created_at: string;
};

export const validationRuleAssignments = crudStore<ValidationRuleAssignmentRow>({
  table: "validation_rule_assignments",
  object: "validation_rules_assignment",
  columns: ["project_id", "id", "rule_id", "related_object_type", "related_object_id", "created_at"],
  sortable: ["created_at"],
});

/** What the catalog holds: all but those of vouchers, of which there may be millions. */
export const loadAssignments = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<ValidationRuleAssignmentRow[]>`
    select * from validation_rule_assignments
    where project_id = ${projectId} and related_object_type <> 'voucher'
      and ${ids === null ? db`true` : db`id = any(${ids})`}`;

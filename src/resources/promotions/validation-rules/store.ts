import { notFound } from "../../../core/errors.ts";
import { type FilterFields, toInstant } from "../../../core/filters/filter.ts";
import type { RuleDefinition } from "../../../core/rules/definition.ts";
import { crudStore, pageSql } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import type { ValidationRule, ValidationRuleQuery } from "./schema.ts";

export type ValidationRuleRow = RuleDefinition & {
  project_id: string;
  id: string;
  name: string;
  type: string;
  context_type: string;
  created_at: string;
  updated_at: string | null;
};

const FIELDS: FilterFields = { id: "string", name: "string", created_at: "date", updated_at: "date" };
const SORTABLE = ["created_at", "updated_at", "name"];

export const validationRules = crudStore<ValidationRuleRow>({
  table: "validation_rules",
  object: "validation_rules",
  columns: [
    "project_id",
    "id",
    "name",
    "rules",
    "bundle_rules",
    "applicable_to",
    "error",
    "type",
    "context_type",
    "created_at",
    "updated_at",
  ],
  sortable: SORTABLE,
});

/** What there is none of is left out: a text of its own, assignments, a first update. */
export const view = (row: ValidationRuleRow, assignments = 0): ValidationRule => ({
  id: row.id,
  name: row.name,
  rules: row.rules,
  bundle_rules: row.bundle_rules,
  ...(row.error && { error: row.error }),
  applicable_to: row.applicable_to,
  type: row.type as ValidationRule["type"],
  context_type: row.context_type,
  ...(assignments > 0 && { assignments_count: assignments }),
  created_at: row.created_at,
  ...(row.updated_at !== null && { updated_at: row.updated_at }),
  object: "validation_rules",
});

/** The rules that fit the filters, and were created between the two dates, both included. */
export async function listValidationRules(db: Db, projectId: string, query: ValidationRuleQuery & { now: string }) {
  const { start_date, end_date, now } = query;
  const where = db`${whereOf(db, query, { fields: FIELDS, now })}
    and ${start_date === undefined ? db`true` : db`created_at >= ${toInstant(start_date)}`}
    and ${end_date === undefined ? db`true` : db`created_at <= ${toInstant(end_date)}`}`;
  const [rows, counts] = await Promise.all([
    db<ValidationRuleRow[]>`
      select * from validation_rules where project_id = ${projectId} and ${where} ${pageSql(db, query, SORTABLE)}`,
    db<
      { total: number }[]
    >`select count(*) as total from validation_rules where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** How many assignments each of the rules has. Those without one are not in the map. */
export async function countAssignments(db: Db, projectId: string, ids: readonly string[]) {
  const rows = await db<{ rule_id: string; count: number }[]>`
    select rule_id, count(*) from validation_rule_assignments
    where project_id = ${projectId} and rule_id = any(${ids}) group by rule_id`;
  return new Map(rows.map(({ rule_id, count }) => [rule_id, count]));
}

/** Locks a rule, so that it is neither changed nor deleted meanwhile. */
export async function lockValidationRule(tx: Tx, projectId: string, id: string): Promise<ValidationRuleRow> {
  const [row] = await tx<ValidationRuleRow[]>`
    select * from validation_rules where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound("validation_rules", id);
  return row;
}

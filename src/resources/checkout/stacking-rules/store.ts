import { ApiError, notFound } from "../../../core/errors.ts";
import type { StackingSettings } from "../../../core/stacking/settings.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Tx } from "../../../db/db.ts";
import type { StackingRules } from "./schema.ts";

export type StackingRulesRow = {
  project_id: string;
  id: string;
  rules: StackingSettings;
  created_at: string;
  updated_at: string | null;
};

export const stackingRules = crudStore<StackingRulesRow>({
  table: "stacking_rules",
  object: "stacking_rules",
  columns: ["project_id", "id", "rules", "created_at", "updated_at"],
  sortable: ["created_at"],
});

/** When two requests create the set at once, one is told that it exists. */
export async function insertStackingRules(tx: Tx, { rules, ...row }: StackingRulesRow): Promise<StackingRulesRow> {
  const [saved] = await tx<StackingRulesRow[]>`
    insert into stacking_rules ${tx({ ...row, rules: rules as never })} on conflict (project_id) do nothing returning *`;
  if (!saved) throw new ApiError("stacking_rules_exist");
  return saved;
}

/** Locks the one set of a project, so that what is changed in it is not overwritten. */
export async function lockStackingRules(tx: Tx, projectId: string): Promise<StackingRulesRow | undefined> {
  const [row] = await tx<StackingRulesRow[]>`
    select * from stacking_rules where project_id = ${projectId} order by project_id for no key update`;
  return row;
}

export async function lockStackingRulesById(tx: Tx, projectId: string, id: string): Promise<StackingRulesRow> {
  const row = await lockStackingRules(tx, projectId);
  if (row?.id !== id) throw notFound("stacking_rules", id);
  return row;
}

export const view = ({ id, rules, created_at, updated_at }: StackingRulesRow): StackingRules => ({
  id,
  ...rules,
  created_at,
  updated_at,
});

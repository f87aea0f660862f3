import type { RuleDefinition } from "../../core/rules/definition.ts";
import { crudStore } from "../../db/crud-store.ts";

export type ValidationRuleRow = RuleDefinition & {
  project_id: string;
  id: string;
  name: string;
  type: string;
  context_type: string;
  created_at: string;
  updated_at: string | null;
};

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
  sortable: ["created_at", "updated_at", "name"],
});

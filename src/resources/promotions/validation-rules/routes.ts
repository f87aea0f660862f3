import {
  createValidationRule,
  removeValidationRule,
  updateValidationRule,
} from "../../../flows/promotions/set-validation-rule.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByValidationRule,
  ValidationRule,
  ValidationRuleCreate,
  ValidationRuleList,
  ValidationRuleQuery,
  ValidationRuleUpdate,
} from "./schema.ts";
import { countAssignments, listValidationRules, validationRules as store, view } from "./store.ts";

export const validationRuleRoutes = [
  read(
    "GET /v1/validation-rules",
    {
      id: "listValidationRules",
      summary: "List validation rules",
      description: "Those created from `start_date` to `end_date`, both included.",
      query: ValidationRuleQuery,
      ok: ValidationRuleList,
    },
    async (c) => {
      const page = await listValidationRules(c.db, c.project.id, { limit: 10, ...c.query, now: c.now });
      const counts = await countAssignments(
        c.db,
        c.project.id,
        page.rows.map(({ id }) => id),
      );
      return list(page, (row) => view(row, counts.get(row.id)));
    },
  ),
  write(
    "POST /v1/validation-rules",
    { id: "createValidationRule", summary: "Create a validation rule", body: ValidationRuleCreate, ok: ValidationRule },
    async (c) => createValidationRule(c, c.body),
  ),
  read(
    "GET /v1/validation-rules/{validationRuleId}",
    { id: "getValidationRule", summary: "Read a validation rule", params: ByValidationRule, ok: ValidationRule },
    async (c) => {
      const { validationRuleId: id } = c.params;
      const row = await store.get(c.db, c.project.id, id);
      return view(row, (await countAssignments(c.db, c.project.id, [id])).get(id));
    },
  ),
  write(
    "PUT /v1/validation-rules/{validationRuleId}",
    {
      id: "updateValidationRule",
      summary: "Update a validation rule",
      description: "Fields that are not sent keep their values; `bundle_rules: null` takes the bundle away.",
      params: ByValidationRule,
      body: ValidationRuleUpdate,
      ok: ValidationRule,
    },
    async (c) => updateValidationRule(c, c.params.validationRuleId, c.body),
  ),
  write(
    "DELETE /v1/validation-rules/{validationRuleId}",
    {
      id: "deleteValidationRule",
      summary: "Delete a validation rule",
      description: "Its assignments go with it.",
      params: ByValidationRule,
      ok: Empty,
    },
    async (c) => removeValidationRule(c, c.params.validationRuleId),
  ),
];

import { assignValidationRule, unassignValidationRule } from "../../../flows/promotions/assign-validation-rule.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  AssignmentPage,
  AssignmentQuery,
  AssignQuery,
  ByAssignment,
  OfValidationRule,
  ValidationRuleAssign,
  ValidationRuleAssignment,
  ValidationRuleAssignmentList,
} from "./schema.ts";
import { listRuleAssignments, view } from "./store.ts";

export const validationRuleAssignmentRoutes = [
  read(
    "GET /v1/validation-rules-assignments",
    {
      id: "listValidationRuleAssignments",
      summary: "List all assignments of validation rules",
      query: AssignmentQuery,
      ok: ValidationRuleAssignmentList,
    },
    async (c) => list(await listRuleAssignments(c.db, c.project.id, { limit: 10, ...c.query }), view),
  ),
  read(
    "GET /v1/validation-rules/{validationRuleId}/assignments",
    {
      id: "listAssignmentsOfValidationRule",
      summary: "List the assignments of a validation rule",
      description: "Of a rule that does not exist there are none.",
      params: OfValidationRule,
      query: AssignmentPage,
      ok: ValidationRuleAssignmentList,
    },
    async (c) => {
      const query = { limit: 10, ...c.query, rule: c.params.validationRuleId };
      return list(await listRuleAssignments(c.db, c.project.id, query), view);
    },
  ),
  write(
    "POST /v1/validation-rules/{validationRuleId}/assignments",
    {
      id: "assignValidationRule",
      summary: "Assign a validation rule",
      description: "All rules that are assigned to an object have to hold.",
      params: OfValidationRule,
      query: AssignQuery,
      body: ValidationRuleAssign,
      ok: ValidationRuleAssignment,
    },
    async (c) => assignValidationRule(c, c.params.validationRuleId, { ...c.body, force: c.query.force ?? false }),
  ),
  write(
    "DELETE /v1/validation-rules/{validationRuleId}/assignments/{assignmentId}",
    {
      id: "deleteValidationRuleAssignment",
      summary: "Take a validation rule away from an object",
      params: ByAssignment,
      ok: Empty,
    },
    async (c) => unassignValidationRule(c, c.params.validationRuleId, c.params.assignmentId),
  ),
];

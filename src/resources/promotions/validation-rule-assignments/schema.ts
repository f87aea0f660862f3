import { type Static, Type } from "typebox";
import { Choice, DateTime, Id, listOf, open, optional, PageQuery } from "../../../http/schemas.ts";

export const RELATED_OBJECT_TYPES = [
  "voucher",
  "campaign",
  "promotion_tier",
  "earning_rule",
  "reward_assignment",
  "distribution",
] as const;
export type RelatedObjectType = (typeof RELATED_OBJECT_TYPES)[number];

export const ValidationRuleAssignment = Type.Object(
  {
    id: Type.String(),
    rule_id: Type.String(),
    related_object_id: Type.String(),
    related_object_type: Choice(RELATED_OBJECT_TYPES),
    created_at: DateTime,
    object: Type.Literal("validation_rules_assignment"),
  },
  { title: "ValidationRuleAssignment" },
);
export type ValidationRuleAssignment = Static<typeof ValidationRuleAssignment>;

const older = (noun: string) => ({ ...Id, description: `The older way to name a ${noun}.` }) as typeof Id;

export const ValidationRuleAssign = open(
  optional({
    related_object_type: Choice(RELATED_OBJECT_TYPES, { description: "`voucher` unless it is sent." }),
    related_object_id: Id,
    voucher: older("voucher"),
    campaign: older("campaign"),
    promotion_tier: older("promotion tier"),
  }),
);
export type ValidationRuleAssign = Static<typeof ValidationRuleAssign>;
export const AssignQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Replace the same assignment instead of refusing." })),
});
export const ValidationRuleAssignmentList = listOf(ValidationRuleAssignment);
export const AssignmentPage = PageQuery(["created_at"]);
export const AssignmentQuery = PageQuery(["created_at"], {
  related_object_id: Type.Optional(Type.String({ maxLength: 200, description: "Assignments of this object." })),
  rule: Type.Optional(Type.String({ maxLength: 200, description: "Assignments of this rule, by its id." })),
});
export const OfValidationRule = Type.Object({ validationRuleId: Type.String() });
export const ByAssignment = Type.Object({ validationRuleId: Type.String(), assignmentId: Type.String() });

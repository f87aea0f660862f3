import { ApiError, invalid, notFound } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, type NewEvent, record } from "../../events/events.ts";
import { lockEarningRule, showAssigned } from "../../resources/loyalty-v1/earning-rules/store.ts";
import { lockRewardAssignment } from "../../resources/loyalty-v1/reward-assignments/store.ts";
import { lockCampaign } from "../../resources/promotions/campaigns/store.ts";
import { getPromotionTier, lockPromotionTier } from "../../resources/promotions/promotion-tiers/store.ts";
import type {
  RelatedObjectType,
  ValidationRuleAssign,
  ValidationRuleAssignment,
} from "../../resources/promotions/validation-rule-assignments/schema.ts";
import {
  findAssignment,
  isInCatalog,
  type ValidationRuleAssignmentRow,
  validationRuleAssignments,
  view,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { lockValidationRule, validationRules } from "../../resources/promotions/validation-rules/store.ts";
import { lockWithCampaign } from "../../steps/promotions/vouchers.ts";

/** Assigns a rule to an object. The same pair again is refused or, with force, replaced by a new assignment. */
export async function assignValidationRule(
  c: WriteCtx,
  ruleId: string,
  { force, ...sent }: ValidationRuleAssign & { force: boolean },
): Promise<ValidationRuleAssignment> {
  await validationRules.get(c.db, c.project.id, ruleId);
  const [type, named] = relatedObject(sent);
  // The object before the rule, as those who create an object with its rules lock them.
  const objectId = await requireAssignable(c, type, named);
  await lockValidationRule(c.db, c.project.id, ruleId);
  const before = await findAssignment(c.db, c.project.id, ruleId, objectId);
  if (before && !force)
    throw new ApiError("duplicate_found", {
      details: `Duplicated validation_rules_assignment exists with id ${before.id}`,
      resource_id: before.id,
      resource_type: "validation_rules_assignment",
    });
  if (before) await removeAssignment(c, before);
  const row = await validationRuleAssignments.insert(c.db, {
    id: c.newId("asgm"),
    project_id: c.project.id,
    rule_id: ruleId,
    related_object_type: type,
    related_object_id: objectId,
    created_at: c.now,
  });
  await noteAssignmentChange(c, row);
  await record(c, [assignmentEvent("business_validation_rule.assignment.created", row)]);
  return view(row);
}

export async function unassignValidationRule(c: WriteCtx, ruleId: string, id: string): Promise<null> {
  await lockValidationRule(c.db, c.project.id, ruleId);
  const row = await validationRuleAssignments.get(c.db, c.project.id, id);
  if (row.rule_id !== ruleId) throw notFound("validation_rules_assignment", id);
  await removeAssignment(c, row);
  return null;
}

async function removeAssignment(c: WriteCtx, row: ValidationRuleAssignmentRow): Promise<void> {
  await validationRuleAssignments.remove(c.db, c.project.id, row.id);
  await noteAssignmentChange(c, row);
  await record(c, [assignmentEvent("business_validation_rule.assignment.deleted", row)]);
}

async function noteAssignmentChange(c: WriteCtx, row: ValidationRuleAssignmentRow): Promise<void> {
  if (isInCatalog(row)) c.changed("validation_rule_assignment", row.id);
  if (row.related_object_type !== "earning_rule") return;
  await showAssigned(c.db, c.project.id, row.related_object_id);
  c.changed("campaign_earning_rule", row.related_object_id);
}

const assignmentEvent = (kind: EventKind, row: ValidationRuleAssignmentRow): NewEvent => ({
  kind,
  voucher_id: row.related_object_type === "voucher" ? row.related_object_id : null,
  campaign_id: row.related_object_type === "campaign" ? row.related_object_id : null,
  payload: { assignment: view(row) },
});

const OLDER = ["voucher", "campaign", "promotion_tier"] as const;

/** What a body names: with type and id or, as older clients do, with the id under the name of its type. */
function relatedObject(sent: ValidationRuleAssign): [type: RelatedObjectType, id: string] {
  const { related_object_type = "voucher", related_object_id } = sent;
  if (related_object_id !== undefined) return [related_object_type, related_object_id];
  const older = OLDER.flatMap((type) => (sent[type] === undefined ? [] : [[type, sent[type]] as const]));
  if (older.length > 1) throw invalid(`Payload must have only one of: ${OLDER.join(", ")}`);
  if (!older[0]) throw invalid("Payload must have required property 'related_object_id'");
  return [...older[0]];
}

type Find = (c: WriteCtx, id: string) => Promise<string>;
/** Objects that are not stored here yet: any id is taken as it is. */
const anyId: Find = async (_, id) => id;
const FIND: Record<RelatedObjectType, Find> = {
  voucher: async (c, reference) => (await lockWithCampaign(c, reference)).row.id,
  campaign: async (c, reference) => (await lockCampaign(c.db, c.project.id, reference)).id,
  promotion_tier: async (c, id) => {
    await lockPromotionTier(c.db, c.project.id, id);
    return (await getPromotionTier(c.db, c.project.id, id)).id;
  },
  earning_rule: async (c, id) => (await lockEarningRule(c.db, c.project.id, id)).id,
  reward_assignment: async (c, id) => {
    const found = await lockRewardAssignment(c.db, c.project.id, id);
    if (!found) throw notFound("reward_assignment", id);
    return found.id;
  },
  distribution: anyId,
};

/** The id of the object that a rule may be assigned to, which can be named in other ways too; 404 without it. */
const requireAssignable = (c: WriteCtx, type: RelatedObjectType, id: string): Promise<string> => FIND[type](c, id);

import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { parseAssignment, requireOtherCampaign } from "../../core/loyalty/campaign/reward.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, type NewEvent, record } from "../../events/events.ts";
import type {
  AssignRewards,
  AssignToCampaign,
  RewardAssignment,
  RewardAssignmentUpdate,
} from "../../resources/loyalty-v1/reward-assignments/schema.ts";
import {
  lockRewardAssignment,
  type RewardAssignmentRow,
  rewardAssignments,
  view,
} from "../../resources/loyalty-v1/reward-assignments/store.ts";
import { dropMappings } from "../../resources/loyalty-v1/tiers/store.ts";
import { reviewPrograms } from "../../resources/loyalty-v2/cards/reviews-store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { removeAssignmentsOfObject } from "../../resources/promotions/validation-rule-assignments/store.ts";
import { lockValidationRule } from "../../resources/promotions/validation-rules/store.ts";
import { loyaltyNamed } from "../../steps/points/loyalty-campaigns.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { requireKnown } from "../../steps/programs/loyalty-uses.ts";
import { assignRules } from "../../steps/promotions/rule-assignments.ts";
import { requireNoProgram } from "../../steps/referrals/referral-programs.ts";

/** Gives a campaign a reward. */
export async function assignReward(c: WriteCtx, rewardId: string, sent: AssignToCampaign): Promise<RewardAssignment> {
  const catalog = await lockWithRules(c, sent.validation_rules ?? []);
  requireKnown(catalog.campaign_rewards, "reward", rewardId);
  const campaign = loyaltyNamed(catalog, sent.campaign);
  return (await assign(c, [catalog, campaign], [{ ...sent, reward: rewardId }]))[0]!;
}

/** Gives a campaign several rewards: all of them, or none. */
export async function assignRewards(c: WriteCtx, reference: string, sent: AssignRewards): Promise<RewardAssignment[]> {
  const rules = sent.flatMap(({ validation_rules }) => validation_rules ?? []);
  const catalog = await lockWithRules(c, rules);
  return assign(c, [catalog, loyaltyNamed(catalog, reference)], sent);
}

/** Rules first: whoever assigns one to something else holds it while he waits for the project. */
async function lockWithRules(c: WriteCtx, ruleIds: readonly string[]): Promise<Catalog> {
  for (const id of [...new Set(ruleIds)].sort()) await lockValidationRule(c.db, c.project.id, id);
  return lockConfiguration(c);
}

async function assign(
  c: WriteCtx,
  [catalog, campaign]: readonly [Catalog, Campaign],
  sent: AssignRewards,
): Promise<RewardAssignment[]> {
  const assigned = [...(catalog.reward_assignments_of_campaign.get(campaign.id) ?? [])];
  const made: RewardAssignmentRow[] = [];
  for (const { reward: rewardId, parameters, validation_rules } of sent) {
    const reward = requireKnown(catalog.campaign_rewards, "reward", rewardId);
    const twin = assigned.find(({ reward_id }) => reward_id === rewardId);
    if (twin) throw duplicate("related_object", campaign.id, twin);
    requireOtherCampaign(reward.parameters, campaign.id);
    const row = {
      project_id: c.project.id,
      id: c.newId("rewa"),
      reward_id: rewardId,
      campaign_id: campaign.id,
      parameters: parseAssignment(reward.type, parameters),
      created_at: c.now,
      updated_at: null,
    };
    requireOneAutomatic(row, assigned);
    const saved = await rewardAssignments.insert(c.db, row);
    await assignRules(c, validation_rules ?? [], {
      related_object_type: "reward_assignment",
      related_object_id: row.id,
    });
    c.changed("reward_assignment", row.id);
    assigned.push(saved);
    made.push(saved);
  }
  await reviewAutomatic(c, made);
  await record(
    c,
    made.map((row) => assignmentEvent("campaign.reward.assignment.created", row, catalog)),
  );
  return made.map(view);
}

/** Where an assignment is looked for: of a reward, or of a campaign. */
type Of = { reward: string } | { campaign: string };

/** What is not sent keeps its value. */
export async function changeAssignment(
  c: WriteCtx,
  of: Of,
  [id, { parameters }]: readonly [string, RewardAssignmentUpdate],
): Promise<RewardAssignment> {
  const { catalog, row: before } = await lockAssignment(c, of, id);
  const { type } = requireKnown(catalog.campaign_rewards, "reward", before.reward_id);
  const next = { ...before, parameters: parseAssignment(type, parameters, before.parameters) };
  requireOneAutomatic(next, catalog.reward_assignments_of_campaign.get(before.campaign_id) ?? []);
  const patch = { parameters: next.parameters, updated_at: c.now };
  const row = await rewardAssignments.update(c.db, c.project.id, id, patch);
  c.changed("reward_assignment", id);
  await reviewAutomatic(c, [row]);
  await record(c, [assignmentEvent("campaign.reward.assignment.updated", row, catalog)]);
  return view(row);
}

export async function removeAssignment(c: WriteCtx, of: Of, id: string): Promise<null> {
  const { catalog, row } = await lockAssignment(c, of, id);
  await requireNoProgram(c, { type: "reward_assignment", id });
  await rewardAssignments.remove(c.db, c.project.id, id);
  c.changed("reward_assignment", id);
  for (const rule of await removeAssignmentsOfObject(c.db, c.project.id, id))
    c.changed("validation_rule_assignment", rule);
  const campaign = { project_id: c.project.id, id: row.campaign_id };
  for (const tier of await dropMappings(c.db, campaign, "rewards", id)) c.changed("campaign_tier", tier);
  await record(c, [assignmentEvent("campaign.reward.assignment.deleted", row, catalog)]);
  return null;
}

/** The row before the project: whoever assigns a rule to it holds it while he waits for the project. */
async function lockAssignment(c: WriteCtx, of: Of, id: string) {
  const locked = await lockRewardAssignment(c.db, c.project.id, id);
  const catalog = await lockConfiguration(c);
  if ("reward" in of) requireKnown(catalog.campaign_rewards, "reward", of.reward);
  const owner = "campaign" in of ? loyaltyNamed(catalog, of.campaign).id : of.reward;
  const isThere = locked && catalog.campaigns.has(locked.campaign_id);
  if (!isThere || ("campaign" in of ? locked.campaign_id : locked.reward_id) !== owner)
    throw notFound("reward_assignment", id);
  return { catalog, row: locked };
}

/** Cards that can pay by now are looked at. */
async function reviewAutomatic(c: WriteCtx, rows: readonly RewardAssignmentRow[]): Promise<void> {
  const automatic = rows.filter(({ parameters }) => parameters?.loyalty.auto_redeem);
  if (automatic.length === 0) return;
  await reviewPrograms(
    c,
    automatic.map(({ campaign_id }) => campaign_id),
  );
}

// Contract is silent: which of two automatic rewards would be redeemed.
function requireOneAutomatic(row: RewardAssignmentRow, assigned: readonly RewardAssignmentRow[]): void {
  if (!row.parameters?.loyalty.auto_redeem) return;
  const other = assigned.find(({ id, parameters }) => id !== row.id && parameters?.loyalty.auto_redeem);
  if (other) throw duplicate("auto_redeem", "true", other);
}

const duplicate = (field: string, value: string, { id }: RewardAssignmentRow) =>
  new ApiError("duplicate_found", {
    details: `Duplicated reward_assignment exists with ${field} ${value}`,
    resource_id: id,
    resource_type: "reward_assignment",
  });

function assignmentEvent(kind: EventKind, row: RewardAssignmentRow, catalog: Catalog): NewEvent {
  const { id, name, campaign_type } = catalog.campaigns.get(row.campaign_id)!;
  const { project_id: _, ...reward } = catalog.campaign_rewards.get(row.reward_id)!;
  const payload = { campaign: { id, name, campaign_type }, reward, reward_assignment: view(row) };
  return { kind, campaign_id: id, payload };
}

import {
  assignValidationRule,
  type Campaign,
  createCampaign,
  createCampaignEarningRules,
  createValidationRule,
  disableCampaign,
  updateCampaign,
} from "../../../api/operations.gen.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type Holder, makeRewards } from "../referral/make-rewards.ts";
import type { Referral } from "../referral/values.ts";
import { bodyOf, changesOf, ruleOf } from "./sent.ts";
import { START, type Values } from "./values.ts";

const makeRule = (send: SendStep, rule: NonNullable<ReturnType<typeof ruleOf>>) =>
  send(createValidationRule, { params: {}, body: rule }, `rule ${JSON.stringify(rule)}`);

/** Makes what referrers get, where it is new. */
const rewardsOf = (send: SendStep, referral: Referral | undefined, holder: Holder) =>
  makeRewards(send, referral?.referrer ?? [], holder);

export type Creating = { isOff: boolean; holder: Holder };

/** Makes a campaign: its rule, what referrers get, itself, and how points are earned. After a refusal it goes on where it stopped. */
export async function create(send: SendStep, values: Values, { isOff, holder }: Creating): Promise<{ id: string }> {
  const rule = ruleOf(values);
  const ruleId = rule && (await makeRule(send, rule)).id;
  const isReferral = values.campaign_type === "REFERRAL_PROGRAM";
  const assigned = await rewardsOf(send, isReferral ? values.referral : undefined, holder);
  // Switched off from its first moment: nobody may redeem what was never meant to begin.
  const body = { ...bodyOf(values, ruleId, assigned), ...(isOff && { active: false }) };
  const { id, active } = await send(createCampaign, { params: {}, body }, "campaign");
  // It was made by an attempt before, which wanted it switched on.
  if (isOff && active === true) await send(disableCampaign, { params: { campaignId: id } }, "off");
  const { earn_points: points, earn_every: every } = values;
  if (values.campaign_type === "LOYALTY_PROGRAM" && points && every) {
    const amount = { every, points };
    const loyalty = {
      ...{ type: "PROPORTIONAL" as const, calculation_type: "ORDER_AMOUNT" as const },
      order: { amount },
    };
    const rules = [{ event: "order.paid" as const, loyalty }];
    await send(createCampaignEarningRules, { params: { campaignId: id }, body: rules });
  }
  return { id };
}

type Edit = { changes: Partial<Values>; budget: string; holder: Holder; version: { ifMatch?: string } };

/** Changes a campaign, and gives it a rule with the conditions that it had none of. */
export async function update(send: SendStep, campaign: Campaign, edit: Edit): Promise<{ id: string }> {
  const { id, name } = campaign;
  const assigned = await rewardsOf(send, edit.changes.referral, edit.holder);
  const body = changesOf(edit.changes, campaign, assigned);
  if (Object.keys(body).length > 0) {
    const write = { params: { campaignId: id }, body, ...edit.version };
    await send(updateCampaign, write, `update ${JSON.stringify(body)}`);
  }
  // One that has rules gets the budget as one more.
  const isBudget = campaign.validation_rules_assignments.total > 0;
  const rule = ruleOf({ ...START, ...edit.changes, name: isBudget ? `${name}: ${edit.budget}` : name });
  if (rule) {
    const params = { validationRuleId: (await makeRule(send, rule)).id };
    await send(assignValidationRule, { params, body: { related_object_type: "campaign", related_object_id: id } });
  }
  return { id };
}

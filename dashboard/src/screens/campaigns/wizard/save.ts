import {
  type Campaign,
  createCampaign,
  createCampaignEarningRules,
  disableCampaign,
  updateCampaign,
} from "../../../api/operations.gen.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import { giveRule, makeRule, refuseClosed, saveGoods } from "../goods/save-goods.ts";
import { ALL_GOODS, goodsFor, type Place } from "../goods/values.ts";
import { type Holder, makeRewards } from "../referral/make-rewards.ts";
import type { Referral } from "../referral/values.ts";
import { bodyOf, changesOf, ruleOf, ruleOfTier } from "./sent.ts";
import { START, type Values, valuesOf } from "./values.ts";

/** Makes what referrers get, where it is new. */
const rewardsOf = (send: SendStep, referral: Referral | undefined, holder: Holder) =>
  makeRewards(send, referral?.referrer ?? [], holder);

/** Makes the rules of offers that take some products only. */
async function makeTierRules(send: SendStep, values: Values): Promise<ReadonlyMap<number, string>> {
  const made = new Map<number, string>();
  for (const tier of values.campaign_type === "PROMOTION" ? values.tiers : []) {
    const rule = ruleOfTier(tier, values);
    if (rule) made.set(tier.key, (await makeRule(send, rule)).id);
  }
  return made;
}

export type Creating = { isOff: boolean; holder: Holder };

/** Makes a campaign: its rule, what referrers get, itself, and how points are earned. After a refusal it goes on where it stopped. */
export async function create(send: SendStep, values: Values, { isOff, holder }: Creating): Promise<{ id: string }> {
  const rule = ruleOf(values);
  const ruleId = rule && (await makeRule(send, rule)).id;
  const isReferral = values.campaign_type === "REFERRAL_PROGRAM";
  const assigned = await rewardsOf(send, isReferral ? values.referral : undefined, holder);
  const tierRules = await makeTierRules(send, values);
  // Switched off from its first moment: nobody may redeem what was never meant to begin.
  const body = { ...bodyOf(values, ruleId, { assigned, tierRules }), ...(isOff && { active: false }) };
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

type Edit = {
  changes: Partial<Values>;
  /** Where the products of the discount are said. */
  place: Place;
  /** What a rule is called that is made for a budget, or for products. */
  words: { budget: string; goods: string };
  holder: Holder;
  version: { ifMatch?: string };
};

/** Gives a campaign the conditions that it had none of, and the products of its discount. */
async function updateRules(send: SendStep, campaign: Campaign, { changes, place, words }: Edit): Promise<void> {
  const { id, name, campaign_type } = campaign;
  const of = { related_object_type: "campaign" as const, related_object_id: id };
  const { goods: chosen, ...rest } = changes;
  const discount = rest.discount ?? valuesOf(campaign).discount;
  const goods = chosen && goodsFor(chosen, discount);
  // A rule that is made says both. One that has rules gets it as one more.
  const inNew = (place.kind === "new" && goods) || ALL_GOODS;
  const says = [...(rest.budget ? [words.budget] : []), ...(inNew.which === "all" ? [] : [words.goods])];
  const isMore = campaign.validation_rules_assignments.total > 0;
  const named = isMore ? `${name}: ${says.join(", ")}` : name;
  const rule = ruleOf({ ...START, ...rest, campaign_type, discount, goods: inNew, name: named });
  if (rule) await giveRule(send, rule, of);
  if (goods && place.kind !== "new") await saveGoods(send, goods, { place, of, name: `${name}: ${words.goods}` });
}

/** Changes a campaign and its rules. */
export async function update(send: SendStep, campaign: Campaign, edit: Edit): Promise<{ id: string }> {
  const { id } = campaign;
  if (edit.changes.goods) refuseClosed(edit.place);
  const assigned = await rewardsOf(send, edit.changes.referral, edit.holder);
  const body = changesOf(edit.changes, campaign, assigned);
  if (Object.keys(body).length > 0) {
    const write = { params: { campaignId: id }, body, ...edit.version };
    await send(updateCampaign, write, `update ${JSON.stringify(body)}`);
  }
  await updateRules(send, campaign, edit);
  return { id };
}

import { createCampaign, createCampaignReward, createRewardAssignment } from "../../../api/operations.gen.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type ReferrerReward, rewardOf } from "./values.ts";

/** The campaign that holds what referrers get. `id` is null where there is none yet. */
export type Holder = { id: string | null; name: string; description: string };

/**
 * Makes the rewards that are new, and gives their assignments by their keys. The interface assigns rewards to loyalty campaigns only,
 * whose members could buy them: so one that is switched off holds them all, and nobody is a member of it.
 */
export async function makeRewards(
  send: SendStep,
  referrer: readonly ReferrerReward[],
  { id, ...about }: Holder,
): Promise<ReadonlyMap<number, string>> {
  const made = new Map<number, string>();
  const fresh = referrer.filter(({ tier }) => tier === null);
  if (fresh.length === 0) return made;
  const voucher = { type: "LOYALTY_CARD" as const, loyalty_card: { points: 0 } };
  const body = {
    ...about,
    campaign_type: "LOYALTY_PROGRAM" as const,
    type: "AUTO_UPDATE" as const,
    active: false,
    voucher,
  };
  const campaign = id ?? (await send(createCampaign, { params: {}, body }, "holder")).id;
  for (const one of fresh) {
    const reward = rewardOf(one);
    const name = `${one.key} ${JSON.stringify(reward)}`;
    const { id: campaignRewardId } = await send(createCampaignReward, { params: {}, body: reward }, `reward ${name}`);
    // A price has to be there. Nobody pays it.
    const assignment = { campaign, parameters: { loyalty: { points: 1 } } };
    const write = { params: { campaignRewardId }, body: assignment };
    made.set(one.key, (await send(createRewardAssignment, write, `assignment ${name}`)).id);
  }
  return made;
}

import { type Static, Type } from "typebox";
import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../ctx.ts";
import { RewardAssignment } from "../../resources/loyalty-v1/reward-assignments/schema.ts";
import { CampaignReward } from "../../resources/loyalty-v1/rewards/schema.ts";
import { campaignRewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { getVoucher } from "../../resources/promotions/vouchers/store.ts";
import { isAffordable, isGone, rewardAtPrice, rewardsOfCard } from "../../steps/points/card-rewards.ts";
import { loadPointsNow } from "../../steps/points/point-cards.ts";

const { parameters } = CampaignReward.properties;
// What a tier makes of a ratio need not be a whole number.
const coin = Type.Optional(Type.Object({ exchange_ratio: Type.Number(), points_ratio: Type.Number() }));
export const CardRewards = Type.Object(
  {
    object: Type.Literal("list"),
    data_ref: Type.Literal("data"),
    data: Type.Array(
      Type.Object({
        reward: Type.Object({
          ...CampaignReward.properties,
          parameters: Type.Object({ ...parameters.properties, coin }),
        }),
        assignment: RewardAssignment,
        object: Type.Literal("loyalty_reward"),
      }),
    ),
    total: Type.Integer({ minimum: 0 }),
  },
  { title: "CardRewards" },
);
type CardRewards = Static<typeof CardRewards>;

/** What a loyalty card can be redeemed for, at the prices of its tier. What is left of a reward is read now. */
export async function listCardRewards(
  c: Ctx,
  reference: string,
  { affordable_only = false }: { affordable_only?: boolean },
): Promise<CardRewards> {
  const catalog = await c.catalog();
  const row = await getVoucher(c.db, c.project, reference);
  const card = (await loadPointsNow(c, catalog, [row])).get(row.id);
  if (!card) throw notFound("voucher", reference);
  const { account, tier } = card.change.card;
  const all = rewardsOfCard(catalog, { campaign_id: card.campaign.id, tier_id: tier?.tier_id ?? null }).filter(
    (one) => !isGone(catalog, one) && (!affordable_only || isAffordable(one.price, account.sums.available)),
  );
  const found = await campaignRewards.load(
    c.db,
    c.project.id,
    all.map(({ reward }) => reward.id),
  );
  const byId = new Map(found.map((one) => [one.id, one]));
  const data = all.flatMap((one) => {
    const reward = byId.get(one.reward.id);
    return reward ? [{ ...rewardAtPrice(reward, one), object: "loyalty_reward" as const }] : [];
  });
  return { object: "list", data_ref: "data", data, total: data.length };
}

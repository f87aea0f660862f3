import { notHolder } from "../../core/errors.ts";
import { changeCard } from "../../core/loyalty/card/card-at-work.ts";
import type { AppliedStep, PointsSpent } from "../../core/redeem/redemption-plan.ts";
import type { RedeemRefusal } from "../../core/redeem/refuse.ts";
import { redeemPoints } from "../../core/redeem/reward-points.ts";
import type { RewardKept } from "../../core/rows/redemption.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import { type CardReward, rewardOfCard, rewardShown } from "../../steps/points/card-rewards.ts";
import { pointsShown, worldOf } from "../../steps/points/point-changes.ts";
import { voucherShown } from "../../steps/rewards/reward-handouts.ts";
import type { RedeemAttempt } from "./decide.ts";

/**
 * Why points cannot be spent though nothing stands against the redeemables themselves: nobody has the card, or what the
 * reward brings is not there any more. When all is well, the codes of rewards are drawn: it is the last thing asked.
 */
export function refuseSpending(attempt: RedeemAttempt, steps: readonly AppliedStep[]): RedeemRefusal | null {
  const { customer, gifts } = attempt;
  const cards = steps.filter(({ result }) => result.loyalty_card);
  if (cards.length === 0) return null;
  for (const { redeemable } of cards)
    if (!customer || redeemable.holder_ids === null)
      return { error: notHolder(redeemable.id).body, concerns: redeemable };
  const wanting = cards.filter(({ redeemable }) => rewardFor(attempt, redeemable)?.reward.type === "CAMPAIGN");
  if (wanting.length === 0) return null;
  const ids = wanting.map(({ redeemable }) => redeemable.ref);
  const refused = gifts?.reserve(ids);
  const about = refused && wanting.find(({ redeemable }) => redeemable.ref === refused.cardId)!;
  return about ? { error: refused.error, concerns: about.redeemable } : null;
}

/** The reward that a card is redeemed for; null: it is no loyalty card. */
function rewardFor({ command, cards }: RedeemAttempt, { ref, benefit }: Redeemable): CardReward | null {
  const card = cards.of(ref);
  if (!card || benefit.kind !== "points" || !benefit.reward) return null;
  const tier_id = card.change.card.tier?.tier_id ?? null;
  return rewardOfCard(command.catalog, { campaign_id: card.campaign.id, tier_id }, benefit.reward.id);
}

/** Spends the points of a card on a reward, and gives what the reward brings; null: it is no loyalty card. */
export function spendOnReward(
  attempt: RedeemAttempt,
  { redeemable, result }: AppliedStep,
  { id, order_id }: { id: string; order_id: string | null },
): PointsSpent | null {
  const { command, state, cards } = attempt;
  const reward = rewardFor(attempt, redeemable);
  if (!reward) return null;
  const card = cards.of(redeemable.ref)!;
  const { change } = changeCard(card, worldOf(card, command), (before, world) => ({
    change: redeemPoints(before, world, {
      points: result.loyalty_card!.points,
      order_id,
      reason: null,
      details: { reward: { id: reward.reward.id, name: reward.reward.name } },
      cause: { redemption_id: id },
    }),
  }));
  return {
    from: change.entries[0]!.lots.map(([lot, amount]) => [lot, amount]),
    shown: pointsShown(card),
    reward: rewardKept(attempt, reward, redeemable.ref),
    rewards: state.rewards.has(reward.reward.id) ? [{ id: reward.reward.id, by: 1 }] : [],
  };
}

/** What a redemption keeps of its reward. What the reward brings is given with it. */
function rewardKept({ gifts, customer }: RedeemAttempt, reward: CardReward, cardId: string): RewardKept {
  const given = reward.reward.type === "CAMPAIGN" ? gifts!.give(cardId, customer!.row) : null;
  return { ...rewardShown(reward), voucher: given && voucherShown(given) };
}

import { trimCode } from "../../core/codes/code.ts";
import { type ErrorBody, notHolder } from "../../core/errors.ts";
import { redeemPoints } from "../../core/redeem/reward-points.ts";
import type { RewardKept } from "../../core/rows/redemption.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import type { Tx } from "../../db/db.ts";
import { findVouchers } from "../../resources/promotions/vouchers/store.ts";
import { codesIn, findingVouchers, type RedeemRequest } from "../../steps/checkout/deciding.ts";
import type { KnownVoucher } from "../../steps/checkout/redeemables.ts";
import { type CardReward, rewardOfCard, rewardShown } from "../../steps/points/card-rewards.ts";
import { changePointCard, type PointCard } from "../../steps/points/point-cards.ts";
import { noteCauses, seePoints, worldOf } from "../../steps/points/point-changes.ts";
import { voucherShown } from "../../steps/rewards/reward-handouts.ts";
import type { Work } from "./load.ts";
import type { Attempt } from "./rows.ts";

/**
 * Requests that spend points and do not say whose: the holder of the card is who redeems. That it is still the holder is
 * asked when the card is locked.
 */
export async function withHolders<C extends RedeemRequest>(tx: Tx, commands: readonly C[]): Promise<readonly C[]> {
  const nameless = commands.filter(
    ({ sent, member, isClient }) =>
      !isClient && !sent.customer && !sent.tracking_id && (member || sent.redeemables.some(({ reward }) => reward?.id)),
  );
  if (nameless.length === 0) return commands;
  const rows = await findVouchers(tx, nameless[0]!.project, codesIn(nameless));
  const cardOf = findingVouchers(rows.map((row) => ({ row, assignments: [], holder_ids: null })));
  return commands.map((command) => {
    if (!nameless.includes(command)) return command;
    const cards = command.sent.redeemables.flatMap(({ object, id }) =>
      object === "voucher" ? (cardOf(trimCode(id), command.project)?.row ?? []) : [],
    );
    const holder = cards.find(({ type, holder_id }) => type === "LOYALTY_CARD" && holder_id !== null)?.holder_id;
    return holder ? { ...command, sent: { ...command.sent, customer: { id: holder } } } : command;
  });
}

/** A code as a request of the round finds it: of a loyalty card with what time has brought. */
export function knownAt(work: Work, known: KnownVoucher | undefined, command: RedeemRequest): KnownVoucher | undefined {
  const one = known && work.points.get(known.row.id);
  if (!one) return known;
  const card = seePoints(one, command);
  noteCauses(work.caused, one, command);
  return { ...known, card };
}

type Step = { redeemable: Redeemable; result: { loyalty_card?: { points: number } } };

/**
 * Why points cannot be spent though nothing stands against the redeemables themselves: nobody has the card, or what the
 * reward brings is not there any more. When all is well, the codes of rewards are taken: it is the last thing asked.
 */
export function spendingRefusal(
  { command, work, customer }: Attempt,
  steps: readonly Step[],
): { error: ErrorBody; concerns: Redeemable } | null {
  const cards = steps.filter(({ result }) => result.loyalty_card);
  if (cards.length === 0) return null;
  for (const { redeemable } of cards)
    if (!customer || redeemable.holder_ids === null)
      return { error: notHolder(redeemable.id).body, concerns: redeemable };
  const wanting = cards.filter(({ redeemable }) => rewardFor(work, redeemable, command)?.reward.type === "CAMPAIGN");
  if (wanting.length === 0) return null;
  const ids = wanting.map(({ redeemable }) => redeemable.ref);
  const refused = work.handouts?.reserve(ids, command);
  const about = refused && wanting.find(({ redeemable }) => redeemable.ref === refused.cardId)!;
  return about ? { error: refused.error, concerns: about.redeemable } : null;
}

/** The reward that a card is redeemed for; null: it is no loyalty card. */
export function rewardFor(work: Work, { ref, benefit }: Redeemable, { catalog }: RedeemRequest): CardReward | null {
  const one = work.points.get(ref);
  if (!one || benefit.kind !== "points" || !benefit.reward) return null;
  const tier_id = one.change.card.tier?.tier_id ?? null;
  return rewardOfCard(catalog, { campaign_id: one.campaign.id, tier_id }, benefit.reward.id);
}

type Spent = { id: string; points: number; order_id: string | null; reward: CardReward };

/** Spends the points of a card. Returns the lots that they came from. */
export function spendPointsOf({ command, work }: Attempt, one: PointCard, spent: Spent): [string, number][] {
  const { id, points, order_id, reward } = spent;
  const { change } = changePointCard(one, worldOf(one, command), (card, world) => ({
    change: redeemPoints(card, world, {
      points,
      order_id,
      reason: null,
      details: { reward: { id: reward.reward.id, name: reward.reward.name } },
      cause: { redemption_id: id },
    }),
  }));
  noteCauses(work.caused, one, command);
  return change.entries[0]!.lots.map(([lot, amount]) => [lot, amount]);
}

/** What a redemption keeps of its reward. What the reward brings is given with it. */
export function takeReward({ command, work, customer }: Attempt, reward: CardReward, cardId: string): RewardKept {
  const { id, type } = reward.reward;
  const row = work.rewards.get(id);
  if (row) {
    work.rewards.set(id, { ...row, stock: row.stock === null ? null : row.stock - 1, redeemed: row.redeemed + 1 });
    work.rewardsTaken.set(id, (work.rewardsTaken.get(id) ?? 0) + 1);
  }
  const given = type === "CAMPAIGN" ? work.handouts!.give(cardId, command, customer!.row) : null;
  return { ...rewardShown(reward), voucher: given && voucherShown(given) };
}

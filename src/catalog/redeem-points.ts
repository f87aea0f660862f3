import assert from "node:assert/strict";
import { trimCode } from "../core/codes/code.ts";
import { type ErrorBody, notHolder } from "../core/errors.ts";
import { redeemPoints } from "../core/redeem/reward-points.ts";
import { zoneOf } from "../core/time/zone.ts";
import type { Redeemable } from "../core/validate/redeemable.ts";
import type { NewId, Project } from "../ctx.ts";
import type { Tx } from "../db/db.ts";
import { type EventsOf, type NamedEvent, type NewEvent, withIds } from "../events/events.ts";
import type { RewardKept } from "../resources/redemptions/schema.ts";
import { takeRewardStock } from "../resources/rewards/store.ts";
import { findVouchers, type VoucherUse } from "../resources/vouchers/store.ts";
import { type CardReward, type CardSeen, rewardOfCard, rewardShown } from "./card-rewards.ts";
import type { Catalog } from "./catalog.ts";
import { codesIn, findingVouchers } from "./deciding.ts";
import { type EarningTrigger, type Origin, tiersMoved } from "./earn-causes.ts";
import { advancePointCard, changePointCard, type PointCard, pointWorld, savePointCards } from "./point-cards.ts";
import type { Attempt } from "./redeem-rows.ts";
import type { RedeemRequest, Work } from "./redeem-work.ts";
import type { KnownVoucher } from "./redeemables.ts";
import type { Given } from "./reward-handouts.ts";

type Moment = {
  project: Pick<Project, "timezone">;
  catalog: Pick<Catalog, "tiers_of_campaign">;
  now: string;
  newId: NewId;
};
const worldOf = ({ campaign }: PointCard, { catalog, project, now, newId }: Moment) =>
  pointWorld(catalog, campaign, { now, zone: zoneOf(project), newId });

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

/** What a card holds at this moment. One that nobody has holds what it began with. */
export function seePoints(one: PointCard, at: Moment): CardSeen {
  if (one.row.account !== null || one.row.holder_id !== null) advancePointCard(one, worldOf(one, at));
  const { account, tier } = one.change.card;
  return { available: account.sums.available, tier_id: tier?.tier_id ?? null };
}

/** A code as a request of the round finds it: of a loyalty card with what time has brought. */
export function knownAt(work: Work, known: KnownVoucher | undefined, command: RedeemRequest): KnownVoucher | undefined {
  const one = known && work.points.get(known.row.id);
  if (!one) return known;
  const card = seePoints(one, command);
  noteCauses(work.caused, one, command);
  return { ...known, card };
}

/** Which request brought what has happened to a card: it is told with it. */
export function noteCauses<C>(caused: Map<string, C>, { change }: PointCard, command: C): void {
  const ids = [
    ...change.entries.map(({ id }) => id),
    ...change.tiers.map((one) => (one.kind === "made" ? one.transaction.id : one.id)),
  ];
  for (const id of ids) if (!caused.has(id)) caused.set(id, command);
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

/** A card as it is kept with what was done with it. */
export const pointsShown = ({ change }: PointCard) => {
  const { received, available } = change.card.account.sums;
  return { points: received, balance: available };
};

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

export const voucherShown = ({ voucher: { id, code, type }, campaign, balance }: Given) => ({
  id,
  code,
  type,
  campaign: campaign.name,
  campaign_id: campaign.id,
  ...(type === "GIFT_VOUCHER" && { gift: { amount: balance } }),
  ...(type === "LOYALTY_CARD" && { loyalty_card: { points: balance } }),
  object: "voucher" as const,
});
// Contract is silent: what is sent to the customer is done later, by hand; everything else is done with the redemption.
/** What is told of a reward. */
export function rewardEvents(
  { command }: { command: { newId: NewId } },
  reward: RewardKept,
  about: Pick<NewEvent, "customer_id" | "voucher_id" | "campaign_id"> & { redemption_id: string; points: number },
): NewEvent[] {
  const { redemption_id, points, ...who } = about;
  const isPending = reward.type === "MATERIAL";
  const tell = (kind: NewEvent["kind"], status: string): NewEvent => ({
    kind,
    ...who,
    payload: { reward_redemption: { id, status }, ...told },
  });
  const id = command.newId("rewr");
  const told = {
    reward: { id: reward.id, name: reward.name, type: reward.type },
    reward_assignment: { id: reward.assignment_id },
    redemption_id,
    points,
    ...(reward.voucher && { voucher: { id: reward.voucher.id, code: reward.voucher.code } }),
  };
  return [
    { kind: "customer.rewarded", ...who, payload: told },
    tell("customer.reward_redemptions.created", "CREATED"),
    isPending
      ? tell("customer.reward_redemptions.pending", "PENDING")
      : tell("customer.reward_redemptions.completed", "COMPLETED"),
  ];
}

/** What is left of codes, after their points were saved. */
export const usesAfter = (uses: Iterable<VoucherUse>, points: ReadonlyMap<string, PointCard>): VoucherUse[] =>
  [...uses].map((use) => {
    const card = points.get(use.id);
    if (!card?.world) return use;
    const { sums } = card.change.card.account;
    return { ...use, account: sums, available: sums.available };
  });

type Saving<C> = {
  project: Project;
  points: ReadonlyMap<string, PointCard>;
  caused: ReadonlyMap<string, C>;
  /** Of each reward so many more were redeemed, or less. */
  rewards: ReadonlyMap<string, number>;
};

type Saved<C> = { told: EventsOf<C, NamedEvent>[]; moved: EarningTrigger[] };

/** Saves cards and what was taken of rewards; before `saveUses`. Returns what is to be recorded, and what points may follow from. */
export async function savePointsWork<C extends Origin>(tx: Tx, work: Saving<C>): Promise<Saved<C>> {
  const { project, points, caused, rewards } = work;
  if (points.size + rewards.size === 0) return { told: [], moved: [] };
  const tellings = await savePointCards(tx, project, points.values(), { source: null });
  const moved: EarningTrigger[] = [];
  const told = [...Map.groupBy(tellings, ({ payload }) => caused.get(payload!.transaction_id as string)!)].map(
    ([of, some]) => {
      const happened = withIds(of, some);
      moved.push(...tiersMoved(happened, of));
      return { of, happened };
    },
  );
  const taken = [...rewards].filter(([, by]) => by !== 0).map(([id, by]) => ({ id, by }));
  const count = await takeRewardStock(tx, project.id, taken);
  assert.equal(count, taken.length, "no more is taken of a reward than there is");
  return { told, moved };
}

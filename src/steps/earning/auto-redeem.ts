import type { Catalog } from "../../catalog/catalog.ts";
import type { CardEntry } from "../../core/loyalty/card/card.ts";
import type { SpentPoints } from "../../core/loyalty/card/card-at-work.ts";
import { type AutoRedemption, planAutoRedemptions } from "../../core/redeem/auto-plan.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf, NewEvent } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { countLast } from "../../resources/checkout/counters/store.ts";
import { insertRedemptions, tally } from "../../resources/checkout/redemptions/store.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { saveUses } from "../../resources/promotions/vouchers/state-store.ts";
import { rewardShown } from "../points/card-rewards.ts";
import type { EarningProject } from "../points/earning-triggers.ts";
import type { AutoRedeeming, PointCard } from "../points/point-cards.ts";
import { type Gift, type GiftResult, giveAll } from "../referrals/referral-gifts.ts";
import { rewardEvents, voucherShown } from "../rewards/reward-handouts.ts";

const REASON = "Reward";

/** There are not so many rewards as were decided on: of each card so many of its own could be given. */
class Short extends Error {
  readonly given: ReadonlyMap<string, number>;
  constructor(given: ReadonlyMap<string, number>) {
    super("there are not so many rewards");
    this.given = given;
  }
}

/**
 * Runs what moves points, with rewards that are redeemed by themselves. How many of them there are turns out when they
 * are given: where there are too few all of it is undone, and decided again with those that there are.
 */
export async function autoRedeeming<T>(
  tx: Tx,
  isOn: boolean,
  run: (tx: Tx, auto: AutoRedeeming | null) => Promise<T>,
): Promise<T> {
  if (!isOn) return run(tx, null);
  const attempt = (leftOf: AutoRedeeming["leftOf"]) =>
    tx.savepoint((inner) => run(inner, { leftOf, spent: [] })) as Promise<T>;
  const unlessShort = (next: (short: Short) => Promise<T>) => (error: unknown) => {
    if (error instanceof Short) return next(error);
    throw error;
  };
  return (
    attempt(() => Number.POSITIVE_INFINITY)
      .catch(unlessShort(({ given }) => attempt((row) => given.get(row.id) ?? given.get(keyOf(row)) ?? 0)))
      // Decided again it may bring other points, and want rewards in another order.
      .catch(unlessShort(() => attempt(() => 0)))
  );
}

/** A card that somebody is given by what is decided has another id each time, and is the only one they have. */
const keyOf = ({ holder_id, campaign_id }: VoucherRow): string => `${holder_id} ${campaign_id}`;

type RewardSpending = SpentPoints & { one: PointCard; of: Origin; customer: CustomerRow };

type AutoRedeemed = {
  project: EarningProject;
  catalog: Catalog;
  auto: AutoRedeeming | null;
  /** The cards, as they are after all that was spent. */
  cards: ReadonlyMap<string, PointCard>;
};

/**
 * Gives the rewards, and writes their redemptions, in a number of statements that does not depend on how many there are.
 * The cards are saved. Returns the events; the caller records them.
 */
export async function saveAutoRedeemed(
  tx: Tx,
  { project, catalog, auto, cards }: AutoRedeemed,
  originOf: (entry: CardEntry) => Origin,
): Promise<EventsOf<Origin>[]> {
  if (!auto || auto.spent.length === 0) return [];
  const holderOf = ({ card_id }: SpentPoints) => cards.get(card_id)!.row.holder_id!;
  const ids = [...new Set(auto.spent.map(holderOf))];
  const people = await findCustomers(tx, project.id, { ids, sourceIds: [], trackingIds: [] });
  const customers = new Map(people.map((row) => [row.id, row]));
  const spent = auto.spent.map(
    (points): RewardSpending => ({
      ...points,
      one: cards.get(points.card_id)!,
      of: originOf(points.entry),
      customer: customers.get(holderOf(points))!,
    }),
  );
  const gifts = spent.map((one) => giftOf(catalog, one));
  const given = await giveAll(tx, project, catalog, gifts, REASON);
  requireAll(spent, gifts, given);
  const plan = planAutoRedemptions(
    spent.map((one, n) => redemptionOf(project, one, { gift: gifts[n]!, given: given[n]! })),
  );
  await countLast(tx, project.id, plan.countedLast);
  await saveUses(tx, project.id, plan.uses);
  await insertRedemptions(tx, project.id, plan.redemptions);
  await tally(tx, project.id, plan.redemptions);
  return spent.map(({ of }, n) => ({ of, happened: [...toldOf(of, plan.redemptions[n]!), ...given[n]!.happened] }));
}

type RewardWithCampaign = { campaign?: { id: string; balance?: number } };

function giftOf(catalog: Catalog, { one, of, customer }: RewardSpending): Gift {
  const { reward } = one.auto!;
  const { campaign } = reward.parameters as RewardWithCampaign;
  const found = campaign ? (catalog.campaigns.get(campaign.id) ?? null) : null;
  return { of, to: customer, campaign: found, amount: campaign?.balance || null, reward };
}

/** What could not be given was not redeemed. */
function requireAll(
  spent: readonly RewardSpending[],
  gifts: readonly Gift[],
  given: readonly (GiftResult | null)[],
): void {
  const counts = new Map<string, number>();
  const isThere = spent.map(({ one }, n) => {
    const { amount, reward } = gifts[n]!;
    const got = given[n];
    const isWhole =
      got != null && (amount === null || got.balance !== null) && (reward!.type !== "CAMPAIGN" || got.voucher !== null);
    for (const key of isWhole ? [one.row.id, keyOf(one.row)] : []) counts.set(key, (counts.get(key) ?? 0) + 1);
    return isWhole;
  });
  if (isThere.includes(false)) throw new Short(counts);
}

function redemptionOf(
  project: EarningProject,
  { one, entry, received, customer }: RewardSpending,
  { gift, given }: { gift: Gift; given: GiftResult },
): AutoRedemption {
  const { row, campaign, auto, change } = one;
  const { voucher } = given;
  const shown = voucher && voucherShown({ voucher, campaign: gift.campaign!, balance: gift.amount ?? 0 });
  return {
    project_id: project.id,
    voucher: row,
    campaign,
    sums: change.card.account.sums,
    received,
    entry,
    starts: startsOf(entry.created_at, zoneOf(project)),
    customer,
    assignment_id: auto!.assignment.id,
    reward: { ...rewardShown(auto!), voucher: shown },
  };
}

function toldOf(
  of: Origin,
  { id, customer_id, related_object_id, campaign_id, amount, effect }: RedemptionRow,
): NewEvent[] {
  const about = { customer_id, voucher_id: related_object_id, campaign_id };
  return [
    { kind: "customer.redemption.succeeded", ...about, payload: { redemption_id: id, amount } },
    ...rewardEvents({ command: of }, effect!.reward!, { ...about, redemption_id: id, points: amount! }),
  ];
}

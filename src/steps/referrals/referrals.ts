import type { Catalog } from "../../catalog/catalog.ts";
import { type ErrorBody, errorBody } from "../../core/errors.ts";
import { oncePer } from "../../core/once-per.ts";
import { isSamePerson } from "../../core/referrals/person.ts";
import { type ReferralProgram, type ReferralTier, tiersReached } from "../../core/referrals/program.ts";
import type { CatalogReward } from "../../core/rows/campaign.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { validityFault } from "../../core/time/validity.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import type { Db, Tx } from "../../db/db.ts";
import { type EventsOf, type NamedEvent, type NewEvent, withIds } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { lockCustomers } from "../../resources/customers/customers/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { codesOfOrders, countConversions, possibleReferrers } from "../../resources/promotions/referrals/store.ts";
import { evaluationAt, loadSegmentsOf } from "../customers/segment-membership.ts";
import { type EarningProject, type EarningTrigger, tiersMoved } from "../points/earning-triggers.ts";
import { holderEvent } from "../publishing/publication-rows.ts";
import { countFriends, holdCodes, type ReferralsAhead, type Referred, referralKey } from "./friends.ts";
import { type Gift, type GiftResult, giveAll } from "./referral-gifts.ts";

export type { Referred };

/** The program of a campaign that was made before programs were checked, or without one. */
const DEFAULT: ReferralProgram = { conversion_event_type: "redemption" };
export const programOf = ({ referral_program }: Pick<Campaign, "referral_program">): ReferralProgram => ({
  ...DEFAULT,
  ...referral_program,
});

type Waiting = {
  /** All campaigns of referral codes. */
  campaignIds: readonly string[];
  /** Those that wait for a paid order. */
  paid: readonly string[];
  /** Segments that tiers of referrers ask for. */
  segments: ReadonlySet<string>;
  /** By the id of an assignment: what tiers of referrers may name. */
  rewards: ReadonlyMap<string, CatalogReward>;
};
/** What the referral programs of a project wait for. */
export const referralsIn = oncePer((catalog: Catalog): Waiting => {
  const campaigns = [...catalog.campaigns.values()].filter(isReferral);
  const tiers = campaigns.flatMap((campaign) => programOf(campaign).tiers ?? []);
  const assigned = [...catalog.reward_assignments_of_campaign.values()].flat();
  return {
    campaignIds: campaigns.map(({ id }) => id),
    paid: campaigns
      .filter((campaign) => programOf(campaign).conversion_event_type === "order.paid")
      .map(({ id }) => id),
    segments: new Set(tiers.flatMap(({ parameters }) => parameters.segment_id ?? [])),
    rewards: new Map(
      assigned.flatMap(({ id, reward_id }) => {
        const reward = catalog.campaign_rewards.get(reward_id);
        return reward ? [[id, reward] as const] : [];
      }),
    ),
  };
});

export const isReferral = (campaign: Campaign | null | undefined): campaign is Campaign =>
  campaign?.campaign_type === "REFERRAL_PROGRAM";

type Code = Pick<VoucherRow, "campaign_id" | "holder_id">;
/** The campaigns of referral codes that commands may name, each by the configuration that it is decided on. */
export const referralCampaigns = (commands: readonly { catalog: Catalog }[]): string[] => [
  ...new Set(commands.flatMap(({ catalog }) => referralsIn(catalog).campaignIds)),
];

/** The referrers of these codes: they are locked together with their friends. */
export const referrersOf = ({ campaigns }: Catalog, codes: readonly Code[]): string[] =>
  codes.flatMap(({ campaign_id, holder_id }) =>
    holder_id !== null && isReferral(campaigns.get(campaign_id ?? "")) ? [holder_id] : [],
  );

/** Who may have brought the customers of orders that may be paid, however these are named. */
export async function referrersOfOrders(
  db: Db,
  projectId: string,
  catalog: Catalog,
  named: { names: readonly string[]; orders: readonly string[] },
): Promise<string[]> {
  const { paid } = referralsIn(catalog);
  if (paid.length === 0 || named.names.length + named.orders.length === 0) return [];
  const rows = await possibleReferrers(db, projectId, { ...named, campaignIds: paid });
  return rows.map(({ id }) => id);
}

/** What redemptions of referral codes bring about. A guest is nobody's friend. */
export function redeemedReferrals<O extends Origin>(
  { campaigns }: Catalog,
  of: O,
  redeemed: readonly { redemption_id: string; voucher: VoucherRow; referee_id: string | null }[],
): Referred<O>[] {
  return redeemed.flatMap(({ redemption_id, voucher, referee_id }) => {
    const campaign = campaigns.get(voucher.campaign_id ?? "");
    const { holder_id: referrer_id } = voucher;
    if (!isReferral(campaign) || referrer_id === null || referee_id === null) return [];
    if (programOf(campaign).conversion_event_type !== "redemption") return [];
    return [{ of, campaign, voucher, referrer_id, referee_id, by: { type: "redemption", id: redemption_id } }];
  });
}

/**
 * What orders bring about that were paid. Contract is silent: through which code a customer came, and that a campaign
 * whose time is over still counts them: who redeemed a code in time may pay later.
 */
export async function paidReferrals<O extends Origin>(
  db: Db,
  projectId: string,
  catalog: Catalog,
  told: readonly EarningTrigger[],
): Promise<Referred<O>[]> {
  const { paid } = referralsIn(catalog);
  const orders = told.flatMap((trigger) =>
    trigger.kind === "customer.order.paid" && trigger.order.customer_id !== null
      ? [{ of: trigger.of as O, order: trigger.order }]
      : [],
  );
  if (paid.length === 0 || orders.length === 0) return [];
  const asked = orders.map(({ order }) => ({
    id: order.id,
    customer_id: order.customer_id!,
    redemptions: Object.entries(order.redemptions).flatMap(([id, redemption]) => [id, ...stackedIn(redemption)]),
    referrer_id: order.referrer_id,
  }));
  const codes = await codesOfOrders(db, projectId, { orders: asked, campaignIds: paid });
  const codesOf = Map.groupBy(codes, ({ order_id }) => order_id);
  return orders.flatMap(({ of, order }) =>
    (codesOf.get(order.id) ?? []).flatMap(({ id, code, campaign_id, holder_id }) => {
      const campaign = catalog.campaigns.get(campaign_id)!;
      const by = { type: "order" as const, id: order.id };
      return campaign.active
        ? [{ of, campaign, voucher: { id, code }, referrer_id: holder_id, referee_id: order.customer_id!, by }]
        : [];
    }),
  );
}

const stackedIn = (redemption: unknown): readonly string[] =>
  (redemption as { stacked?: readonly string[] }).stacked ?? [];

/** Whether a code can bring somebody at that moment: it and its campaign are on, and it is their time. */
export function isReferralOpen(row: VoucherRow, campaign: Campaign, at: { now: string; timezone: string }): boolean {
  if (!row.active || !campaign.active) return false;
  const zone = zoneOf(at);
  return validityFault(settingsOf(row, campaign), { now: at.now, zone }) === null;
}

export const notPublished = (): ErrorBody =>
  errorBody("not_published", {
    details: "Referral code must be first published to Referrer before assigning it to Referee",
  });

/** What is to be recorded, and who was changed beside the friends themselves. */
export type Converted<O extends Origin> = {
  following: EventsOf<O, NamedEvent>[];
  referrers: ReadonlyMap<string, O>;
  /** What points may follow from. */
  told: EarningTrigger[];
};

/**
 * Counts friends who came, once in a campaign each, and gives what the programs promise: in a fixed number of
 * statements, in the transaction of what they did. Friends and referrers were locked before.
 *
 * Contract is silent: it is not undone when the redemption is rolled back or the order cancelled. The friend came, and
 * what was given may be spent; nor does the friend count again.
 */
export async function convertReferrals<O extends Origin>(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  referred: readonly Referred<O>[],
  read: ReferralsAhead | null = null,
): Promise<Converted<O>> {
  const nothing: Converted<O> = { following: [], referrers: new Map(), told: [] };
  if (referred.length === 0) return nothing;
  const ids = [...new Set(referred.flatMap(({ referrer_id, referee_id }) => [referrer_id, referee_id]))];
  const locked = read ? ids.flatMap((id) => read.personOf(id) ?? []) : [];
  // Where somebody is not among those who were locked, nothing was read of them either.
  const ahead = locked.length === ids.length ? read : null;
  const people = new Map((ahead ? locked : await lockCustomers(tx, project.id, { ids })).map((row) => [row.id, row]));
  const candidates = new Map<string, Referred<O>>();
  for (const friend of referred) {
    const [referrer, referee] = [people.get(friend.referrer_id), people.get(friend.referee_id)];
    // Of the others it was asked when it was decided, as both were then.
    const isSelf = friend.by.type === "order" && referrer && referee && isSamePerson(referrer, referee);
    if (referrer && referee && !isSelf && !candidates.has(referralKey(friend)))
      candidates.set(referralKey(friend), friend);
  }
  const fresh = await countFriends(tx, project.id, [...candidates.values()], ahead);
  if (fresh.length === 0) return nothing;
  const holders = await holdCodes(tx, project.id, fresh, ahead);
  const tiersOf = await loadTiers(tx, project, catalog, { fresh, people });
  const wanted = fresh.flatMap((friend) => giftsOf(catalog, friend, { people, tiers: tiersOf.get(friend) ?? [] }));
  const given = await giveAll(tx, project, catalog, wanted, "Referral");
  const following = fresh.map((friend) => {
    const gifts = wanted.flatMap((gift, n) => {
      const result = gift.referred === friend ? given[n] : null;
      const isGiven = result && (gift.amount === null || result.balance !== null);
      return [...(result?.happened ?? []), ...(isGiven ? [rewardedEvent(gift, result)] : [])];
    });
    const happened = [referredEvent(friend), ...(holders.get(friend) ?? []).map(holderEvent), ...gifts];
    return { of: friend.of, happened: withIds(friend.of, happened) };
  });
  return {
    following,
    referrers: new Map(fresh.map(({ referrer_id, of }) => [referrer_id, of])),
    told: following.flatMap(({ of, happened }) => tiersMoved(happened, of)),
  };
}

/** The tiers that each of the friends brings their referrer to. */
async function loadTiers(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  { fresh, people }: { fresh: readonly Referred[]; people: ReadonlyMap<string, CustomerRow> },
): Promise<Map<Referred, ReferralTier[]>> {
  const withTiers = fresh.filter(({ campaign }) => (programOf(campaign).tiers ?? []).length > 0);
  if (withTiers.length === 0) return new Map();
  const asked = withTiers.map(({ campaign, referrer_id }) => ({ campaign_id: campaign.id, referrer_id }));
  const counts = await countConversions(tx, project.id, asked);
  const totals = new Map(counts.map((row) => [`${row.campaign_id} ${row.referrer_id}`, row.count]));
  const { segments: segmentIds } = referralsIn(catalog);
  const rows = withTiers.map(({ referrer_id }) => people.get(referrer_id)!);
  const segmentsOf =
    segmentIds.size > 0 ? await loadSegmentsOf(tx, catalog, rows, { projectId: project.id, segmentIds }) : null;
  // Counted backwards: of those who came in one batch the last makes the total.
  const reached = withTiers.toReversed().map((friend, n): [Referred, ReferralTier[]] => {
    const key = `${friend.campaign.id} ${friend.referrer_id}`;
    const count = totals.get(key)!;
    totals.set(key, count - 1);
    const segments = segmentsOf?.(withTiers.length - 1 - n, evaluationAt(project, friend.of.now)) ?? new Set<string>();
    return [friend, tiersReached(programOf(friend.campaign).tiers ?? [], { count, segments })];
  });
  return new Map(reached);
}

type ReferralGift = Gift & { referred: Referred; tier: ReferralTier | null };

/** What the program promises for a friend: to the friend, and to who brought them. */
function giftsOf(
  catalog: Catalog,
  referred: Referred,
  { people, tiers }: { people: ReadonlyMap<string, CustomerRow>; tiers: readonly ReferralTier[] },
): ReferralGift[] {
  const { of, campaign, referee_id, referrer_id } = referred;
  const reward = programOf(campaign).referee_reward;
  const parent = reward && catalog.campaigns.get(reward.related_object_parent.id);
  const toFriend = parent
    ? [{ of, referred, tier: null, to: people.get(referee_id)!, campaign: parent, amount: reward.amount, reward: null }]
    : [];
  const toReferrer = tiers.flatMap((tier): ReferralGift[] => {
    const found = referralsIn(catalog).rewards.get(tier.reward.assignment_id);
    if (!found || "coin" in found.parameters) return [];
    const about = { of, referred, tier, to: people.get(referrer_id)!, reward: found };
    if ("product" in found.parameters) return [{ ...about, campaign: null, amount: null }];
    const { id, balance = null } = found.parameters.campaign;
    const own = catalog.campaigns.get(id);
    return own ? [{ ...about, campaign: own, amount: balance }] : [];
  });
  return [...toFriend, ...toReferrer];
}

const causeIn = ({ type, id }: Referred["by"]) => ({ [type]: { id } });

const referredEvent = ({ campaign, voucher, referrer_id, referee_id, by }: Referred): NewEvent => ({
  kind: "customer.referred",
  customer_id: referee_id,
  campaign_id: campaign.id,
  voucher_id: voucher.id,
  payload: {
    customer: { id: referee_id, object: "customer" },
    referrer: { id: referrer_id, object: "customer" },
    campaign: { id: campaign.id, name: campaign.name, object: "campaign" },
    voucher: { id: voucher.id, code: voucher.code, object: "voucher" },
    ...causeIn(by),
  },
});

const rewardedEvent = ({ referred, tier, to, reward }: ReferralGift, given: GiftResult): NewEvent => ({
  kind: "customer.rewarded",
  customer_id: to.id,
  campaign_id: referred.campaign.id,
  voucher_id: given.voucher_id,
  payload: {
    customer: { id: to.id, object: "customer" },
    campaign: { id: referred.campaign.id, name: referred.campaign.name, object: "campaign" },
    voucher: given.voucher_id && { id: given.voucher_id, object: "voucher" },
    reward: reward && { id: reward.id, name: reward.name, type: reward.type, object: "reward" },
    referral_tier: tier && { id: tier.id, campaign_id: referred.campaign.id, banner: tier.banner, parameters: {} },
    balance: given.balance,
    ...causeIn(referred.by),
  },
});

import { type CountedSubject, counterKeys } from "../../core/redeem/counters.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { type Starts, startsOf } from "../../core/vouchers/uses.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { lockCounters } from "../../resources/checkout/counters/store.ts";
import { lockSessions } from "../../resources/checkout/sessions/store.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { lockRewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { findOrders, lockOrders } from "../../resources/orders/orders/store.ts";
import {
  findVouchers,
  holdersOfNamed,
  lockNamedVouchers,
  lockVouchers,
  unnamedBy,
} from "../../resources/promotions/vouchers/store.ts";
import { type CartSent, customerSent, referring } from "../../steps/checkout/carts.ts";
import { codesIn, type RedeemRequest, type Request, rewardsIn, tiersAsked } from "../../steps/checkout/requests.ts";
import { countsDecide, subjectsOf } from "../../steps/checkout/rule-facts.ts";
import { type CustomersAtWork, openCustomers } from "../../steps/customers/customers.ts";
import { keepsMembers } from "../../steps/customers/segment-membership.ts";
import { referralCampaigns, referralsIn, referrersOf, referrersOfOrders } from "../../steps/referrals/referrals.ts";
import { handoutsIn, openRewardHandouts, wantsHandout } from "../../steps/rewards/reward-handouts.ts";

import { readAhead } from "./ahead.ts";

const namesIn = (sent: CartSent): string[] => {
  const customer = customerSent(sent);
  return [customer?.id, customer?.source_id, sent.tracking_id].filter(
    (name) => name != null && name !== "",
  ) as string[];
};

/** How requests name their customer, and the referrer of their order. */
export const namesOf = ({ sent }: Request): string[] => namesIn(sent);
export const referrerNames = ({ sent }: Request): string[] => namesIn(referring(sent));

/** How requests name their orders. */
export const ordersNamed = (requests: readonly Request[]): string[] =>
  requests.flatMap(({ sent }) => sent.order?.id || sent.order?.source_id || []);

/** The periods of a round: midnight never comes inside of one. */
export const startsIn = ([first]: readonly RedeemRequest[]): Starts => startsOf(first!.now, zoneOf(first!.project));

/** The orders that a round names, where they exist. */
export function ordersOf(tx: Tx, projectId: string, round: readonly Request[], read: typeof lockOrders) {
  const ids = round.flatMap(({ sent }) => sent.order?.id || []);
  const sourceIds = round.flatMap(({ sent }) => (sent.order?.id ? [] : sent.order?.source_id || []));
  return ids.length + sourceIds.length > 0 ? read(tx, projectId, { ids, sourceIds }) : [];
}

/**
 * Whether the codes have to be looked up before anything is locked: they decide which referrers, segment members, counters or codes
 * of rewards are locked first, or midnight comes between two commands. Otherwise codes are locked by their names.
 */
export const needsCodesFirst = (round: readonly RedeemRequest[]): boolean =>
  round.some(({ catalog }) => keepsMembers(catalog) || referralsIn(catalog).paid.length > 0 || countsDecide(catalog)) ||
  round.some(wantsHandout) ||
  new Set(round.map((one) => startsIn([one]).day)).size > 1;

/** Locks everything that the round may change, in the one order that all flows keep. What is locked is read anew. */
export async function lockRows(
  tx: Tx,
  projectId: string,
  round: readonly RedeemRequest[],
  { periods = [startsIn(round)], known = null }: { periods?: readonly Starts[]; known?: readonly VoucherRow[] | null },
) {
  const { project } = round[0]!;
  const codes = codesIn(round);
  const isByName = known === null && !needsCodesFirst(round);
  const found = known ?? (isByName ? [] : await findVouchers(tx, project, codes));
  const tiers = tiersAsked(round);
  const sessions = new Map(round.flatMap(({ session, now }) => (session ? [[session.key, until(now)] as const] : [])));
  const { given, texts } = peopleSent(round);
  const isKept = round.some(({ catalog }) => keepsMembers(catalog));
  // An order may be given to another: then the segments of who had it are worked out anew, too.
  const owners = isKept
    ? (await ordersOf(tx, projectId, round, findOrders)).flatMap((one) => one.customer_id ?? [])
    : [];
  const [{ catalog }] = round as readonly [RedeemRequest];
  const asked = { names: round.flatMap(namesOf), orders: ordersNamed(round) };
  const referrers = isByName
    ? []
    : [...referrersOf(catalog, found), ...(await referrersOfOrders(tx, projectId, catalog, asked))];
  const named = round.flatMap(referrerNames);
  const shared = isByName && codes.length > 0 ? referralCampaigns(round) : [];
  const others = {
    ids: [...named, ...owners, ...referrers],
    sourceIds: [...texts, ...named],
    trackingIds: texts,
    alsoIds: shared.length > 0 ? holdersOfNamed(tx, project, { references: codes, campaignIds: shared }) : undefined,
  };
  const apiKeyIds = [...new Set(round.map(({ api_key_id }) => api_key_id))];
  const keysOf = (some: readonly CountedSubject[]) =>
    some.flatMap((subject) =>
      periods.flatMap((starts) => apiKeyIds.flatMap((api_key_id) => counterKeys(subject, { api_key_id, starts }))),
    );
  const areCodesCounted = round.some((one) => countsDecide(one.catalog));
  const first = subjectsOf(areCodesCounted ? found : [], tiers);
  const voucherIds = found.map(({ id }) => id);
  const wanted = round.some(wantsHandout) ? handoutsIn(round, found) : [];
  const rewardIds = rewardsIn(round);
  // Each of these sends its statements as it is called, so the connection runs them in this order; nothing waits in between.
  const [, customers, orders, counters, alone, own, ahead] = await together([
    sessions.size > 0 && lockSessions(tx, projectId, sessions),
    openCustomers(tx, projectId, given, others),
    ordersOf(tx, projectId, round, lockOrders),
    lockCounters(tx, projectId, keysOf(first)),
    isByName
      ? codes.length > 0 && lockNamedVouchers(tx, project, codes)
      : voucherIds.length > 0 && wanted.length === 0 && lockVouchers(tx, projectId, voucherIds),
    // Codes that a reward brings come before its stock.
    rewardIds.length > 0 && wanted.length === 0 && lockRewards(tx, projectId, rewardIds),
    isByName ? readAhead(tx, round, { starts: periods[0]!, names: asked.names, isShared: shared.length > 0 }) : null,
  ]);
  const handouts = wanted.length > 0 ? await openRewardHandouts(tx, { project, wanted, voucherIds }) : null;
  const vouchers = handouts
    ? await lockVouchers(tx, projectId, [...new Set([...voucherIds, ...handouts.heldIds])])
    : alone || [];
  const unnamed = isByName ? unnamedBy(project, vouchers, codes) : [];
  if (unnamed.length > 0 && (await findVouchers(tx, project, unnamed)).length > 0)
    throw new StartOver("a code got its name meanwhile");
  await requireReferrers(tx, projectId, { vouchers, campaignIds: shared, customers });
  const rewards = own || (rewardIds.length > 0 ? await lockRewards(tx, projectId, rewardIds) : []);
  if (isKept && orders.some(({ customer_id }) => customer_id !== null && !customers.byId(customer_id)))
    throw new StartOver("an order was given to another customer meanwhile");
  const subjects = subjectsOf(vouchers, tiers);
  return {
    starts: periods[0]!,
    tiers,
    subjects,
    customers,
    orders,
    counters,
    areCodesCounted,
    last: keysOf(subjects.filter(({ row }) => row !== null && !areCodesCounted)),
    ahead,
    vouchers,
    handouts,
    rewards,
  };
}

/** Who may be made, and the texts that may name somebody in any way. */
const peopleSent = (round: readonly RedeemRequest[]) => ({
  given: round.flatMap(({ sent }) => [customerSent(sent) ?? [], customerSent(referring(sent)) ?? []].flat()),
  texts: round.flatMap(({ sent }) => [
    ...(typeof sent.customer === "string" ? [sent.customer] : []),
    ...(sent.tracking_id ? [sent.tracking_id] : []),
  ]),
});

/** Who shares the codes was found before these were locked: they may have been given to another since. */
async function requireReferrers(
  tx: Tx,
  projectId: string,
  {
    vouchers,
    campaignIds,
    customers,
  }: { vouchers: readonly VoucherRow[]; campaignIds: readonly string[]; customers: CustomersAtWork },
): Promise<void> {
  const holders = vouchers.flatMap(({ campaign_id, holder_id }) =>
    campaign_id !== null && campaignIds.includes(campaign_id) ? (holder_id ?? []) : [],
  );
  const ids = holders.filter((id) => !customers.byId(id));
  if (ids.length > 0 && (await findCustomers(tx, projectId, { ids, sourceIds: [], trackingIds: [] })).length > 0)
    throw new StartOver("a referral code was given to another customer meanwhile");
}

const until = (now: string): string => Temporal.Instant.from(now).add({ hours: 24 }).toString();

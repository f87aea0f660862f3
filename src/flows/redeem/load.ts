import { namedInRules } from "../../catalog/named-in-rules.ts";
import { countedAs } from "../../core/discounts/items.ts";
import type { Account } from "../../core/ledger/account.ts";
import { referencesIn } from "../../core/order/resolve.ts";
import type { CounterRow, UnitsRow } from "../../core/rows/counter.ts";
import type { EntryRow, LotRow } from "../../core/rows/ledger.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow, VoucherUse } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { type Starts, startsOf } from "../../core/vouchers/uses.ts";
import type { Project } from "../../ctx.ts";
import { StartOver } from "../../db/commit.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf } from "../../events/events.ts";
import { loadKeys, lockCounters } from "../../resources/checkout/counters/store.ts";
import { loadCustomerCounts } from "../../resources/checkout/redemptions/counts-store.ts";
import { loadLocks, lockSessions, type SessionLock } from "../../resources/checkout/sessions/store.ts";
import { loadPromises, type Promised } from "../../resources/checkout/validations/store.ts";
import { type CustomersAtWork, openCustomers } from "../../resources/customers/customers/store.ts";
import { loadLots } from "../../resources/ledger/ledger/store.ts";
import { lockRewards, type RewardRow } from "../../resources/loyalty-v1/rewards/store.ts";
import { findOrders, lockOrders } from "../../resources/orders/orders/store.ts";
import { findVouchers, lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { type Budgets, loadBudgets } from "../../steps/checkout/budgets.ts";
import { type CartSent, customerSent, personFrom, referring } from "../../steps/checkout/carts.ts";
import {
  asksAboutCustomers,
  codesIn,
  findingVouchers,
  limitedIn,
  type RedeemRequest,
  type Request,
  rewardsIn,
  subjectsOf,
  tiersIn,
  unitTypesFor,
} from "../../steps/checkout/deciding.ts";
import type { Receipts } from "../../steps/checkout/receipts.ts";
import { type KnownVoucher, loadKnownVouchers } from "../../steps/checkout/redeemables.ts";
import {
  addedTo,
  counterKeys,
  countsDecide,
  nameOf,
  type Subject,
  sinceOf,
  type Use,
  useOf,
} from "../../steps/checkout/use.ts";
import { keepsMembers, loadSegmentsOf, type SegmentsOf } from "../../steps/customers/segment-membership.ts";
import { type Goods, idsOf, loadGoods } from "../../steps/goods/goods.ts";
import type { Overrides } from "../../steps/goods/overrides.ts";
import type { EarningTrigger } from "../../steps/points/earning-triggers.ts";
import { openPointCards, type PointCard } from "../../steps/points/point-cards.ts";
import { loadTiersOf, type TiersOf } from "../../steps/points/tiers-held.ts";
import { type Referred, referrersOf, referrersOfOrders } from "../../steps/referrals/referrals.ts";
import {
  handoutsIn,
  openRewardHandouts,
  type RewardHandouts,
  wantsHandout,
} from "../../steps/rewards/reward-handouts.ts";

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

/** What one round works on: rows that are locked, and what becomes of them. */
export type Work = {
  project: Project;
  starts: Starts;
  customers: CustomersAtWork;
  orders: Map<string, OrderRow>;
  voucherOf: ReturnType<typeof findingVouchers>;
  known: Map<string, KnownVoucher>;
  accounts: Map<string, Account>;
  /** Loyalty cards, with what has happened to them. */
  points: Map<string, PointCard>;
  /** The rewards that requests name, with what is left of them. */
  rewards: Map<string, RewardRow>;
  /** What rewards bring from other campaigns; null: none does. */
  handouts: RewardHandouts | null;
  locks: Map<string, readonly SessionLock[]>;
  use: Use;
  budgets: Budgets;
  goods: Goods;
  units: Goods;
  unitTypes: ReadonlySet<string>;
  segmentsOf: SegmentsOf | null;
  /** The loyalty tiers of the customers; null: no rule names one. */
  tiersOf: TiersOf | null;
  promises: ReadonlyMap<string, Promised>;
  round: readonly RedeemRequest[];
  // What is to be saved.
  redemptions: RedemptionRow[];
  entries: EntryRow[];
  lots: Map<string, LotRow>;
  counters: Map<string, CounterRow>;
  /** What is counted with the last statement of the batch; null: it was locked with the rest. */
  countedLast: Map<string, CounterRow> | null;
  unitsUsed: Map<string, UnitsRow>;
  uses: Map<string, VoucherUse>;
  rewardsTaken: Map<string, number>;
  /** Which request brought a transaction of a loyalty card. */
  caused: Map<string, RedeemRequest>;
  ordersSaved: Set<string>;
  overrides: { overrides: Overrides; made: RedeemRequest }[];
  receipts: Receipts;
  released: Set<string>;
  events: EventsOf<RedeemRequest>[];
  /** Friends who may have come through a referral code. */
  referred: Referred<RedeemRequest>[];
  /** Orders that were paid or cancelled: points may follow. */
  moves: EarningTrigger[];
  /** Customers, with the last request that was theirs. */
  touched: Map<string, RedeemRequest>;
};

/** The periods of a round: midnight never comes inside of one. */
export const startsIn = ([first]: readonly RedeemRequest[]): Starts => startsOf(first!.now, zoneOf(first!.project));

/** The orders that a round names, where they exist. */
export function ordersOf(tx: Tx, projectId: string, round: readonly Request[], read: typeof lockOrders) {
  const ids = round.flatMap(({ sent }) => sent.order?.id || []);
  const sourceIds = round.flatMap(({ sent }) => (sent.order?.id ? [] : sent.order?.source_id || []));
  return ids.length + sourceIds.length > 0 ? read(tx, projectId, { ids, sourceIds }) : [];
}

/** Locks everything that the round may change, in the one order that all flows keep. What is locked is read anew. */
export async function lockRows(
  tx: Tx,
  projectId: string,
  round: readonly RedeemRequest[],
  { periods = [startsIn(round)], known = null }: { periods?: readonly Starts[]; known?: readonly VoucherRow[] | null },
) {
  const { project } = round[0]!;
  const found = known ?? (await findVouchers(tx, project, codesIn(round)));
  const tiers = tiersIn(round);
  const sessions = new Map(round.flatMap(({ session, now }) => (session ? [[session.key, until(now)] as const] : [])));
  if (sessions.size > 0) await lockSessions(tx, projectId, sessions);
  const given = round.flatMap(({ sent }) => customerSent(sent) ?? []);
  const texts = round.flatMap(({ sent }) => [
    ...(typeof sent.customer === "string" ? [sent.customer] : []),
    ...(sent.tracking_id ? [sent.tracking_id] : []),
  ]);
  const isKept = round.some(({ catalog }) => keepsMembers(catalog));
  // An order may be given to another: then the segments of who had it are worked out anew, too.
  const owners = isKept
    ? (await ordersOf(tx, projectId, round, findOrders)).flatMap((one) => one.customer_id ?? [])
    : [];
  const [{ catalog }] = round as readonly [RedeemRequest];
  const asked = { names: round.flatMap(namesOf), orders: ordersNamed(round) };
  const referrers = [...referrersOf(catalog, found), ...(await referrersOfOrders(tx, projectId, catalog, asked))];
  const named = [
    ...given,
    ...texts.map((source_id) => ({ source_id })),
    ...round.flatMap(referrerNames).flatMap((name) => [{ id: name }, { source_id: name }]),
    ...[...owners, ...referrers].map((id) => ({ id })),
  ];
  const apiKeyIds = [...new Set(round.map(({ api_key_id }) => api_key_id))];
  const subjects = subjectsOf(found, tiers);
  const keysOf = (some: readonly Subject[]) =>
    some.flatMap((subject) =>
      periods.flatMap((starts) => apiKeyIds.flatMap((api_key_id) => counterKeys(subject, { api_key_id, starts }))),
    );
  const areCodesCounted = round.some((one) => countsDecide(one.catalog));
  const first = subjects.filter(({ row }) => row === null || areCodesCounted);
  const last = keysOf(subjects.filter((one) => !first.includes(one)));
  const voucherIds = found.map(({ id }) => id);
  const wanted = round.some(wantsHandout) ? handoutsIn(round, found) : [];
  const rewardIds = rewardsIn(round);
  // Each of these sends its statements as it is called, so the connection runs them in this order; nothing waits in between.
  const [customers, orders, counters, alone] = await Promise.all([
    openCustomers(tx, projectId, named, texts),
    ordersOf(tx, projectId, round, lockOrders),
    lockCounters(tx, projectId, keysOf(first)),
    voucherIds.length > 0 && wanted.length === 0 ? lockVouchers(tx, projectId, voucherIds) : [],
  ]);
  const handouts = wanted.length > 0 ? await openRewardHandouts(tx, { project, wanted, voucherIds }) : null;
  const vouchers = handouts
    ? await lockVouchers(tx, projectId, [...new Set([...voucherIds, ...handouts.heldIds])])
    : alone;
  const rewards = rewardIds.length > 0 ? await lockRewards(tx, projectId, rewardIds) : [];
  if (isKept && orders.some(({ customer_id }) => customer_id !== null && !customers.byId(customer_id)))
    throw new StartOver("an order was given to another customer meanwhile");
  return {
    starts: periods[0]!,
    tiers,
    subjects,
    customers,
    orders,
    counters,
    areCodesCounted,
    last,
    vouchers,
    handouts,
    rewards,
  };
}

type Opening = {
  receipts: Receipts;
  countedLast: Map<string, CounterRow>;
  /** The codes of the round, where they were looked up already. */
  found: readonly VoucherRow[] | null;
};

export async function openWork(
  tx: Tx,
  projectId: string,
  round: readonly RedeemRequest[],
  { receipts, countedLast, found }: Opening,
): Promise<Work> {
  const { project } = round[0]!;
  const locked = await lockRows(tx, projectId, round, { known: found });
  const { starts, tiers, subjects, customers, orders, vouchers } = locked;
  const voucherIds = vouchers.map(({ id }) => id);
  const unitTypes = unitTypesFor(round, vouchers, tiers);
  const references = round.map(({ sent }) => referencesIn(sent.order?.items ?? []));
  const open = vouchers.filter(({ account, type }) => account !== null && type === "GIFT_VOUCHER").map(({ id }) => id);
  const promised = round.flatMap(({ validation_id }) => validation_id ?? []);
  const [counted, points, known, goods, units, lots, locks, promises] = await Promise.all([
    loadKeys(tx, projectId, locked.last),
    openPointCards(tx, project, round[0]!.catalog, vouchers),
    loadKnownVouchers(tx, projectId, vouchers),
    loadGoods(tx, projectId, {
      products: references.flatMap(({ products }) => products),
      skus: references.flatMap(({ skus }) => skus),
    }),
    loadGoods(tx, projectId, { products: [...unitTypes], skus: [...unitTypes] }),
    open.length > 0 ? loadLots(tx, projectId, open) : [],
    voucherIds.length > 0 ? loadLocks(tx, projectId, voucherIds) : [],
    promised.length > 0 ? loadPromises(tx, projectId, promised) : [],
  ]);
  const [counts, budgets] = await Promise.all([
    asksAboutCustomers(round, known, tiers) ? countsFor(tx, projectId, { round, customers, subjects, starts }) : [],
    loadBudgets(tx, projectId, {
      redeemables: limitedIn(round, known, tiers),
      customerIds: peopleIn(round, customers),
      products: () => [
        ...references.flatMap(({ products, skus }) => [...products, ...skus]),
        ...orders.flatMap(({ items }) => items.map(countedAs)),
        ...idsOf(goods),
        ...idsOf(units),
      ],
    }),
  ]);
  const lotsOf = Map.groupBy(lots, ({ account_id }) => account_id);
  return {
    project,
    starts,
    customers,
    orders: new Map(orders.map((row) => [row.id, row])),
    voucherOf: findingVouchers(known),
    known: new Map(known.map((one) => [one.row.id, one])),
    accounts: new Map(
      vouchers.flatMap(({ id, account, type }) =>
        account && type === "GIFT_VOUCHER" ? [[id, { id, sums: account, lots: lotsOf.get(id) ?? [] }]] : [],
      ),
    ),
    points,
    rewards: new Map(locked.rewards.map((row) => [row.id, row])),
    handouts: locked.handouts,
    locks: new Map(Map.groupBy(locks, ({ redeemable_id }) => redeemable_id)),
    use: useOf([...locked.counters, ...counted.map((row) => withPending(row, countedLast))], counts),
    budgets,
    goods,
    units,
    unitTypes,
    ...(await standingsFor(tx, project, { round, customers })),
    promises: new Map(promises.map((one) => [one.id, one])),
    round,
    receipts,
    countedLast: locked.areCodesCounted ? null : countedLast,
    ...nothingYet(),
  };
}

/** What rounds before this one have counted and not written yet. */
const withPending = (row: CounterRow, countedLast: ReadonlyMap<string, CounterRow>): CounterRow => {
  const pending = countedLast.get(nameOf(row));
  return pending ? { ...row, ...addedTo(row, pending) } : row;
};

/** What is to be saved, before anything was decided. */
const nothingYet = () => ({
  redemptions: [],
  entries: [],
  lots: new Map(),
  counters: new Map(),
  unitsUsed: new Map(),
  uses: new Map(),
  rewardsTaken: new Map(),
  caused: new Map(),
  ordersSaved: new Set<string>(),
  overrides: [],
  released: new Set<string>(),
  events: [],
  referred: [],
  moves: [],
  touched: new Map(),
});

type Counting = {
  round: readonly RedeemRequest[];
  customers: CustomersAtWork;
  subjects: readonly Subject[];
  starts: Starts;
};

/** The customers of a round that are there already. */
function peopleIn(round: readonly RedeemRequest[], customers: CustomersAtWork): string[] {
  const people = round.flatMap(namesOf).flatMap((name) => {
    const row = customers.byId(name) ?? customers.bySource(name) ?? customers.byTracking(name);
    return row ? [row.id] : [];
  });
  return [...new Set(people)];
}

/** How often the customers of the round redeemed what it is about. Their rows are locked: nobody adds to it. */
function countsFor(tx: Tx, projectId: string, { round, customers, subjects, starts }: Counting) {
  const people = peopleIn(round, customers);
  if (people.length === 0) return [];
  return loadCustomerCounts(tx, projectId, {
    customerIds: people,
    refs: subjects.map(({ ref }) => ref),
    campaignIds: subjects.flatMap(({ campaign_id }) => campaign_id ?? []),
    since: sinceOf(starts, zoneOf(round[0]!.project)),
  });
}

const until = (now: string): string => Temporal.Instant.from(now).add({ hours: 24 }).toString();

/** Segments of the customers as the requests describe them, and their tiers; each customer comes once in a round. */
async function standingsFor(
  tx: Tx,
  project: Project,
  { round, customers }: { round: readonly RedeemRequest[]; customers: CustomersAtWork },
): Promise<Pick<Work, "segmentsOf" | "tiersOf">> {
  const [{ catalog }] = round as readonly [RedeemRequest];
  const { segments: segmentIds, tiers } = namedInRules(catalog);
  if (segmentIds.size + tiers.size === 0) return { segmentsOf: null, tiersOf: null };
  const people = round.map((command) => {
    const person = personFrom(command.sent, customers, command.project.secret);
    return "refused" in person ? null : person.customer;
  });
  return {
    segmentsOf:
      segmentIds.size > 0 ? await loadSegmentsOf(tx, catalog, people, { projectId: project.id, segmentIds }) : null,
    tiersOf: tiers.size > 0 ? await loadTiersOf(tx, project, catalog, people) : null,
  };
}

import { counterName, countersOfRedemption } from "../../core/redeem/counters.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { lockCounters } from "../../resources/checkout/counters/store.ts";
import { lockStatuses, type Undoable } from "../../resources/checkout/redemptions/rollback-store.ts";
import { loadLots, lotsById } from "../../resources/ledger/ledger/store.ts";
import { lockRewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { lockOrders } from "../../resources/orders/orders/store.ts";
import { lockPools } from "../../resources/promotions/campaigns/codes-store.ts";
import { lockRedeemedVouchers } from "../../resources/promotions/vouchers/store.ts";
import { countsDecide } from "../../steps/checkout/rule-facts.ts";
import { openPointCards } from "../../steps/points/point-cards.ts";
import { givenBy } from "../../steps/rewards/take-back-reward.ts";
import { type FirstRead, lockPeople } from "./ahead.ts";
import type { RollBackRequest, RollBackState } from "./state.ts";

const unique = <T>(values: Iterable<T>): T[] => [...new Set(values)];
const vouchersOf = (rows: readonly RedemptionRow[]): string[] =>
  unique(rows.flatMap((row) => (row.related_object_type === "voucher" ? [row.related_object_id!] : [])));

/** What a round is decided from. What was not locked yet is locked in the one order that all flows keep. */
export async function loadState(
  tx: Tx,
  projectId: string,
  round: readonly RollBackRequest[],
  { found, locked }: FirstRead,
): Promise<RollBackState> {
  const state = locked ? stateOf(locked) : await lockFound(tx, projectId, round, found);
  const { vouchers, left, ...rest } = state;
  const [{ project, catalog }] = round as readonly [RollBackRequest];
  return {
    ...rest,
    round,
    vouchers: new Map(vouchers.map((row) => [row.id, row])),
    points: await openPointCards(tx, project, catalog, vouchers, { lots: left ?? undefined }),
  };
}

/** Rows that are locked, by name. */
type LockedState = Omit<RollBackState, "round" | "vouchers" | "points"> & {
  vouchers: readonly VoucherRow[];
  /** All lots of the codes that something is left of; null: they were not read. */
  left: readonly LotRow[] | null;
};
const byId = <R extends { id: string }>(rows: readonly R[]) => new Map(rows.map((row) => [row.id, row]));

function stateOf(locked: NonNullable<FirstRead["locked"]>): LockedState {
  const { customers, orders, vouchers, counters, gone, left, found } = locked;
  return {
    customers,
    redemptions: byId(found.map(({ order_customer_id: _, ...row }) => row)),
    orders: byId(orders),
    counters: new Map(counters.map((row) => [counterName(row), row])),
    vouchers,
    lots: byId([...gone, ...left]),
    left,
    rewardIds: new Set(),
  };
}

/**
 * Locks what the redemptions name in the one order that all flows keep: customers, orders, counters that decide, campaigns, codes.
 * Behind them the redemptions, rewards, and counters that decide nothing. Lots are locked with their codes.
 */
async function lockFound(
  tx: Tx,
  projectId: string,
  round: readonly RollBackRequest[],
  found: readonly Undoable[],
): Promise<LockedState> {
  const undoable = found.filter(({ status }) => status === "SUCCEEDED");
  const owners = unique(found.flatMap((row) => [row.customer_id ?? [], row.order_customer_id ?? []].flat()));
  const orderIds = unique(found.flatMap(({ order_id }) => order_id ?? []));
  // A redemption adds to counters that decide nothing with its last statement. So a rollback locks them last.
  const decides = round.some(({ catalog }) => countsDecide(catalog));
  const isFirst = (one: RedemptionRow) => decides || one.related_object_type === "promotion_tier";
  const counted = Map.groupBy(undoable, isFirst);
  const keysOf = (first: boolean) => (counted.get(first) ?? []).flatMap(countersOfRedemption);
  const given = givenBy(undoable);
  const voucherIds = unique([...vouchersOf(undoable), ...given.map(({ id }) => id)]);
  const lotIds = unique(undoable.flatMap(({ effect }) => effect?.lots.map(([lot]) => lot) ?? []));
  const rewardIds = unique(undoable.flatMap(({ effect }) => effect?.reward?.id ?? []));
  // Each of these sends its statements as it is called, so the connection runs them in this order; nothing waits in between.
  const [customers, orders, first, , vouchers, statuses, rewards, last, gone, left] = await together([
    lockPeople(tx, projectId, { round, owners }),
    orderIds.length > 0 ? lockOrders(tx, projectId, { ids: orderIds, sourceIds: [] }) : [],
    lockCounters(tx, projectId, keysOf(true)),
    lockPools(tx, projectId, unique(given.map(({ campaign_id }) => campaign_id))),
    voucherIds.length > 0 ? lockRedeemedVouchers(tx, projectId, voucherIds) : [],
    undoable.length > 0 ? lockStatuses(tx, projectId, unique(undoable.map(({ id }) => id))) : [],
    rewardIds.length > 0 ? lockRewards(tx, projectId, rewardIds) : [],
    lockCounters(tx, projectId, keysOf(false)),
    lotIds.length > 0 ? lotsById(tx, projectId, lotIds) : [],
    lotIds.length > 0 ? loadLots(tx, projectId, voucherIds) : [],
  ]);
  if (orders.some(({ customer_id }) => customer_id !== null && !owners.includes(customer_id)))
    throw new StartOver("the order was given to another customer meanwhile");
  const lockedAs = new Map(statuses.map((row) => [row.id, row]));
  return {
    customers,
    redemptions: new Map(
      found.map(({ order_customer_id: _, ...row }) => [row.id, { ...row, ...lockedAs.get(row.id) }]),
    ),
    orders: byId(orders),
    counters: new Map([...first, ...last].map((row) => [counterName(row), row])),
    vouchers,
    lots: byId([...gone, ...left]),
    left: null,
    rewardIds: new Set(rewards.map(({ id }) => id)),
  };
}

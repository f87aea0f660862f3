import { counterName, countersOfRedemption } from "../../core/redeem/counters.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import { StartOver } from "../../db/commit.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { lockCounters } from "../../resources/checkout/counters/store.ts";
import { findUndoable, lockStatuses, type Undoable } from "../../resources/checkout/redemptions/rollback-store.ts";
import { loadLots, lotsById } from "../../resources/ledger/ledger/store.ts";
import { lockRewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { lockOrders } from "../../resources/orders/orders/store.ts";
import { lockPools } from "../../resources/promotions/campaigns/codes-store.ts";
import { lockRedeemedVouchers } from "../../resources/promotions/vouchers/store.ts";
import { customerSent } from "../../steps/checkout/carts.ts";
import { countsDecide } from "../../steps/checkout/rule-facts.ts";
import { type CustomersAtWork, openCustomers } from "../../steps/customers/customers.ts";
import { openPointCards } from "../../steps/points/point-cards.ts";
import { givenBy } from "../../steps/rewards/take-back-reward.ts";
import { customerNamedIn, type RollBackRequest, type RollBackState } from "./state.ts";

const unique = <T>(values: Iterable<T>): T[] => [...new Set(values)];
const vouchersOf = (rows: readonly RedemptionRow[]): string[] =>
  unique(rows.flatMap((row) => (row.related_object_type === "voucher" ? [row.related_object_id!] : [])));

/** What the requests of a round name, read before anything is locked. */
export const findFor = (tx: Tx, projectId: string, round: readonly RollBackRequest[]) =>
  findUndoable(tx, projectId, unique(round.map(({ redemption_id }) => redemption_id)));

/** Locks everything that the round may change, in the one order that all flows keep, and the redemptions last. */
export async function loadState(
  tx: Tx,
  projectId: string,
  round: readonly RollBackRequest[],
  found: readonly Undoable[],
): Promise<RollBackState> {
  const undoable = found.filter(({ status }) => status === "SUCCEEDED");
  const owners = unique(found.flatMap((row) => [row.customer_id ?? [], row.order_customer_id ?? []].flat()));
  const orderIds = unique(found.flatMap(({ order_id }) => order_id ?? []));
  // Those that decide nothing when codes are redeemed are the last that a redemption locks, and here too.
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
    round,
    customers,
    redemptions: new Map(
      found.map(({ order_customer_id: _, ...row }) => [row.id, { ...row, ...lockedAs.get(row.id) }]),
    ),
    orders: new Map(orders.map((row) => [row.id, row])),
    counters: new Map([...first, ...last].map((row) => [counterName(row), row])),
    vouchers: new Map(vouchers.map((row) => [row.id, row])),
    lots: new Map([...gone, ...left].map((lot) => [lot.id, lot])),
    points: await openPointCards(tx, round[0]!.project, round[0]!.catalog, vouchers),
    rewardIds: new Set(rewards.map(({ id }) => id)),
  };
}

function lockPeople(
  tx: Tx,
  projectId: string,
  { round, owners }: { round: readonly RollBackRequest[]; owners: readonly string[] },
): Promise<CustomersAtWork> {
  const named = round.flatMap((command) => customerSent({ customer: customerNamedIn(command) }) ?? []);
  const ids = [...named.flatMap(({ id }) => id ?? []), ...owners];
  const texts = round.flatMap((command) => {
    const customer = customerNamedIn(command);
    return [typeof customer === "string" ? customer : [], command.sent.tracking_id || []].flat();
  });
  const sourceIds = [...named.flatMap(({ source_id }) => source_id ?? []), ...texts];
  return openCustomers(tx, projectId, [], { ids, sourceIds, trackingIds: texts });
}

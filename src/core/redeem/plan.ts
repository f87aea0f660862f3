import type { Account } from "../ledger/account.ts";
import { oncePer } from "../once-per.ts";
import type { CounterRow, UnitsRow } from "../rows/counter.ts";
import type { EntryRow, LotRow } from "../rows/ledger.ts";
import type { OrderRow } from "../rows/order.ts";
import type { RedemptionRow } from "../rows/redemption.ts";
import type { VoucherRow, VoucherUse } from "../rows/voucher.ts";
import { addedTo, counterName, unitsName } from "./counters.ts";
import { orderAsJson } from "./order-shown.ts";

/** What a redemption or a rollback changes. It is data: nothing is written, and the rows it was made from stay as they are. */
export type Plan = {
  /** New rows: redemptions, their failures, rollbacks. */
  readonly redemptions: readonly RedemptionRow[];
  /** The ids of redemptions that are rolled back. */
  readonly rolledBack: readonly string[];
  readonly entries: readonly EntryRow[];
  /** Lots as they are afterwards. */
  readonly lots: readonly LotRow[];
  /** What is added to counters; a rollback adds what is negative. */
  readonly counters: readonly CounterRow[];
  /** Counters that decide nothing: they are added with the last statement of a batch. */
  readonly countedLast: readonly CounterRow[];
  /** What is added to the units that were discounted; negative for a rollback. */
  readonly units: readonly UnitsRow[];
  /** What is written of codes that were redeemed. */
  readonly uses: readonly VoucherUse[];
  /** Codes, and the accounts of gift cards, as they are afterwards. */
  readonly vouchers: readonly VoucherRow[];
  readonly accounts: readonly Account[];
  /** Change in the redeemed count of rewards; negative for a rollback. */
  readonly rewards: readonly RewardChange[];
  /** Orders as they are afterwards. */
  readonly orders: readonly OrderRow[];
};
export type RewardChange = { id: string; by: number };

/** Rows of one name become one row, in the place of the first. */
function folded<T>(rows: readonly T[], nameOf: (row: T) => string, plus: (before: T, row: T) => T): T[] {
  const found = new Map<string, T>();
  for (const row of rows) {
    const name = nameOf(row);
    const before = found.get(name);
    found.set(name, before === undefined ? row : plus(before, row));
  }
  return [...found.values()];
}
const newest = <T extends { id: string }>(rows: readonly T[]): T[] =>
  folded(
    rows,
    ({ id }) => id,
    (_, row) => row,
  );
const sumCounters = (rows: readonly CounterRow[]): CounterRow[] =>
  folded(rows, counterName, (before, row) => ({ ...row, ...addedTo(before, row) }));

/** How the parts of plans become one, for each kind of row. */
const MERGE: { [F in keyof Plan]: (rows: Plan[F]) => Plan[F] } = {
  redemptions: (rows) => rows,
  rolledBack: (ids) => [...new Set(ids)],
  entries: (rows) => rows,
  lots: newest,
  counters: sumCounters,
  countedLast: sumCounters,
  units: (rows) => folded(rows, unitsName, (before, row) => ({ ...row, units: before.units + row.units })),
  // The balance that is compared when a code is written is the one that the first of the plans found.
  uses: (rows) =>
    folded(
      rows,
      ({ id }) => id,
      (before, row) => ({ ...row, by: before.by + row.by, available: before.available }),
    ),
  vouchers: newest,
  accounts: newest,
  rewards: (rows) =>
    folded(
      rows,
      ({ id }) => id,
      (before, row) => ({ id: row.id, by: before.by + row.by }),
    ),
  orders: newest,
};
const FIELDS = Object.keys(MERGE) as (keyof Plan)[];

/** One plan that does what these do, one after the other. */
export const mergePlans = (plans: readonly Partial<Plan>[]): Plan => {
  const merged = keepOrders(plans);
  return Object.fromEntries(
    FIELDS.map((field) => {
      const rows = merged.flatMap((plan): readonly unknown[] => plan[field] ?? []);
      // Most plans have rows of a few kinds only, and every redemption is merged twice.
      return [field, rows.length > 1 ? MERGE[field](rows as never) : rows];
    }),
  ) as Plan;
};

/** A redemption that shows its order as it is keeps the order where a later plan changes it: only the last one is stored. */
function keepOrders(plans: readonly Partial<Plan>[]): readonly Partial<Plan>[] {
  const last = new Map(plans.flatMap(({ orders = [] }, n) => orders.map(({ id }) => [id, n] as const)));
  if (last.size === 0) return plans;
  return plans.map((plan, n) => {
    const { redemptions, orders = [] } = plan;
    const changed = orders.filter(({ id }) => last.get(id)! > n);
    return redemptions && changed.length > 0 ? { ...plan, redemptions: changed.reduce(keepOrder, redemptions) } : plan;
  });
}
const keepOrder = (rows: readonly RedemptionRow[], was: OrderRow): readonly RedemptionRow[] =>
  rows.map((row) => (showsNow(row, was) ? { ...row, order_shown: { was: orderAsJson(was) } } : row));
const showsNow = (row: RedemptionRow, { id }: OrderRow): boolean => row.order_id === id && row.order_shown === null;

/** A plan that changes nothing. */
export const EMPTY_PLAN: Plan = Object.freeze(mergePlans([]));

/** Rows that a plan may change, as far as a batch holds them in memory. */
export type Rows = {
  redemptions?: Map<string, RedemptionRow>;
  orders?: Map<string, OrderRow>;
  vouchers?: Map<string, VoucherRow>;
  accounts?: Map<string, Account>;
  lots?: Map<string, LotRow>;
  counters?: Map<string, CounterRow>;
  rewards?: Map<string, { stock: number | null; redeemed: number }>;
};

/** A batch loads its redemptions once, and none of them gets another order: each order finds its own without looking at all. */
const idsByOrder = oncePer(
  (redemptions: ReadonlyMap<string, RedemptionRow>): ReadonlyMap<string | null, readonly string[]> =>
    new Map(
      Map.groupBy(redemptions, ([, { order_id }]) => order_id)
        .entries()
        .map(([order, own]) => [order, own.map(([id]) => id)]),
    ),
);

/** The rows become what the next command of the batch finds. */
export function applyPlan(rows: Rows, plan: Plan): void {
  for (const id of plan.rolledBack) {
    const before = rows.redemptions?.get(id);
    if (before) rows.redemptions!.set(id, { ...before, status: "ROLLED_BACK" });
  }
  for (const order of plan.orders) {
    const was = rows.orders?.get(order.id);
    for (const id of (was && rows.redemptions && idsByOrder(rows.redemptions).get(was.id)) ?? []) {
      const row = rows.redemptions!.get(id)!;
      if (showsNow(row, was!)) rows.redemptions!.set(id, { ...row, order_shown: { was: was! } });
    }
    rows.orders?.set(order.id, order);
  }
  for (const row of plan.vouchers) rows.vouchers?.set(row.id, row);
  for (const account of plan.accounts) rows.accounts?.set(account.id, account);
  for (const lot of plan.lots) rows.lots?.set(lot.id, lot);
  for (const row of [...plan.counters, ...plan.countedLast]) {
    const name = counterName(row);
    rows.counters?.set(name, { ...row, ...addedTo(rows.counters.get(name), row) });
  }
  for (const { id, by } of plan.rewards) {
    const before = rows.rewards?.get(id);
    const stock = before?.stock ?? null;
    if (before)
      rows.rewards!.set(id, { ...before, stock: stock === null ? null : stock - by, redeemed: before.redeemed + by });
  }
}

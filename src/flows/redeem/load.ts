import { countedAs } from "../../core/discounts/items.ts";
import { addedTo, counterName } from "../../core/redeem/counters.ts";
import type { CounterRow } from "../../core/rows/counter.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Tx } from "../../db/db.ts";
import { loadKeys } from "../../resources/checkout/counters/store.ts";
import { loadHeldBySessions, locksOf } from "../../resources/checkout/sessions/store.ts";
import { loadLots } from "../../resources/ledger/ledger/store.ts";
import { loadBudgets } from "../../steps/checkout/budgets.ts";
import { findingVouchers } from "../../steps/checkout/candidates.ts";
import { personFrom } from "../../steps/checkout/carts.ts";
import { loadKnownVouchers, locksAsked } from "../../steps/checkout/redeemables.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import { asksAboutCustomers, limitedIn, loadStandings } from "../../steps/checkout/rule-facts.ts";
import { unitTypesFor } from "../../steps/checkout/units.ts";
import { useOf } from "../../steps/checkout/use.ts";
import { idsOf, loadGoods } from "../../steps/goods/goods.ts";
import { openPointCards } from "../../steps/points/point-cards.ts";
import { goodsIn } from "./ahead.ts";
import { loadCounts, peopleIn } from "./counts.ts";
import { lockRows } from "./lock.ts";
import type { RedeemState } from "./state.ts";

type Opening = {
  /** What rounds before this one have counted and not written yet. */
  countedLast: ReadonlyMap<string, CounterRow>;
  /** The codes of the round, where they were looked up already. */
  found: readonly VoucherRow[] | null;
  /** What was locked with the first message, where that was possible. */
  opened: Awaited<ReturnType<typeof lockRows>> | null;
  promises: RedeemState["promises"];
};

/** Locks and reads all that the commands of a round are decided from. */
export async function loadState(
  tx: Tx,
  projectId: string,
  round: readonly RedeemRequest[],
  { countedLast, found, opened, promises }: Opening,
): Promise<RedeemState> {
  const { project } = round[0]!;
  const locked = opened ?? (await lockRows(tx, projectId, round, { known: found }));
  const { starts, tiers, subjects, customers, orders, vouchers, ahead } = locked;
  const unitTypes = unitTypesFor(round, vouchers, tiers);
  const references = goodsIn(round);
  const open = vouchers.filter(({ account, type }) => account !== null && type === "GIFT_VOUCHER").map(({ id }) => id);
  const asked = locksAsked(round, vouchers);
  const [counted, points, known, goods, units, lots, held] = await Promise.all([
    ahead?.counted ?? loadKeys(tx, projectId, locked.last),
    openPointCards(tx, project, round[0]!.catalog, vouchers, { lots: ahead?.lots ?? undefined }),
    loadKnownVouchers(tx, projectId, vouchers, { ...ahead, personOf: customers.byId }),
    ahead?.goods ?? loadGoods(tx, projectId, references),
    loadGoods(tx, projectId, { products: [...unitTypes], skus: [...unitTypes] }),
    ahead?.lots ?? (open.length > 0 ? loadLots(tx, projectId, open) : []),
    ahead?.held ?? loadHeldBySessions(tx, projectId, asked),
  ]);
  const people = peopleIn(round, customers);
  const [counts, budgets] = await Promise.all([
    asksAboutCustomers(round, known, tiers) ? loadCounts(tx, projectId, { round, people, subjects, starts }) : [],
    loadBudgets(tx, projectId, {
      redeemables: limitedIn(round, known, tiers),
      customerIds: people,
      products: () => [
        ...references.products,
        ...references.skus,
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
    orderIds: new Map(orders.flatMap(({ id, source_id }) => (source_id === null ? [] : [[source_id, id]]))),
    voucherOf: findingVouchers(known),
    known: new Map(known.map((voucher) => [voucher.row.id, voucher])),
    vouchers: new Map(known.map(({ row }) => [row.id, row])),
    accounts: new Map(
      vouchers.flatMap(({ id, account, type }) =>
        account && type === "GIFT_VOUCHER" ? [[id, { id, sums: account, lots: lotsOf.get(id) ?? [] }]] : [],
      ),
    ),
    points,
    rewards: new Map(locked.rewards.map((row) => [row.id, row])),
    handouts: locked.handouts,
    sessions: locksOf(held, asked),
    use: useOf([...locked.counters, ...counted.map((row) => withPending(row, countedLast))], counts),
    budgets,
    goods,
    units,
    unitTypes,
    // Of the customers as the requests describe them; each comes once in a round.
    ...(await loadStandings(tx, project, round[0]!.catalog, () =>
      round.map(({ sent }) => {
        const person = personFrom(sent, customers, project.secret);
        return "refused" in person ? null : person.customer;
      }),
    )),
    promises,
    friends: ahead?.conversions ? { conversions: ahead.conversions, holders: ahead.holders } : null,
    round,
    areCodesCounted: locked.areCodesCounted,
  };
}

/** What rounds before this one have counted and not written yet. */
const withPending = (row: CounterRow, countedLast: ReadonlyMap<string, CounterRow>): CounterRow => {
  const pending = countedLast.get(counterName(row));
  return pending ? { ...row, ...addedTo(row, pending) } : row;
};

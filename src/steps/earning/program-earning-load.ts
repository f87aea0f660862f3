import type { Catalog } from "../../catalog/catalog.ts";
import { setupsOf } from "../../catalog/program-setup.ts";
import { programCauseOf } from "../../core/loyalty/earning/triggers.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { loadPayments, takeCauses } from "../../resources/ledger/earnings/store.ts";
import { lotsOfOrders } from "../../resources/ledger/ledger/store.ts";
import { lockBenefitStock } from "../../resources/loyalty-v2/benefits/store.ts";
import { cardsById } from "../../resources/loyalty-v2/cards/store.ts";
import { lockMembers, membersOfCustomers } from "../../resources/loyalty-v2/members/store.ts";
import type { EarningProject } from "../points/earning-triggers.ts";
import { openProgramCards } from "../points/program-cards.ts";
import { type Cause, isCancelled } from "./earn-causes.ts";
import { benefitsFor, openHandouts } from "./earn-handouts.ts";
import type { EarningAhead } from "./earning-ahead.ts";
import type { ProgramEarningState } from "./program-earning-plan.ts";

/**
 * Finds who may be concerned and locks them: codes that benefits bring, members, cards, stock. Null: nobody is. Who is locked
 * already (`ahead`) is given no benefits, and their causes are told once.
 */
export async function loadProgramEarning(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  causes: readonly Cause[],
  ahead: EarningAhead["inPrograms"],
): Promise<{ state: ProgramEarningState; fresh: readonly Cause[] } | null> {
  if (ahead)
    return ahead.members.length > 0
      ? { state: stateFrom(project, catalog, { ...NOTHING_ELSE, ...ahead }), fresh: causes }
      : null;
  const concerned = await findConcerned(tx, project.id, causes);
  const memberIds = [...new Set([...concerned.members.map(({ id }) => id), ...concerned.payers])];
  if (memberIds.length === 0) return null;
  const fresh = await takeFresh(tx, project.id, causes);
  if (fresh.length === 0) return null;
  const wanted = benefitsFor(catalog, fresh, concerned.members);
  const handouts = await openHandouts(tx, project, catalog, wanted);
  const stockIds = wanted.map(({ benefit }) => benefit.id);
  // In this order, and in one message.
  const [members, cards, stock] = await together([
    lockMembers(tx, project.id, memberIds),
    openProgramCards(tx, project.id, { memberIds }),
    loadStock(tx, project.id, stockIds),
  ]);
  const { lotsOfOrder, paidFor } = concerned;
  return { state: stateFrom(project, catalog, { members, cards, stock, lotsOfOrder, paidFor, handouts }), fresh };
}

type LoadedMembers = Pick<ProgramEarningState, "stock" | "lotsOfOrder" | "paidFor" | "handouts"> &
  NonNullable<EarningAhead["inPrograms"]>;
const NOTHING_ELSE = { stock: new Map(), lotsOfOrder: new Map(), paidFor: new Map(), handouts: null };

const stateFrom = (
  project: EarningProject,
  catalog: Catalog,
  { members, cards, ...others }: LoadedMembers,
): ProgramEarningState => ({
  project,
  zone: zoneOf(project),
  catalog,
  setups: setupsOf(
    catalog,
    members.map(({ program_id }) => program_id),
  ),
  members: new Map(members.map((row) => [row.id, row])),
  membersOf: idsBy(members, ({ customer_id }) => customer_id ?? ""),
  cards: new Map(cards),
  cardsOf: idsBy(
    [...cards.values()].map(({ row }) => row),
    ({ member_id }) => member_id,
  ),
  ...others,
});

const idsBy = <R extends { id: string }>(rows: readonly R[], keyOf: (row: R) => string): Map<string, string[]> =>
  new Map([...Map.groupBy(rows, keyOf)].map(([key, own]) => [key, own.map(({ id }) => id)]));

type Concerned = Pick<ProgramEarningState, "lotsOfOrder" | "paidFor"> & {
  members: readonly MemberRow[];
  /** The members whose cards a cancelled order moved. */
  payers: readonly string[];
};

/** Who may be concerned: the memberships of the customers, and those whose cards a cancelled order moved. */
async function findConcerned(tx: Tx, projectId: string, causes: readonly Cause[]): Promise<Concerned> {
  const customerIds = [
    ...new Set(causes.flatMap((cause) => (!isCancelled(cause) && cause.customer ? cause.customer.id : []))),
  ];
  const members = customerIds.length > 0 ? await membersOfCustomers(tx, projectId, { customerIds }) : [];
  const orderIds = causes.flatMap((cause) => (isCancelled(cause) ? cause.order!.id! : []));
  if (orderIds.length === 0) return { members, payers: [], lotsOfOrder: new Map(), paidFor: new Map() };
  const lots: readonly LotRow[] = await lotsOfOrders(tx, projectId, orderIds);
  const payments = await loadPayments(tx, projectId, orderIds);
  const ids = [...new Set([...lots, ...payments].map(({ account_id }) => account_id))];
  const cards = ids.length > 0 ? await cardsById(tx, projectId, ids) : [];
  const byOrder = Map.groupBy(payments, ({ order_id }) => order_id);
  return {
    members,
    payers: cards.map(({ member_id }) => member_id),
    lotsOfOrder: Map.groupBy(lots, ({ order_id }) => order_id!),
    paidFor: new Map(
      [...byOrder].map(([id, all]) => [id, new Map(all.map((paid) => [paid.account_id, paid.points]))] as const),
    ),
  };
}

/** Notes that orders earn, or are cancelled, which they do once. Returns the causes that come for the first time. */
async function takeFresh(tx: Tx, projectId: string, causes: readonly Cause[]): Promise<Cause[]> {
  const rows = new Map(
    causes.toReversed().flatMap(({ trigger, order, of }) => {
      const kind = programCauseOf(trigger.kind);
      return kind ? [[`${kind} ${order!.id}`, { kind, id: order!.id!, created_at: of.now }]] : [];
    }),
  );
  if (rows.size === 0) return [...causes];
  const open = new Set((await takeCauses(tx, projectId, [...rows.values()])).map(({ kind, id }) => `${kind} ${id}`));
  return causes.filter(({ trigger, order }) => {
    const kind = programCauseOf(trigger.kind);
    return kind === null || open.delete(`${kind} ${order!.id}`);
  });
}

/** What is left of those benefits that are limited. */
async function loadStock(tx: Tx, projectId: string, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await lockBenefitStock(tx, projectId, [...new Set(ids)]);
  return new Map(rows.map(({ id, stock_quantity }) => [id, stock_quantity]));
}

import assert from "node:assert/strict";
import type { Catalog } from "../../catalog/catalog.ts";
import { setupsOf } from "../../catalog/program-setup.ts";
import { programCauseOf } from "../../core/loyalty/earning/triggers.ts";
import { resolveZone } from "../../core/time/zone.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf, NamedEvent } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { insertOutcomes, loadPayments, takeCauses } from "../../resources/ledger/earnings/store.ts";
import { lotsOfOrders } from "../../resources/ledger/ledger/store.ts";
import { lockStock, takeStock } from "../../resources/loyalty-v2/benefits/store.ts";
import { cardsById } from "../../resources/loyalty-v2/cards/store.ts";
import {
  lockMembers,
  type MemberRow,
  membersOfCustomers,
  saveMembers,
} from "../../resources/loyalty-v2/members/store.ts";
import { insertTransactions } from "../../resources/loyalty-v2/transactions/store.ts";
import { type EarningProject, type EarningTrigger, tiersMoved } from "../points/earning-triggers.ts";
import { openProgramCards, saveProgramCards } from "../points/program-cards.ts";
import { settleCards } from "./card-earning.ts";
import { type Cause, isCancelled, isForMembers, openCauses } from "./earn-causes.ts";
import { benefitsFor, openHandouts } from "./earn-handouts.ts";
import { type EarnWork, settleCause } from "./earn-one.ts";

/** Points follow in the transaction of what caused them. What is told of it is to be recorded. */
export async function earnFrom(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  told: readonly EarningTrigger[],
): Promise<EventsOf<Origin>[]> {
  return settleCauses(tx, project, catalog, await openCauses(tx, project, catalog, told));
}

/** The same for moves between tiers of loyalty cards, out of what was recorded of changes of their points. */
export const earnFromTiers = (
  c: Origin & { db: Tx; project: EarningProject },
  catalog: Catalog,
  happened: readonly NamedEvent[],
): Promise<EventsOf<Origin>[]> => earnFrom(c.db, c.project, catalog, tiersMoved(happened, c));

/**
 * Settles causes in their order: on loyalty cards first, which come first in the order of locks, and then for members of
 * programs. Customers and orders were locked before. What is told of it is to be recorded.
 */
export async function settleCauses(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  causes: readonly Cause[],
): Promise<EventsOf<Origin>[]> {
  if (causes.length === 0) return [];
  const onCards = await settleCards(tx, project, catalog, causes);
  const ofMembers = await settleMembers(tx, project, catalog, causes.filter(isForMembers));
  return [...onCards, ...ofMembers];
}

/**
 * Settles causes in their order: lock the members of the customers and their cards, decide in memory, and save all of
 * it in a fixed number of statements.
 */
async function settleMembers(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  causes: readonly Cause[],
): Promise<EventsOf<Origin>[]> {
  if (causes.length === 0 || catalog.programs.size === 0) return [];
  const concerned = await findConcerned(tx, project.id, causes);
  const memberIds = [...new Set([...concerned.members.map(({ id }) => id), ...concerned.payers])];
  if (memberIds.length === 0) return [];
  const fresh = await firstTold(tx, project.id, causes);
  if (fresh.length === 0) return [];
  const wanted = benefitsFor(catalog, fresh, concerned.members);
  const handouts = await openHandouts(tx, project, catalog, wanted);
  const members = await lockMembers(tx, project.id, memberIds);
  const cards = await openProgramCards(tx, project.id, { memberIds });
  const work: EarnWork = {
    project,
    zone: resolveZone(project.timezone) ?? "UTC",
    catalog,
    setups: setupsOf(
      catalog,
      members.map(({ program_id }) => program_id),
    ),
    members: new Map(members.map((row) => [row.id, row])),
    membersOf: idsByCustomer(members),
    cardsOf: Map.groupBy(cards.values(), ({ row }) => row.member_id),
    stock: await loadStock(
      tx,
      project.id,
      wanted.map(({ benefit }) => benefit.id),
    ),
    lotsOfOrder: concerned.lotsOfOrder,
    paidFor: concerned.paidFor,
    handouts,
    changedMembers: new Set(),
    outcomes: [],
    transactions: [],
    taken: new Map(),
  };
  for (const cause of fresh) settleCause(work, cause);
  const following = await handouts.save();
  await saveProgramCards(tx, project.id, cards);
  await saveMembers(
    tx,
    project.id,
    [...work.changedMembers].map((id) => work.members.get(id)!),
  );
  await insertOutcomes(tx, project.id, work.outcomes);
  await insertTransactions(tx, work.transactions);
  const taken = [...work.taken].map(([id, by]) => ({ id, by }));
  assert.equal(await takeStock(tx, project.id, taken), taken.length, "what is left was locked");
  return following;
}

const idsByCustomer = (members: readonly MemberRow[]): Map<string, string[]> =>
  new Map(
    [...Map.groupBy(members, (row) => row.customer_id ?? "")].map(([id, rows]) => [id, rows.map((one) => one.id)]),
  );

/** Who may be concerned: the memberships of the customers, and those whose cards a cancelled order moved. */
async function findConcerned(tx: Tx, projectId: string, causes: readonly Cause[]) {
  const customerIds = [
    ...new Set(causes.flatMap((cause) => (!isCancelled(cause) && cause.customer ? cause.customer.id : []))),
  ];
  const members = customerIds.length > 0 ? await membersOfCustomers(tx, projectId, { customerIds }) : [];
  const orderIds = causes.flatMap((cause) => (isCancelled(cause) ? cause.order!.id! : []));
  if (orderIds.length === 0) return { members, payers: [], lotsOfOrder: new Map(), paidFor: new Map() };
  const lots = await lotsOfOrders(tx, projectId, orderIds);
  const payments = await loadPayments(tx, projectId, orderIds);
  const ids = [...new Set([...lots, ...payments].map(({ account_id }) => account_id))];
  const cards = ids.length > 0 ? await cardsById(tx, projectId, ids) : [];
  const byOrder = Map.groupBy(payments, ({ order_id }) => order_id);
  return {
    members,
    payers: cards.map(({ member_id }) => member_id),
    lotsOfOrder: Map.groupBy(lots, ({ order_id }) => order_id!),
    paidFor: new Map(
      [...byOrder].map(([id, all]) => [id, new Map(all.map((one) => [one.account_id, one.points]))] as const),
    ),
  };
}

/** An order earns once, and is cancelled once. Other causes are told once. */
async function firstTold(tx: Tx, projectId: string, causes: readonly Cause[]): Promise<Cause[]> {
  const kindOf = ({ trigger }: Cause) => programCauseOf(trigger.kind);
  const rows = new Map(
    causes.toReversed().flatMap((cause) => {
      const kind = kindOf(cause);
      return kind ? [[`${kind} ${cause.order!.id}`, { kind, id: cause.order!.id!, created_at: cause.of.now }]] : [];
    }),
  );
  if (rows.size === 0) return [...causes];
  const open = new Set((await takeCauses(tx, projectId, [...rows.values()])).map(({ kind, id }) => `${kind} ${id}`));
  return causes.filter((cause) => {
    const kind = kindOf(cause);
    return kind === null || open.delete(`${kind} ${cause.order!.id}`);
  });
}

/** What is left of those benefits that are limited. */
async function loadStock(tx: Tx, projectId: string, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await lockStock(tx, projectId, [...new Set(ids)]);
  return new Map(rows.map(({ id, stock_quantity }) => [id, stock_quantity]));
}

import type { BulkOutcome } from "../../core/bulk/entry.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { referencesIn } from "../../core/order/resolve.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import { StartOver } from "../../db/batches/commit.ts";
import { isTaken } from "../../db/db.ts";
import { record, recordAll, withIds } from "../../events/events.ts";
import { type CustomerNamed, findCustomers } from "../../resources/customers/customers/store.ts";
import type { OrderWrite } from "../../resources/orders/orders/schema.ts";
import { lockOrders, saveOrders } from "../../resources/orders/orders/store.ts";
import type { ImportCtx, ImportKind } from "../../steps/bulk/imports.ts";
import { type CustomersAtWork, customerChange, openCustomers } from "../../steps/customers/customers.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { type Goods, loadGoods } from "../../steps/goods/goods.ts";
import { type Overrides, overrideCatalogue } from "../../steps/goods/overrides.ts";
import { segmentsEntered } from "../../steps/points/earning-triggers.ts";
import type { OrderPeople } from "./people.ts";
import { planOrder } from "./plan.ts";

/**
 * Orders of the past. Nothing is told of them and they earn nothing; but who they are of may enter a segment, and that is
 * told, and may earn.
 */
export const ORDER_IMPORT: ImportKind<OrderWrite> = {
  noun: "order",
  key: "source_id",
  isPersonal: true,
  columns: {},
  schemaOf: ({ catalog }) => catalog.metadata_schemas.get("order"),
  bodyOf: () => ({ fault: { column: null, reason: "Orders are imported as a list" } }),
  save: async (c, bodies) => {
    const state = await openState(c, bodies);
    const outcomes = bodies.map((body) => planOne(c, state, body));
    await state.customers.save();
    await overrideCatalogue(
      c.db,
      c.project.id,
      state.overrides.map((overrides) => ({ overrides, made: c })),
    );
    await saveOrders(c.db, c.project.id, [...state.written.values()], [...state.renamed]).catch((error) => {
      throw isTaken(error) ? new StartOver("another order with this source id was made meanwhile") : error;
    });
    await refreshSegments(c, state);
    return outcomes;
  },
};

type Person = CustomerNamed | null | undefined;
type ImportState = {
  customers: CustomersAtWork;
  /** The id of somebody who is only named. */
  idOf(reference: string): string | undefined;
  goods: Goods;
  orders: Map<string, OrderRow>;
  bySource: Map<string, string>;
  written: Map<string, OrderRow>;
  /** Orders that get another source id: the one that they had is free for the next entry. */
  renamed: Set<string>;
  overrides: Overrides[];
  touched: Set<string>;
};

const referencesOf = ({ customer, referrer }: OrderWrite): string[] =>
  [customer, referrer].filter((one) => typeof one === "string");

async function openState(c: ImportCtx, bodies: readonly OrderWrite[]): Promise<ImportState> {
  const { db, project } = c;
  const names = [...new Set(bodies.flatMap(referencesOf))];
  const named =
    names.length > 0 ? await findCustomers(db, project.id, { ids: names, sourceIds: names, trackingIds: [] }) : [];
  const ids = new Map(
    named.flatMap(({ id, source_id, tracking_id }) => [source_id, tracking_id, id].map((n) => [n, id])),
  );
  const people = bodies.flatMap((body) => Object.values(peopleOf(body, (one) => ids.get(one))));
  const keys = {
    ids: [...new Set(bodies.flatMap(({ id }) => id || []))],
    sourceIds: [...new Set(bodies.flatMap(({ source_id }) => source_id || []))],
  };
  const customers = await openCustomers(
    db,
    project.id,
    people.filter((one) => one != null),
    {},
    c.takeCustomerStamps,
  );
  const locked = keys.ids.length + keys.sourceIds.length > 0 ? await lockOrders(db, project.id, keys) : [];
  const references = bodies.map(({ items }) => referencesIn(items ?? []));
  return {
    customers,
    idOf: (reference) => ids.get(reference),
    goods: await loadGoods(db, project.id, {
      products: references.flatMap(({ products }) => products),
      skus: references.flatMap(({ skus }) => skus),
    }),
    orders: new Map(locked.map((row) => [row.id, row])),
    bySource: new Map(locked.flatMap(({ id, source_id }) => (source_id === null ? [] : [[source_id, id]]))),
    written: new Map(),
    renamed: new Set(),
    overrides: [],
    touched: new Set(),
  };
}

/** Who a body names, as it names them: an object, an id, nobody, or nothing about it. */
function peopleOf(body: OrderWrite, idOf: ImportState["idOf"]): { customer: Person; referrer: Person } {
  const person = (nested: OrderWrite["customer"], id: string | null | undefined): Person => {
    if (typeof nested === "string") return { id: idOf(nested) ?? nested };
    return (nested as CustomerNamed | null) ?? (id ? { id } : nested === null || id === null ? null : undefined);
  };
  return { customer: person(body.customer, body.customer_id), referrer: person(body.referrer, body.referrer_id) };
}

/** Plans one order in memory. An error of the interface is a refusal of this order only. */
function planOne(c: ImportCtx, state: ImportState, body: OrderWrite): BulkOutcome {
  const { id, source_id } = body;
  const before = state.orders.get(id || (state.bySource.get(source_id ?? "") ?? "")) ?? null;
  try {
    if (id && !before) throw notFound("order", id);
    if (before && source_id && (state.bySource.get(source_id) ?? before.id) !== before.id)
      throw new ApiError("duplicate_found", { details: `Duplicated order exists with source_id ${source_id}` });
    const { people, saved } = proposePeople(c, state, body);
    const { catalog, project, now, newId } = c;
    const plan = planOrder({ catalog, project, now, newId, body, before, people, goods: state.goods });
    const row = "create" in plan ? plan.create : after(state, plan.before, plan.change);
    for (const one of saved) state.customers.accept(one);
    if (plan.overrides) state.overrides.push(plan.overrides);
    for (const concerned of [before?.customer_id, row.customer_id]) if (concerned) state.touched.add(concerned);
    if (before) freeSource(state, before, row);
    state.orders.set(row.id, row);
    if (row.source_id !== null) state.bySource.set(row.source_id, row.id);
    state.written.set(row.id, row);
    return { found: before !== null };
  } catch (error) {
    if (error instanceof ApiError) return { found: before !== null, refused: error.body };
    throw error;
  }
}

function freeSource({ bySource, renamed }: ImportState, before: OrderRow, row: OrderRow): void {
  if (before.source_id === null || before.source_id === row.source_id) return;
  bySource.delete(before.source_id);
  renamed.add(row.id);
}

/** What an earlier object of the list made is written as it is in the end: it was never changed. */
const after = ({ written }: ImportState, before: OrderRow, change: Partial<OrderRow>): OrderRow => ({
  ...before,
  ...change,
  updated_at: before.updated_at === null && written.has(before.id) ? null : (change.updated_at ?? before.updated_at),
});

function proposePeople(c: ImportCtx, { customers, idOf }: ImportState, body: OrderWrite) {
  const change = customerChange(c);
  const saved: SavedCustomer[] = [];
  const propose = (person: Person): string | null | undefined => {
    if (!person) return person;
    const one = customers.propose(person, change);
    if ("refused" in one) throw new ApiError(one.refused.key, { details: one.refused.details ?? one.refused.message });
    saved.push(one);
    return one.row.id;
  };
  const named = peopleOf(body, idOf);
  const ids = { customer: propose(named.customer), referrer: propose(named.referrer) };
  const people: OrderPeople = {
    ...(ids.customer !== undefined && { customer: ids.customer }),
    ...(ids.referrer !== undefined && { referrer: ids.referrer }),
    saved,
  };
  return { people, saved };
}

async function refreshSegments(c: ImportCtx, { touched }: ImportState): Promise<void> {
  if (touched.size === 0) return;
  const moved = withIds(c, await refreshMemberships(c, c.catalog, [...touched]));
  await record(c, moved);
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, c.catalog, segmentsEntered(moved, c)));
}

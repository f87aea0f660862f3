import { notFound } from "../../../core/errors.ts";
import { storedOrderView } from "../../../core/order/stored.ts";
import { redemptionsNamed } from "../../../core/redeem/order-shown.ts";
import type { OrderRow } from "../../../core/rows/order.ts";
import { pageSql } from "../../../db/crud-store.ts";
import { apiErrorOf, type Db, type Fragment, type Tx } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import { heldRows } from "../../../db/held-rows.ts";
import { compareTexts, insertOf, namedBy } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";
import type { Order, OrderQuery } from "./schema.ts";

const FIELDS = {
  id: "id",
  source_id: "string",
  status: "enum",
  customer_id: "id",
  referrer_id: "id",
  amount: "money",
  created_at: "date",
  updated_at: "date",
  "metadata.*": "metadata",
} as const;

export async function listOrders(db: Db, projectId: string, query: OrderQuery & { now: string }) {
  const { now, filters, status, customer, ...more } = query;
  const page = { limit: 10, ...more, order: query.order ?? "created_at" };
  const ofCustomer =
    customer === undefined
      ? db`true`
      : db`customer_id in (select c.id from customers c
          where c.project_id = ${projectId} and (c.id = ${customer} or c.source_id = ${customer}))`;
  const inStatus = status === undefined ? db`true` : db`status = ${status}`;
  const where = db`${inStatus} and ${ofCustomer} and ${whereOf(db, filters ? { filters } : {}, { fields: FIELDS, now })}`;
  const [rows, counts] = await Promise.all([
    db<OrderRow[]>`
      select * from orders where project_id = ${projectId} and ${where}
      ${pageSql(db, page, ["created_at", "updated_at"])}`,
    db<{ total: number }[]>`select count(*) as total from orders where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** By its id, or by its source id. */
export async function getOrder(db: Db, projectId: string, reference: string): Promise<OrderRow> {
  const rows = await db<OrderRow[]>`
    select * from orders where project_id = ${projectId} and (id = ${reference} or source_id = ${reference})`;
  const found = rows.find(({ id }) => id === reference) ?? rows[0];
  if (!found) throw notFound("order", reference);
  return found;
}

/** The orders that exist, by id or source id. */
export const findOrders = (
  db: Db,
  projectId: string,
  { ids, sourceIds }: { ids: readonly string[]; sourceIds: readonly string[] },
) => db<OrderRow[]>`
  select * from orders where project_id = ${projectId} and ${namedBy(db, { id: ids, source_id: sourceIds })}`;

/** The source ids of orders; null of those that have none. */
export async function sourceIdsOf(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await db<Pick<OrderRow, "id" | "source_id">[]>`
    select id, source_id from orders where project_id = ${projectId} and id = any(${ids})`;
  return new Map(rows.map(({ id, source_id }) => [id, source_id]));
}

export async function lockOrder(
  tx: Tx,
  projectId: string,
  given: { id?: string; sourceId?: string },
): Promise<OrderRow | null> {
  const [row] = await tx<OrderRow[]>`
    select * from orders where project_id = ${projectId}
      and ${given.id === undefined ? tx`source_id = ${given.sourceId ?? null}` : tx`id = ${given.id}`}
    order by id for no key update`;
  return row ?? null;
}

/** The orders that exist, locked in the order of their ids. */
export const lockOrders = (
  tx: Tx,
  projectId: string,
  { ids, sourceIds }: { ids: readonly string[]; sourceIds: readonly string[] },
) =>
  tx<OrderRow[]>`
  select * from orders where project_id = ${projectId} and ${namedBy(tx, { id: ids, source_id: sourceIds })}
  order by id for no key update`.execute();

/** The same by ids that the statement finds: whoever gives them compares afterwards that they are still those. */
export const lockOrdersOf = (tx: Tx, projectId: string, ids: Fragment) =>
  tx<OrderRow[]>`
  select * from orders where project_id = ${projectId} and id = any(${ids}) order by id for no key update`.execute();

/** The names of those that another transaction holds: ids and source ids. */
export async function heldOrders(tx: Tx, projectId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await heldRows<Pick<OrderRow, "id" | "source_id">>(tx, { table: "orders", key: "id", projectId }, () =>
    namedBy(tx, { id: names, source_id: names }),
  );
  return new Set(rows.flatMap(({ id, source_id }) => [id, source_id]).filter((name) => name !== null));
}

/**
 * Copies orders that are about to change into the redemptions that show them as they are. The orders are locked, and name all of
 * these redemptions; those that were copied into before are left as they are.
 */
async function keepShown(
  tx: Tx,
  projectId: string,
  orders: readonly Pick<OrderRow, "id" | "redemptions">[],
): Promise<void> {
  const ids = orders.flatMap(redemptionsNamed);
  if (ids.length === 0) return;
  await tx`
    update redemptions r set order_shown = o.shown
    from (select id, json_build_object('was', to_json(w)) as shown from orders w
      where w.project_id = ${projectId} and w.id = any(${orders.map(({ id }) => id)}) offset 0) o
    where r.project_id = ${projectId} and o.id = r.order_id and r.id = any(${ids}) and r.order_shown is null`.execute();
}

/**
 * Orders as they are now: new ones are made, the others are set. Who made one of the new ones first is found out. `renamed` get
 * another source id, and give theirs to others of the rows.
 */
export async function saveOrders(
  tx: Tx,
  projectId: string,
  rows: readonly OrderRow[],
  renamed: readonly string[] = [],
): Promise<void> {
  if (rows.length === 0) return;
  // Those that are there are locked. New ones wait for others with their source id, so they come in that order.
  const inOrder = rows.toSorted(
    (a, b) => compareTexts(a.source_id ?? "", b.source_id ?? "") || compareTexts(a.id, b.id),
  );
  // Sent together, and run in this order. New orders were in no redemption yet.
  const [made, changed] = [true, false].map((isNew) => inOrder.filter((row) => (row.updated_at === null) === isNew));
  await together([
    keepShown(tx, projectId, changed!),
    renamed.length > 0 &&
      tx`update orders set source_id = null where project_id = ${projectId} and id = any(${renamed})`.execute(),
    made!.length > 0 && tx`insert into orders ${insertOf(tx, "orders", projectId, made!)}`.execute(),
    changed!.length > 0 &&
      tx`
    insert into orders as o ${insertOf(tx, "orders", projectId, changed!)}
    on conflict (project_id, id) do update set source_id = excluded.source_id, status = excluded.status,
      customer_id = excluded.customer_id, referrer_id = excluded.referrer_id, amount = excluded.amount,
      initial_amount = excluded.initial_amount, discount_amount = excluded.discount_amount,
      items_discount_amount = excluded.items_discount_amount, applied_discount_amount = excluded.applied_discount_amount,
      items_applied_discount_amount = excluded.items_applied_discount_amount, zero_discounts = excluded.zero_discounts,
      applied_zero_discounts = excluded.applied_zero_discounts, items = excluded.items,
      metadata = excluded.metadata, redemptions = excluded.redemptions, updated_at = excluded.updated_at`.execute(),
  ]);
}

const rethrow = (error: unknown): never => {
  throw apiErrorOf(error, "order") ?? error;
};

/** Null when another transaction made an order with this source id first. */
export async function insertOrder(tx: Tx, row: OrderRow): Promise<OrderRow | null> {
  const [saved] = await tx<OrderRow[]>`insert into orders ${tx(row as never)} on conflict do nothing returning *`;
  return saved ?? null;
}

/** Changes an order that is locked. */
export async function updateOrder(
  tx: Tx,
  { project_id, id, redemptions }: OrderRow,
  patch: Partial<OrderRow>,
): Promise<OrderRow> {
  await keepShown(tx, project_id, [{ id, redemptions }]);
  const [saved] = await tx<OrderRow[]>`
    update orders set ${tx(patch as never)} where project_id = ${project_id} and id = ${id} returning *`.catch(rethrow);
  return saved!;
}

export const view = (row: OrderRow): Order => storedOrderView(row) as Order;

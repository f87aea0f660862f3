import type { Catalog } from "../../catalog/catalog.ts";
import { notFound } from "../../core/errors.ts";
import { referencesIn } from "../../core/order/resolve.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { OrderWrite } from "../../resources/orders/orders/schema.ts";
import { findOrders, lockOrder } from "../../resources/orders/orders/store.ts";
import { keepsMembers } from "../../steps/customers/segment-membership.ts";
import { type Goods, loadGoods } from "../../steps/goods/goods.ts";
import { referrersOfOrders } from "../../steps/referrals/referrals.ts";

/** People who are locked before the order, beside those whom the body names. */
export type Bystanders = {
  /** The customer who has the order until now; null: nobody, or no segment asks. */
  owner: string | null;
  /** Who may have brought the customer, where that counts once an order is paid. */
  referrers: readonly string[];
};

export const loadBystanders = async (c: WriteCtx, catalog: Catalog, body: OrderWrite): Promise<Bystanders> => ({
  owner: keepsMembers(catalog) ? await findOwner(c, body) : null,
  referrers: await findReferrers(c, catalog, body),
});

/** The customer who has the order until now, and whose segments are worked out anew. */
async function findOwner(c: WriteCtx, { id, source_id }: OrderWrite): Promise<string | null> {
  const [ids, sourceIds] = id ? [[id], []] : [[], source_id ? [source_id] : []];
  if (ids.length + sourceIds.length === 0) return null;
  const [row] = await findOrders(c.db, c.project.id, { ids, sourceIds });
  return row?.customer_id ?? null;
}

function findReferrers(c: WriteCtx, catalog: Catalog, body: OrderWrite): Promise<string[]> {
  const { customer, customer_id, id, source_id } = body;
  const given = typeof customer === "string" ? [customer] : [customer?.id, customer?.source_id, customer_id];
  const names = given.flatMap((name) => name || []);
  return referrersOfOrders(c.db, c.project.id, catalog, {
    names,
    orders: [id, source_id].flatMap((name) => name || []),
  });
}

/** The order that a body names, locked; null: it is to be made. */
export async function lockNamedOrder(
  c: WriteCtx,
  catalog: Catalog,
  { body: { id, source_id }, owner }: { body: OrderWrite; owner: string | null },
): Promise<OrderRow | null> {
  const row = id || source_id ? await lockOrder(c.db, c.project.id, id ? { id } : { sourceId: source_id! }) : null;
  if (id && !row) throw notFound("order", id);
  if (keepsMembers(catalog) && (row?.customer_id ?? null) !== owner)
    throw new StartOver("the order was given to another customer meanwhile");
  return row;
}

/** The products and SKUs that the lines of a body name. */
export const loadOrderGoods = (c: WriteCtx, { items }: OrderWrite): Promise<Goods> =>
  loadGoods(c.db, c.project.id, referencesIn(items ?? []));

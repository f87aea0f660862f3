import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import { type Order, type OrderItem, totalsOf } from "../../core/order/order.ts";
import { orderFault, referencesIn, resolveOrder } from "../../core/order/resolve.ts";
import type { OrderStatus } from "../../core/order/schema.ts";
import { amountsOf, cartOf } from "../../core/order/stored.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/commit.ts";
import { type EventKind, record, recordAll, withIds } from "../../events/events.ts";
import {
  type CustomerNamed,
  customerEvents,
  getCustomer,
  lockCustomers,
  type Saved,
} from "../../resources/customers/customers/store.ts";
import type { OrderWrite } from "../../resources/orders/orders/schema.ts";
import { findOrders, getOrder, insertOrder, lockOrder, updateOrder } from "../../resources/orders/orders/store.ts";
import { saveCustomers } from "../../steps/customers/customers.ts";
import { keepsMembers, refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { catalogueOf, loadGoods } from "../../steps/goods/goods.ts";
import { overrideCatalogue, overridesIn } from "../../steps/goods/overrides.ts";
import { orderMoves, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { convertReferrals, paidReferrals, referrersOfOrders } from "../../steps/referrals/referrals.ts";

const STATUS_EVENTS: Record<OrderStatus, EventKind | null> = {
  CREATED: null,
  PAID: "customer.order.paid",
  FULFILLED: "customer.order.fulfilled",
  CANCELED: "customer.order.canceled",
};

/** Creates an order, or updates the one with this id or source id, with its customer and its referrer. */
export async function saveOrder(c: WriteCtx, body: OrderWrite): Promise<OrderRow> {
  const catalog = await c.catalog();
  const owner = keepsMembers(catalog) ? await ownerOf(c, body) : null;
  const referrers = await referrersFor(c, catalog, body);
  const others = owner === null ? referrers : [owner, ...referrers];
  const people = await savePeople(c, catalog, { body, others });
  const before = await existing(c, body);
  if (keepsMembers(catalog) && (before?.customer_id ?? null) !== owner)
    throw new StartOver("the order was given to another customer meanwhile");
  requireOrderMetadata(catalog, body, before);
  const cart = await cartFrom(c, catalog, { body, before });
  const saved = before
    ? await change(c, before, { body, people, cart })
    : await create(c, { body, people, cart: cart! });
  await recordOrder(c, catalog, { before, saved, people });
  return saved;
}

/** Updates the order with this id or source id. */
export async function changeOrder(c: WriteCtx, reference: string, body: OrderWrite): Promise<OrderRow> {
  const { id } = await getOrder(c.db, c.project.id, reference);
  return saveOrder(c, { ...body, id });
}

async function existing(c: WriteCtx, { id, source_id }: OrderWrite): Promise<OrderRow | null> {
  if (!id && !source_id) return null;
  const row = await lockOrder(c.db, c.project.id, id ? { id } : { sourceId: source_id! });
  if (id && !row) throw notFound("order", id);
  return row;
}

/** The customer who has the order until now, and whose segments are worked out anew: to be locked before the order. */
async function ownerOf(c: WriteCtx, { id, source_id }: OrderWrite): Promise<string | null> {
  const [ids, sourceIds] = id ? [[id], []] : [[], source_id ? [source_id] : []];
  if (ids.length + sourceIds.length === 0) return null;
  const [row] = await findOrders(c.db, c.project.id, { ids, sourceIds });
  return row?.customer_id ?? null;
}

/** Who may have brought the customer, where that counts once an order is paid: to be locked before the order, too. */
function referrersFor(c: WriteCtx, catalog: Catalog, body: OrderWrite): Promise<string[]> {
  const { customer, customer_id, id, source_id } = body;
  const given = typeof customer === "string" ? [customer] : [customer?.id, customer?.source_id, customer_id];
  const names = given.flatMap((one) => one || []);
  return referrersOfOrders(c.db, c.project.id, catalog, { names, orders: [id, source_id].flatMap((one) => one || []) });
}

type People = { customer?: string | null; referrer?: string | null; saved: Saved[] };

/** Customers come before orders in the order of locks. What is not sent stays, null takes the person away. */
async function savePeople(
  c: WriteCtx,
  catalog: Catalog,
  { body, others }: { body: OrderWrite; others: readonly string[] },
): Promise<People> {
  const given = async (nested: OrderWrite["customer"], id: string | null | undefined) => {
    if (typeof nested === "string") return { id: (await getCustomer(c.db, c.project.id, nested)).id };
    return (nested as CustomerNamed | null) ?? (id ? { id } : nested === null || id === null ? null : undefined);
  };
  const wanted = {
    customer: await given(body.customer, body.customer_id),
    referrer: await given(body.referrer, body.referrer_id),
  };
  const named = [wanted.customer, wanted.referrer].filter((one) => one != null);
  if (others.length > 0) {
    const ids = [...others, ...named.flatMap((one) => one.id ?? [])];
    await lockCustomers(c.db, c.project.id, { ids, sourceIds: named.flatMap((one) => one.source_id ?? []) });
  }
  const saved = await saveCustomers(c, catalog, named);
  const rest = [...saved];
  const idOf = (one: CustomerNamed | null | undefined) => (one ? rest.shift()!.row.id : one);
  const ids = { customer: idOf(wanted.customer), referrer: idOf(wanted.referrer) };
  return {
    ...(ids.customer !== undefined && { customer: ids.customer }),
    ...(ids.referrer !== undefined && { referrer: ids.referrer }),
    saved,
  };
}

function requireOrderMetadata(catalog: Catalog, { metadata, items }: OrderWrite, before: OrderRow | null): void {
  const on = before ? "update" : "create";
  if (metadata || !before) requireMetadata(catalog, "order", { metadata: metadata ?? {}, on });
  for (const item of items ?? [])
    requireMetadata(catalog, "order_item", { metadata: item.metadata ?? {}, on: "create" });
}

/** The cart as it is to be stored, or null when an update leaves it as it is. */
async function cartFrom(
  c: WriteCtx,
  catalog: Catalog,
  { body, before }: { body: OrderWrite; before: OrderRow | null },
): Promise<Order | null> {
  const { amount, discount_amount, items } = body;
  if (before && items === undefined && amount === undefined && discount_amount === undefined) return null;
  // Lines that are not sent stay as they are stored, and so does what the order costs.
  const isKept = before !== null && items === undefined;
  const cart = isKept ? { ...cartOf(before), amount: amount ?? before.amount } : await sentCart(c, catalog, body);
  const fault = orderFault(cart);
  if (fault !== null) throw new ApiError("invalid_payload", { details: fault.replace(".order", "") });
  const left = (cart.amount ?? 0) - totalsOf(cart).items_discount_amount;
  const wanted = discount_amount ?? before?.discount_amount ?? 0;
  return {
    ...cart,
    initial_amount: isKept && amount === undefined ? cart.initial_amount : cart.amount,
    discount_amount: Math.max(0, Math.min(wanted, left)),
  };
}

/** Discounts on lines that were given elsewhere are kept as history, up to what the lines cost. */
async function sentCart(c: WriteCtx, catalog: Catalog, body: OrderWrite): Promise<Order> {
  const items = body.items ?? [];
  // Which collections hold a line is asked when a cart is validated, not when it is stored.
  const catalogue = catalogueOf(await loadGoods(c.db, c.project.id, referencesIn(items)));
  const resolved = resolveOrder({ ...body, items, metadata: {} }, catalogue);
  const overrides = overridesIn(items, { catalog, catalogue });
  if (overrides.fault !== null) throw new ApiError("metadata_validation_failed", { details: overrides.fault });
  await overrideCatalogue(c.db, c.project.id, [{ overrides, made: c }]);
  const lines: OrderItem[] = resolved.items.map((item, i) => ({
    ...item,
    id: c.newId("ordli"),
    discount_amount: Math.min(items[i]!.discount_amount ?? 0, item.amount ?? 0),
    discount_quantity: Math.min(items[i]!.discount_quantity ?? 0, item.quantity),
  }));
  return { ...resolved, items: lines };
}

type Change = { body: OrderWrite; people: People };

async function create(c: WriteCtx, { body, people, cart }: Change & { cart: Order }): Promise<OrderRow> {
  const row: OrderRow = {
    project_id: c.project.id,
    id: c.newId("ord"),
    source_id: body.source_id ?? null,
    status: body.status ?? "CREATED",
    customer_id: people.customer ?? null,
    referrer_id: people.referrer ?? null,
    ...amountsOf(cart),
    metadata: body.metadata ?? {},
    redemptions: {},
    created_at: c.now,
    updated_at: null,
  };
  const saved = await insertOrder(c.db, row);
  if (!saved) throw new StartOver("another order with this source id was made meanwhile");
  return saved;
}

const change = (c: WriteCtx, before: OrderRow, { body, people, cart }: Change & { cart: Order | null }) =>
  updateOrder(c.db, c.project.id, before.id, {
    ...(body.status && { status: body.status }),
    ...(body.source_id && { source_id: body.source_id }),
    ...(people.customer !== undefined && { customer_id: people.customer }),
    ...(people.referrer !== undefined && { referrer_id: people.referrer }),
    ...(cart && amountsOf(cart)),
    ...(body.metadata && { metadata: mergeMetadata(before.metadata, body.metadata) }),
    updated_at: c.now,
  });

/** One event for the order and one for the status it entered; entering it again is no event. */
async function recordOrder(
  c: WriteCtx,
  catalog: Catalog,
  { before, saved, people }: { before: OrderRow | null; saved: OrderRow; people: People },
): Promise<void> {
  const entered = saved.status !== before?.status ? STATUS_EVENTS[saved.status] : null;
  const kinds: EventKind[] = [
    ...(before ? (entered ? [] : ["customer.order.updated" as const]) : ["customer.order.created" as const]),
    ...(entered ? [entered] : []),
  ];
  const own = kinds.map((kind) => ({
    kind,
    customer_id: saved.customer_id,
    payload: { order_id: saved.id, status: saved.status },
  }));
  const happened = withIds(c, [...customerEvents(people.saved), ...own]);
  await record(c, happened);
  const moves = orderMoves(happened, saved, { of: c });
  const referred = await paidReferrals(c.db, c.project.id, catalog, moves);
  const converted = await convertReferrals(c.db, c.project, catalog, referred);
  await recordAll(c.db, c.project.id, converted.following);
  const concerned = [saved.customer_id, before?.customer_id ?? null, ...converted.referrers.keys()];
  const touched = [...new Set(concerned.filter((id) => id !== null))];
  const moved = withIds(c, touched.length > 0 ? await refreshMemberships(c, catalog, touched) : []);
  await record(c, moved);
  const told = [...moves, ...converted.told, ...segmentsEntered(moved, c)];
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, catalog, told));
}

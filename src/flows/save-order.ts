import type { Catalog, Catalogs } from "../catalog/catalog.ts";
import { requireMetadata } from "../catalog/metadata.ts";
import { refreshMemberships } from "../catalog/segment-membership.ts";
import { ApiError, notFound } from "../core/errors.ts";
import { metadataFault } from "../core/metadata/check.ts";
import type { Order, OrderItem } from "../core/order/order.ts";
import { type Catalogue, orderFault, referencesIn, resolveOrder } from "../core/order/resolve.ts";
import type { OrderStatus } from "../core/order/schema.ts";
import type { WriteCtx } from "../ctx.ts";
import { StartOver } from "../db/commit.ts";
import { type EventKind, record } from "../events/events.ts";
import { type CustomerNamed, customerEvents, type Saved, upsertCustomers } from "../resources/customers/store.ts";
import type { OrderWrite } from "../resources/orders/schema.ts";
import { amountsOf, getOrder, insertOrder, lockOrder, type OrderRow, updateOrder } from "../resources/orders/store.ts";
import { findProducts, productsById, upsertProducts } from "../resources/products/store.ts";
import { findSkus, upsertSkus } from "../resources/skus/store.ts";

type Writing = WriteCtx & { catalogs: Catalogs };

const STATUS_EVENTS: Record<OrderStatus, EventKind | null> = {
  CREATED: null,
  PAID: "customer.order.paid",
  FULFILLED: "customer.order.fulfilled",
  CANCELED: "customer.order.canceled",
};

/** Creates an order, or updates the one with this id or source id, with its customer and its referrer. */
export async function saveOrder(c: Writing, body: OrderWrite): Promise<OrderRow> {
  const catalog = await c.catalogs.catalogOf(c.project);
  const people = await savePeople(c, catalog, body);
  const before = await existing(c, body);
  checkMetadata(catalog, body, before);
  const cart = await cartFrom(c, body, before);
  const saved = before
    ? await change(c, before, { body, people, cart })
    : await create(c, { body, people, cart: cart! });
  await recordOrder(c, catalog, { before, saved, people });
  return saved;
}

/** Updates the order with this id or source id. */
export async function changeOrder(c: Writing, reference: string, body: OrderWrite): Promise<OrderRow> {
  const { id } = await getOrder(c.db, c.project.id, reference);
  return saveOrder(c, { ...body, id });
}

async function existing(c: Writing, { id, source_id }: OrderWrite): Promise<OrderRow | null> {
  if (!id && !source_id) return null;
  const row = await lockOrder(c.db, c.project.id, id ? { id } : { sourceId: source_id! });
  if (id && !row) throw notFound("order", id);
  return row;
}

type People = { customer?: string | null; referrer?: string | null; saved: Saved[] };

/** Customers come before orders in the order of locks. What is not sent stays, null takes the person away. */
async function savePeople(c: Writing, catalog: Catalog, body: OrderWrite): Promise<People> {
  const given = (nested: CustomerNamed | null | undefined, id: string | null | undefined) =>
    nested ?? (id ? { id } : nested === null || id === null ? null : undefined);
  const wanted = {
    customer: given(body.customer as CustomerNamed | null | undefined, body.customer_id),
    referrer: given(body.referrer as CustomerNamed | null | undefined, body.referrer_id),
  };
  const named = [wanted.customer, wanted.referrer].filter((one) => one != null);
  const results = await upsertCustomers(c.db, c.project.id, named, {
    secret: c.project.secret,
    now: c.now,
    newId: c.newId,
    metadataFault: (metadata, on) => metadataFault(catalog.metadata_schemas, "customer", { metadata, on }),
  });
  const saved = results.map((one) => {
    if (!("refused" in one)) return one;
    const { code: _, key, message: __, ...extra } = one.refused;
    throw new ApiError(key, extra);
  });
  const rest = [...saved];
  const idOf = (one: CustomerNamed | null | undefined) => (one ? rest.shift()!.row.id : one);
  const ids = { customer: idOf(wanted.customer), referrer: idOf(wanted.referrer) };
  return {
    ...(ids.customer !== undefined && { customer: ids.customer }),
    ...(ids.referrer !== undefined && { referrer: ids.referrer }),
    saved,
  };
}

function checkMetadata(catalog: Catalog, { metadata, items }: OrderWrite, before: OrderRow | null): void {
  const on = before ? "update" : "create";
  if (metadata || !before) requireMetadata(catalog, "order", { metadata: metadata ?? {}, on });
  for (const item of items ?? [])
    requireMetadata(catalog, "order_item", { metadata: item.metadata ?? {}, on: "create" });
}

/** The cart as it is sent, or null when an update leaves it as it is. */
async function cartFrom(c: Writing, body: OrderWrite, before: OrderRow | null): Promise<Order | null> {
  if (before && body.items === undefined && body.amount === undefined && body.discount_amount === undefined)
    return null;
  const items = body.items ?? before?.items.map((item) => ({ ...item, quantity: item.quantity })) ?? [];
  const catalogue = await catalogueOf(c, items as NonNullable<OrderWrite["items"]>);
  const resolved = resolveOrder({ ...body, items, metadata: {} } as never, catalogue);
  const fault = orderFault(resolved);
  if (fault !== null) throw new ApiError("invalid_payload", { details: fault.replace(".order", "") });
  // Discounts that were given elsewhere are kept as history, up to what the order and its lines cost.
  const discounted: OrderItem[] = resolved.items.map((item, i) => ({
    ...item,
    id: item.id ?? c.newId("ordli"),
    discount_amount: Math.min(items[i]?.discount_amount ?? 0, item.amount ?? 0),
    discount_quantity: Math.min(items[i]?.discount_quantity ?? 0, item.quantity),
  }));
  const left = (resolved.amount ?? 0) - discounted.reduce((sum, item) => sum + item.discount_amount, 0);
  const wanted = body.discount_amount ?? before?.discount_amount ?? 0;
  await overrideCatalogue(c, items as NonNullable<OrderWrite["items"]>);
  return { ...resolved, items: discounted, discount_amount: Math.max(0, Math.min(wanted, left)) };
}

/** What the order names of the catalogue, in three statements however many lines it has. */
async function catalogueOf(c: Writing, items: NonNullable<OrderWrite["items"]>): Promise<Catalogue> {
  const references = referencesIn(items);
  const [products, skus] = await Promise.all([
    findProducts(c.db, c.project.id, references.products),
    findSkus(c.db, c.project.id, references.skus),
  ]);
  const parents = await productsById(
    c.db,
    c.project.id,
    skus.map(({ product_id }) => product_id),
  );
  const info = (row: (typeof products)[number]) => {
    const { id, source_id, name, price, metadata } = row;
    return { id, source_id, name, price, metadata };
  };
  const byReference = <R extends { id: string; source_id: string | null }>(rows: readonly R[]) =>
    new Map([
      ...rows.map((row) => [row.source_id ?? row.id, row] as const),
      ...rows.map((row) => [row.id, row] as const),
    ]);
  const [productOf, skuOf] = [byReference(products), byReference(skus)];
  const parentOf = new Map(parents.map((row) => [row.id, info(row)]));
  return {
    product: (reference) => {
      const row = productOf.get(reference);
      return row && info(row);
    },
    sku: (reference) => {
      const row = skuOf.get(reference);
      if (!row) return undefined;
      const { id, source_id, sku, price, metadata, product_id } = row;
      return { id, source_id, sku, price, metadata, product: parentOf.get(product_id) ?? null };
    },
    // Which collections hold a line is asked when a cart is validated, not when it is stored.
    collectionsOf: () => [],
  };
}

/** Lines that say so bring the catalogue up to date: a product or SKU that is not there is made. */
async function overrideCatalogue(c: Writing, items: NonNullable<OrderWrite["items"]>): Promise<void> {
  const products = items.flatMap(({ product, source_id, related_object }) => {
    const reference = product?.source_id ?? (related_object === "product" ? source_id : null);
    return product?.override && reference ? [{ ...product, source_id: reference }] : [];
  });
  await upsertProducts(c.db, c.project.id, products, c);
  const parents = new Map(
    (await findProducts(c.db, c.project.id, referencesIn(items).products)).flatMap((row) => [
      [row.id, row.id],
      [row.source_id ?? row.id, row.id],
    ]),
  );
  const skus = items.flatMap(({ sku, product, product_id, source_id, related_object }) => {
    const reference = sku?.source_id ?? (related_object === "sku" ? source_id : null);
    const parent = parents.get(product_id ?? product?.id ?? product?.source_id ?? "");
    return sku?.override && reference && parent ? [{ ...sku, source_id: reference, product_id: parent }] : [];
  });
  await upsertSkus(c.db, c.project.id, skus, c);
}

type Change = { body: OrderWrite; people: People };

async function create(c: Writing, { body, people, cart }: Change & { cart: Order }): Promise<OrderRow> {
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

const change = (c: Writing, before: OrderRow, { body, people, cart }: Change & { cart: Order | null }) =>
  updateOrder(c.db, c.project.id, before.id, {
    ...(body.status && { status: body.status }),
    ...(body.source_id && { source_id: body.source_id }),
    ...(people.customer !== undefined && { customer_id: people.customer }),
    ...(people.referrer !== undefined && { referrer_id: people.referrer }),
    ...(cart && amountsOf(cart)),
    ...(body.metadata && { metadata: { ...before.metadata, ...body.metadata } }),
    updated_at: c.now,
  });

/** One event for the order and one for the status it entered; entering it again is no event. */
async function recordOrder(
  c: Writing,
  catalog: Catalog,
  { before, saved, people }: { before: OrderRow | null; saved: OrderRow; people: People },
): Promise<void> {
  const entered = saved.status !== before?.status ? STATUS_EVENTS[saved.status] : null;
  const kinds: EventKind[] = [
    ...(before ? (entered ? [] : ["customer.order.updated" as const]) : ["customer.order.created" as const]),
    ...(entered ? [entered] : []),
  ];
  const touched = [...new Set([saved.customer_id, before?.customer_id ?? null].filter((id) => id !== null))];
  const moved = touched.length > 0 ? await refreshMemberships(c, catalog, touched) : [];
  const own = kinds.map((kind) => ({
    kind,
    customer_id: saved.customer_id,
    payload: { order_id: saved.id, status: saved.status },
  }));
  await record(c, [...customerEvents(people.saved), ...own, ...moved]);
}

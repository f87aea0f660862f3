import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError } from "../../core/errors.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import { type Order, type OrderItem, totalsOf } from "../../core/order/order.ts";
import { orderFault, resolveOrder } from "../../core/order/resolve.ts";
import { cartOf, storedAmounts } from "../../core/order/stored.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { NewId } from "../../request.ts";
import type { OrderWrite } from "../../resources/orders/orders/schema.ts";
import { catalogueOf, type Goods } from "../../steps/goods/goods.ts";
import { type Overrides, overridesIn } from "../../steps/goods/overrides.ts";
import type { OrderPeople } from "./people.ts";

/** What an order is planned from. */
export type OrderState = {
  catalog: Catalog;
  project: { id: string };
  now: string;
  newId: NewId;
  body: OrderWrite;
  /** The order until now, locked; null: it is to be made. */
  before: OrderRow | null;
  people: OrderPeople;
  /** What its lines name of the catalogue. */
  goods: Goods;
};

/** What saving an order does: a row that is made, or fields that change, and what its lines say of the catalogue. */
export type OrderPlan = ({ create: OrderRow } | { before: OrderRow; change: Partial<OrderRow> }) & {
  overrides: Overrides | null;
};

export function planOrder(state: OrderState): OrderPlan {
  const { body, before, people, project, now, newId } = state;
  requireOrderMetadata(state);
  const { cart, overrides } = planCart(state);
  if (before)
    return {
      before,
      change: {
        ...(body.status && { status: body.status }),
        ...(body.source_id && { source_id: body.source_id }),
        ...(people.customer !== undefined && { customer_id: people.customer }),
        ...(people.referrer !== undefined && { referrer_id: people.referrer }),
        ...(cart && storedAmounts(cart)),
        ...(body.metadata && { metadata: mergeMetadata(before.metadata, body.metadata) }),
        updated_at: now,
      },
      overrides,
    };
  const create: OrderRow = {
    project_id: project.id,
    id: newId("ord"),
    source_id: body.source_id ?? null,
    status: body.status ?? "CREATED",
    customer_id: people.customer ?? null,
    referrer_id: people.referrer ?? null,
    ...storedAmounts(cart!),
    metadata: body.metadata ?? {},
    redemptions: {},
    created_at: now,
    updated_at: null,
  };
  return { create, overrides };
}

function requireOrderMetadata({ catalog, body: { metadata, items }, before }: OrderState): void {
  const on = before ? "update" : "create";
  if (metadata || !before) requireMetadata(catalog, "order", { metadata: metadata ?? {}, on });
  for (const { metadata: ofLine, product, sku } of items ?? []) {
    requireMetadata(catalog, "order_item", { metadata: ofLine ?? {}, on: "create" });
    for (const goods of [product, sku])
      requireMetadata(catalog, "product", { metadata: goods?.metadata ?? {}, on: "update" });
  }
}

/** The cart as it is to be stored; null when an update leaves it as it is. */
function planCart(state: OrderState): { cart: Order | null; overrides: Overrides | null } {
  const { body, before } = state;
  const { amount, discount_amount, items } = body;
  if (before && items === undefined && amount === undefined && discount_amount === undefined)
    return { cart: null, overrides: null };
  // Lines that are not sent stay as they are stored, and so does what the order costs.
  const isKept = before !== null && items === undefined;
  const { cart, overrides } = isKept
    ? { cart: { ...cartOf(before), amount: amount ?? before.amount }, overrides: null }
    : resolveSent(state);
  const fault = orderFault(cart);
  if (fault !== null) throw new ApiError("invalid_payload", { details: fault.replace(".order", "") });
  const left = (cart.amount ?? 0) - totalsOf(cart).items_discount_amount;
  const wanted = discount_amount ?? before?.discount_amount ?? 0;
  return {
    cart: {
      ...cart,
      initial_amount: isKept && amount === undefined ? cart.initial_amount : cart.amount,
      discount_amount: Math.max(0, Math.min(wanted, left)),
    },
    overrides,
  };
}

/** Discounts on lines that were given elsewhere are kept as history, up to what the lines cost. */
function resolveSent({ catalog, body, goods, newId }: OrderState): { cart: Order; overrides: Overrides } {
  const items = body.items ?? [];
  // Which collections hold a line is asked when a cart is validated, not when it is stored.
  const catalogue = catalogueOf(goods);
  const resolved = resolveOrder({ ...body, items, metadata: {} }, catalogue);
  const overrides = overridesIn(items, { catalog, catalogue });
  if (overrides.fault !== null) throw new ApiError("metadata_validation_failed", { details: overrides.fault });
  const lines: OrderItem[] = resolved.items.map((item, i) => ({
    ...item,
    id: newId("ordli"),
    discount_amount: Math.min(items[i]!.discount_amount ?? 0, item.amount ?? 0),
    discount_quantity: Math.min(items[i]!.discount_quantity ?? 0, item.quantity),
  }));
  return { cart: { ...resolved, items: lines }, overrides };
}

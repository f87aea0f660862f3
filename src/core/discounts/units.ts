import { scaleHalfUp, sum } from "../money/amounts.ts";
import {
  discountItems,
  type Order,
  type OrderItem,
  type ProductInfo,
  type SkuInfo,
  subtotalOf,
  totalsOf,
} from "../order/order.ts";
import type { Target } from "./targets.ts";

/** What a unit discount may add: a product or a SKU of the catalogue, by its id. */
export type CatalogueUnit = { product: ProductInfo | null; sku: SkuInfo | null; collections: readonly string[] };
export type CatalogueUnits = ReadonlyMap<string, CatalogueUnit>;

const unitOwnPrice = ({ product, sku }: CatalogueUnit): number | null => sku?.price ?? product?.price ?? null;

const holds = (item: OrderItem, unitType: string, unit: CatalogueUnit | undefined): boolean => {
  if (item.sku?.id != null || item.sku?.source_id != null)
    return item.sku.id === unitType || item.sku.source_id === unitType;
  if (unit?.sku) return false;
  return item.product?.id === unitType || item.product?.source_id === unitType;
};

/** The goods that a unit discount is about, as its result names them. */
export type GoodsNamed = {
  product?: Pick<ProductInfo, "id" | "source_id" | "name">;
  sku?: Pick<SkuInfo, "id" | "source_id" | "sku">;
};

/** The product of units, or the SKU with its product, from the catalogue or the cart. A collection has neither. */
export function goodsOf(
  unitType: string | null | undefined,
  { order, units }: { order: Order; units: CatalogueUnits },
): GoodsNamed {
  if (unitType == null) return {};
  const unit = units.get(unitType) ?? order.items.find((item) => holds(item, unitType, undefined));
  if (!unit) return {};
  const { product, sku } = unit;
  return {
    ...(product && { product: { id: product.id, source_id: product.source_id, name: product.name } }),
    ...(sku && { sku: { id: sku.id, source_id: sku.source_id, sku: sku.sku } }),
  };
}

/** Changes the quantity of a line, and with it the amounts of the line and of the order. */
function addUnits(order: Order, index: number, count: number): Order {
  const item = order.items[index]!;
  const added = item.price === null ? null : item.price * count;
  const changed: OrderItem = {
    ...item,
    quantity: item.quantity + count,
    amount: added === null ? item.amount : (item.amount ?? 0) + added,
    applied_quantity: item.applied_quantity + count,
    applied_quantity_amount: item.applied_quantity_amount + (added ?? 0),
  };
  return {
    ...order,
    amount: added === null ? order.amount : (order.amount ?? 0) + added,
    items: order.items.with(index, changed),
  };
}

/** A line with nothing in it yet, for a product that the cart does not hold. */
const emptyLine = (unit: CatalogueUnit): OrderItem => ({
  id: null,
  product: unit.product,
  sku: unit.sku,
  collections: unit.collections,
  price: unitOwnPrice(unit),
  quantity: 0,
  amount: unitOwnPrice(unit) === null ? null : 0,
  initial_quantity: 0,
  initial_amount: unitOwnPrice(unit) === null ? null : 0,
  discount_amount: 0,
  discount_quantity: 0,
  applied_discount_amount: 0,
  applied_discount_quantity: 0,
  applied_quantity: 0,
  applied_quantity_amount: 0,
  metadata: {},
});

/**
 * Takes units away from a line. What the line costs and what was taken off it go in the same share: of a line of 5 for
 * two units one leaves 2 (2.5 is rounded up and taken away as 3).
 */
function removeUnits(order: Order, index: number, count: number): { order: Order; amount: number; discount: number } {
  const item = order.items[index]!;
  const share = (whole: number) => (count >= item.quantity ? whole : scaleHalfUp(whole, count, item.quantity));
  const amount = share(item.amount ?? 0);
  const discount = Math.min(share(item.discount_amount), item.discount_amount);
  const left: OrderItem = {
    ...item,
    quantity: item.quantity - count,
    amount: (item.amount ?? 0) - amount,
    discount_amount: item.discount_amount - discount,
    discount_quantity: Math.min(item.discount_quantity, item.quantity - count),
    applied_quantity: item.applied_quantity - count,
    applied_quantity_amount: item.applied_quantity_amount - amount,
  };
  const items = order.items.with(index, left);
  return { order: { ...order, amount: (order.amount ?? 0) - amount, items }, amount, discount };
}

/** An amount that was sent may be less than what its lines cost: it does not fall below zero, and neither does the rest. */
function fitted(given: Order): Order {
  const order = { ...given, amount: Math.max(0, given.amount ?? 0) };
  const left = Math.max(0, (order.amount ?? 0) - totalsOf(order).items_discount_amount);
  return { ...order, discount_amount: Math.min(order.discount_amount, left) };
}

function findOrAddLine(order: Order, unitType: string, units: CatalogueUnits): { order: Order; index: number } | null {
  const unit = units.get(unitType);
  const index = order.items.findIndex((item) => holds(item, unitType, unit));
  if (index >= 0) return { order, index };
  if (!unit) return null;
  return { order: { ...order, items: [...order.items, emptyLine(unit)] }, index: order.items.length };
}

/** Makes `count` units free, of one line after the other. Without a price a unit is worth its part of the amount. */
function freeUnits(order: Order, indices: readonly number[], count: number): Order {
  let left = count;
  const free = indices.flatMap((index) => {
    const item = order.items[index]!;
    const quantity = Math.min(left, item.quantity);
    if (quantity === 0) return [];
    left -= quantity;
    const value = item.price === null ? scaleHalfUp(item.amount ?? 0, quantity, item.quantity) : item.price * quantity;
    return [{ index, amount: quantity === item.quantity ? subtotalOf(item) : value, quantity }];
  });
  return discountItems(order, free);
}

/** Adds `count` units and makes exactly those free, also when the cart holds the product already. */
export function addNewItems(order: Order, { unitType, count }: UnitsOff, units: CatalogueUnits): Order {
  const found = findOrAddLine(order, unitType, units);
  if (!found || count === 0) return order;
  const grown = addUnits(found.order, found.index, count);
  const { price } = grown.items[found.index]!;
  return discountItems(grown, [{ index: found.index, amount: (price ?? 0) * count, quantity: count }]);
}

/**
 * Sees to it that the cart holds `count` units and makes that many free: of 2 asked for and 1 there, 1 is added. All
 * lines of the product count, and what is added goes to the first of them.
 */
export function addMissingItems(order: Order, { unitType, count }: UnitsOff, units: CatalogueUnits): Order {
  const found = findOrAddLine(order, unitType, units);
  if (!found || count === 0) return order;
  const { items } = found.order;
  const unit = units.get(unitType);
  const indices = items.flatMap((item, i) => (i === found.index || holds(item, unitType, unit) ? [i] : []));
  const missing = Math.max(0, count - sum(indices.map((i) => items[i]!.quantity)));
  return freeUnits(missing === 0 ? found.order : addUnits(found.order, found.index, missing), indices, count);
}

export type UnitsOff = { unitType: string; count: number };

/** Whether a line is a product, a SKU or of a collection that is called so. */
export const isOf = (item: OrderItem, unitType: string): boolean =>
  item.collections.includes(unitType) || holds(item, unitType, undefined);

/** Adds `count` free units to every line that the discount is for, unless its limits leave nothing of it. */
export function addSameItems(order: Order, targets: readonly Target[], count: number): Order {
  return targets.reduce((running, { index, count: left }) => {
    if (left === 0) return running;
    const grown = addUnits(running, index, count);
    return discountItems(grown, [{ index, amount: (grown.items[index]!.price ?? 0) * count, quantity: count }]);
  }, order);
}

export type Replacement = {
  source_index: number;
  source_applied_quantity: number;
  source_applied_quantity_amount: number;
  target_index: number;
  target_applied_quantity: number;
  target_applied_quantity_amount: number;
  target_applied_discount_amount: number;
};

/**
 * Takes units of the targets away and puts `count` units of another product in their place. When those cost more than
 * what was still to pay for the others, the difference is taken off: one shirt of 2,000 replaced by one of 2,500 gives
 * 500 off, and the total stays.
 */
export function replaceItems(
  order: Order,
  targets: readonly Target[],
  { unitType, count, units }: UnitsOff & { units: CatalogueUnits },
): { order: Order; details: Replacement[] } {
  const details: Replacement[] = [];
  let running = order;
  for (const { index, count: taken } of targets) {
    const source = running.items[index]!;
    const found = taken > 0 && source.amount !== null ? findOrAddLine(running, unitType, units) : null;
    if (!found || found.index === index) continue;
    const targetUnits = taken * count;
    const removed = removeUnits(found.order, index, Math.min(taken, source.quantity));
    running = addUnits(removed.order, found.index, targetUnits);
    const target = running.items[found.index]!;
    const [gone, added] = [removed.amount, (target.price ?? 0) * targetUnits];
    const before = target.discount_amount;
    const off = Math.max(0, added - (gone - removed.discount));
    running = fitted(discountItems(running, [{ index: found.index, amount: off, quantity: 0 }]));
    details.push({
      source_index: index,
      source_applied_quantity: -taken,
      source_applied_quantity_amount: -gone,
      target_index: found.index,
      target_applied_quantity: targetUnits,
      target_applied_quantity_amount: added,
      target_applied_discount_amount: running.items[found.index]!.discount_amount - before,
    });
  }
  return { order: running, details };
}

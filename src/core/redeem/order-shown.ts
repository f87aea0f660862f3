import { differenceOf } from "../difference.ts";
import { oncePer } from "../once-per.ts";
import { cartOf, storedOrderView } from "../order/stored.ts";
import { orderView } from "../order/view.ts";
import type { OrderRow } from "../rows/order.ts";
import type { RedemptionRow } from "../rows/redemption.ts";
import { toInstantText } from "../time/instant-text.ts";

type Fields = Record<string, unknown>;
type Kind = Pick<RedemptionRow, "object" | "related_object_type">;

/** A redemption of one redeemable shows its order as a cart; one of a stack, and a rollback, shows all that is stored of it. */
const showsCart = ({ object, related_object_type }: Kind): boolean =>
  object === "redemption" && related_object_type !== "redemption";

// A redemption looks at its order four times: what it shows, what its answer shows, and what either is expected to be. The rows of
// orders never change, so all of them get one object, and to compare it with itself costs nothing.
const cartLeft = oncePer((order: OrderRow): Fields => {
  const view = orderView(cartOf(order), order);
  view.status = order.status;
  view.redemptions = order.redemptions;
  return view;
});
/** All that is shown of a stored order. Nobody changes what it gives: others are given the same. */
export const wholeOrder = oncePer(storedOrderView);

/** How a redemption shows an order that is as the redemption left it. */
export const orderLeft = (row: Kind, order: OrderRow): Fields => (showsCart(row) ? cartLeft(order) : wholeOrder(order));

/** The row of an order that the database has written as JSON: its instants are in no form of ours. */
export const orderFromJson = ({ created_at, updated_at, ...row }: OrderRow): OrderRow => ({
  ...row,
  created_at: toInstantText(created_at),
  updated_at: updated_at === null ? null : toInstantText(updated_at),
});

/** The row of an order as the database would write it as JSON: 12:00:00.120Z is 12:00:00.12+00:00 there. */
export const orderAsJson = ({ created_at, updated_at, ...row }: OrderRow): OrderRow => ({
  ...row,
  created_at: databaseText(created_at),
  updated_at: updated_at === null ? null : databaseText(updated_at),
});
const databaseText = (instant: string): string => toInstantText(instant).replace(/\.?0*Z$/, "+00:00");

/**
 * The order as a redemption left it: the order as it is now, unless somebody has changed it since; null: nothing is known
 * of it. Of parts of a stack it is not known: the parts after them changed it.
 */
export function orderAt({ order_shown }: Pick<RedemptionRow, "order_shown">, now: OrderRow | null): OrderRow | null {
  if (order_shown === null) return now;
  return order_shown !== false && "was" in order_shown ? orderFromJson(order_shown.was as OrderRow) : null;
}

/** The order as a redemption shows it. */
export function orderShown(row: Kind & Pick<RedemptionRow, "order_shown">, now: OrderRow | null): Fields | null {
  const at = orderAt(row, now);
  if (at) return orderLeft(row, at);
  return row.order_shown === false ? null : row.order_shown;
}

/** The ids of the redemptions and rollbacks that an order names: whichever of them may show the order as it is. */
export const redemptionsNamed = ({ redemptions }: Pick<OrderRow, "redemptions">): string[] =>
  Object.entries(redemptions as Record<string, Named>).flatMap(([id, named]) => [
    id,
    ...(named.stacked ?? []),
    ...(named.rollback_id === undefined ? [] : [named.rollback_id]),
    ...(named.rollback_stacked ?? []),
  ]);
type Named = { stacked?: string[]; rollback_id?: string; rollback_stacked?: string[] };

/** Whether two views are shown the same, to the byte. */
export const isShownAs = (one: Fields, other: Fields): boolean => differenceOf(one, other) === undefined;

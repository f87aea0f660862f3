import type { Catalog } from "../../catalog/catalog.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import { type EventKind, ORDER_STATUS_EVENTS, record, recordAll, withIds } from "../../events/events.ts";
import { insertOrder, updateOrder } from "../../resources/orders/orders/store.ts";
import { customerEvents } from "../../steps/customers/customers.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { overrideCatalogue } from "../../steps/goods/overrides.ts";
import { orderMoves, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { convertReferrals, paidReferrals } from "../../steps/referrals/referrals.ts";
import type { OrderPeople } from "./people.ts";
import type { OrderPlan } from "./plan.ts";

/** Writes the order, and before it what its lines say of the catalogue. */
export async function writeOrder(c: WriteCtx, plan: OrderPlan): Promise<OrderRow> {
  if (plan.overrides) await overrideCatalogue(c.db, c.project.id, [{ overrides: plan.overrides, made: c }]);
  if ("change" in plan) return updateOrder(c.db, plan.before, plan.change);
  const saved = await insertOrder(c.db, plan.create);
  if (!saved) throw new StartOver("another order with this source id was made meanwhile");
  return saved;
}

/** What happened to an order: one event for the order and one for the status it entered; entering it again is no event. */
function eventsOf(before: OrderRow | null, { id, status, customer_id }: OrderRow) {
  const entered = status !== before?.status ? ORDER_STATUS_EVENTS[status] : null;
  const kinds: EventKind[] = [
    ...(before ? (entered ? [] : ["customer.order.updated" as const]) : ["customer.order.created" as const]),
    ...(entered ? [entered] : []),
  ];
  return kinds.map((kind) => ({ kind, customer_id, payload: { order_id: id, status } }));
}

/** Records what happened, and gives what follows from it: referrals, segments, points. */
export async function recordOrder(
  c: WriteCtx,
  catalog: Catalog,
  { before, saved, people }: { before: OrderRow | null; saved: OrderRow; people: OrderPeople },
): Promise<void> {
  const happened = withIds(c, [...customerEvents(people.saved), ...eventsOf(before, saved)]);
  await record(c, happened);
  const moves = orderMoves(happened, saved, { of: c });
  const referred = await paidReferrals(c.db, c.project.id, catalog, moves);
  const converted = await convertReferrals(c.db, c.project, catalog, referred);
  await recordAll(c.db, c.project.id, converted.following);
  const concerned = [saved.customer_id, before?.customer_id ?? null, ...converted.referrers.keys()];
  const touched = [...new Set(concerned.filter((id) => id !== null))];
  const moved = withIds(c, touched.length > 0 ? await refreshMemberships(c, catalog, touched) : []);
  await record(c, moved);
  const triggers = [...moves, ...converted.told, ...segmentsEntered(moved, c)];
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, catalog, triggers));
}

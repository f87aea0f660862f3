import type { WriteCtx } from "../../ctx.ts";
import { record, recordAll, withIds } from "../../events/events.ts";
import type { Customer } from "../../resources/customers/customers/schema.ts";
import { type CustomerNamed, getCustomer } from "../../resources/customers/customers/store.ts";
import { showCustomers } from "../../resources/customers/customers/summary-store.ts";
import { customerEvents, saveCustomers } from "../../steps/customers/customers.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { segmentsEntered } from "../../steps/points/earning-triggers.ts";

/** Creates or updates the customer that is named, and sees to the segments it enters or leaves by that. */
export async function saveCustomer(c: WriteCtx, given: CustomerNamed): Promise<Customer> {
  const catalog = await c.catalog();
  const [saved] = await saveCustomers(c, catalog, [given]);
  const { row, created, changed } = saved!;
  const moved = created || changed.length > 0 ? await refreshMemberships(c, catalog, [row.id]) : [];
  const happened = withIds(c, [...customerEvents([saved!]), ...moved]);
  await record(c, happened);
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, catalog, segmentsEntered(happened, c)));
  const [shown] = await showCustomers(c.db, c.project.id, [row]);
  return shown!;
}

/** Updates the customer with this id or source id. */
export async function updateCustomer(c: WriteCtx, ref: string, given: CustomerNamed): Promise<Customer> {
  const { id } = await getCustomer(c.db, c.project.id, ref);
  return saveCustomer(c, { ...given, id });
}

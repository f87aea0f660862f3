import { setupsOf } from "../../catalog/program-setup.ts";
import { notFound } from "../../core/errors.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import { eraseCustomerRows } from "../../resources/customers/customers/erasure-store.ts";
import type { PermanentDeletion } from "../../resources/customers/customers/schema.ts";
import { getCustomer, lockCustomers } from "../../resources/customers/customers/store.ts";
import { showCustomers } from "../../resources/customers/customers/summary-store.ts";
import { loadAutoUpdateSegments, loadMembers } from "../../resources/customers/segments/store.ts";
import { lockMembers, membersOfCustomers } from "../../resources/loyalty-v2/members/store.ts";
import { holdTurnsOfCustomers } from "../../resources/platform/async-actions/store.ts";
import { holdRollups, leaveRollups } from "../../resources/platform/time-series/rollup-store.ts";
import { membershipEvents } from "../../steps/customers/segment-membership.ts";
import { removeProgramMembers } from "../../steps/programs/remove-members.ts";

/** The profile goes, and with it its events, orders and memberships. */
export async function removeCustomer(c: WriteCtx, ref: string): Promise<null> {
  await erase(c, await lockOne(c, ref), { isPermanent: false });
  return null;
}

/** The same, and whatever else holds anything of the customer. */
export async function eraseCustomer(c: WriteCtx, ref: string): Promise<PermanentDeletion> {
  await holdTurnsOfCustomers(c.db, c.project.id);
  const customer = await lockOne(c, ref);
  const data_json = await erase(c, customer, { isPermanent: true });
  return {
    id: c.newId("del"),
    created_at: c.now,
    related_object_id: customer.id,
    related_object: "customer",
    status: "DONE",
    data_json,
    object: "pernament_deletion",
  };
}

async function lockOne(c: WriteCtx, ref: string): Promise<CustomerRow> {
  const { id } = await getCustomer(c.db, c.project.id, ref);
  const [row] = await lockCustomers(c.db, c.project.id, { ids: [id] });
  if (!row) throw notFound("customer", ref);
  return row;
}

/** What is left is that a customer with this id was deleted, and which segments it left. */
async function erase(c: WriteCtx, customer: CustomerRow, how: { isPermanent: boolean }) {
  const { id } = customer;
  const segments = await loadAutoUpdateSegments(c.db, c.project.id);
  const segmentIds = segments.map((segment) => segment.id);
  const members = await loadMembers(c.db, c.project.id, { segmentIds, customerIds: [id] });
  const shown = how.isPermanent
    ? { id, source_id: customer.source_id, object: "customer" }
    : await showOne(c, customer);
  await leavePrograms(c, id);
  const counted = await holdRollups(c.db, c.project.id, customer);
  const counts = await eraseCustomerRows(c.db, customer, { ...how, now: c.now });
  if (how.isPermanent) await leaveRollups(c.db, c.project.id, counted);
  await record(c, [
    ...membershipEvents("customer.segment.left", members, segments),
    {
      kind: "customer.deleted",
      customer_id: id,
      payload: { customer: { id, object: "customer" } },
      shown: () => ({ full_customer: shown }),
    },
  ]);
  return counts;
}

/** The customer for webhooks, who are told who it was; null: none wants to know. */
const showOne = async (c: WriteCtx, customer: CustomerRow): Promise<object | null> => {
  const { webhooks_of } = await c.catalog();
  return webhooks_of.has("customer.deleted") ? (await showCustomers(c.db, c.project.id, [customer]))[0]! : null;
};

/** Who is erased is no member any more. What was told of the member goes as well, so nothing is recorded. */
async function leavePrograms(c: WriteCtx, customerId: string): Promise<void> {
  const found = await membersOfCustomers(c.db, c.project.id, { customerIds: [customerId] });
  if (found.length === 0) return;
  const members = await lockMembers(
    c.db,
    c.project.id,
    found.map(({ id }) => id),
  );
  const catalog = await c.catalog();
  const setups = setupsOf(
    catalog,
    members.map(({ program_id }) => program_id),
  );
  await removeProgramMembers(c, setups, members);
}

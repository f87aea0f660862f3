import type { Outcome } from "../../core/bulk/entry.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import { record, recordAll, withIds } from "../../events/events.ts";
import type { CustomerNamed } from "../../resources/customers/customers/store.ts";
import type { BulkCtx } from "../../steps/bulk/turn.ts";
import type { BulkKind } from "../../steps/bulk/updates.ts";
import { customerChange, customerEvents, type Upserted, upsertCustomers } from "../../steps/customers/customers.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { segmentsEntered } from "../../steps/points/earning-triggers.ts";

/** Customers in bulk, by their source id: who is not there is made. */
export const CUSTOMERS: BulkKind<CustomerNamed> = {
  noun: "customer",
  key: "source_id",
  isPersonal: true,
  save: async (c, values) => {
    const named = values.map(({ id: _, ...one }) => one);
    const results = await upsertCustomers(c.db, c.project.id, named, customerChange(c));
    await tellOfCustomers(
      c,
      results.flatMap((one) => ("refused" in one ? [] : [one])),
    );
    return results.map(outcomeOf);
  },
};

const outcomeOf = (one: Upserted): Outcome =>
  "refused" in one ? { found: false, refused: one.refused } : { found: !one.created };

/** What is told of customers who were saved, and what follows: segments that they enter or leave, and points for that. */
async function tellOfCustomers(c: BulkCtx, saved: readonly SavedCustomer[]): Promise<void> {
  const written = saved.filter(({ created, changed }) => created || changed.length > 0);
  const ids = [...new Set(written.map(({ row }) => row.id))];
  const moved = ids.length > 0 ? await refreshMemberships(c, c.catalog, ids) : [];
  const happened = withIds(c, [...customerEvents(written), ...moved]);
  await record(c, happened);
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, c.catalog, segmentsEntered(happened, c)));
}

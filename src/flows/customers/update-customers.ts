import { dayCell, textCell } from "../../core/bulk/cells.ts";
import type { Columns } from "../../core/bulk/columns.ts";
import type { BulkOutcome } from "../../core/bulk/entry.ts";
import { ADDRESS_FIELDS } from "../../core/customers/customer.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import { recordAll, withIds } from "../../events/events.ts";
import type { CustomerNamed } from "../../resources/customers/customers/store.ts";
import type { ImportKind } from "../../steps/bulk/imports.ts";
import type { BulkCtx } from "../../steps/bulk/turn.ts";
import type { BulkKind } from "../../steps/bulk/updates.ts";
import {
  type CustomerChange,
  customerChange,
  customerEvents,
  type Upserted,
  upsertCustomers,
} from "../../steps/customers/customers.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { segmentsEntered } from "../../steps/points/earning-triggers.ts";

const ADDRESS = "address_";

/** Customers in bulk, by their source id: who is not there is made. */
export const CUSTOMERS: BulkKind<CustomerNamed> = {
  noun: "customer",
  key: "source_id",
  isPersonal: true,
  save: (c, values) =>
    saveAll(
      c,
      values.map(({ id: _, ...one }) => one),
      customerChange(c),
    ),
};

const text = (field: string, maxLength: number) => ({ field, parse: textCell(maxLength) });
const CUSTOMER_COLUMNS: Columns = {
  id: text("id", 200),
  source_id: text("source_id", 500),
  name: text("name", 500),
  email: text("email", 500),
  phone: text("phone", 100),
  birthdate: { field: "birthdate", parse: dayCell },
  description: text("description", 2000),
  ...Object.fromEntries(
    ADDRESS_FIELDS.flatMap((field) => {
      const column = text(`${ADDRESS}${field}`, 500);
      // A line has no short name: `line_1` alone could be a line of anything.
      const names = field.startsWith("line_") ? [column.field] : [column.field, field];
      return names.map((name) => [name, column]);
    }),
  ),
};

/** Customers from a file. A row takes the place of all that was known of its customer. */
export const CUSTOMER_FILE: ImportKind<CustomerNamed> = {
  noun: "customer",
  key: "source_id",
  isPersonal: true,
  columns: CUSTOMER_COLUMNS,
  schemaOf: ({ catalog }) => catalog.metadata_schemas.get("customer"),
  bodyOf: ({ fields, metadata }) => {
    const parts = Object.entries(fields).filter(([field]) => field.startsWith(ADDRESS));
    const own = Object.entries(fields).filter(([field]) => !field.startsWith(ADDRESS));
    const address = Object.fromEntries(parts.map(([field, value]) => [field.slice(ADDRESS.length), value]));
    return { value: { ...Object.fromEntries(own), address, metadata } };
  },
  save: (c, values) => saveAll(c, values, { ...customerChange(c), replaces: true }),
};

async function saveAll(c: BulkCtx, values: readonly CustomerNamed[], change: CustomerChange): Promise<BulkOutcome[]> {
  const results = await upsertCustomers(c.db, c.project.id, values, { ...change, reserve: c.takeCustomerStamps });
  await tellOfCustomers(
    c,
    results.flatMap((one) => ("refused" in one ? [] : [one])),
  );
  return results.map(outcomeOf);
}

const outcomeOf = (one: Upserted): BulkOutcome => ("refused" in one ? one : { found: !one.created });

/** Webhooks are not told of each customer whom a list or a file changes, as the public interface says; the feed of events has them. */
const NO_LISTENERS = { webhooks_of: new Map() };

/** What is told of customers who were saved, and what follows: segments that they enter or leave, and points for that. */
async function tellOfCustomers(c: BulkCtx, saved: readonly SavedCustomer[]): Promise<void> {
  const written = saved.filter(({ created, changed }) => created || changed.length > 0);
  const ids = [...new Set(written.map(({ row }) => row.id))];
  const moved = ids.length > 0 ? await refreshMemberships(c, c.catalog, ids) : [];
  const happened = withIds(c, [...customerEvents(written), ...moved]);
  const [updated = [], others = []] = [true, false].map((isUpdate) =>
    happened.filter(({ kind }) => (kind === "customer.updated") === isUpdate),
  );
  await recordAll(c.db, c.project.id, [
    { of: c, happened: others },
    { of: { ...c, catalog: NO_LISTENERS }, happened: updated },
  ]);
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, c.catalog, segmentsEntered(happened, c)));
}

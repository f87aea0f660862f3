import assert from "node:assert/strict";
import type { Catalog } from "../../catalog/catalog.ts";
import {
  type CustomerValues,
  mergeCustomer,
  NO_CUSTOMER_VALUES,
  replaceCustomer,
} from "../../core/customers/customer.ts";
import { apiErrorFrom, type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { metadataSizeFault } from "../../core/metadata/size.ts";
import type { CustomerRow, SavedCustomer } from "../../core/rows/customer.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import type { NewId } from "../../request.ts";
import {
  type CustomerNamed,
  confirmCustomers,
  insertCustomers,
  lockForChange,
  type OtherCustomers,
  type ReserveMoments,
  trackingIdOf,
  updateCustomers,
} from "../../resources/customers/customers/store.ts";

/** A row that is refused is a value: the others of its batch are saved. */
export type Upserted = SavedCustomer | { refused: ErrorBody; found: boolean };
export type CustomerChange = {
  secret: string;
  now: string;
  newId: NewId;
  /** What is wrong with metadata that is sent, or null. Without it nothing is checked. */
  metadataFault?: (metadata: CustomerValues["metadata"], on: "create" | "update") => string | null;
  /** What is sent takes the place of all that was there, as a row of a file does. */
  replaces?: boolean;
  /** Where many are saved at once, and others must not wait for it. */
  reserve?: ReserveMoments;
};

/** Customers that a transaction has locked, and those it makes. What is accepted is seen by what comes after it. */
export type CustomersAtWork = {
  /** By its id. */
  byId(id: string): CustomerRow | undefined;
  /** By a source id or a tracking id. */
  bySource(sourceId: string): CustomerRow | undefined;
  byTracking(trackingId: string): CustomerRow | undefined;
  /** What the customer would be; nothing is changed yet. */
  propose(one: CustomerNamed, made: CustomerChange): Upserted;
  /** It is to be so. */
  accept(saved: SavedCustomer): void;
  /** Writes what was accepted, in a few statements, and says who of the new ones was a visitor until now. */
  save(): Promise<readonly SavedCustomer[]>;
};

/**
 * Locks the customers that are named, so that they can be changed one after the other in memory. Only who is in `given` may
 * be made.
 */
export async function openCustomers(
  tx: Tx,
  projectId: string,
  given: readonly CustomerNamed[],
  others: OtherCustomers = {},
  reserve?: ReserveMoments,
): Promise<CustomersAtWork> {
  const { rows: locked, lastAt: stamp, isReserved } = await lockForChange(tx, projectId, given, others, reserve);
  let lastAt = stamp;
  const byId = new Map(locked.map((row) => [row.id, row]));
  const idOf = new Map(locked.flatMap(({ id, source_id }) => (source_id === null ? [] : [[source_id, id]])));
  const trackedBy = new Map(locked.flatMap(({ id, tracking_id }) => (tracking_id === null ? [] : [[tracking_id, id]])));
  const isNew = new Map<string, SavedCustomer>();
  const changed = new Set<string>();
  const named = (name: string) => byId.get(idOf.get(name) ?? trackedBy.get(name) ?? "");

  return {
    byId: (id) => byId.get(id),
    bySource: named,
    byTracking: (name) => byId.get(trackedBy.get(name) ?? ""),
    propose: (one, made) => {
      const before = (one.id && byId.get(one.id)) || named(one.source_id ?? "") || null;
      return proposeCustomer(before, one, { ...made, projectId, lastAt });
    },
    accept: (saved) => {
      const { row, created, changed: fields } = saved;
      if (!created && fields.length === 0) return;
      byId.set(row.id, row);
      if (created) {
        isNew.set(row.id, saved);
        lastAt = row.created_at;
      }
      if (row.source_id !== null) idOf.set(row.source_id, row.id);
      if (row.tracking_id !== null) trackedBy.set(row.tracking_id, row.id);
      changed.add(row.id);
    },
    save: async () => {
      const rows = (ids: Iterable<string>) => [...ids].map((id) => byId.get(id)!);
      const created = rows(changed.intersection(isNew));
      assert(created.length === 0 || stamp !== null, "who is made was named as one who may be");
      // Sent without waiting for each other.
      const [, visitors] = await together([
        insertCustomers(tx, projectId, created, { isReserved }),
        confirmCustomers(tx, projectId, created),
      ]);
      const confirmed = [...visitors].map(([id, was]) => Object.assign(isNew.get(id)!, { confirmed: was }));
      await updateCustomers(tx, projectId, rows(changed.difference(isNew)));
      for (const done of [isNew, changed]) done.clear();
      return confirmed;
    },
  };
}

/** A customer after what was sent; null before: there is none yet. An `id` alone makes nobody. */
function proposeCustomer(
  before: CustomerRow | null,
  one: CustomerNamed,
  made: CustomerChange & { projectId: string; lastAt: string | null },
): Upserted {
  if (one.id && !before && !one.source_id) return { found: false, refused: notFound("customer", one.id).body };
  const found = before !== null;
  const on = before && !made.replaces ? "update" : "create";
  const fault = before && !one.metadata ? null : (made.metadataFault?.(one.metadata ?? {}, on) ?? null);
  if (fault !== null) return { found, refused: errorBody("metadata_validation_failed", { details: fault }) };
  const { values, changed } =
    before && made.replaces ? replaceCustomer(before, one) : mergeCustomer(before ?? NO_CUSTOMER_VALUES, one);
  // What a body holds was measured by its schema; a row of a file is measured here.
  const tooLarge = (before || made.replaces) && one.metadata ? metadataSizeFault(values.metadata) : null;
  if (tooLarge !== null) return { found, refused: errorBody("invalid_payload", { details: tooLarge }) };
  if (before)
    return changed.length === 0
      ? { row: before, created: false, changed }
      : { row: { ...before, ...values, updated_at: made.now }, created: false, changed };
  const source_id = one.source_id ?? null;
  const row: CustomerRow = {
    project_id: made.projectId,
    id: made.newId("cust"),
    source_id,
    tracking_id: source_id === null ? null : trackingIdOf(made.secret, source_id),
    ...values,
    created_at: momentAfter(made.lastAt, made.now),
    updated_at: null,
  };
  return { row, created: true, changed };
}

/**
 * A list is read on from the `created_at` of its last customer, so no two of a project have the same: whoever is made in a
 * moment that was given already gets the next microsecond.
 */
function momentAfter(lastAt: string | null, now: string): string {
  if (lastAt === null) return now;
  const next = Temporal.Instant.from(lastAt).add({ microseconds: 1 });
  if (Temporal.Instant.compare(next, now) <= 0) return now;
  const text = next.toString({ smallestUnit: "microsecond" });
  return text.replace(/000Z$/, "Z");
}

/**
 * Creates or updates customers, in three statements however many there are. Those that come twice are changed one after
 * the other, as if each had come alone; what changes nothing is not written. An `id` that nobody has is refused, unless
 * a `source_id` stands beside it.
 */
export async function upsertCustomers(
  tx: Tx,
  projectId: string,
  given: readonly CustomerNamed[],
  made: CustomerChange,
): Promise<Upserted[]> {
  const customers = await openCustomers(tx, projectId, given, {}, made.reserve);
  const results = given.map((one) => {
    const result = customers.propose(one, made);
    if (!("refused" in result)) customers.accept(result);
    return result;
  });
  await customers.save();
  return results;
}

/** What a request changes customers with: their metadata is checked. */
export const customerChange = ({
  project: { secret },
  catalog: { metadata_schemas },
  now,
  newId,
}: Pick<WriteCtx, "project" | "now" | "newId"> & { catalog: Catalog }): CustomerChange => ({
  secret,
  now,
  newId,
  metadataFault: (metadata, on) => metadataFault(metadata_schemas, "customer", { metadata, on }),
});

/** Creates or updates the customers of a request, their metadata checked. The first that is refused ends the request. */
export async function saveCustomers(
  c: WriteCtx,
  catalog: Catalog,
  given: readonly CustomerNamed[],
): Promise<SavedCustomer[]> {
  const results = await upsertCustomers(c.db, c.project.id, given, customerChange({ ...c, catalog }));
  return results.map((one) => {
    if ("refused" in one) throw apiErrorFrom(one.refused);
    return one;
  });
}

/** What of a saved customer is recorded: who, and which fields, never their values. */
export const customerEvents = (saved: readonly SavedCustomer[]) =>
  saved
    .filter(({ changed, created }) => created || changed.length > 0)
    .flatMap((one) => {
      const { row, created, changed, confirmed } = one;
      const customer = { id: row.id, object: "customer" };
      const [kind, payload] = created
        ? (["customer.created", { customer }] as const)
        : (["customer.updated", { customer, changed }] as const);
      return [{ kind, customer_id: row.id, payload }, ...(confirmed ? confirmedEvents([one]) : [])];
    });

/** New customers who were visitors until now: who they were is known once they are written. */
export const confirmedEvents = (saved: readonly SavedCustomer[]) =>
  saved.map(({ row: { id }, confirmed }) => ({
    kind: "customer.confirmed" as const,
    customer_id: id,
    payload: { customer: { id, object: "customer" }, unconfirmed_customer: { id: confirmed } },
  }));

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type CustomerGiven, type CustomerValues, mergeCustomer, NO_VALUES } from "../../../core/customers/customer.ts";
import { type ErrorBody, errorBody, notFound } from "../../../core/errors.ts";
import { metadataSizeFault } from "../../../core/metadata/size.ts";
import type { CustomerRow } from "../../../core/rows/customer.ts";
import { StartOver } from "../../../db/commit.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { heldRows } from "../../../db/held-rows.ts";
import { namedBy } from "../../../db/records.ts";
import type { NewId } from "../../../request.ts";

const TRACKING = "track_";

/** What `tracking_id` shows of a source id: whoever reads it learns nothing, and the same customer always gets the same. */
export const trackingIdOf = (secret: string, sourceId: string): string =>
  `${TRACKING}${createHmac("sha256", secret).update(sourceId).digest("base64url")}`;

/** A tracking id stands for the source id that it was made of, wherever one is sent. */
const hashedIn = (sourceIds: readonly string[]): string[] => sourceIds.filter((one) => one.startsWith(TRACKING));

/** Finds among customers whom a source id names: who has it, or whose tracking id it is. */
export function bySourceId(rows: readonly CustomerRow[]): (sourceId: string) => CustomerRow | undefined {
  const by = (field: "source_id" | "tracking_id") => new Map(rows.map((row) => [row[field], row]));
  const [bySource, byTracking] = [by("source_id"), by("tracking_id")];
  return (sourceId) => bySource.get(sourceId) ?? byTracking.get(sourceId);
}

/** By id or by source id; an id comes first. */
export async function findCustomer(db: Db, projectId: string, ref: string): Promise<CustomerRow | null> {
  const rows = await findCustomers(db, projectId, { ids: [ref], sourceIds: [ref], trackingIds: [] });
  return rows.find(({ id }) => id === ref) ?? bySourceId(rows)(ref) ?? null;
}

export async function getCustomer(db: Db, projectId: string, ref: string): Promise<CustomerRow> {
  const row = await findCustomer(db, projectId, ref);
  if (!row) throw notFound("customer", ref);
  return row;
}

type Names = Record<"ids" | "sourceIds" | "trackingIds", readonly string[]>;
const named = (db: Db, { ids, sourceIds, trackingIds }: Names) =>
  namedBy(db, { id: ids, source_id: sourceIds, tracking_id: [...trackingIds, ...hashedIn(sourceIds)] });

/** Those that exist, by id, source id or tracking id. */
export const findCustomers = (db: Db, projectId: string, { ids, sourceIds, trackingIds }: Names) => db<CustomerRow[]>`
  select * from customers where project_id = ${projectId}
  and ${named(db, { ids, sourceIds, trackingIds })}`;

/**
 * Locks those that exist, by id or source id; a source id may name two, see `bySourceId`. Customers are locked before orders and everything else, in order of their
 * ids, and new ones are inserted after that: so two batches never wait for each other.
 */
export const lockCustomers = (
  tx: Tx,
  projectId: string,
  { ids = [], sourceIds = [], trackingIds = [] }: { [K in "ids" | "sourceIds" | "trackingIds"]?: readonly string[] },
): PromiseLike<CustomerRow[]> =>
  tx<CustomerRow[]>`${lockingCustomers(tx, projectId, { ids, sourceIds, trackingIds })}`.execute();
const lockingCustomers = (tx: Tx, projectId: string, names: Names) => tx`
  select * from customers where project_id = ${projectId} and ${named(tx, names)} order by id for no key update`;

/** The names of those that another transaction holds: ids, source ids and tracking ids. */
export async function heldCustomers(tx: Tx, projectId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await heldRows<Pick<CustomerRow, "id" | "source_id" | "tracking_id">>(
    tx,
    { table: "customers", key: "id", projectId },
    () => named(tx, { ids: names, sourceIds: names, trackingIds: names }),
  );
  return new Set(rows.flatMap((row) => [row.id, row.source_id, row.tracking_id]).filter((name) => name !== null));
}

/** Locks the next ones in the order of their ids. */
export const lockCustomersAfter = (
  tx: Tx,
  projectId: string,
  { after, limit }: { after: string; limit: number },
): PromiseLike<CustomerRow[]> => tx<CustomerRow[]>`
  select * from customers where project_id = ${projectId} and id > ${after}
  order by id limit ${limit} for no key update`;

/** All customers of a project, or null when there are more than so many. */
export async function loadFewCustomers(db: Db, projectId: string, max: number): Promise<CustomerRow[] | null> {
  const rows = await db<CustomerRow[]>`select * from customers where project_id = ${projectId} limit ${max + 1}`;
  return rows.length > max ? null : rows;
}

/** A customer as a body names it: `id` decides when it is there; without any identifier it is a new one. */
export type CustomerNamed = CustomerGiven & { id?: string | null | undefined; source_id?: string | null | undefined };
export type Saved = {
  row: CustomerRow;
  created: boolean;
  changed: readonly string[];
  /** The id of the unconfirmed customer who this one was until now. Known when it is written. */
  confirmed?: string;
};
/** A row that is refused is a value: the others of its batch are saved. */
export type Upserted = Saved | { refused: ErrorBody };
export type CustomerChange = {
  secret: string;
  now: string;
  newId: NewId;
  /** What is wrong with metadata that is sent, or null. Without it nothing is checked. */
  metadataFault?: (metadata: CustomerValues["metadata"], on: "create" | "update") => string | null;
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
  accept(saved: Saved): void;
  /** Writes what was accepted, in a few statements, and says who of the new ones was a visitor until now. */
  save(): Promise<readonly Saved[]>;
};

/** Whom a transaction names beside those whom it may make. They are locked where they exist. */
type Others = { [K in keyof Names]?: readonly string[] };
type Locked = { rows: CustomerRow[]; lastAt: string | null };

/**
 * Locks those who are named and, when one who may be made is not there, the last `created_at` that the project gave. Both
 * in one statement, and in this order: the count over the locked rows needs all of them. Customers come before everything
 * else in the order of locks, so nobody who waits for this row holds what its owner waits for.
 */
async function lockForWork(
  tx: Tx,
  projectId: string,
  given: readonly CustomerNamed[],
  others: Others,
): Promise<Locked> {
  const all = {
    ids: [...given.flatMap(({ id }) => id ?? []), ...(others.ids ?? [])],
    sourceIds: [...given.flatMap(({ source_id }) => source_id ?? []), ...(others.sourceIds ?? [])],
    trackingIds: others.trackingIds ?? [],
  };
  // Nobody has an empty source id, so somebody without a name counts as one who is not there.
  const maybeNew = given.flatMap(({ id, source_id }) => (source_id ? [source_id] : id ? [] : [""]));
  if (maybeNew.length === 0) {
    const isNamed = all.ids.length + all.sourceIds.length + all.trackingIds.length > 0;
    return { rows: isNamed ? await lockCustomers(tx, projectId, all) : [], lastAt: null };
  }
  const found = await tx<(CustomerRow & { last_at: string | null })[]>`
    with locked as (${lockingCustomers(tx, projectId, all)}), stamp as (
      insert into customer_stamps (project_id, last_at)
      select ${projectId}, 'epoch' where not ${maybeNew}::text[] <@
        (select coalesce(array_agg(source_id) || array_agg(tracking_id), '{}') from locked)
      on conflict (project_id) do update set last_at = customer_stamps.last_at
      returning last_at
    )
    select locked.*, stamp.last_at from locked full join stamp on true`.execute();
  const rows = found.filter(({ id }) => id !== null).map(({ last_at: _, ...row }) => row);
  return { rows, lastAt: found[0]?.last_at ?? null };
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
 * Locks the customers that are named, so that they can be changed one after the other in memory. Only who is in `given` may
 * be made.
 */
export async function openCustomers(
  tx: Tx,
  projectId: string,
  given: readonly CustomerNamed[],
  others: Others = {},
): Promise<CustomersAtWork> {
  const { rows: locked, lastAt: stamp } = await lockForWork(tx, projectId, given, others);
  let lastAt = stamp;
  const byId = new Map(locked.map((row) => [row.id, row]));
  const idOf = new Map(locked.flatMap(({ id, source_id }) => (source_id === null ? [] : [[source_id, id]])));
  const trackedBy = new Map(locked.flatMap(({ id, tracking_id }) => (tracking_id === null ? [] : [[tracking_id, id]])));
  const isNew = new Map<string, Saved>();
  const changed = new Set<string>();
  const named = (name: string) => byId.get(idOf.get(name) ?? trackedBy.get(name) ?? "");

  return {
    byId: (id) => byId.get(id),
    bySource: named,
    byTracking: (name) => byId.get(trackedBy.get(name) ?? ""),
    propose: (one, made) => {
      const before = (one.id && byId.get(one.id)) || named(one.source_id ?? "");
      if (one.id && !before && !one.source_id) return { refused: notFound("customer", one.id).body };
      const on = before ? "update" : "create";
      const fault = before && !one.metadata ? null : (made.metadataFault?.(one.metadata ?? {}, on) ?? null);
      if (fault !== null) return { refused: errorBody("metadata_validation_failed", { details: fault }) };
      const merged = mergeCustomer(before ?? NO_VALUES, one);
      const tooLarge = before && one.metadata ? metadataSizeFault(merged.values.metadata) : null;
      if (tooLarge !== null) return { refused: errorBody("invalid_payload", { details: tooLarge }) };
      if (before && merged.changed.length === 0) return { row: before, created: false, changed: [] };
      const source_id = one.source_id ?? null;
      const row: CustomerRow = before
        ? { ...before, ...merged.values, updated_at: made.now }
        : {
            project_id: projectId,
            id: made.newId("cust"),
            source_id,
            tracking_id: source_id === null ? null : trackingIdOf(made.secret, source_id),
            ...merged.values,
            created_at: momentAfter(lastAt, made.now),
            updated_at: null,
          };
      return { row, created: !before, changed: merged.changed };
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
      const [, visitors] = await Promise.all([
        insertCustomers(tx, projectId, created),
        confirmCustomers(tx, projectId, created),
      ]);
      const confirmed = [...visitors].map(([id, was]) => Object.assign(isNew.get(id)!, { confirmed: was }));
      await updateCustomers(tx, projectId, rows(changed.difference(isNew)));
      for (const done of [isNew, changed]) done.clear();
      return confirmed;
    },
  };
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
  const customers = await openCustomers(tx, projectId, given);
  const results = given.map((one) => {
    const result = customers.propose(one, made);
    if (!("refused" in result)) customers.accept(result);
    return result;
  });
  await customers.save();
  return results;
}

async function insertCustomers(tx: Tx, projectId: string, rows: readonly CustomerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const done = await tx`
    with moved as (
      update customer_stamps set last_at = ${rows.at(-1)!.created_at} where project_id = ${projectId}
    )
    insert into customers (project_id, id, source_id, tracking_id, name, description, email, phone, birthdate, birthday,
      address, metadata, created_at, updated_at)
    select ${projectId}, id, source_id, tracking_id, name, description, email, phone, birthdate, birthday,
      address, metadata, created_at, updated_at
    from jsonb_populate_recordset(null::customers, ${JSON.stringify(rows)}::text::jsonb)
    order by source_id, id on conflict (project_id, source_id) do nothing`;
  // Another transaction was first: with its row there, this one is an update.
  if (done.count < rows.length) throw new StartOver("a customer with this source id was created meanwhile");
}

/** These customers are new: what was kept under their tracking ids is theirs. Returns who they were before, by id. */
async function confirmCustomers(
  tx: Tx,
  projectId: string,
  customers: readonly Pick<CustomerRow, "id" | "tracking_id">[],
): Promise<Map<string, string>> {
  const idOf = new Map(customers.flatMap(({ id, tracking_id }) => (tracking_id === null ? [] : [[tracking_id, id]])));
  if (idOf.size === 0) return new Map();
  const found = await tx<{ id: string; tracking_id: string }[]>`
    delete from unconfirmed_customers where project_id = ${projectId} and tracking_id = any(${[...idOf.keys()]})
    returning id, tracking_id`;
  const were = new Map(found.map(({ id, tracking_id }) => [idOf.get(tracking_id)!, id]));
  if (found.length > 0)
    await tx`
      update validations v set customer_id = x.id, tracking_id = null
      from unnest(${found.map((one) => idOf.get(one.tracking_id)!)}::text[],
        ${found.map((one) => one.tracking_id)}::text[]) as x (id, tracking_id)
      where v.project_id = ${projectId} and v.tracking_id = x.tracking_id`;
  return were;
}

async function updateCustomers(tx: Tx, projectId: string, rows: readonly CustomerRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    update customers c set name = x.name, description = x.description, email = x.email, phone = x.phone,
      birthdate = x.birthdate, birthday = x.birthday, address = x.address, metadata = x.metadata,
      updated_at = x.updated_at
    from jsonb_populate_recordset(null::customers, ${JSON.stringify(rows)}::text::jsonb) x
    where c.project_id = ${projectId} and c.id = x.id`;
}

/** What of a saved customer is recorded: who, and which fields, never their values. */
export const customerEvents = (saved: readonly Saved[]) =>
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
export const confirmedEvents = (saved: readonly Saved[]) =>
  saved.map(({ row: { id }, confirmed }) => ({
    kind: "customer.confirmed" as const,
    customer_id: id,
    payload: { customer: { id, object: "customer" }, unconfirmed_customer: { id: confirmed } },
  }));

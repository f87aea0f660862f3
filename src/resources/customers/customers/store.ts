import { createHmac } from "node:crypto";
import type { CustomerPatch } from "../../../core/customers/customer.ts";
import { notFound } from "../../../core/errors.ts";
import type { CustomerRow } from "../../../core/rows/customer.ts";
import { StartOver } from "../../../db/batches/commit.ts";
import { type Db, type Fragment, isTaken, type Tx } from "../../../db/db.ts";
import { heldRows } from "../../../db/held-rows.ts";
import { namedBy, takeMoments, tenantOf } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";

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
const whereNamed = (db: Db, { ids, sourceIds, trackingIds }: Names) =>
  namedBy(db, { id: ids, source_id: sourceIds, tracking_id: [...trackingIds, ...hashedIn(sourceIds)] });

/** The customers that exist, by id, source id or tracking id. */
export const findCustomers = (db: Db, projectId: string, { ids, sourceIds, trackingIds }: Names) => db<CustomerRow[]>`
  select * from customers where project_id = ${projectId}
  and ${whereNamed(db, { ids, sourceIds, trackingIds })}`;

/** The ids of those that a body names, for a statement behind the one that locks them. */
export const idsOfNamed = (db: Db, projectId: string, given: readonly CustomerNamed[]): Fragment => db`array(
  select id from customers where project_id = ${projectId}
    and ${whereNamed(db, { ids: given.flatMap(({ id }) => id || []), sourceIds: given.flatMap((one) => one.source_id || []), trackingIds: [] })})`;

/** The same of all who have one of these names: ids, source ids or tracking ids. */
export const idsOfNames = (db: Db, projectId: string, names: readonly string[]): Fragment => db`array(
  select id from customers where project_id = ${projectId}
    and ${whereNamed(db, { ids: names, sourceIds: names, trackingIds: names })})`;

/**
 * Locks those that exist, by id or source id; a source id may name two, see `bySourceId`. Customers are locked before orders and everything else, in order of their
 * ids, and new ones are inserted after that: so two batches never wait for each other.
 */
export const lockCustomers = (
  tx: Tx,
  projectId: string,
  { ids = [], sourceIds = [], trackingIds = [] }: { [K in "ids" | "sourceIds" | "trackingIds"]?: readonly string[] },
): PromiseLike<CustomerRow[]> => lockingCustomers(tx, projectId, { ids, sourceIds, trackingIds });
/** `alsoIds` are found by the statement itself: whoever gives them compares, once all is locked, that they are still those. */
const lockingCustomers = (tx: Tx, projectId: string, names: Names, alsoIds?: Fragment): PromiseLike<CustomerRow[]> => {
  const named = whereNamed(tx, names);
  const wanted = alsoIds ? tx`(${named} or id = any(${alsoIds}))` : named;
  return tx<CustomerRow[]>`
    select * from customers where project_id = ${projectId} and ${wanted} order by id for no key update`.execute();
};

/** The names of those that another transaction holds: ids, source ids and tracking ids. */
export async function heldCustomers(tx: Tx, projectId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await heldRows<Pick<CustomerRow, "id" | "source_id" | "tracking_id">>(
    tx,
    { table: "customers", key: "id", projectId },
    () => whereNamed(tx, { ids: names, sourceIds: names, trackingIds: names }),
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
export type CustomerNamed = CustomerPatch & { id?: string | null | undefined; source_id?: string | null | undefined };
/** Whom a transaction names beside those whom it may make. They are locked where they exist. */
export type OtherCustomers = { [K in keyof Names]?: readonly string[] } & {
  /** Ids that the locking statement finds, as those of whoever holds a code. */
  alsoIds?: Fragment | undefined;
};
/** `isReserved`: the moments after `lastAt` are this transaction's own, and the row of the project is not locked. */
type Locked = { rows: CustomerRow[]; lastAt: string | null; isReserved?: true };
/** Reserves moments for so many customers in a transaction of its own, and gives the first: nobody waits for a long one to end. */
export type ReserveMoments = (count: number) => Promise<string>;

/**
 * Locks those who are named and, when one who may be made is not there, the last `created_at` that the project gave. Both
 * are sent at once, in this order. Customers come before everything else in the order of locks, so nobody who waits for
 * this row holds what its owner waits for.
 */
export async function lockForChange(
  tx: Tx,
  projectId: string,
  given: readonly CustomerNamed[],
  others: OtherCustomers,
  reserve?: ReserveMoments,
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
    const isAny = isNamed || others.alsoIds !== undefined;
    return { rows: isAny ? await lockingCustomers(tx, projectId, all, others.alsoIds) : [], lastAt: null };
  }
  if (reserve) return lockWithReserved(tx, projectId, { all, maybeNew, reserve });
  const locked = lockingCustomers(tx, projectId, all, others.alsoIds);
  const stamp = tx<{ last_at: string }[]>`
    insert into customer_stamps (project_id, last_at)
    select p.project_id, 'epoch' from ${tenantOf(tx, projectId)} where not ${maybeNew}::text[] <@ (
      select coalesce(array_agg(source_id) || array_agg(tracking_id), '{}') from customers
      where project_id = ${projectId} and ${whereNamed(tx, all)})
    on conflict (project_id) do update set last_at = customer_stamps.last_at
    returning last_at`.execute();
  const [rows, stamps] = await together([locked, stamp]);
  const names = new Set(rows.flatMap(({ source_id, tracking_id }) => [source_id, tracking_id]));
  // The second statement saw somebody whom the first did not.
  if (stamps.length === 0 && !maybeNew.every((name) => names.has(name)))
    throw new StartOver("a customer was created between two statements");
  return { rows: [...rows], lastAt: stamps[0]?.last_at ?? null };
}

/** Reserves before it locks: who is asked for moments may wait for somebody who waits for these customers. */
async function lockWithReserved(
  tx: Tx,
  projectId: string,
  { all, maybeNew, reserve }: { all: Names; maybeNew: readonly string[]; reserve: ReserveMoments },
): Promise<Locked> {
  const missingIn = (rows: readonly CustomerRow[]): number => {
    const names = new Set(rows.flatMap(({ source_id, tracking_id }) => [source_id, tracking_id]));
    return maybeNew.filter((name) => !names.has(name)).length;
  };
  const isNamed = all.ids.length + all.sourceIds.length + all.trackingIds.length > 0;
  const count = isNamed ? missingIn(await findCustomers(tx, projectId, all)) : maybeNew.length;
  const first = count > 0 ? await reserve(count) : null;
  const rows = isNamed ? await lockCustomers(tx, projectId, all) : [];
  if (missingIn(rows) > count) throw new StartOver("a customer was deleted meanwhile");
  const before = first && Temporal.Instant.from(first).subtract({ microseconds: 1 }).toString();
  return { rows, lastAt: before, isReserved: true };
}

export async function insertCustomers(
  tx: Tx,
  projectId: string,
  rows: readonly CustomerRow[],
  { isReserved = false }: { isReserved?: boolean | undefined } = {},
): Promise<void> {
  if (rows.length === 0) return;
  const moved =
    !isReserved &&
    tx`update customer_stamps set last_at = ${rows.at(-1)!.created_at} where project_id = ${projectId}`.execute();
  const made = tx`
    insert into customers (project_id, id, source_id, tracking_id, name, description, email, phone, birthdate, birthday,
      address, metadata, created_at, updated_at)
    select p.project_id, r.id, r.source_id, r.tracking_id, r.name, r.description, r.email, r.phone, r.birthdate,
      r.birthday, r.address, r.metadata, r.created_at, r.updated_at
    from ${tenantOf(tx, projectId)} cross join jsonb_populate_recordset(null::customers, ${JSON.stringify(rows)}::text::jsonb) r
    order by r.source_id, r.id`.execute();
  await together([moved, made]).catch((error) => {
    // Another transaction was first: with its row there, this one is an update.
    throw isTaken(error) ? new StartOver("a customer with this source id was created meanwhile") : error;
  });
}

export const takeCustomerStamps = (tx: Tx, projectId: string, given: { now: string; count: number }) =>
  takeMoments(tx, "customer_stamps", projectId, given);

/** These customers are new: what was kept under their tracking ids is theirs. Returns who they were before, by id. */
export async function confirmCustomers(
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

export async function updateCustomers(tx: Tx, projectId: string, rows: readonly CustomerRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    update customers c set name = x.name, description = x.description, email = x.email, phone = x.phone,
      birthdate = x.birthdate, birthday = x.birthday, address = x.address, metadata = x.metadata,
      updated_at = x.updated_at
    from jsonb_populate_recordset(null::customers, ${JSON.stringify(rows)}::text::jsonb) x
    where c.project_id = ${projectId} and c.id = x.id`;
}

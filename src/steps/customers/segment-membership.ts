import type { Catalog } from "../../catalog/catalog.ts";
import { CUSTOMER_FIELDS, type FilterFact } from "../../core/filters/fields.ts";
import { evaluationOf, type FilterContext, FilterEvaluation } from "../../core/filters/operator.ts";
import { type CompiledFilter, compileFilter, neededFacts } from "../../core/filters/predicate.ts";
import { oncePer } from "../../core/once-per.ts";
import type { CustomerRow, SavedCustomer } from "../../core/rows/customer.ts";
import { membershipChanges, type Segment, segmentsOf } from "../../core/segments/membership.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Db, Tx } from "../../db/db.ts";
import { type NewEvent, withIds } from "../../events/events.ts";
import type { NewId, Project } from "../../request.ts";
import { lockCustomers } from "../../resources/customers/customers/store.ts";
import { loadSubjects } from "../../resources/customers/customers/summary-store.ts";
import {
  addMembers,
  type Entering,
  loadMembers,
  removeSegmentMembers,
  type SegmentMember,
  type SegmentRow,
} from "../../resources/customers/segments/store.ts";
import { reviewSegmentTiers } from "../../resources/loyalty-v2/cards/reviews-store.ts";
import { confirmedEvents } from "./customers.ts";

/** The filter of a segment, ready to be asked. It was checked when the segment was made. */
export const filterOf = oncePer(({ filter }: SegmentRow): CompiledFilter => compileFilter(filter, CUSTOMER_FIELDS));

/** The moment at which the segments of a project are asked. */
export const evaluationAt = ({ timezone }: Pick<Project, "timezone">, now: string): FilterEvaluation =>
  new FilterEvaluation({ now, zone: zoneOf({ timezone }) });

const factsNeededBy = (segments: readonly SegmentRow[]): ReadonlySet<FilterFact> =>
  new Set(segments.filter(({ type }) => type !== "static").flatMap((one) => [...neededFacts(filterOf(one))]));

/** What is known of a customer; null is one whom nobody knows, who never did anything. */
export type Somebody = Partial<CustomerRow> | null;
type SegmentScope = {
  projectId: string;
  /** Only these; by default all of the project. */
  segmentIds?: Iterable<string>;
};
/** The ids of the segments that the n-th customer is in at a moment, in order of creation. */
export type SegmentsOf = (n: number, moment: FilterContext) => ReadonlySet<string>;

/**
 * Loads what tells in which segments customers are: one statement for the lists, one for each fact that the filters look
 * at, however many customers there are.
 */
export async function loadSegmentsOf(
  db: Db,
  { segments }: Pick<Catalog, "segments">,
  customers: readonly Somebody[],
  { projectId, segmentIds }: SegmentScope,
): Promise<SegmentsOf> {
  const ids = [...new Set(segmentIds ?? segments.keys())].sort();
  const asked = ids.flatMap((id) => segments.get(id) ?? []);
  const customerIds = customers.flatMap((one) => one?.id ?? []);
  const lists = asked.filter(({ type }) => type === "static").map(({ id }) => id);
  const [stored, subjects] = await Promise.all([
    lists.length > 0 && customerIds.length > 0
      ? loadMembers(db, projectId, { segmentIds: lists, customerIds })
      : Promise.resolve([]),
    loadSubjects(db, projectId, customers, factsNeededBy(asked)),
  ]);
  const members = Map.groupBy(stored, ({ segment_id }) => segment_id);
  const ready = asked.map((row): Segment => {
    const { id, type } = row;
    if (type !== "static") return { id, type, filter: filterOf(row) };
    return { id, type, members: new Set(members.get(id)?.map(({ customer_id }) => customer_id)) };
  });
  return (n, moment) => new Set(segmentsOf(subjects[n]!, ready, evaluationOf(moment)));
}

type Refresh = {
  db: Tx;
  project: Pick<Project, "id" | "timezone">;
  /** The moment of all of them, or of each: in a batch that of the request that was the customer's. */
  now: string | ((customerId: string) => string);
};

/** Whether what a customer does is written down in segments. */
export const keepsMembers = ({ segments }: Pick<Catalog, "segments">): boolean =>
  segments.values().some(({ type }) => type === "auto-update");

/** A customer entered or left a segment that tells of it: to be recorded as it is. */
export type MembershipEvent = NewEvent<"customer.segment.entered" | "customer.segment.left"> & { customer_id: string };

/**
 * Works out anew in which auto-update segments the customers are, after something of them was written, and returns what
 * is to be recorded of it. It locks the customers: who writes their orders or points locks them first of all.
 */
export async function refreshMemberships(
  c: Refresh,
  catalog: Pick<Catalog, "segments">,
  customerIds: readonly string[],
): Promise<MembershipEvent[]> {
  const segments = [...catalog.segments.values()].filter(({ type }) => type === "auto-update");
  if (segments.length === 0 || customerIds.length === 0) return [];
  const rows = await lockCustomers(c.db, c.project.id, { ids: customerIds });
  return recalculate(c, segments, rows);
}

type Standing<O> = {
  /** Who of the new customers was a visitor until now. */
  confirmed: readonly SavedCustomer[];
  /** Customers whom something changed for, with the request that tells of it. */
  touched: ReadonlyMap<string, O>;
};

/** Who became a customer, and who entered or left a segment, each with the request. The caller records it. */
export async function standingEvents<O extends { now: string; newId: NewId }>(
  c: Omit<Refresh, "now">,
  catalog: Pick<Catalog, "segments">,
  { confirmed, touched }: Standing<O>,
) {
  const now = (id: string) => touched.get(id)!.now;
  const moved = await refreshMemberships({ ...c, now }, catalog, [...touched.keys()]);
  return [...confirmedEvents(confirmed), ...moved].map((event) => {
    const of = touched.get(event.customer_id)!;
    return { of, happened: withIds(of, [event]) };
  });
}

/** As `refreshMemberships`, for segments and locked customers that are given. */
export async function recalculate(
  { db, project, now }: Refresh,
  segments: readonly SegmentRow[],
  customers: readonly CustomerRow[],
): Promise<MembershipEvent[]> {
  const [segmentIds, customerIds] = [segments.map(({ id }) => id), customers.map(({ id }) => id)];
  const stored = await loadMembers(db, project.id, { segmentIds, customerIds });
  const before = Map.groupBy(stored, ({ customer_id }) => customer_id);
  const subjects = await loadSubjects(db, project.id, customers, factsNeededBy(segments));
  const ready = segments.map((row): Segment => ({ id: row.id, type: "auto-update", filter: filterOf(row) }));
  const nowOf = typeof now === "string" ? () => now : now;
  const moments = new Map<string, FilterEvaluation>();
  const entered: Entering[] = [];
  const left: SegmentMember[] = [];
  for (const [n, { id }] of customers.entries()) {
    const entered_at = nowOf(id);
    const at = moments.get(entered_at) ?? evaluationAt(project, entered_at);
    moments.set(entered_at, at);
    const then = before.get(id)?.map(({ segment_id }) => segment_id) ?? [];
    const changes = membershipChanges(then, segmentsOf(subjects[n]!, ready, at));
    for (const segment_id of changes.entered) entered.push({ segment_id, customer_id: id, entered_at });
    for (const segment_id of changes.left) left.push({ segment_id, customer_id: id });
  }
  const added = await addMembers(db, project.id, entered);
  const removed = await removeSegmentMembers(db, project.id, left);
  const moved = [...added, ...removed].map((one) => ({ ...one, at: nowOf(one.customer_id) }));
  await reviewSegmentTiers(db, project.id, moved);
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const madeAt = new Map(customers.map(({ id, created_at }) => [id, created_at]));
  const told = added.filter((one) => isTold(byId.get(one.segment_id)!, madeAt.get(one.customer_id)!));
  return [
    ...membershipEvents("customer.segment.entered", told, segments),
    ...membershipEvents("customer.segment.left", removed, segments),
  ];
}

/**
 * Nobody is told of those who were in a segment from its beginning. Until they are all found, that is everybody but who
 * was created after it, or in the same millisecond.
 */
const isTold = ({ initial_sync_status, created_at }: SegmentRow, customerMadeAt: string): boolean =>
  initial_sync_status === "DONE" || Temporal.Instant.compare(customerMadeAt, created_at) >= 0;

export function membershipEvents(
  kind: MembershipEvent["kind"],
  members: readonly SegmentMember[],
  segments: readonly SegmentRow[],
): MembershipEvent[] {
  const telling = new Map(segments.filter(({ type }) => type === "auto-update").map((one) => [one.id, one]));
  return members.flatMap(({ segment_id, customer_id }) => {
    const segment = telling.get(segment_id);
    if (!segment) return [];
    const { id, name } = segment;
    const payload = { customer: { id: customer_id, object: "customer" }, segment: { id, name, object: "segment" } };
    return [{ kind, customer_id, payload }];
  });
}

import { invalid, notFound } from "../../core/errors.ts";
import { CUSTOMER_FIELDS } from "../../core/filters/fields.ts";
import { FilterFault } from "../../core/filters/filter.ts";
import { compileFilter } from "../../core/filters/predicate.ts";
import type { WriteCtx } from "../../ctx.ts";
import { loadFewCustomers } from "../../resources/customers/customers/store.ts";
import { FILTER_SEGMENTS_MAX, type SegmentCreate } from "../../resources/customers/segments/schema.ts";
import {
  addMembers,
  countFilterSegments,
  type SegmentRow,
  segments,
} from "../../resources/customers/segments/store.ts";
import { recalculate } from "./segment-membership.ts";

/** The members of a new segment are found at once in a project with no more customers, later by a job in others. */
const FOUND_AT_ONCE_MAX = 5_000;

/** Creates a segment. An auto-update one tells of changes from now on, not of those who fit it already. */
export async function createSegment(c: WriteCtx, body: SegmentCreate): Promise<SegmentRow> {
  const { name, customers, filter } = body;
  const type = body.type ?? (filter === undefined ? "static" : "auto-update");
  const [needed, other] = type === "static" ? (["customers", "filter"] as const) : (["filter", "customers"] as const);
  if (body[needed] === undefined) throw invalid(`Payload must have required property '${needed}' for type ${type}`);
  if (body[other] !== undefined) throw invalid(`Property .${other} is not taken for type ${type}`);
  if (filter) {
    requireSegmentFilter(filter);
    if ((await countFilterSegments(c.db, c.project.id)) >= FILTER_SEGMENTS_MAX)
      throw invalid(`A project has at most ${FILTER_SEGMENTS_MAX} segments with a filter`);
  }
  const few = type === "auto-update" ? await loadFewCustomers(c.db, c.project.id, FOUND_AT_ONCE_MAX) : [];
  const id = c.newId("seg");
  const row = await segments.insert(c.db, {
    project_id: c.project.id,
    id,
    name,
    type,
    filter: filter ?? null,
    initial_sync_status: few === null ? "IN_PROGRESS" : "DONE",
    created_at: c.now,
    updated_at: null,
  });
  c.changed("segment", id);
  await addCustomers(c, id, [...new Set(customers)]);
  // Its events are left out: these customers were in it from the beginning.
  if (few !== null && few.length > 0) await recalculate(c, [row], few);
  return row;
}

/** All of them exist, or there is no segment. */
async function addCustomers(c: WriteCtx, segment_id: string, ids: readonly string[]): Promise<void> {
  const members = ids.map((customer_id) => ({ segment_id, customer_id, entered_at: c.now }));
  const added = new Set((await addMembers(c.db, c.project.id, members)).map(({ customer_id }) => customer_id));
  const missing = ids.find((id) => !added.has(id));
  if (missing !== undefined) throw notFound("customer", missing);
}

/** 400 `invalid_payload` when it is no filter of customers. */
export function requireSegmentFilter(filter: unknown): void {
  try {
    compileFilter(filter, CUSTOMER_FIELDS, { isSent: true });
  } catch (error) {
    throw error instanceof FilterFault ? invalid(error.message) : error;
  }
}

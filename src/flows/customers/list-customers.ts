import type { Ctx } from "../../ctx.ts";
import { listCustomers, scanCustomers } from "../../resources/customers/customers/list-store.ts";
import type { CustomerQuery } from "../../resources/customers/customers/schema.ts";
import { getCustomer } from "../../resources/customers/customers/store.ts";
import { showCustomers } from "../../resources/customers/customers/summary-store.ts";
import { evaluationAt, loadSegmentsOf } from "../../steps/customers/segment-membership.ts";

/** A page of customers, of a segment when one is named. An unknown segment has nobody in it. */
export async function customersOf(c: Ctx, { segment_id, ...given }: CustomerQuery) {
  const query = { ...given, now: c.now };
  const catalog = segment_id === undefined ? null : await c.catalog();
  // Who is in a passive segment is stored nowhere: its filter is asked.
  const isAsked = segment_id !== undefined && catalog?.segments.get(segment_id)?.type === "passive";
  const page = isAsked
    ? await scanCustomers(c.db, c.project.id, query, async (rows) => {
        const asked = { projectId: c.project.id, segmentIds: [segment_id] };
        const segmentsOf = await loadSegmentsOf(c.db, catalog!, rows, asked);
        const moment = evaluationAt(c.project, c.now);
        return rows.map((_, n) => segmentsOf(n, moment).has(segment_id));
      })
    : await listCustomers(c.db, c.project.id, {
        ...query,
        ...(segment_id !== undefined && { members_of: segment_id }),
      });
  const customers = await showCustomers(c.db, c.project.id, page.rows);
  return {
    object: "list" as const,
    data_ref: "customers" as const,
    customers,
    total: page.total,
    has_more: page.has_more,
  };
}

/** The segments of a customer, in order of creation. One whom nobody knows is in those that ask for nothing known. */
export async function segmentsOfCustomer(c: Ctx, ref: string) {
  const catalog = await c.catalog();
  const customer = await getCustomer(c.db, c.project.id, ref);
  const segmentsOf = await loadSegmentsOf(c.db, catalog, [customer], { projectId: c.project.id });
  const data = [...segmentsOf(0, evaluationAt(c.project, c.now))].map((id) => ({
    id,
    name: catalog.segments.get(id)!.name,
    object: "segment" as const,
  }));
  return { object: "list" as const, data_ref: "data" as const, data, total: data.length };
}

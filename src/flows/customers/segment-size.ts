import type { Ctx } from "../../ctx.ts";
import { sampleCustomers } from "../../resources/customers/customers/list-store.ts";
import type { SegmentPreview, SegmentSize } from "../../resources/customers/segments/schema.ts";
import { countSegmentMembers, type SegmentRow, segments } from "../../resources/customers/segments/store.ts";
import { evaluationAt, loadSegmentsOf } from "../../steps/customers/segment-membership.ts";
import { requireSegmentFilter } from "../../steps/customers/segments.ts";

const SHOWN = 10;

/** How many customers are in a segment. Where they are stored they are counted; the filter of a passive one is asked. */
export async function sizeOfSegment(c: Ctx, id: string): Promise<SegmentSize> {
  const segment = await segments.get(c.db, c.project.id, id);
  if (segment.type !== "passive") {
    const count = await countSegmentMembers(c.db, c.project.id, id);
    return { object: "segment_size", segment_id: id, count, approximate: false };
  }
  const { count, approximate } = await fitting(c, segment);
  return { object: "segment_size", segment_id: id, count, approximate };
}

/** Who would be in a segment with this filter, now. Nothing is stored. */
export async function previewSegment(c: Ctx, filter: SegmentRow["filter"]): Promise<SegmentPreview> {
  requireSegmentFilter(filter);
  const draft = { id: "preview", type: "passive", filter } as SegmentRow;
  const { count, approximate, rows } = await fitting(c, draft);
  const customers = rows.map(({ id, source_id, name, email }) => ({
    ...{ id, source_id, name, email },
    object: "customer" as const,
  }));
  return { object: "segment_preview", count, approximate, customers };
}

async function fitting(c: Ctx, segment: SegmentRow) {
  const { db, project } = c;
  const moment = evaluationAt(project, c.now);
  const asked = { projectId: project.id, segmentIds: [segment.id] };
  const catalog = { segments: new Map([[segment.id, segment]]) };
  const sample = await sampleCustomers(db, project.id, SHOWN, async (rows) => {
    const segmentsOf = await loadSegmentsOf(db, catalog, rows, asked);
    return rows.map((_, n) => segmentsOf(n, moment).has(segment.id));
  });
  const approximate = sample.scanned < sample.total;
  const count = approximate ? Math.round((sample.fitting * sample.total) / sample.scanned) : sample.fitting;
  return { count, approximate, rows: sample.rows };
}

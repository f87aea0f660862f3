import { invalid } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { SegmentUpdate } from "../../resources/customers/segments/schema.ts";
import { lockSegment, type SegmentRow, segments } from "../../resources/customers/segments/store.ts";
import { requireSegmentFilter } from "../../steps/customers/segments.ts";

/** Changes the name, and the filter of passive segments only: nobody was told of their members. */
export async function updateSegment(c: WriteCtx, id: string, { name, filter }: SegmentUpdate): Promise<SegmentRow> {
  const before = await lockSegment(c.db, c.project.id, id);
  if (filter) {
    if (before.type !== "passive")
      throw invalid(`Property .filter cannot be changed in a segment of type ${before.type}`);
    requireSegmentFilter(filter);
  }
  c.changed("segment", id);
  return segments.update(c.db, c.project.id, id, { name, filter, updated_at: c.now });
}

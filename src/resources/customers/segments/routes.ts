import { updateSegment } from "../../../flows/customers/save-segment.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { createSegment } from "../../../steps/customers/segments.ts";
import { BySegment, Segment, SegmentCreate, SegmentList, SegmentQuery, SegmentUpdate } from "./schema.ts";
import { listSegments, removeSegment, segments as store, view } from "./store.ts";

export const segmentRoutes = [
  read(
    "GET /v1/segments",
    { id: "listSegments", summary: "List segments", query: SegmentQuery, ok: SegmentList },
    async (c) => list(await listSegments(c.db, c.project.id, { ...c.query, now: c.now }), view),
  ),
  write(
    "POST /v1/segments",
    {
      id: "createSegment",
      summary: "Create a segment",
      description:
        "`static`: a list of customers that never changes. `passive`: those who fit a filter. `auto-update`: the same, and an event when one enters or leaves.",
      body: SegmentCreate,
      ok: Segment,
    },
    async (c) => view(await createSegment(c, c.body)),
  ),
  read(
    "GET /v1/segments/{segmentId}",
    { id: "getSegment", summary: "Read a segment", params: BySegment, ok: Segment },
    async (c) => view(await store.get(c.db, c.project.id, c.params.segmentId)),
  ),
  write(
    "PUT /v1/segments/{segmentId}",
    {
      id: "updateSegment",
      summary: "Update a segment",
      description: "The name of every segment, the filter of a passive one.",
      params: BySegment,
      body: SegmentUpdate,
      ok: Segment,
    },
    async (c) => view(await updateSegment(c, c.params.segmentId, c.body)),
  ),
  write(
    "DELETE /v1/segments/{segmentId}",
    { id: "deleteSegment", summary: "Delete a segment", params: BySegment, ok: Empty },
    async (c) => {
      await removeSegment(c.db, c.project.id, c.params.segmentId);
      c.changed("segment", c.params.segmentId);
      return null;
    },
  ),
];

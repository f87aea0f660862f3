import { updateSegment } from "../../../flows/customers/save-segment.ts";
import { previewSegment, sizeOfSegment } from "../../../flows/customers/segment-size.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { createSegment } from "../../../steps/customers/segments.ts";
import {
  BySegment,
  Segment,
  SegmentCreate,
  SegmentList,
  SegmentPreview,
  SegmentPreviewBody,
  SegmentQuery,
  SegmentSize,
  SegmentUpdate,
} from "./schema.ts";
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
  read(
    "GET /v1/segments/{segmentId}/size",
    {
      id: "getSegmentSize",
      summary: "How many customers are in a segment",
      description: "Of a passive segment in a project with many customers the number is `approximate`.",
      params: BySegment,
      ok: SegmentSize,
    },
    async (c) => sizeOfSegment(c, c.params.segmentId),
  ),
  read(
    "POST /v1/segments/preview",
    {
      id: "previewSegment",
      summary: "Who would be in a segment with this filter",
      description: "Nothing is stored. In a project with many customers the number is `approximate`.",
      body: SegmentPreviewBody,
      ok: SegmentPreview,
    },
    async (c) => previewSegment(c, c.body.filter),
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

import { type Static, Type } from "typebox";
import {
  Choice,
  DateOrDateTime,
  DateTime,
  FilterConditions,
  Filters,
  Id,
  listOf,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const SEGMENT_CUSTOMERS_MAX = 20_000;
/** Each customer that is written is asked for every one of them. */
export const FILTER_SEGMENTS_MAX = 100;
const IDS_MAX = 100;

const TYPES = ["static", "passive", "auto-update"] as const;
const name = Type.String({ minLength: 1, maxLength: 500 });

export const Segment = Type.Object(
  {
    id: Type.String(),
    name,
    type: Choice(TYPES),
    filter: Nullable(FilterConditions),
    initial_sync_status: Choice(["IN_PROGRESS", "DONE"]),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("segment"),
  },
  { title: "Segment" },
);
export type Segment = Static<typeof Segment>;

export const SegmentCreate = open({
  name,
  type: Type.Optional(
    Choice(TYPES, { description: "By default `auto-update` with a filter and `static` without one." }),
  ),
  customers: Type.Optional(
    Type.Array(Id, { maxItems: SEGMENT_CUSTOMERS_MAX, description: "Ids of the customers of a static segment." }),
  ),
  filter: Type.Optional(FilterConditions),
});
export type SegmentCreate = Static<typeof SegmentCreate>;
export const SegmentUpdate = open(optional({ name, filter: FilterConditions }));
export type SegmentUpdate = Static<typeof SegmentUpdate>;
export const SegmentList = listOf(Segment);
export const SegmentQuery = PageQuery(["created_at"], {
  ids: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: IDS_MAX })),
  filters: Type.Optional(Filters),
  start_date: Type.Optional(DateOrDateTime),
  end_date: Type.Optional(DateOrDateTime),
  starting_after: Type.Optional(
    Type.Unsafe<string>({ ...DateOrDateTime, description: "The `created_at` of the last segment that was read." }),
  ),
});
export type SegmentQuery = Static<typeof SegmentQuery>;
export const BySegment = Type.Object({ segmentId: Type.String() });

/** How many customers are in a segment now. */
const count = Type.Integer({ minimum: 0 });
const approximate = Type.Boolean({
  description: "True: the newest customers were looked at, and the number is that of all in the same proportion.",
});
export const SegmentSize = Type.Object(
  { object: Type.Literal("segment_size"), segment_id: Type.String(), count, approximate },
  { title: "SegmentSize" },
);
export type SegmentSize = Static<typeof SegmentSize>;
export const SegmentPreviewBody = open({ filter: FilterConditions });
export const SegmentPreview = Type.Object(
  {
    object: Type.Literal("segment_preview"),
    count,
    approximate,
    customers: Type.Array(
      Type.Object({
        id: Type.String(),
        source_id: Nullable(Type.String()),
        name: Nullable(Type.String()),
        email: Nullable(Type.String()),
        object: Type.Literal("customer"),
      }),
      { description: "The newest ten of them." },
    ),
  },
  { title: "SegmentPreview" },
);
export type SegmentPreview = Static<typeof SegmentPreview>;

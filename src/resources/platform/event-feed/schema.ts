import { type Static, Type } from "typebox";
import { ActivityData, DateRange, DateTime, Id, Nullable } from "../../../http/schemas.ts";

const id = Nullable(Type.String());

export const FeedEvent = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("event"),
    type: Type.String({ description: "What happened, such as `customer.redemption.succeeded`." }),
    created_at: DateTime,
    group_id: Nullable(Type.String({ description: "The `request_id` of the call that caused it." })),
    customer_id: id,
    voucher_id: id,
    campaign_id: id,
    data: ActivityData,
    data_built_at: Type.String({
      format: "date-time",
      description:
        "When `data` was put together. The time of the event: it was stored then, with a delivery, or it is all that was recorded. Later: it was built for this answer, with configuration and customers as they are now.",
    }),
  },
  { title: "FeedEvent" },
);
export type FeedEvent = Static<typeof FeedEvent>;

export const FeedList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("events"),
  events: Type.Array(FeedEvent),
  has_more: Type.Boolean({
    description: "True: ask again at once with the cursor. A page may be empty and have more behind it.",
  }),
  cursor: Type.String({
    description:
      "The place behind this page. It is there on the last page too: ask with it later, and you get what is new.",
  }),
});
export type FeedList = Static<typeof FeedList>;

const EventType = Type.String({ minLength: 1, maxLength: 200 });
const FeedFilterQuery = {
  type: Type.Optional(
    Type.Union([EventType, Type.Array(EventType, { minItems: 1, maxItems: 100 })], {
      description: "Only events of this type, or of these.",
    }),
  ),
  customer_id: Type.Optional(Id),
  campaign_id: Type.Optional(Id),
  voucher_id: Type.Optional(Id),
};
const Cursor = Type.String({ minLength: 1, maxLength: 100, description: "The `cursor` of the page before." });
export const FeedQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  cursor: Type.Optional(Cursor),
  ...FeedFilterQuery,
  created_at: Type.Optional(DateRange),
});
export type FeedQuery = Static<typeof FeedQuery>;
export const StreamQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Where to begin; without it, with what happens from now on.",
    }),
  ),
  ...FeedFilterQuery,
});

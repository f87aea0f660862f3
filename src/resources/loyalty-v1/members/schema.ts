import { type Static, Type } from "typebox";
import { earningDetails } from "../../../core/loyalty/card/transaction-schema.ts";
import {
  ActivityData,
  Choice,
  DateRange,
  DateTime,
  Id,
  listOf,
  Nullable,
  open,
  PageQuery,
} from "../../../http/schemas.ts";

const MOST = Number.MAX_SAFE_INTEGER;
const Day = Type.String({ format: "date" });
const Note = Type.Optional(Nullable(Type.String({ maxLength: 1000 })));

const Text = Type.Optional(Type.String({ maxLength: 1000 }));
export const CampaignMemberQuery = PageQuery(["created_at", "updated_at", "code"], {
  customer: Type.Optional(Type.String({ maxLength: 500, description: "The holder, by id or source id." })),
  code: Text,
  ids: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000 })),
  created_at: Type.Optional(DateRange),
  updated_at: Type.Optional(DateRange),
});
export type CampaignMemberQuery = Static<typeof CampaignMemberQuery>;

const Points = Type.Integer({ minimum: -MOST, maximum: MOST });
export const MemberBalanceBody = open({
  points: Type.Integer({ ...Points, description: "What is added; taken away when it is negative." }),
  expiration_type: Type.Optional(
    Nullable(
      Choice(["PROGRAM_RULES", "CUSTOM_DATE", "NON_EXPIRING"], {
        description: "When what is added expires; left out: as the program says.",
      }),
    ),
  ),
  expiration_date: Type.Optional(
    Nullable(Type.String({ maxLength: 40, description: "Of `CUSTOM_DATE`: the last day, YYYY-MM-DD." })),
  ),
  source_id: Note,
  reason: Note,
});
export type MemberBalanceBody = Static<typeof MemberBalanceBody>;

const related_object = Type.Object({ type: Type.Literal("voucher"), id: Type.String() });
export const MemberBalance = Type.Object(
  {
    points: Type.Integer(),
    total: Type.Integer({ description: "All that was put on the card, less what was taken away." }),
    balance: Type.Integer({ description: "What is left of it." }),
    type: Type.Literal("loyalty_card"),
    object: Type.Literal("balance"),
    related_object,
    operation_type: Type.Literal("MANUAL"),
  },
  { title: "MemberBalance" },
);
export type MemberBalance = Static<typeof MemberBalance>;

export const TransferBody = Type.Array(
  open({
    code: Type.String({ minLength: 1, maxLength: 1000, description: "The card that gives, by its code or id." }),
    points: Type.Integer({ minimum: 1, maximum: MOST }),
    source_id: Note,
    reason: Note,
  }),
  { minItems: 1, maxItems: 100 },
);
export type TransferBody = Static<typeof TransferBody>;

export const CampaignPointsBucket = Type.Object(
  {
    id: Type.String(),
    voucher_id: Type.String(),
    campaign_id: Type.String(),
    bucket: Type.Object({ total_points: Type.Integer({ description: "What is left of them." }) }),
    status: Type.Literal("ACTIVE"),
    expires_at: Type.Optional(Type.String({ format: "date", description: "The last day; left out: never." })),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("loyalty_points_bucket"),
  },
  { title: "PointsBucket" },
);
export type CampaignPointsBucket = Static<typeof CampaignPointsBucket>;
export const CampaignPointsBucketList = listOf(CampaignPointsBucket);
export const CampaignPointsBucketQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page; 10 unless told." })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 99, description: "1 unless told." })),
});

const Pending = Type.Object(
  {
    id: Type.String(),
    voucher_id: Type.String(),
    campaign_id: Nullable(Type.String()),
    customer_id: Nullable(Type.String()),
    order_id: Nullable(Type.String()),
    points: Type.Integer(),
    activates_at: Day,
    details: Type.Unsafe<Record<string, unknown>>(Type.Object(earningDetails)),
    created_at: DateTime,
  },
  { title: "PendingPoints" },
);
export const PendingList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(Pending),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String()),
});
export type PendingList = Static<typeof PendingList>;
export const PendingQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  order: Type.Optional(Choice(["id", "-id"], { description: "A leading dash means descending." })),
  starting_after_id: Type.Optional(
    Type.String({ maxLength: 200, description: "The id of the last entry of the page before." }),
  ),
});
export type PendingQuery = Static<typeof PendingQuery>;
export const PendingBalanceBody = open({ points: Points });
export const PendingBalance = Type.Object(
  {
    points: Type.Integer(),
    total: Type.Integer({ description: "What waits now." }),
    object: Type.Literal("balance"),
    related_object,
    operation_type: Type.Literal("MANUAL"),
  },
  { title: "PendingBalance" },
);
export type PendingBalance = Static<typeof PendingBalance>;

export const CampaignTierExpiration = Type.Object({
  customer_id: Type.String(),
  campaign_id: Type.String(),
  tier_id: Type.String(),
  start_date: Day,
  expiration_date: Type.Optional(Day),
  created_at: DateTime,
  updated_at: Nullable(DateTime),
});

export const MemberActivity = Type.Object(
  { id: Type.String(), type: Type.String(), data: ActivityData, created_at: DateTime, group_id: Type.String() },
  { title: "MemberActivity" },
);
export type MemberActivity = Static<typeof MemberActivity>;
export const MemberActivityList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(MemberActivity),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String()),
});
export const MemberActivityQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  order: Type.Optional(Choice(["created_at", "-created_at"])),
  starting_after_id: Type.Optional(
    Type.String({ maxLength: 200, description: "The id of the last entry that was read." }),
  ),
});
export type MemberActivityQuery = Static<typeof MemberActivityQuery>;

const memberId = Type.String({ description: "The code of the card, or its id." });
const campaignId = Type.String({ description: "Its id or its name." });
export const ByMember = Type.Object({ memberId });
export const OfCampaign = Type.Object({ campaignId });
export const ByMemberOfCampaign = Type.Object({ campaignId, memberId });
export const ByPending = Type.Object({ memberId, pendingPointsId: Id });

import { type Static, Type } from "typebox";
import { RedemptionOrder } from "../../../core/order/schema.ts";
import { RedemptionTier, RedemptionVoucher } from "../../../core/redeem/record-schema.ts";
import { RedemptionCustomer, RedemptionReward } from "../../../core/redeem/schema.ts";
import { ValidatedRedeemable } from "../../../core/validate/schema.ts";
import {
  Cents,
  Choice,
  cartFields,
  DateOrDateTime,
  DateTime,
  Filters,
  Id,
  listOf,
  Metadata,
  Nullable,
  open,
} from "../../../http/schemas.ts";

const Spent = Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
const Code = Type.String({ minLength: 1, maxLength: 300, description: "The code or the id of a voucher." });
const gift = Type.Optional(Nullable(open({ credits: Type.Optional(Nullable(Cents())) })));
const reward = Type.Optional(Nullable(open({ id: Type.Optional(Nullable(Id)), points: Type.Optional(Spent) })));
const session = Type.Optional(
  Nullable(
    open({
      type: Type.Optional(Nullable(Choice(["LOCK"]))),
      key: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200 }))),
    }),
  ),
);

const options = Type.Optional(
  Nullable(
    open({
      expand: Type.Optional(Nullable(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 }))),
      validation_id: Type.Optional(
        Nullable(
          Type.String({
            maxLength: 100,
            description: "A validation whose price was promised: when it would now be another, nothing is redeemed.",
          }),
        ),
      ),
    }),
  ),
);

export const RedemptionBody = open({
  redeemables: Type.Array(
    open({
      object: Choice(["voucher", "promotion_tier", "promotion_stack", "gift_card", "loyalty_card"]),
      id: Code,
      gift,
      reward,
    }),
    { minItems: 1, maxItems: 30 },
  ),
  options,
  ...cartFields,
  session,
});
export type RedemptionBody = Static<typeof RedemptionBody>;

/** The older bodies, of one code or one tier. */
export const VoucherRedemptionBody = open({ options, ...cartFields, session, gift, reward });
export type VoucherRedemptionBody = Static<typeof VoucherRedemptionBody>;
export const TierRedemptionBody = open({ options, ...cartFields, session });
export type TierRedemptionBody = Static<typeof TierRedemptionBody>;
/** The older body of a loyalty card: whose it is, is known. */
export const MemberRedemptionBody = open({ reward, order: cartFields.order, metadata: cartFields.metadata });
const memberId = Type.String({ description: "The code or the id of a loyalty card." });
export const ByMember = Type.Object({ memberId });
export const ByMemberOfCampaign = Type.Object({ campaignId: Type.String(), memberId });
export const MemberRewardsQuery = Type.Object({
  affordable_only: Type.Optional(
    Type.Boolean({ description: "Only those that the points of the card are enough for." }),
  ),
});
export const TrackingQuery = Type.Object({ tracking_id: Type.Optional(Type.String({ maxLength: 500 })) });
export const CodeQuery = Type.Object({ code: Code, ...TrackingQuery.properties });

export const Redemption = Type.Object(
  {
    id: Type.String(),
    object: Choice(["redemption", "redemption_rollback"]),
    date: DateTime,
    customer_id: Nullable(Type.String()),
    tracking_id: Nullable(Type.String()),
    metadata: Nullable(Metadata),
    amount: Type.Optional(Type.Integer({ description: "Credits or points; negative in a rollback." })),
    redemption: Type.Optional(
      Nullable(Type.String({ description: "The redemption of the whole stack; of a rollback what was rolled back." })),
    ),
    result: Choice(["SUCCESS", "FAILURE"]),
    status: Choice(["SUCCEEDED", "FAILED", "ROLLED_BACK"]),
    failure_code: Type.Optional(Type.String()),
    failure_message: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    related_redemptions: Type.Optional(
      Type.Object({
        rollbacks: Type.Array(
          Type.Object({
            id: Type.String(),
            date: DateTime,
            rollback_order_mode: Type.Optional(Choice(["WITH_ORDER", "WITHOUT_ORDER"])),
          }),
        ),
      }),
    ),
    order: Nullable(RedemptionOrder),
    channel: Type.Object({ channel_id: Type.String(), channel_type: Type.String() }),
    customer: Nullable(RedemptionCustomer),
    related_object_type: Type.Optional(Choice(["voucher", "promotion_tier", "redemption"])),
    related_object_id: Type.Optional(Type.String()),
    voucher: Type.Optional(Nullable(RedemptionVoucher)),
    promotion_tier: Type.Optional(RedemptionTier),
    reward: Type.Optional(RedemptionReward),
    gift: Type.Optional(Type.Object({ amount: Type.Integer() })),
    loyalty_card: Type.Optional(Type.Object({ points: Type.Integer() })),
  },
  { title: "Redemption" },
);
export type Redemption = Static<typeof Redemption>;

export const Redeemed = Type.Object(
  {
    redemptions: Type.Array(Redemption),
    parent_redemption: Type.Optional(Redemption),
    order: Type.Optional(Nullable(RedemptionOrder)),
    inapplicable_redeemables: Type.Array(ValidatedRedeemable),
    skipped_redeemables: Type.Array(ValidatedRedeemable),
  },
  { title: "Redeemed" },
);

const ORDERS = ["created_at", "id", "voucher_code", "tracking_id", "customer_id"];
export const RedemptionQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page, 10 when left out." })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 99 })),
  result: Type.Optional(
    Type.Unsafe<string[]>({
      type: "array",
      items: { type: "string", enum: ["SUCCESS", "FAILURE"] },
      description: "May be repeated.",
    }),
  ),
  campaign: Type.Optional(Type.String({ description: "The name of a campaign." })),
  customer: Type.Optional(Type.String({ description: "The id or the source id of a customer." })),
  order: Type.Optional(
    Choice(
      ORDERS.flatMap((one) => [one, `-${one}`]),
      { description: "A leading dash means descending." },
    ),
  ),
  created_at: Type.Optional(
    Type.Object({
      before: Type.Optional(DateOrDateTime),
      after: Type.Optional(DateOrDateTime),
    }),
  ),
  filters: Type.Optional(Filters),
});
export type RedemptionQuery = Static<typeof RedemptionQuery>;

const { limit: _limit, page: _page, order: _order, ...redemptionFilters } = RedemptionQuery.properties;
/** The filters of the list, without what only orders and cuts it. */
export const RedemptionTotalsQuery = Type.Object(redemptionFilters);
export type RedemptionTotalsQuery = Static<typeof RedemptionTotalsQuery>;
const count = Type.Integer({ minimum: 0 });
const RedemptionSums = Type.Object(
  {
    count: Type.Integer({
      minimum: 0,
      description: "Rows of the list. A stack has one for itself and one for each part.",
    }),
    orders: Type.Integer({ minimum: 0, description: "Orders of more than 0; that of a stack counts once." }),
    order_amount: Type.Integer({ description: "What the orders cost before these redemptions." }),
    discount_amount: Type.Integer({ description: "Discounts, each cent once; without credits of gift cards." }),
    gift_amount: Type.Integer({ description: "Credits of gift cards." }),
    points: Type.Integer({ description: "Points of loyalty cards." }),
  },
  { title: "RedemptionSums" },
);
export const RedemptionTotals = Type.Object(
  {
    total: count,
    is_complete: Type.Boolean({
      description: "False: 50,000 redemptions were added up, the newest of those that were asked for.",
    }),
    succeeded: RedemptionSums,
    rolled_back: RedemptionSums,
    failed: Type.Object({ count }),
    object: Type.Literal("redemption_totals"),
  },
  { title: "RedemptionTotals" },
);
export type RedemptionTotals = Static<typeof RedemptionTotals>;
export const RedemptionList = listOf(Redemption, "redemptions");
export const VoucherRedemptions = Type.Object(
  {
    quantity: Nullable(Type.Integer()),
    redeemed_quantity: Type.Integer(),
    redeemed_amount: Type.Optional(Type.Integer()),
    redeemed_points: Type.Optional(Type.Integer()),
    object: Type.Literal("list"),
    url: Type.String(),
    data_ref: Type.Literal("redemption_entries"),
    total: Type.Integer({ minimum: 0 }),
    redemption_entries: Type.Array(Redemption),
  },
  { title: "VoucherRedemptions" },
);
export const VoucherRedemptionsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: "Entries on a page, 100 when left out." }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 99 })),
});
export const ByRedemption = Type.Object({ redemptionId: Type.String() });
export const ByCode = Type.Object({ code: Type.String() });
export const ByTier = Type.Object({ promotionTierId: Type.String() });

const reason = Type.String({ maxLength: 2000, description: "Why; it is kept with the rollback." });
/** It may be left out altogether. */
export const RollbackBody = Nullable(open({ reason: Type.Optional(Nullable(reason)), ...cartFields }));
export type RollbackBody = Static<typeof RollbackBody>;
/** The older form of the same. What the body says counts before it. */
export const RollbackQuery = Type.Object({
  reason: Type.Optional(reason),
  tracking_id: Type.Optional(Type.String({ maxLength: 500 })),
});
export type RollbackQuery = Static<typeof RollbackQuery>;
export const RolledBack = Type.Object(
  {
    rollbacks: Type.Array(Redemption),
    parent_rollback: Type.Optional(Redemption),
    order: Nullable(RedemptionOrder),
  },
  { title: "RolledBack" },
);

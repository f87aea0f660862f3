import { Type } from "typebox";
import { Choice, Metadata, Nullable, optional } from "../../shapes.ts";

const Text = Type.String();
const Count = Type.Integer();
const NullableText = Nullable(Text);
const Named = Type.Object({ id: Text });
const Moment = Type.Unsafe<string>({ type: "string", format: "date-time" });
const NamedThing = Type.Object({ id: Text, name: Text });

/** What points of a v1 program came from, as it was noted when they were earned. */
export const earningDetails = optional({
  event: Type.Object({
    id: Text,
    type: Text,
    ...optional({
      category: Text,
      group_id: NullableText,
      entity_id: NullableText,
      created_at: Moment,
      event_source: Type.Unknown(),
    }),
  }),
  custom_event: Type.Object({ id: Text, type: Text }),
  event_schema: NamedThing,
  earning_rule: Type.Object({ id: Text, source: Type.Object({ banner: NullableText }) }),
  segment: NamedThing,
  loyalty_tier: NamedThing,
  holder_loyalty_tier: NamedThing,
  order: Type.Object({ id: Text, source_id: NullableText }),
});

const CardInTransfer = Type.Object({
  id: Text,
  code: Text,
  type: Text,
  campaign: NullableText,
  campaign_id: NullableText,
  loyalty_card: Type.Object({ points: Count, balance: Count }),
  is_referral_code: Type.Boolean(),
  created_at: Moment,
  object: Type.Literal("voucher"),
});
/** What else a transaction of v1 shows, by its type. */
export const movementDetails = optional({
  redemption: Named,
  rollback: Named,
  reward: Type.Object({ id: Text, name: Type.Optional(Text) }),
  source_voucher: CardInTransfer,
  destination_voucher: CardInTransfer,
  forgiven: Type.Object({ points: Count }),
  pending_points: Type.Object({
    id: Text,
    points: Count,
    details: Type.Object(earningDetails),
    order_id: NullableText,
    voucher_id: Text,
    campaign_id: Text,
    customer_id: NullableText,
    activates_at: Text,
    created_at: Moment,
  }),
});

const Rejection = Nullable(
  Type.Object({
    reason: Text,
    details: Type.Optional(
      Nullable(Type.Object(optional({ type: Text, limit: Type.Number(), spendings: Type.Number() }))),
    ),
  }),
);
const Codes = Type.Array(
  Type.Object({
    id: Text,
    code: Text,
    ...optional({
      amount: Count,
      balance: Count,
      result: Type.String({ description: "Of a refund: what became of the code." }),
    }),
  }),
);
const digital = optional({
  type: Choice(["DISCOUNT_COUPONS", "GIFT_VOUCHERS", "LOYALTY_CARD_POINTS"]),
  discount_coupons: Codes,
  gift_vouchers: Codes,
  loyalty_card_points: Type.Object({ points: Count, card_id: Text, card_definition_id: Text }),
});
/** What was given for points, or with a benefit. */
const Result = Nullable(
  Type.Object({
    ...digital,
    ...optional({
      card: Named,
      points: Type.Object({ total: Count }),
      card_transaction: Named,
      material: Nullable(
        Type.Object({ type: Choice(["PRODUCT", "SKU"]), ...optional({ product: Named, sku: Named }) }),
      ),
      digital: Nullable(Type.Object(digital)),
      reward: Type.Object({ id: Text, type: Choice(["MATERIAL", "DIGITAL"]) }),
      quantity: Count,
    }),
  }),
);
const base = optional({ reason: NullableText, rejection: Rejection, metadata: Nullable(Metadata) });

const Bucket = Type.Object({
  id: Text,
  points: Type.Object({ total: Count }),
  ...optional({ date: NullableText, expiration_date: NullableText, expiration_type: Text, type: Text }),
});
/** Details of a movement of points on a v2 card. What is there depends on the type. */
export const CardTransactionDetails = Type.Object(
  {
    ...base,
    ...optional({
      points: Type.Object({
        total: Count,
        ...optional({
          type: Text,
          date: NullableText,
          expiration_date: NullableText,
          expiration_type: Text,
        }),
      }),
      date: Text,
      bucket: Bucket,
      buckets: Type.Array(Bucket),
      order: Named,
      reward: Named,
      benefit: Named,
      earning_rule: Named,
      target_card: Named,
      reward_transaction: Named,
      order_transaction: Named,
      card_transaction: Named,
      purchase_transaction: Named,
      purchase: Type.Object(optional({ card_transaction: Named, reward_transaction: Named })),
    }),
  },
  { title: "CardTransactionDetails" },
);
/** Details of rewards bought and orders paid with points. */
export const SpendingDetails = Type.Object(
  {
    ...base,
    ...optional({
      points: Type.Object({ total: Count }),
      result: Result,
      payment: Type.Object({
        amount: Count,
        points_spent: Count,
        exchange_ratio: Type.Number(),
        id: Type.Optional(Text),
      }),
      purchase: Type.Object(optional({ card_transaction: Named, reward_transaction: Named })),
    }),
  },
  { title: "SpendingDetails" },
);
export const BenefitDetails = Type.Object({ ...base, ...optional({ result: Result }) }, { title: "BenefitDetails" });
export const TierMoveDetails = Type.Object(
  {
    ...base,
    ...optional({
      origin: Type.Object({ type: Text, card_transaction_ids: Type.Optional(Type.Array(Text)) }),
      points: Nullable(Count),
      tier_from: NullableText,
      tier_to: NullableText,
      start_at: NullableText,
      expires_at: NullableText,
    }),
  },
  { title: "TierMoveDetails" },
);

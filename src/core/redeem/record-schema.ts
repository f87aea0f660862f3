import { Type } from "typebox";
import { DiscountSchema } from "../discounts/schema.ts";
import { Choice, Metadata, Nullable, optional } from "../shapes.ts";
import { validityFields } from "../time/schema.ts";

const Count = Type.Integer();
const Text = Type.String();
const NullableText = Nullable(Text);
const Moment = Type.Unsafe<string>({ type: "string", format: "date-time" });

const CategoryShown = Type.Object({
  id: Text,
  name: Text,
  hierarchy: Count,
  created_at: Moment,
  updated_at: Nullable(Moment),
  object: Type.Literal("category"),
});
const Asset = Type.Object({ id: Text, url: Text });

/** The code as it is configured now, with its figures of use after the redemption. Of a deleted code only a few fields. */
export const RedemptionVoucher = Type.Object(
  {
    id: NullableText,
    code: NullableText,
    ...optional({
      campaign: Nullable(Type.String({ description: "Its name." })),
      campaign_id: NullableText,
      category: NullableText,
      category_id: NullableText,
      categories: Type.Array(CategoryShown),
      is_referral_code: Type.Boolean(),
      type: Choice(["DISCOUNT_VOUCHER", "GIFT_VOUCHER", "LOYALTY_CARD"]),
      discount: Nullable(DiscountSchema),
      gift: Nullable(
        Type.Object(
          optional({
            effect: Choice(["APPLY_TO_ORDER", "APPLY_TO_ITEMS"]),
            amount: Count,
            balance: Count,
            subtracted_amount: Count,
          }),
        ),
      ),
      loyalty_card: Nullable(
        Type.Object({
          points: Count,
          balance: Count,
          ...optional({
            next_expiration_date: NullableText,
            next_expiration_points: Nullable(Count),
            pending_points: Count,
            expired_points: Count,
            subtracted_points: Count,
          }),
        }),
      ),
      ...validityFields,
      active: Type.Boolean(),
      additional_info: NullableText,
      metadata: Metadata,
      assets: Type.Object({ qr: Asset, barcode: Asset }),
      created_at: Moment,
      updated_at: Nullable(Moment),
      holder_id: NullableText,
      referrer_id: NullableText,
      redemption: Type.Object({
        quantity: Nullable(Count),
        redeemed_quantity: Count,
        ...optional({ redeemed_amount: Count, redeemed_points: Count }),
        object: Type.Literal("list"),
        url: Text,
      }),
      publish: Type.Object({ object: Type.Literal("list"), count: Count, url: Text }),
      object: Type.Literal("voucher"),
    }),
  },
  { title: "RedemptionVoucher" },
);

/** The tier as it is configured now, with its totals after the redemption. Of a deleted tier only a few fields. */
export const RedemptionTier = Type.Object(
  {
    id: NullableText,
    ...optional({
      name: Text,
      banner: NullableText,
      hierarchy: Count,
      action: Type.Object({ discount: DiscountSchema }),
      active: Type.Boolean(),
      ...validityFields,
      metadata: Metadata,
      promotion_id: Text,
      campaign_id: NullableText,
      category_id: NullableText,
      categories: Type.Array(CategoryShown),
      validation_rule_assignments: Type.Object({
        object: Type.Literal("list"),
        data_ref: Text,
        data: Type.Array(
          Type.Object({
            id: Text,
            rule_id: Text,
            related_object_id: Text,
            related_object_type: Text,
            created_at: Moment,
            object: Type.Literal("validation_rules_assignment"),
          }),
        ),
        total: Count,
      }),
      summary: Type.Object({
        redemptions: Type.Object({ total_redeemed: Count }),
        orders: Type.Object({ total_amount: Count, total_discount_amount: Count }),
      }),
      created_at: Moment,
      updated_at: Nullable(Moment),
      object: Type.Literal("promotion_tier"),
    }),
    campaign: Type.Object({
      id: NullableText,
      ...optional({
        name: NullableText,
        active: Type.Boolean(),
        ...validityFields,
        category_id: NullableText,
        object: Type.Literal("campaign"),
      }),
    }),
  },
  { title: "RedemptionTier" },
);

import { Type } from "typebox";
import { AppliedDiscount, DiscountSchema } from "../discounts/schema.ts";
import { Choice, FreeMap, Metadata, Nullable, optional } from "../shapes.ts";
import { validityFields } from "../time/schema.ts";
import { Refusal } from "../validate/schema.ts";
import type { Receipt, Result } from "./receipt.ts";

const Count = Type.Integer();
const Text = Type.String();
const NullableText = Nullable(Text);
const Moment = Type.Unsafe<string>({ type: "string", format: "date-time" });

/** What a redemption shows of its customer. A client application sees only who it is. */
export const RedemptionCustomer = Type.Object(
  {
    id: Text,
    ...optional({ source_id: NullableText, name: NullableText, email: NullableText, metadata: Metadata }),
    object: Type.Literal("customer"),
  },
  { title: "RedemptionCustomer" },
);

/** What points were spent on, and what came with it. */
export const RedemptionReward = Type.Object(
  {
    id: Text,
    assignment_id: Text,
    name: Text,
    type: Choice(["CAMPAIGN", "COIN", "MATERIAL"]),
    parameters: Type.Object(
      optional({
        product: Type.Object({ id: Text, sku_id: Type.Optional(NullableText) }),
        coin: Type.Object({ exchange_ratio: Type.Number(), points_ratio: Type.Number() }),
        campaign: Type.Object({ id: Text, ...optional({ type: Text, balance: Nullable(Count) }) }),
      }),
    ),
    product: Nullable(Type.Object({ id: Text, object: Type.Literal("product") })),
    sku: Nullable(Type.Object({ id: Text, product_id: Text, object: Type.Literal("sku") })),
    loyalty_tier_id: NullableText,
    created_at: Moment,
    updated_at: Nullable(Moment),
    object: Type.Literal("reward"),
    customer: Nullable(RedemptionCustomer),
    voucher: Nullable(
      Type.Object(
        {
          id: Text,
          code: Text,
          type: Choice(["DISCOUNT_VOUCHER", "GIFT_VOUCHER", "LOYALTY_CARD"]),
          campaign: NullableText,
          campaign_id: Text,
          ...optional({
            gift: Type.Object({ amount: Count, ...optional({ balance: Count }) }),
            loyalty_card: Type.Object({ points: Count, ...optional({ balance: Count }) }),
            discount: DiscountSchema,
          }),
          object: Type.Literal("voucher"),
        },
        { title: "RewardVoucher" },
      ),
    ),
  },
  { title: "RedemptionReward" },
);

const zeros = optional({
  zero_discounts: Count,
  applied_zero_discounts: Count,
});
const thing = { id: NullableText, source_id: NullableText, price: Nullable(Count), metadata: Metadata };
/** The cart that a decision was made about, with what the catalogue said of its products. */
const DecidedOrder = Type.Object(
  {
    id: NullableText,
    source_id: NullableText,
    amount: Nullable(Count),
    initial_amount: Nullable(Count),
    discount_amount: Count,
    applied_discount_amount: Count,
    ...zeros,
    items: Type.Array(
      Type.Object({
        id: NullableText,
        product: Nullable(Type.Object({ ...thing, name: NullableText })),
        sku: Nullable(Type.Object({ ...thing, sku: NullableText })),
        collections: Type.Array(Text),
        price: Nullable(Count),
        quantity: Count,
        amount: Nullable(Count),
        initial_quantity: Count,
        initial_amount: Nullable(Count),
        discount_amount: Count,
        discount_quantity: Count,
        applied_discount_amount: Count,
        applied_discount_quantity: Count,
        applied_quantity: Count,
        applied_quantity_amount: Count,
        ...zeros,
        metadata: Metadata,
      }),
    ),
    metadata: Metadata,
  },
  { title: "DecidedOrder" },
);

const Counts = Type.Object({ total: Count, day: Count, week: Count, month: Count }, { title: "RedemptionCounts" });
const PromisedRedeemable = Type.Object({
  object: Text,
  id: Text,
  status: Text,
  ...optional({ discount: Count, credits: Count, points: Count }),
});
const Hash = Type.String({ description: "SHA-256 of a piece of configuration." });
const RedeemableFacts = Type.Object(
  {
    object: Text,
    id: Text,
    ...optional({
      unknown: Type.Boolean({ description: "There is no such redeemable." }),
      ref: Text,
      label: Text,
      campaign_id: NullableText,
      category_id: NullableText,
      hierarchy: Nullable(Count),
      is_active: Type.Boolean(),
      quantity: Nullable(Count),
      redeemed: Count,
      locked: Count,
      is_unshared: Type.Boolean(),
      rules: Type.Array(Hash),
      benefit: Type.Object({
        kind: Choice(["discount", "gift", "points"]),
        ...optional({
          discount: Hash,
          balance: Count,
          locked: Count,
          held: Count,
          effect: Text,
          requested: Nullable(Count),
          received: Count,
          exchange: Nullable(Type.Object({ points_ratio: Type.Number(), exchange_ratio: Type.Number() })),
          reward: Nullable(
            Type.Object({
              id: Text,
              price: Nullable(
                Type.Object(
                  optional({
                    points: Type.Number(),
                    exchange: Type.Object({ points_ratio: Type.Number(), exchange_ratio: Type.Number() }),
                  }),
                ),
              ),
              ...optional({ is_out: Type.Boolean(), is_gone: Type.Boolean() }),
            }),
          ),
        }),
      }),
      validity: Type.Object(validityFields),
      published: Count,
      metadata: Metadata,
      counts: Type.Object({
        campaign: Counts,
        campaign_customer: Counts,
        incentive: Counts,
        incentive_customer: Counts,
        incentive_api_key: Count,
        incentive_user: Count,
        campaign_orders_amount: Count,
        campaign_discount_amount: Count,
        campaign_gift_amount: Count,
      }),
      used_units: Type.Array(Type.Array(Type.Unknown(), { description: "A name and how many units." })),
      is_holder: Type.Boolean(),
      is_referrer: Type.Boolean(),
    }),
  },
  { title: "RedeemableFacts" },
);

const amounts = {
  amount: Nullable(Count),
  discount_amount: Count,
  total_discount_amount: Count,
  total_amount: Count,
};
/** What a decision came to. */
export const DecisionResult = Type.Unsafe<Result>(
  Type.Object(
    {
      valid: Type.Boolean(),
      promise_kept: Type.Optional(Type.Boolean({ description: "Whether the price is the one that was promised." })),
      redeemables: Type.Array(
        Type.Object({
          object: Text,
          id: Text,
          status: Choice(["APPLICABLE", "INAPPLICABLE", "SKIPPED"]),
          ...optional({
            reason: Text,
            error: Refusal,
            discount: AppliedDiscount,
            gift: Type.Object({ credits: Count, balance: Count }),
            loyalty_card: Type.Object({ points: Count }),
            bundles: Count,
            order: Type.Object(amounts),
            items: Type.Array(Type.Array(Count), { description: "Line, units and amount of each discounted line." }),
            units: Type.Array(Type.Array(Type.Unknown())),
          }),
        }),
      ),
      order: Nullable(
        Type.Object({
          ...amounts,
          items: Type.Array(
            Type.Object({
              quantity: Count,
              amount: Nullable(Count),
              discount_amount: Count,
              discount_quantity: Count,
            }),
          ),
        }),
      ),
    },
    { title: "DecisionResult" },
  ),
);

export const receiptFields = {
  request: Type.Unsafe<Receipt["request"]>(
    Type.Object(
      {
        redeemables: Type.Array(
          Type.Object({
            object: Text,
            id: Text,
            ...optional({
              gift: Type.Object({ credits: Type.Optional(Nullable(Count)) }),
              reward: Type.Object(optional({ id: NullableText, points: Nullable(Count) })),
            }),
          }),
        ),
        customer: Nullable(Type.Object({ id: Text })),
        order: Nullable(DecidedOrder),
        metadata: Metadata,
      },
      { description: "The request as it was decided about; its customer by id." },
    ),
  ),
  facts: Type.Unsafe<Receipt["facts"]>(
    Type.Object(
      {
        now: Moment,
        zone: Text,
        api_key_id: NullableText,
        customer: Nullable(
          Type.Object({
            id: NullableText,
            ...optional({
              source_id: NullableText,
              metadata: Metadata,
              birthdate: NullableText,
              segments: Type.Array(Text),
              loyalty_tiers: Type.Array(Text),
            }),
          }),
        ),
        redeemables: Type.Array(RedeemableFacts),
        promised: Type.Optional(
          Type.Object({
            id: Type.Optional(Text),
            valid: Type.Boolean(),
            promise: Type.Object({
              ...optional({ total_amount: Count, discount: Count }),
              redeemables: Type.Array(PromisedRedeemable),
            }),
          }),
        ),
      },
      { description: "What was known: the moment, the customer, counters and balances." },
    ),
  ),
  configuration: Type.Object(
    {
      stacking_rules: Hash,
      units: Type.Optional(
        Type.Unsafe<Readonly<Record<string, string>>>({ type: "object", additionalProperties: Hash }),
      ),
      fragments: Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: FreeMap("ConfigurationFragment", "A rule, a discount or settings, as they were stored."),
      }),
    },
    { description: "Rules, discounts and settings that were used, by the SHA-256 hash of their text." },
  ),
};

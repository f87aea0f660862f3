import { type Static, Type } from "typebox";
import { ApplicableList } from "../../../core/discounts/applicable-schema.ts";
import { AppliedDiscount } from "../../../core/discounts/schema.ts";
import { CalculatedOrder, ITEMS_MAX, OrderItemInBody } from "../../../core/order/schema.ts";
import { StackingSettingsShown } from "../../../core/stacking/schema.ts";
import { CategoryInStack, Refusal, ValidatedRedeemable } from "../../../core/validate/schema.ts";
import { TTL_UNITS } from "../../../core/validate/session.ts";
import {
  Cents,
  Choice,
  type CustomerInBody,
  cartFields,
  DateTime,
  Filters,
  Id,
  Metadata,
  Nullable,
  open,
  optional,
} from "../../../http/schemas.ts";
import { trialOptions } from "./draft-schema.ts";

const REDEEMABLES_MAX = 30;

const Code = Type.String({ minLength: 1, maxLength: 300, description: "The code or the id of a voucher." });
const Spent = Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

export const SessionInBody = open(
  {
    type: Choice(["LOCK"]),
    key: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200, description: "One is made when it is left out." })),
    ),
    ttl: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, description: "7 days when it is left out." }))),
    ttl_unit: Type.Optional(Nullable(Choice(TTL_UNITS))),
  },
  // A time without its unit is none.
  { dependencies: { ttl: ["ttl_unit"], ttl_unit: ["ttl"] } },
);
export type SessionInBody = Static<typeof SessionInBody>;
const GiftInBody = Type.Optional(Nullable(open({ credits: Type.Optional(Nullable(Cents())) })));
const RewardInBody = Type.Optional(Nullable(open({ id: Type.Optional(Nullable(Id)), points: Type.Optional(Spent) })));
const session = { session: Type.Optional(Nullable(SessionInBody)) };

const expandTo = (description: string) => {
  const expand = Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20, description });
  return { expand: Type.Optional(Nullable(expand)) };
};
const optionsTo = (description: string) => Type.Optional(Nullable(open(expandTo(description))));
const PARTS = "`order`, `redeemable`, `category`, `redemption`, and with a server key `trace`.";
/** The older operations show everything that they have: nothing can be asked for. */
const olderOptions = optionsTo("`category`; it is always shown.");

const stacked = {
  redeemables: Type.Array(
    open({
      object: Choice(["voucher", "promotion_tier", "promotion_stack", "gift_card", "loyalty_card"]),
      id: Code,
      gift: GiftInBody,
      reward: RewardInBody,
    }),
    { minItems: 1, maxItems: REDEEMABLES_MAX },
  ),
  ...cartFields,
  ...session,
};
export const ValidationBody = open({
  ...stacked,
  options: Type.Optional(Nullable(open({ ...expandTo(PARTS), ...trialOptions }))),
});
export type ValidationBody = Static<typeof ValidationBody>;
export const ClientValidationBody = open({ ...stacked, options: optionsTo(PARTS) });

/** An older body has the order and its amount at the same place. */
export const VoucherValidationBody = open({
  options: olderOptions,
  ...cartFields,
  ...session,
  gift: GiftInBody,
  reward: RewardInBody,
});
export type VoucherValidationBody = Static<typeof VoucherValidationBody>;
export const PromotionValidationBody = open({ options: olderOptions, ...cartFields, ...session });
export type PromotionValidationBody = Static<typeof PromotionValidationBody>;

const SessionShown = Type.Object({
  key: Type.String(),
  type: Type.Literal("LOCK"),
  ttl: Type.Number(),
  ttl_unit: Choice(TTL_UNITS),
});

export const Validation = Type.Object(
  {
    id: Type.String(),
    valid: Type.Boolean(),
    redeemables: Type.Array(ValidatedRedeemable),
    skipped_redeemables: Type.Optional(Type.Array(ValidatedRedeemable)),
    inapplicable_redeemables: Type.Optional(Type.Array(ValidatedRedeemable)),
    order: Type.Optional(CalculatedOrder),
    tracking_id: Type.Optional(Type.String({ description: "The hashed source id of the customer." })),
    session: Type.Optional(SessionShown),
    stacking_rules: StackingSettingsShown,
  },
  { title: "Validation" },
);
export type Validation = Static<typeof Validation>;

export const VoucherValidation = Type.Object(
  {
    valid: Type.Boolean(),
    code: Type.String(),
    reason: Type.Optional(Type.String()),
    error: Type.Optional(Refusal),
    customer_id: Type.Optional(Type.String()),
    tracking_id: Type.Optional(Type.String()),
    metadata: Type.Optional(Metadata),
    session: Type.Optional(SessionShown),
    ...optional({
      order: CalculatedOrder,
      applicable_to: ApplicableList,
      inapplicable_to: ApplicableList,
      discount: AppliedDiscount,
      gift: Type.Object({
        credits: Type.Integer(),
        balance: Type.Integer(),
        effect: Choice(["APPLY_TO_ORDER", "APPLY_TO_ITEMS"]),
      }),
      loyalty: Type.Object({ points_cost: Type.Integer() }),
      reward: Type.Object({ id: Type.String(), assignment_id: Type.String(), points: Type.Integer() }),
      campaign: Type.String({ description: "Its name." }),
      campaign_id: Type.String(),
      start_date: DateTime,
      expiration_date: DateTime,
    }),
  },
  { title: "VoucherValidation" },
);
const PromotionShown = Type.Object(
  {
    valid: Type.Boolean(),
    id: Type.String(),
    object: Choice(["promotion_tier"]),
    ...optional({
      name: Type.String(),
      banner: Type.String(),
      hierarchy: Type.Integer(),
      metadata: Metadata,
      start_date: DateTime,
      expiration_date: DateTime,
      campaign: Type.Object({
        id: Type.String(),
        start_date: Nullable(DateTime),
        expiration_date: Nullable(DateTime),
        active: Type.Boolean(),
        object: Type.Literal("campaign"),
      }),
      category: Nullable(Type.String()),
      category_id: Nullable(Type.String()),
      categories: Type.Array(CategoryInStack),
      discount: AppliedDiscount,
      order: CalculatedOrder,
      applicable_to: ApplicableList,
      inapplicable_to: ApplicableList,
      discount_amount: Type.Integer(),
      applied_discount_amount: Type.Integer(),
      reason: Type.String(),
      error: Refusal,
      tracking_id: Type.String(),
      session: SessionShown,
    }),
  },
  { title: "PromotionValidation" },
);
export const PromotionTierValidation = PromotionShown;
export const PromotionsValidation = Type.Object({
  valid: Type.Boolean(),
  tracking_id: Type.Optional(Type.String()),
  promotions: Type.Array(PromotionShown),
});
export const PromotionsQuery = Type.Object({
  audienceRulesOnly: Type.Optional(Type.Boolean({ description: "Ask only the rules about the customer." })),
  filters: Type.Optional(Filters),
});
export type PromotionsQuery = Static<typeof PromotionsQuery>;
const clientQuery = {
  tracking_id: Type.String({ maxLength: 500, description: "The source id of the customer." }),
  amount: Cents(),
  customer: Type.Unsafe<CustomerInBody | string>({
    anyOf: [
      open(optional({ id: Id, source_id: Type.String({ minLength: 1, maxLength: 500 }), metadata: Metadata })),
      { type: "string", minLength: 1, maxLength: 500 },
    ],
    description: "A source id, or `customer[source_id]` and `customer[metadata][…]`.",
  }),
  metadata: Metadata,
  order: open(optional({ metadata: Metadata })),
  item: Type.Array(OrderItemInBody, { maxItems: ITEMS_MAX }),
  session_type: Choice(["LOCK"]),
  session_key: Type.String({ minLength: 1, maxLength: 200 }),
  session_ttl: Type.Number({ exclusiveMinimum: 0 }),
  session_ttl_unit: Choice(TTL_UNITS),
};
export const ClientPromotionsQuery = Type.Object(optional(clientQuery));
export const ClientValidationQuery = Type.Object({ code: Code, ...optional(clientQuery) });
export type ClientValidationQuery = Static<typeof ClientValidationQuery>;
export const ByCode = Type.Object({ code: Type.String() });
export const ByTier = Type.Object({ promotionTierId: Type.String() });

import { type Static, Type } from "typebox";
import { OPEN, only, see } from "../../../core/client/fields.ts";
import { PICTURES } from "../../../core/client/parts.ts";
import { DiscountSchema } from "../../../core/discounts/schema.ts";
import { validityFields } from "../../../core/time/schema.ts";
import { CodeConfigSchema, GiftSchema, LoyaltyCardSchema, QuantitySchema } from "../../../core/vouchers/schema.ts";
import {
  Amount,
  CheckedLater,
  Choice,
  DateRange,
  DateTime,
  Filters,
  Id,
  listOf,
  Metadata,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const VOUCHER_TYPES = ["DISCOUNT_VOUCHER", "GIFT_VOUCHER", "LOYALTY_CARD"] as const;
const type = Choice(VOUCHER_TYPES, { description: "Follows from the value that the code has." });
// What is around a code is cut off before its length counts.
const Code = Type.String({ maxLength: 1000 });
const common = {
  category: Nullable(Type.String({ maxLength: 200, description: "By its name; made when there is none." })),
  category_id: Nullable(Id),
  ...validityFields,
  active: Nullable(Type.Boolean()),
  additional_info: Nullable(Type.String({ maxLength: 10_000 })),
  metadata: Nullable(Metadata),
};
const values = {
  discount: Nullable(DiscountSchema),
  gift: Nullable(GiftSchema),
  loyalty_card: Nullable(LoyaltyCardSchema),
};
const redemption = Nullable(open({ quantity: Type.Optional(QuantitySchema) }));
const creatable = {
  ...common,
  ...values,
  type: Nullable(type),
  redemption,
  campaign: Nullable(Type.String({ maxLength: 200, description: "The campaign that it joins, by name." })),
  campaign_id: Nullable(Id),
  validation_rules: Nullable(Type.Array(Id, { maxItems: 100, description: "Ids of rules to assign." })),
};

export const VoucherCreateWithCode = open(optional(creatable));
export const VoucherCreate = open(
  optional({ ...creatable, code: Nullable(Code), code_config: Nullable(CodeConfigSchema) }),
);
export type VoucherCreate = Static<typeof VoucherCreate>;
const { active: _, ...override } = { ...common, ...values, redemption };
export const VoucherAddWithCode = open(optional(override));
export const VoucherAdd = open(
  optional({ ...override, code: Nullable(Code), code_config: Nullable(CodeConfigSchema) }),
);
export type VoucherAdd = Static<typeof VoucherAdd>;
export const VoucherInBulk = open(
  { code: Type.String({ minLength: 1, maxLength: 1000 }), metadata: Metadata },
  { title: "VoucherInBulk" },
);
/** Each entry is checked for itself: what is wrong with it stands in the result of the async action. */
export const VoucherBulk = CheckedLater<unknown[]>(
  { type: "array", minItems: 1 },
  Type.Array(VoucherInBulk, { minItems: 1 }),
);
export const VouchersMetadata = open({
  codes: Type.Array(VoucherInBulk.properties.code, { minItems: 1 }),
  metadata: Metadata,
});
export const VoucherImport = open(
  {
    code: Type.String({ minLength: 1, maxLength: 1000 }),
    ...optional({
      ...common,
      ...values,
      type: Nullable(type),
      redemption: Nullable(
        open(
          optional({
            quantity: QuantitySchema,
            redeemed_quantity: Nullable(Amount),
            redeemed_amount: Nullable(Amount),
          }),
          { description: "With what was redeemed of the code before it came here." },
        ),
      ),
    }),
  },
  { title: "VoucherImport" },
);
export type VoucherImport = Static<typeof VoucherImport>;
/** Each entry is checked for itself: what is wrong with it stands in the result of the async action. */
export const VoucherImports = CheckedLater<unknown[]>(
  { type: "array", minItems: 1 },
  Type.Array(VoucherImport, { minItems: 1 }),
);
export const VoucherUpdate = open(
  optional({
    ...common,
    type: Nullable(type),
    discount: values.discount,
    gift: Nullable(open(optional({ effect: Choice(["APPLY_TO_ORDER", "APPLY_TO_ITEMS"]) }))),
  }),
);
export type VoucherUpdate = Static<typeof VoucherUpdate>;

const Category = Type.Object({
  id: Type.String(),
  name: Type.String(),
  hierarchy: Type.Integer(),
  created_at: DateTime,
  updated_at: Nullable(DateTime),
  object: Type.Literal("category"),
});
const Assignment = Type.Object({
  id: Type.String(),
  rule_id: Type.String(),
  related_object_id: Type.String(),
  related_object_type: Type.Literal("voucher"),
  created_at: DateTime,
  object: Type.Literal("validation_rules_assignment"),
});
const Asset = Type.Object({
  id: Type.String(),
  url: Type.String({ description: "Needs no credentials. Takes `size`, 1 to 100, and `format`, `png` or `svg`." }),
});
const text = Nullable(Type.String());
const Count = Type.Integer({ minimum: 0 });

export const Voucher = Type.Object(
  {
    id: Type.String(),
    code: Type.String(),
    campaign: Nullable(Type.String({ description: "Its name." })),
    campaign_id: text,
    category: text,
    category_id: text,
    categories: Type.Array(Category),
    type,
    discount: Nullable(DiscountSchema),
    gift: Nullable(
      Type.Object({
        amount: Amount,
        subtracted_amount: Amount,
        balance: Type.Integer(),
        effect: Choice(["APPLY_TO_ORDER", "APPLY_TO_ITEMS"]),
      }),
    ),
    loyalty_card: Nullable(
      Type.Object({
        points: Amount,
        balance: Type.Integer(),
        next_expiration_date: Nullable(Type.String({ format: "date" })),
        next_expiration_points: Nullable(Amount),
        pending_points: Amount,
        expired_points: Amount,
        subtracted_points: Amount,
      }),
    ),
    ...validityFields,
    active: Type.Boolean(),
    additional_info: text,
    metadata: Metadata,
    assets: Type.Object({ qr: Asset, barcode: Asset }),
    is_referral_code: Type.Boolean(),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    holder_id: text,
    referrer_id: text,
    redemption: Type.Object({
      quantity: QuantitySchema,
      redeemed_quantity: Count,
      redeemed_amount: Type.Optional(Type.Integer({ minimum: 0, description: "Credits of a gift card." })),
      redeemed_points: Type.Optional(Type.Integer({ minimum: 0, description: "Points of a loyalty card." })),
      object: Type.Literal("list"),
      url: Type.String(),
    }),
    publish: Type.Object({ object: Type.Literal("list"), count: Count, url: Type.String() }),
    object: Type.Literal("voucher"),
  },
  { title: "Voucher" },
);
export type Voucher = Static<typeof Voucher>;

export const VoucherWithRules = Type.Object(
  { ...Voucher.properties, validation_rules_assignments: listOf(Assignment) },
  { title: "VoucherWithRules" },
);
export type VoucherWithRules = Static<typeof VoucherWithRules>;
export const VoucherList = listOf(Voucher, "vouchers");

const Text = Type.Optional(Type.String({ maxLength: 1000 }));
export const VoucherQuery = PageQuery(["created_at", "updated_at", "code"], {
  category: Type.Optional(Type.String({ maxLength: 200, description: "The name or the id of a category." })),
  campaign: Type.Optional(Type.String({ maxLength: 200, description: "The name of a campaign." })),
  campaign_id: Text,
  customer: Type.Optional(Type.String({ maxLength: 500, description: "The holder, by id or source id." })),
  code: Text,
  ids: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000 })),
  created_at: Type.Optional(DateRange),
  updated_at: Type.Optional(DateRange),
  filters: Type.Optional(Filters),
});
export type VoucherQuery = Static<typeof VoucherQuery>;

/** What a client application sees of any code of the project. */
export const ClientVoucher = only(
  Voucher,
  see("code active start_date expiration_date created_at object", { metadata: OPEN, assets: PICTURES }),
);
export type ClientVoucher = Static<typeof ClientVoucher>;
export const ClientVoucherList = listOf(ClientVoucher, "vouchers");
const { category, campaign, customer, created_at, updated_at } = VoucherQuery.properties;
export const ClientVoucherQuery = PageQuery(["created_at", "updated_at", "code"], {
  ...{ category, campaign, customer, created_at, updated_at },
});
export const ClientVoucherUpdate = open({ expiration_date: DateTime });
export const VoucherDelete = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Delete for good, instead of moving it to the bin." })),
});
export const CountQuery = Type.Object({
  vouchers_count: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "More than one are made after the answer; at most `LAUREL_VOUCHERS_COUNT_MAX`.",
    }),
  ),
});
const code = Type.String({ description: "Its code or its id." });
export const ByVoucher = Type.Object({ code });
export const ByNewCode = Type.Object({
  code: Type.String({ format: "path-code", description: "The code that it gets." }),
});
export const OfCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });
export const ByNewCodeOfCampaign = Type.Object({ ...OfCampaign.properties, ...ByNewCode.properties });
export const BySession = Type.Object({ code, sessionKey: Type.String() });

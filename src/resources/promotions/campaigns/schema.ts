import { type Static, Type } from "typebox";
import { CAMPAIGN_TYPES, CODES_TYPES } from "../../../core/campaigns/kind.ts";
import { LIVE_STATUSES } from "../../../core/campaigns/status.ts";
import { CODE_MAX } from "../../../core/codes/code.ts";
import { DiscountSchema } from "../../../core/discounts/schema.ts";
import { TiersExpirationSchema } from "../../../core/loyalty/campaign/shapes.ts";
import { ReferralProgramSchema } from "../../../core/referrals/program.ts";
import { campaignValidityFields, validityFields } from "../../../core/time/schema.ts";
import { CodeConfigSchema, GiftSchema, LoyaltyCardSchema, QuantitySchema } from "../../../core/vouchers/schema.ts";
import {
  Choice,
  DateOrDateTime,
  DateTime,
  Filters,
  Id,
  Metadata,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";
import { Category } from "../../catalogue/categories/schema.ts";
import { PromotionTierList } from "../promotion-tiers/schema.ts";
import { ValidationRuleAssignmentList } from "../validation-rule-assignments/schema.ts";

export const STATUSES = ["DONE", "IN_PROGRESS", "FAILED", "DRAFT", "MODIFYING"] as const;
export type CampaignStatus = (typeof STATUSES)[number];
const VOUCHER_TYPES = ["DISCOUNT_VOUCHER", "GIFT_VOUCHER", "LOYALTY_CARD"] as const;

const name = Type.String({ minLength: 1, maxLength: 200, description: "Unique in the project." });
const campaign_type = Choice(CAMPAIGN_TYPES);
const type = Choice(CODES_TYPES, {
  description:
    "`AUTO_UPDATE` makes codes when they are published, `STATIC` does not, `STANDALONE` has one code for all.",
});
const Redemption = open({ quantity: Type.Optional(QuantitySchema) });

const common = {
  description: Nullable(Type.String({ maxLength: 5000 })),
  type,
  auto_join: Type.Boolean({ description: "Of a loyalty program: who earns becomes a member." }),
  join_once: Type.Boolean({ description: "A customer gets one code at most." }),
  ...validityFields,
  activity_duration_after_publishing: Nullable(
    Type.String({ maxLength: 50, description: "How long a code is active once it is published, as P24D." }),
  ),
  category: Nullable(Type.String({ maxLength: 200, description: "By its name; made when there is none." })),
  category_id: Nullable(Id),
  metadata: Metadata,
  referral_program: Nullable(ReferralProgramSchema),
  loyalty_tiers_expiration: Nullable(TiersExpirationSchema),
};

/** All but the tiers of a promotion, which are another resource. */
export const campaignCreate = {
  name,
  ...optional({
    campaign_type,
    ...common,
    active: Nullable(
      Type.Boolean({ description: "`false`: nothing of it applies until it is enabled. Left out: `true`." }),
    ),
    use_voucher_metadata_schema: Type.Boolean({
      description: "Metadata is checked with the schema of vouchers, and not with that of campaigns.",
    }),
    vouchers_count: Nullable(
      Type.Integer({
        minimum: 0,
        description: "Codes to make, at most `LAUREL_VOUCHERS_COUNT_MAX` in one request. A campaign may have more.",
      }),
    ),
    voucher: Nullable(
      open(
        optional({
          type: Choice(VOUCHER_TYPES),
          discount: Nullable(DiscountSchema),
          gift: Nullable(GiftSchema),
          loyalty_card: Nullable(LoyaltyCardSchema),
          redemption: Nullable(Redemption),
          code_config: Nullable(CodeConfigSchema),
          code: Nullable(Type.String({ maxLength: CODE_MAX, description: "The code of a `STANDALONE` campaign." })),
          is_referral_code: Nullable(Type.Boolean()),
        }),
      ),
    ),
    validation_rules: Nullable(Type.Array(Id, { maxItems: 100, description: "Ids of rules to assign." })),
  }),
};

/** A new campaign, without the tiers of a promotion. */
export const CampaignBody = open(campaignCreate);
export type CampaignBody = Static<typeof CampaignBody>;

export const CampaignDuplicate = open({
  name,
  ...optional({
    code: Nullable(Type.String({ maxLength: CODE_MAX, description: "The code of a `STANDALONE` campaign." })),
    vouchers_count: Nullable(
      Type.Integer({
        minimum: 0,
        description: "Codes to make. Unless it is sent: as many as a `STATIC` campaign has.",
      }),
    ),
  }),
});
export type CampaignDuplicate = Static<typeof CampaignDuplicate>;

export const CampaignUpdate = open(
  optional({
    ...common,
    unset_metadata_fields: Nullable(
      Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000, description: "Keys of metadata to remove." }),
    ),
    discount: DiscountSchema,
    gift: GiftSchema,
    loyalty_card: LoyaltyCardSchema,
    redemption: Redemption,
    options: Nullable(
      open(
        optional({
          recalculate_tiers: Nullable(
            Type.Boolean({
              description:
                "Look at the tiers of all members again. Unless it is sent: when how tiers are kept has changed.",
            }),
          ),
        }),
      ),
    ),
  }),
);
export type CampaignUpdate = Static<typeof CampaignUpdate>;

/** All but what is kept elsewhere: categories, assigned rules, tiers. */
const campaignFields = {
  id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  campaign_type,
  type,
  voucher: Type.Optional(
    Type.Object({
      type: Choice(VOUCHER_TYPES),
      discount: Type.Optional(DiscountSchema),
      gift: Type.Optional(
        Type.Object({ amount: Type.Integer(), balance: Type.Integer(), effect: GiftSchema.properties.effect }),
      ),
      loyalty_card: Type.Optional(LoyaltyCardSchema),
      redemption: Type.Object({ quantity: QuantitySchema }),
      code_config: Type.Object({
        length: Type.Integer({ description: "How many `#` the pattern has." }),
        charset: Type.String(),
        pattern: Type.String(),
        prefix: Type.Optional(Type.String()),
        postfix: Type.Optional(Type.String()),
      }),
      is_referral_code: Type.Boolean(),
      ...campaignValidityFields,
    }),
  ),
  auto_join: Type.Boolean(),
  join_once: Type.Boolean(),
  use_voucher_metadata_schema: Type.Boolean(),
  ...campaignValidityFields,
  activity_duration_after_publishing: Nullable(Type.String()),
  vouchers_count: Type.Integer({ description: "Codes that there are now." }),
  active: Type.Boolean(),
  archived_at: Type.Optional(
    Type.Unsafe<string>({ ...DateTime, description: "When it was archived; left out unless it is." }),
  ),
  protected: Type.Boolean(),
  metadata: Metadata,
  creation_status: Choice(STATUSES),
  vouchers_generation_status: Choice(STATUSES),
  referral_program: Type.Optional(Nullable(ReferralProgramSchema)),
  loyalty_tiers_expiration: Type.Optional(Nullable(TiersExpirationSchema)),
  category: Nullable(Type.String()),
  category_id: Nullable(Type.String()),
  created_at: DateTime,
  updated_at: Nullable(DateTime),
  object: Type.Literal("campaign"),
};

const Flag = Type.Optional(Type.Boolean());
const status = Choice(LIVE_STATUSES, {
  description: "What it is at the time of the project; in this order, the first that holds.",
});
export const SORTABLE = ["created_at", "updated_at", "name", "start_date", "expiration_date"] as const;
export const CampaignQuery = PageQuery([...SORTABLE, "status"], {
  campaign_type: Type.Optional(campaign_type),
  status: Type.Optional(
    Choice(LIVE_STATUSES, { description: "What it is now. Archived campaigns are in no list but that of `ARCHIVED`." }),
  ),
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "A part of the name, in capital or small letters." }),
  ),
  campaign_status: Type.Optional(Choice(STATUSES)),
  is_referral_code: Flag,
  expand: Type.Optional(
    Choice(["category", "access_settings_assignments", "counters"], {
      description: "`counters`: use, budget and codes of each. Categories are always shown in full.",
    }),
  ),
  filters: Type.Optional(Filters),
});
export type CampaignQuery = Static<typeof CampaignQuery>;
export const CampaignDelete = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Delete for good, instead of moving it to the bin." })),
});
const Day = Type.Optional(
  Type.Unsafe<string>({ type: "string", format: "date", description: "In the project's zone." }),
);
export const CampaignSummaryQuery = Type.Object({ start_date: Day, end_date: Day });
export type CampaignSummaryQuery = Static<typeof CampaignSummaryQuery>;
export const ByCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });

const Count = Type.Integer({ minimum: 0 });
export const CampaignCounters = Type.Object(
  {
    redemptions: Count,
    discount: Type.Integer({ description: "What was taken off in all, in minor units." }),
    redemptions_by_day: Type.Array(Count, { description: "Of the last 30 days of the project, today last." }),
    budget: Nullable(
      Type.Integer({
        description: "What its validation rules let it take off, or pay with gift credits; null: no limit.",
      }),
    ),
    budget_used: Type.Integer(),
    codes: Count,
    codes_used: Type.Integer({ minimum: 0, description: "Codes that were redeemed once at least." }),
  },
  { title: "CampaignCounters" },
);
export type CampaignCounters = Static<typeof CampaignCounters>;

const LimitForecast = Type.Object(
  {
    limit: Type.Integer(),
    used: Type.Integer(),
    left: Count,
    per_day: Nullable(
      Type.Integer({
        description: "How much of it a day used, of the last 14 whole days; null: there are fewer than seven of them.",
      }),
    ),
    runs_out_at: Nullable({
      ...DateTime,
      description: "When nothing is left if it goes on so; null: that is not known, or not within ten years.",
    } as typeof DateTime),
    rows: Type.Array(
      Type.Object({ at: Type.String({ description: "A day, in the time of the project." }), left: Count }),
      { description: "What was left at the end of each day, today last." },
    ),
  },
  { title: "LimitForecast" },
);
export type LimitForecast = Static<typeof LimitForecast>;
export const CampaignForecast = Type.Object(
  {
    object: Type.Literal("campaign_forecast"),
    campaign_id: Type.String(),
    timezone: Type.String({ description: "The time zone of the project, in which days begin." }),
    budget: Nullable(LimitForecast),
    uses: Nullable(LimitForecast),
  },
  {
    title: "CampaignForecast",
    description:
      "`budget`: what its rules let it give, in minor units. `uses`: how often its rules and its codes let it be redeemed. Null: no limit.",
  },
);
export type CampaignForecast = Static<typeof CampaignForecast>;
export const ForecastQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 366, description: "How many days are shown; 30 unless it is sent." }),
  ),
});
export const AudienceQuery = Type.Object(optional({ from: DateOrDateTime, to: DateOrDateTime }));
export type AudienceQuery = Static<typeof AudienceQuery>;
const Moment = Type.String({ description: "In the time of the project." });
export const CampaignAudience = Type.Object(
  {
    object: Type.Literal("campaign_audience"),
    campaign_id: Type.String(),
    timezone: Type.String(),
    from: Moment,
    to: Moment,
    customers: Type.Integer({ minimum: 0, description: "Different customers who redeemed something." }),
    returning: Type.Integer({ minimum: 0, description: "Those of them who did so on more than one day." }),
    top_customers: Type.Array(
      Type.Object({
        id: Type.String(),
        days: Type.Integer({ description: "On how many days." }),
        last_day: Type.String(),
      }),
      { description: "Those with the most days, ten at most." },
    ),
    segments: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), customers: Count }), {
      description: "Static and automatic segments that these customers are in now, the largest first, ten at most.",
    }),
    approximate: Nullable(
      Type.Object({ method: Type.String({ description: "How they were estimated; null: everything is exact." }) }),
    ),
  },
  { title: "CampaignAudience" },
);
export type CampaignAudience = Static<typeof CampaignAudience>;
export const CampaignExpand = Type.Object({
  expand: Type.Optional(Choice(["counters"], { description: "Use, budget and codes." })),
});

/** A campaign as answers show it. Its status and counters are shown where campaigns are read. */
export const CampaignView = Type.Object(
  {
    ...campaignFields,
    categories: Type.Array(Category),
    promotion: Type.Optional(PromotionTierList),
    validation_rules_assignments: ValidationRuleAssignmentList,
    status: Type.Optional(status),
    counters: Type.Optional(CampaignCounters),
  },
  { title: "Campaign" },
);
export type CampaignView = Static<typeof CampaignView>;

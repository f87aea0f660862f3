import { type Static, Type } from "typebox";
import { ApplicableEntrySchema } from "../../../core/discounts/applicable-schema.ts";
import type { ApplicableTo } from "../../../core/discounts/targets.ts";
import { EARNING_CONTEXTS } from "../../../core/loyalty/earning/triggers.ts";
import type { StoredBundle } from "../../../core/rules/definition.ts";
import type { RuleMap } from "../../../core/rules/rule.ts";
import { definitionInBody, Message, ruleMap } from "../../../core/rules/schema.ts";
import { Choice, DateOrDateTime, DateTime, Filters, listOf, open, optional, PageQuery } from "../../../http/schemas.ts";

const DISCOUNTS = [
  "discount.apply_to_order",
  "discount.apply_to_items",
  "discount.apply_to_items_proportionally",
  "discount.apply_to_items_proportionally_by_quantity",
  "discount.apply_to_items_by_quantity",
  "discount.fixed.apply_to_items",
  "discount.percent.apply_to_items",
];
const GIFTS = ["gift.apply_to_order", "gift.apply_to_items"];
const contextsIn = (prefix: string, suffixes: readonly string[]) => suffixes.map((suffix) => `${prefix}.${suffix}`);

/** What a rule is meant for. It tells an editor which names to offer, and is not looked at otherwise. */
export const CONTEXT_TYPES: readonly string[] = [
  "global",
  ...EARNING_CONTEXTS,
  ...[
    "campaign.discount_coupons",
    "campaign.referral_program",
    "campaign.promotion",
    "voucher.discount_voucher",
  ].flatMap((prefix) => [prefix, ...contextsIn(prefix, DISCOUNTS)]),
  ...["campaign.gift_vouchers", "voucher.gift_voucher"].flatMap((prefix) => [prefix, ...contextsIn(prefix, GIFTS)]),
  "campaign.loyalty_program",
  "voucher.loyalty_card",
  ...contextsIn("distribution", ["custom_event", "order.paid", "order.created", "order.canceled", "order.updated"]),
  "reward_assignment.pay_with_points",
];
export const TYPES = ["expression", "basic", "advanced", "complex"] as const;

const Products = Type.Object({
  included: Type.Array(ApplicableEntrySchema),
  excluded: Type.Array(ApplicableEntrySchema),
  included_all: Type.Boolean(),
});

const described = {
  name: Type.String({ minLength: 1, maxLength: 500 }),
  type: Choice(TYPES, { description: "How an editor shows the rules; it changes nothing else." }),
  context_type: Choice(CONTEXT_TYPES, { description: "What the rules are meant for; it changes nothing else." }),
};

export const ValidationRule = Type.Object(
  {
    id: Type.String(),
    ...described,
    rules: ruleMap<RuleMap>({ logic: { type: "string" } as never }, "Rules by key, and how `logic` combines them."),
    bundle_rules: ruleMap<StoredBundle>(
      { logic: { type: "string" } as never, limit: { type: "integer", minimum: 1, maximum: 100 } as never },
      "The parts of a bundle by key, and how many bundles count at most. Empty: there is none.",
    ),
    error: Type.Optional(Message),
    applicable_to: Type.Unsafe<ApplicableTo>(Products),
    assignments_count: Type.Optional(Type.Integer({ minimum: 1, description: "Left out when there is none." })),
    created_at: DateTime,
    updated_at: Type.Optional(DateTime),
    object: Type.Literal("validation_rules"),
  },
  { title: "ValidationRule" },
);
export type ValidationRule = Static<typeof ValidationRule>;

const { name, ...kind } = described;

export const ValidationRuleCreate = open({ name, ...optional({ ...kind, ...definitionInBody }) });
export type ValidationRuleCreate = Static<typeof ValidationRuleCreate>;
export const ValidationRuleUpdate = open(optional({ ...described, ...definitionInBody }));
export type ValidationRuleUpdate = Static<typeof ValidationRuleUpdate>;
export const ValidationRuleList = listOf(ValidationRule);
export const ValidationRuleQuery = PageQuery(["created_at", "updated_at", "name"], {
  filters: Type.Optional(Filters),
  start_date: Type.Optional(DateOrDateTime),
  end_date: Type.Optional(DateOrDateTime),
});
export type ValidationRuleQuery = Static<typeof ValidationRuleQuery>;
export const ByValidationRule = Type.Object({ validationRuleId: Type.String() });

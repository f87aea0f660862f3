import { type Static, Type } from "typebox";
import { ApplicableList } from "../../../core/discounts/applicable-schema.ts";
import { CalculatedOrder } from "../../../core/order/schema.ts";
import { SCENARIOS, type ScenarioName } from "../../../core/qualify/scenario.ts";
import { StackingSettingsShown } from "../../../core/stacking/schema.ts";
import { aboutFields, RedeemableResult } from "../../../core/validate/schema.ts";
import { Choice, cartFields, DateTime, Filters, listOf, Nullable, open, optional } from "../../../http/schemas.ts";

const Limit = Nullable(
  Type.Integer({ minimum: 1, description: "Entries on a page: 5 when it is left out, 50 at most." }),
);

const Scenario = Type.Unsafe<ScenarioName | null>({
  type: ["string", "null"],
  enum: [...Object.keys(SCENARIOS), null],
});

export const QualificationBody = open({
  ...cartFields,
  scenario: Type.Optional(Scenario),
  options: Type.Optional(
    Nullable(
      open({
        limit: Type.Optional(Limit),
        starting_after: Type.Optional(
          Nullable(Type.String({ maxLength: 50, description: "`more_starting_after` of the page before." })),
        ),
        expand: Type.Optional(
          Nullable(
            Type.Array(Type.String({ maxLength: 50 }), {
              maxItems: 20,
              description: "`redeemable`, `category`, `validation_rules`.",
            }),
          ),
        ),
        filters: Type.Optional(Nullable(Filters)),
        sorting_rule: Type.Optional(Nullable(Choice(["DEFAULT", "BEST_DEAL", "LEAST_DEAL"]))),
      }),
    ),
  ),
  session: Type.Optional(
    Nullable(
      open({
        type: Type.Optional(Nullable(Choice(["LOCK"]))),
        key: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200 }))),
      }),
    ),
  ),
});
export type QualificationBody = Static<typeof QualificationBody>;

const Assignment = Type.Object({
  id: Type.String(),
  rule_id: Type.String(),
  related_object_id: Type.String(),
  related_object_type: Type.String(),
  created_at: DateTime,
  object: Type.Literal("validation_rules_assignment"),
  ...optional({
    validation_status: Choice(["VALID", "PARTIALLY_VALID"]),
    validation_omitted_rules: Type.Array(Type.String()),
  }),
});
const redeemable = {
  id: Type.String(),
  result: RedeemableResult,
  ...optional({
    created_at: Type.String({ description: "When it was made; names the entry in `starting_after`." }),
    banner: Type.String(),
    order: CalculatedOrder,
    applicable_to: ApplicableList,
    inapplicable_to: ApplicableList,
    validation_rules_assignments: listOf(Assignment),
  }),
  ...aboutFields,
};
const Entry = Type.Object(
  {
    ...redeemable,
    object: Choice(["voucher", "promotion_tier", "promotion_stack", "campaign"]),
    redeemables: Type.Optional(
      Type.Array(Type.Object({ ...redeemable, object: Choice(["promotion_tier"]) }), {
        description: "The tiers of a stack, one on top of the other.",
      }),
    ),
  },
  { title: "QualifiedRedeemable" },
);
export const Qualification = Type.Object(
  {
    redeemables: Type.Object({
      object: Type.Literal("list"),
      data_ref: Type.Literal("data"),
      data: Type.Array(Entry),
      total: Type.Integer({ minimum: 0, description: "How many there are on this page." }),
      has_more: Type.Boolean(),
      more_starting_after: Type.Optional(Type.String({ description: "The `starting_after` of the next page." })),
    }),
    tracking_id: Type.Optional(Type.String({ description: "The hashed source id of the customer." })),
    order: Type.Optional(CalculatedOrder),
    stacking_rules: StackingSettingsShown,
  },
  { title: "Qualification" },
);

/** The older operations, which ask for codes or for campaigns. */
export const OlderQualificationBody = open(cartFields);
export const OlderQualificationQuery = Type.Object({
  audienceRulesOnly: Type.Optional(Type.Boolean({ description: "Ask only the rules about the customer." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Entries, 50 at most." })),
  order: Type.Optional(Choice(["created_at", "-created_at"], { description: "Newest first when it is left out." })),
});

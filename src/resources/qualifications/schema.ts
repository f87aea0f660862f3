import { type Static, Type } from "typebox";
import { SCENARIOS, type ScenarioName } from "../../core/qualify/scenario.ts";
import { Choice, cartFields, Filters, listOf, Nullable, open } from "../../http/schemas.ts";

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

const Anything = Type.Object({}, { additionalProperties: true });
const Entry = Type.Object(
  { id: Type.String(), object: Choice(["voucher", "promotion_tier", "promotion_stack", "campaign"]), result: Anything },
  { additionalProperties: true, title: "QualifiedRedeemable" },
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
    order: Type.Optional(Anything),
    stacking_rules: Anything,
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
export const OlderQualification = Type.Object(
  { ...listOf(Anything).properties, tracking_id: Type.Optional(Type.String()) },
  { title: "OlderQualification" },
);

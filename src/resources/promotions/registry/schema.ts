import { Type } from "typebox";
import { Choice, Nullable } from "../../../http/schemas.ts";

const Name = Type.String();
const Help = Type.String({ description: "A sentence for whoever fills in the form." });
const Anything = (title: string, description: string) =>
  Type.Unsafe<object>({ type: "object", additionalProperties: true, title, description });
const Schema = Anything("JsonSchema", "The JSON schema of a value.");
const Takes = Choice(["number", "metadata", "ids", "login", "flag", "products"], {
  description: "What a rule looks at; it decides which operators the rule takes.",
});

const RegistryRule = Type.Object(
  {
    name: Name,
    help: Help,
    family: Choice(["customer", "order", "redemption"]),
    takes: Takes,
    unit: Nullable(
      Choice(["amount", "count"], { description: "`amount`: numbers are money, in minor units: 1250 is 12.50." }),
    ),
    needs: Type.Array(Choice(["customer", "order", "items", "amount", "custom_event", "member"]), {
      description: "What a request must have, or the rule fails.",
    }),
    has_property: Type.Boolean({ description: "The rule names a property of metadata in `property`." }),
    place: Choice(["top", "below"], { description: "`below`: only in the `rules` of a rule that selects lines." }),
    takes_rules: Type.Boolean({ description: "The rule may have `rules` below it." }),
    operators: Type.Array(Name),
    example: Anything("RegistryRuleExample", "A rule as it stands in a definition."),
  },
  { title: "RegistryRule" },
);
const RegistryOperator = Type.Object(
  {
    name: Name,
    aliases: Type.Array(Name),
    help: Help,
    values: Type.Array(
      Type.Object({ takes: Takes, help: Help, schema: Schema, values_max: Type.Integer({ minimum: 1 }) }),
    ),
  },
  { title: "RegistryOperator" },
);
const FormulaExample = Type.Object({ formula: Type.String(), gives: Type.String() });
const FormulaFunction = Type.Object(
  {
    name: Name,
    help: Help,
    arguments: Type.String({ description: "The arguments in words." }),
    arguments_min: Type.Integer(),
    arguments_max: Nullable(Type.Integer({ description: "Null: as many as you like." })),
    example: FormulaExample,
  },
  { title: "RegistryFunction" },
);
const FormulaOperator = Type.Object(
  {
    name: Name,
    help: Help,
    binding: Type.Number({ description: "An operator with a higher number binds tighter." }),
    example: FormulaExample,
  },
  { title: "RegistryFormulaOperator" },
);
const FormulaVariable = Type.Object(
  {
    name: Name,
    help: Help,
    kind: Choice(["boolean", "date", "amount", "count"], {
      description: "`amount`: money, in the major unit: 12.50 and not 1250.",
    }),
  },
  { title: "RegistryVariable" },
);
const RegistryDiscount = Type.Object(
  {
    name: Type.String({ description: "The `type` of a discount." }),
    kind: Choice(["money", "goods"], { description: "It takes money off, or changes what is in the cart." }),
    value: Type.String({ description: "The field that holds its value." }),
    fields: Type.Array(
      Type.Object({
        name: Name,
        kind: Choice(["amount", "percent", "formula", "text", "count", "list"], {
          description: "`amount`: money, in minor units.",
        }),
        schema: Schema,
      }),
    ),
    effects: Type.Array(Type.Object({ name: Name, help: Help, on: Choice(["order", "lines", "goods"]) })),
    examples: Type.Array(
      Type.Object({
        help: Type.String({ description: "What it shows; empty where the numbers say it." }),
        discount: Anything("RegistryDiscountExample", "A discount as it is sent."),
        comes_off: Type.Integer({ description: "What comes off a cart of two mugs at 12.00 and a T-shirt at 20.00." }),
        explained: Type.Array(Type.String()),
      }),
    ),
  },
  { title: "RegistryDiscount" },
);

export const Registry = Type.Object(
  {
    rules: Type.Array(RegistryRule),
    value_kinds: Type.Array(Type.Object({ name: Takes, help: Help })),
    operators: Type.Array(RegistryOperator),
    formula_functions: Type.Array(FormulaFunction),
    formula_operators: Type.Array(FormulaOperator),
    formula_variables: Type.Array(FormulaVariable),
    discounts: Type.Array(RegistryDiscount),
    object: Type.Literal("registry"),
  },
  { title: "Registry" },
);

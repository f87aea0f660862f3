import { Type } from "typebox";
import { ApplicableEntryInBody, ENTRIES_MAX } from "../discounts/applicable-schema.ts";
import { BUNDLE_LIMIT_MAX } from "../discounts/bundle.ts";
import { CheckedLater, Choice, Nullable, open, optional, type Props } from "../shapes.ts";
import { TEXT_LENGTH_MAX } from "./definition.ts";
import { RULE_OPERATORS } from "./operators.ts";
import { RULE_NAMES } from "./registry.ts";
import type { RuleMap } from "./rule.ts";

export const Message = Type.Object({ message: Type.String() });

// Beside `logic` and `limit` every key stands for a rule. As a pattern: TypeScript has no type for "all other keys".
const RULES_BY_KEY = { "^(?!logic$|limit$)": { $ref: "#/$defs/RuleNode" } };

/** A rule as it is stored. Rules about the lines that it picks stand below it. */
export const RuleNode = Type.Object(
  {
    name: Type.String(),
    property: Nullable(Type.String({ description: "The property of metadata, for rules that look at one." })),
    conditions: Type.Unsafe<Record<string, unknown[]>>({
      type: "object",
      additionalProperties: { type: "array" },
      description: "Values by operator; all operators have to hold.",
    }),
    rules: Type.Unsafe<RuleMap>({
      type: "object",
      properties: { logic: { type: "string" } },
      patternProperties: RULES_BY_KEY,
      additionalProperties: false,
      description: "Rules about the lines that this one picks, in the same form.",
    }),
    error: Type.Optional(Message),
  },
  { title: "RuleNode" },
);
/** The values of an operator: numbers, texts, days, or the products that lines are compared with. */
const RuleValues = Type.Array(
  Type.Unsafe<unknown>({
    type: ["string", "number", "boolean", "object"],
    properties: {
      id: { type: "string" },
      source_id: { type: ["string", "null"] },
      object: { type: "string" },
      type: { type: "string" },
    },
    additionalProperties: true,
  }),
  { minItems: 1 },
);
const MessageInBody = Nullable(open(optional({ message: Nullable(Type.String({ maxLength: TEXT_LENGTH_MAX })) })));
/** TypeScript has no type for "all other keys", so `logic` and `limit` are no properties of their own. */
const rulesByKey = (description: string, ...beside: object[]) => ({
  type: "object",
  additionalProperties: {
    anyOf: [
      { $ref: "#/$defs/RuleNodeInBody" },
      { type: ["string", "null"], description: "The value of `logic`, such as `1 and (2 or 3)`." },
      ...beside,
    ],
  },
  description,
});

/** A rule as it is sent. What is inside is checked by `parseDefinition`, which says what each rule takes. */
export const RuleNodeInBody = open(
  {
    name: Choice(RULE_NAMES, { description: "What the rule looks at." }),
    ...optional({
      property: Nullable(Type.String({ maxLength: TEXT_LENGTH_MAX, description: "The property of metadata." })),
      conditions: Nullable(
        open(
          optional(
            Object.fromEntries(
              RULE_OPERATORS.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) => [name, RuleValues]),
            ),
          ),
          {
            title: "RuleConditionsInBody",
            description: "Values by operator; all operators have to hold.",
          },
        ),
      ),
      rules: Type.Unsafe<object | null>({
        ...rulesByKey("Rules about the lines that this one picks, in the same form."),
        type: ["object", "null"],
      }),
      error: MessageInBody,
    }),
  },
  { title: "RuleNodeInBody" },
);

const later = (shown: object) =>
  CheckedLater<Record<string, unknown> | null>({ type: ["object", "null"], additionalProperties: true }, shown);
/** The parts of a definition as they are sent. */
export const definitionInBody = {
  rules: later(
    rulesByKey(
      'Rules by key and their logic, as `{"1": {"name": "order.amount", "conditions": {"$more_than": [1000]}}, "logic": "1"}`. Without a logic all have to hold.',
    ),
  ),
  bundle_rules: later(
    rulesByKey("What has to be in the cart together, and how many bundles count at most. Null: no bundle.", {
      type: "integer",
      minimum: 1,
      maximum: BUNDLE_LIMIT_MAX,
      description: "The value of `limit`.",
    }),
  ),
  applicable_to: later(
    open(
      optional({
        included: Nullable(Type.Array(ApplicableEntryInBody, { maxItems: ENTRIES_MAX })),
        excluded: Nullable(Type.Array(ApplicableEntryInBody, { maxItems: ENTRIES_MAX })),
        included_all: Nullable(Type.Boolean()),
      }),
      { description: "Which products a discount is for." },
    ),
  ),
  error: later({
    ...MessageInBody,
    type: "object",
    description: "`message` is the text for a refusal when no rule that failed has one of its own.",
  }),
};

export const ruleMap = <T>(properties: Props, description: string) =>
  Type.Unsafe<T>({
    type: "object",
    properties,
    patternProperties: RULES_BY_KEY,
    additionalProperties: false,
    description,
  });

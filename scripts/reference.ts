import { type DiscountDefinition, EXAMPLE_CART } from "../src/core/discounts/definition.ts";
import { moneyText } from "../src/core/discounts/explain.ts";
import { DISCOUNTS } from "../src/core/discounts/registry.ts";
import { FUNCTIONS } from "../src/core/formula/functions.ts";
import { type FormulaNote, FUNCTION_NOTES, OPERATOR_NOTES, VARIABLE_NOTES } from "../src/core/formula/reference.ts";
import {
  bindingOf,
  FORMULA_DEPTH_MAX,
  FORMULA_NODES_MAX,
  type OperatorName,
  TEXT_MAX,
} from "../src/core/formula/syntax.ts";
import { VARIABLES } from "../src/core/formula/variables.ts";
import { TAKES_NOTES } from "../src/core/registry/registry.ts";
import { RULES_DEPTH_MAX, RULES_NODES_MAX } from "../src/core/rules/definition.ts";
import { operatorsFor, type Takes } from "../src/core/rules/operators.ts";
import { RULES } from "../src/core/rules/registry.ts";
import type { Need, Rule } from "../src/core/rules/rule.ts";

// The pages docs/reference/rules.md and docs/reference/formulas.md, and the tables of discounts.md, from the registries of
// the code.

const NEEDS: Record<Need, string> = {
  customer: "a customer",
  order: "an order",
  items: "order items",
  amount: "an order amount",
  custom_event: "an event",
  member: "a member",
};

/** On one line, with spaces where a reader wants them. */
const compact = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, " ")
    .replace(/([[{]) /g, "$1")
    .replace(/ ([\]}])/g, "$1");
const inline = (value: unknown): string => `\`${compact(value)}\``;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(" | ")} |`,
  `|${"---|".repeat(head.length)}`,
  ...rows.map((row) => `| ${row.join(" | ")} |`),
  "",
];

/** The first example that holds, as it is written in a definition. */
function exampleOf({ name, examples }: Rule): string {
  const { above, property, conditions, rules } = examples.find(({ holds }) => holds)!;
  const node = { name, ...(property && { property }), conditions, ...(rules && { rules }) };
  return inline(above ? { ...above, rules: { "1": node } } : node);
}

const ruleRows = (place: "top" | "below"): string[] =>
  table(
    ["Rule", "What it looks at", "Needs", "Takes", "`property`", "Example"],
    RULES.filter((rule) => (rule.kind === "value" && rule.place === "below" ? "below" : "top") === place).map(
      (rule) => [
        `\`${rule.name}\``,
        rule.summary,
        rule.needs.map((need) => NEEDS[need]).join(", "),
        `[${rule.takes}](#${rule.takes})`,
        rule.property ? "yes" : "",
        exampleOf(rule),
      ],
    ),
  );

const kindSection = ([takes, says]: [string, string]): string[] => [
  `### ${takes}`,
  "",
  says,
  "",
  ...table(
    ["Operator", "True when the checked value", "Values"],
    operatorsFor(takes as Takes).map(({ name, aliases, summary, values, values_max }) => {
      const most = takes === "flag" ? 1 : values_max;
      const also = aliases.length > 0 ? ` (also ${aliases.map((one) => `\`${one}\``).join(", ")})` : "";
      return [
        `\`${name}\`${also}`,
        summary,
        `${most === 1 ? "one" : `1 to ${most}`}: ${values[takes as Takes]!.says.replaceAll("|", "\\|")}`,
      ];
    }),
  ),
];

const SHOWN = {
  "1": { name: "customer.segment", conditions: { $is: ["seg_1"] } },
  "2": { name: "order.amount", conditions: { $more_than_or_equal: [5000] }, error: { message: "Spend 50 or more" } },
  "3": { name: "order.metadata", property: "channel", conditions: { $is: ["app"] } },
};

export const rulesReference = (made: string): string =>
  [
    made,
    "# Rules",
    "",
    "The `rules` of a validation rule have numbers as keys. `logic` combines them:",
    "",
    "```json",
    "{",
    ...Object.entries(SHOWN).map(([key, node]) => `  "${key}": ${compact(node)},`),
    '  "logic": "1 and (2 or 3)"',
    "}",
    "```",
    "",
    "- `logic` may use `and`, `or` and parentheses; `and` binds tighter than `or`. Laurel ignores rules that `logic` does",
    "  not name. Without `logic`, all rules must be true.",
    "- When `conditions` has several operators, all of them must be true. Values are always in a list.",
    "- A rule that selects lines of the cart may have its own `rules`. They look at the selected lines only.",
    `- A definition has at most ${RULES_NODES_MAX} rules, nested at most ${RULES_DEPTH_MAX} deep.`,
    "- You may write underscores instead of dots in the name of a rule.",
    "- A rule fails when the request does not have what the rule needs. If nothing else is wrong, the error names what is missing.",
    "",
    "## Every rule",
    "",
    ...ruleRows("top"),
    "## Rules below others",
    "",
    "Use these in the `rules` of a rule that selects lines of the cart.",
    "",
    ...ruleRows("below"),
    "## Operators",
    "",
    'The column "Takes" above says which of these groups a rule uses.',
    "",
    ...Object.entries(TAKES_NOTES).flatMap(kindSection),
  ].join("\n");

/** A name without a note would be missing on the page, so there is none. */
function noteOf<T>(notes: Readonly<Record<string, T>>, name: string): T {
  const note = notes[name];
  if (note === undefined) throw new Error(`src/core/formula/reference.ts has no note about ${name}`);
  return note;
}
const exampleCell = ({ example, gives }: FormulaNote): string => `\`${example}\` gives \`${gives}\``;

export const formulasReference = (made: string): string =>
  [
    made,
    "# Formulas",
    "",
    "A formula is a text such as `MIN(ORDER_AMOUNT * 0.1; 20)`. Laurel calculates it exactly, with decimal numbers.",
    "",
    "- Separate arguments with `;` and write texts in double quotes. You may write names in upper or lower case.",
    "- Amounts are in the major unit: `12.50` and not 1250.",
    "- When a value is missing, Laurel cannot calculate the formula and uses the fixed value next to it. Use `DEFAULT_TO`",
    "  to give another value for this case.",
    `- A formula has at most ${TEXT_MAX} characters and ${FORMULA_NODES_MAX} parts, nested at most ${FORMULA_DEPTH_MAX} deep.`,
    "",
    "In the examples the date is 16 March 2026, the time zone is Warsaw, the cart is 125.00, and `points` in the metadata is 7.",
    "",
    "## Functions",
    "",
    ...table(
      ["Function", "Value", "Example"],
      [...FUNCTIONS.keys(), "SWITCH", "SWITCH_CASE"].map((name) => {
        const note = noteOf(FUNCTION_NOTES, name);
        return [`\`${name}(${note.takes})\``, note.summary, exampleCell(note)];
      }),
    ),
    "## Operators",
    "",
    "Operators further down bind tighter. The result of a comparison with a missing value is also missing.",
    "",
    ...table(
      ["Operator", "Meaning", "Example"],
      (Object.entries(OPERATOR_NOTES) as [OperatorName, FormulaNote][])
        .toSorted(([a], [b]) => bindingOf(a) - bindingOf(b))
        .map(([name, note]) => [`\`${name}\``, note.summary, exampleCell(note)]),
    ),
    "## Variables",
    "",
    ...table(
      ["Variable", "Value"],
      [...VARIABLES.keys()].map((name) => [`\`${name}\``, noteOf(VARIABLE_NOTES, name)]),
    ),
  ].join("\n");

/** The first example of an effect: the fields that matter, and what comes off. */
function discountExample({ examples }: DiscountDefinition, name: string): string {
  const { discount, included = [], off } = examples.find((one) => one.discount.effect === name)!;
  const { type: _, effect: __, ...fields } = discount;
  const only = included.map(({ id }) => ` for \`${id}\` only`).join();
  return `${inline(fields)}${only}: ${moneyText(off)} off`;
}

/** An effect that a discount has without naming it, whatever its rules name, is the default. */
const isDefault = (definition: DiscountDefinition, name: string): boolean =>
  [true, false].every((namesProducts) => definition.defaultEffect({ type: definition.type }, namesProducts) === name);

const cartLine = ({ product, price, quantity, collections }: (typeof EXAMPLE_CART)[number]): string =>
  `${quantity} × \`${product}\` at ${moneyText(price)}${collections.map((id) => ` (in the collection \`${id}\`)`).join("")}`;
const EXAMPLE_AMOUNT = EXAMPLE_CART.reduce((sum, { price, quantity }) => sum + price * quantity, 0);

export const discountTables = (): string =>
  [
    `In the examples the cart is ${EXAMPLE_CART.map(cartLine).join(" and ")}, in all ${moneyText(EXAMPLE_AMOUNT)}.`,
    "",
    ...table(
      ["`type`", "`effect`", "What it takes off", "Example"],
      (DISCOUNTS as readonly DiscountDefinition[]).flatMap((definition) =>
        Object.entries(definition.effects).map(([name, { takes_off }], n) => [
          n === 0 ? `\`${definition.type}\`` : "",
          `\`${name}\`${isDefault(definition, name) ? " (default)" : ""}`,
          takes_off,
          discountExample(definition, name),
        ]),
      ),
    ),
    ...table(
      ["`type`", "Fields"],
      DISCOUNTS.map(({ type, fields }) => [
        `\`${type}\``,
        Object.keys(fields)
          .map((field) => `\`${field}\``)
          .join(", "),
      ]),
    ),
  ]
    .join("\n")
    .trimEnd();

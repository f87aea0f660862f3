import { FUNCTIONS } from "../src/core/formula/functions.ts";
import { type FormulaNote, FUNCTION_NOTES, OPERATOR_NOTES, VARIABLE_NOTES } from "../src/core/formula/reference.ts";
import {
  bindingOf,
  DEPTH_MAX as FORMULA_DEPTH_MAX,
  NODES_MAX as FORMULA_NODES_MAX,
  type OperatorName,
  TEXT_MAX,
} from "../src/core/formula/syntax.ts";
import { VARIABLES } from "../src/core/formula/variables.ts";
import { DEPTH_MAX, NODES_MAX } from "../src/core/rules/definition.ts";
import { operatorsFor, type Takes } from "../src/core/rules/operators.ts";
import { RULES } from "../src/core/rules/registry.ts";
import type { Need, Rule } from "../src/core/rules/rule.ts";

// The pages docs/reference/rules.md and docs/reference/formulas.md, from the registries of the code.

const KINDS: Record<Takes, string> = {
  number: "A number. Amounts are in minor units: 1250 is 12.50.",
  metadata:
    "A property of metadata: text, a number, true or false, a date, or a list of them. Of a list one element is enough, unless the operator says otherwise; dots lead into nested objects.",
  ids: "Ids.",
  login: "A login.",
  flag: "Yes or no.",
  products:
    'Lines of the cart. A value is an object with an `id` and its kind as `object`: `{"id": "prod_1", "object": "product"}`; `source_id` names it too. A product stands for its SKUs.',
};
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
    ["Operator", "It holds when the left side", "Values"],
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
    "The `rules` of a validation rule are numbered, and `logic` says how they are combined:",
    "",
    "```json",
    "{",
    ...Object.entries(SHOWN).map(([key, node]) => `  "${key}": ${compact(node)},`),
    '  "logic": "1 and (2 or 3)"',
    "}",
    "```",
    "",
    "- `logic` knows `and`, `or` and parentheses; `and` binds tighter. What it does not name is not asked. Without it all",
    "  rules have to hold.",
    "- Several operators in one `conditions` all have to hold. Values always stand in a list.",
    "- A rule that picks lines of the cart may have `rules` of its own, which are asked about those lines.",
    `- A definition has at most ${NODES_MAX} rules, nested at most ${DEPTH_MAX} deep.`,
    "- A name may be written with underscores instead of dots.",
    "- What a rule needs and was not sent makes it fail; when only that is missing, the refusal says so.",
    "",
    "## Every rule",
    "",
    ...ruleRows("top"),
    "## Rules below others",
    "",
    "These stand in the `rules` of one that picks lines.",
    "",
    ...ruleRows("below"),
    "## Operators",
    "",
    "Which ones a rule takes depends on what it looks at.",
    "",
    ...Object.entries(KINDS).flatMap(kindSection),
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
    "A formula is a text such as `MIN(ORDER_AMOUNT * 0.1; 20)`. It is calculated exactly, in decimal numbers.",
    "",
    "- Arguments are separated by `;`, texts stand in double quotes, names are read in any case of letters.",
    "- Amounts are in the major unit: `12.50` and not 1250.",
    "- What is missing makes a formula impossible to evaluate, and the fixed value beside it is used. `DEFAULT_TO` says",
    "  what to take instead.",
    `- A formula has at most ${TEXT_MAX} characters and ${FORMULA_NODES_MAX} parts, nested at most ${FORMULA_DEPTH_MAX} deep.`,
    "",
    "The examples are calculated on 16 March 2026 in Warsaw, for a cart of 125.00 and metadata in which `points` is 7.",
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
    "Those further down bind tighter. A comparison with something that is missing is missing itself.",
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

import type { DiscountDefinition } from "../discounts/definition.ts";
import { DiscountAmount, Formula, Limit, Percentage, Text, Units } from "../discounts/fields.ts";
import { DISCOUNTS } from "../discounts/registry.ts";
import { FUNCTIONS } from "../formula/functions.ts";
import { type FormulaNote, FUNCTION_NOTES, OPERATOR_NOTES, VARIABLE_NOTES } from "../formula/reference.ts";
import { bindingOf, type OperatorName } from "../formula/syntax.ts";
import { VARIABLES } from "../formula/variables.ts";
import { operatorsFor, RULE_OPERATORS, type RuleOperator, type Takes } from "../rules/operators.ts";
import { RULES } from "../rules/registry.ts";
import type { Rule } from "../rules/rule.ts";

// All that can be configured, as data: forms are made from it, so that a new rule needs no new form.

/** What documents and forms say about each kind of left side. */
export const TAKES_NOTES: Readonly<Record<Takes, string>> = {
  number: "A number. Amounts are in minor units: 1250 is 12.50.",
  metadata:
    "A property of the metadata: text, a number, true or false, a date, or a list of them. For a list, one matching element is enough, unless the operator says otherwise. Use dots in `property` for nested objects.",
  ids: "The id of an object.",
  login: "The login of a user.",
  flag: "True or false.",
  products:
    'Lines of the cart. A value is an object with an `id` and its kind in `object`: `{"id": "prod_1", "object": "product"}`. A value may also have a `source_id`; then a line matches by its id or its source id. A product includes its SKUs.',
};

/** Money is in minor units in rules and discounts, and in the major unit in formulas. */
const UNITS = { money: "amount", count: "count" } as const;

/** The first example that holds, as it is written in the `rules` of a definition. */
function exampleOfRule({ name, examples }: Rule): object {
  const { above, property, conditions, rules } = examples.find(({ holds }) => holds)!;
  const node = { name, ...(property && { property }), conditions, ...(rules && { rules }) };
  return above ? { ...above, rules: { "1": node } } : node;
}

const ruleEntry = (rule: Rule) => ({
  name: rule.name,
  help: rule.summary,
  family: rule.family,
  takes: rule.takes,
  unit: rule.kind === "value" && rule.unit !== null ? UNITS[rule.unit] : null,
  needs: [...rule.needs],
  has_property: rule.property,
  place: rule.kind === "value" ? rule.place : ("top" as const),
  takes_rules: rule.kind === "lines" && rule.allows_below,
  operators: operatorsFor(rule.takes).map(({ name }) => name),
  example: exampleOfRule(rule),
});

const operatorEntry = ({ name, aliases, summary, values, values_max }: RuleOperator) => ({
  name,
  aliases: [...aliases],
  help: summary,
  values: (Object.keys(values) as Takes[]).map((takes) => ({
    takes,
    help: values[takes]!.says,
    schema: values[takes]!.schema as object,
    values_max: takes === "flag" ? 1 : values_max,
  })),
});

const example = ({ example: formula, gives }: FormulaNote) => ({ formula, gives });

/** Read in the syntax itself, and so not in the table of functions. */
const OF_SYNTAX = { SWITCH: { least: 2, most: null }, SWITCH_CASE: { least: 2, most: 2 } } as const;
const functionEntry = ([name, { least, most }]: readonly [string, { least: number; most: number | null }]) => {
  const note = FUNCTION_NOTES[name]!;
  return {
    name,
    help: note.summary,
    arguments: note.takes ?? "",
    arguments_min: least,
    arguments_max: most === Number.POSITIVE_INFINITY ? null : most,
    example: example(note),
  };
};

/** What a variable holds, by its name. The first that fits counts. */
const VARIABLE_KINDS = [
  [/^(?:TRUE|FALSE)$/, "boolean"],
  [/^(?:TODAY|NOW)$|DATE$/, "date"],
  [/_(?:PRICE|AMOUNT|SUBTOTAL)$/, "amount"],
  [/_(?:QUANTITY|COUNT)$/, "count"],
] as const;
const variableEntry = (name: string) => ({
  name,
  help: VARIABLE_NOTES[name]!,
  kind: VARIABLE_KINDS.find(([names]) => names.test(name))![1],
});

const FIELD_KINDS = new Map<object, "amount" | "percent" | "formula" | "text" | "count">([
  [DiscountAmount, "amount"],
  [Limit, "amount"],
  [Percentage, "percent"],
  [Formula, "formula"],
  [Text, "text"],
  [Units, "count"],
]);

const discountEntry = (definition: DiscountDefinition) => ({
  name: definition.type,
  kind: definition.kind,
  value: definition.value,
  fields: Object.entries(definition.fields).map(([name, schema]) => ({
    name,
    kind: FIELD_KINDS.get(schema) ?? ("list" as const),
    schema: schema as object,
  })),
  effects: Object.entries(definition.effects).map(([name, { takes_off, on }]) => ({ name, help: takes_off, on })),
  examples: definition.examples.map(({ note = "", discount, off, explained }) => ({
    help: note,
    discount: discount as object,
    comes_off: off,
    explained: [...explained],
  })),
});

/** Made once: nothing of it changes while a process runs. */
export const REGISTRY = {
  rules: RULES.map(ruleEntry),
  value_kinds: Object.entries(TAKES_NOTES).map(([name, help]) => ({ name: name as Takes, help })),
  operators: RULE_OPERATORS.map(operatorEntry),
  formula_functions: [...FUNCTIONS, ...Object.entries(OF_SYNTAX)].map(functionEntry),
  formula_operators: (Object.entries(OPERATOR_NOTES) as [OperatorName, FormulaNote][]).map(([name, note]) => ({
    name,
    help: note.summary,
    binding: bindingOf(name),
    example: example(note),
  })),
  formula_variables: [...VARIABLES.keys()].map(variableEntry),
  discounts: DISCOUNTS.map((definition) => discountEntry(definition as DiscountDefinition)),
  object: "registry" as const,
};

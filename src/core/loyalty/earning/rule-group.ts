import { type Static, type TSchema, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { oncePer } from "../../once-per.ts";
import type { FaultOfFormula } from "../../rules/applicable.ts";
import { parseDefinition } from "../../rules/definition.ts";
import { rulesHold } from "../../rules/evaluate.ts";
import type { RuleFacts } from "../../rules/facts.ts";
import { RuleFault } from "../../rules/fault.ts";
import { loadsOf, type RuleLoads } from "../../rules/loads.ts";
import { type Logic, parseLogic } from "../../rules/logic.ts";
import { findRule } from "../../rules/registry.ts";
import type { RuleMap } from "../../rules/rule.ts";
import { Choice, Nullable, strict } from "../../shapes.ts";
import { idOf } from "../program/shape.ts";
import { programTriggersBringing, type RuleTrigger, type TriggerFact, triggerOf } from "./triggers.ts";

const EQUALITY = ["$is", "$is_not"];
const ORDER = ["$more_than", "$more_than_or_equal", "$is", "$less_than", "$less_than_or_equal"];
const BOUNDS = ["$more_than_or_equal", "$is", "$less_than_or_equal"];
const LINES = ["$is", "$from"];
const ALL = ["$is", "$is_not", "$in", "$not_in", ...ORDER.filter((name) => name !== "$is"), "$dow"];
const COUNT = [...ORDER, "$in", "$not_in"];

type Entry = { operators: readonly string[]; needs?: TriggerFact; below?: true };
const paid = (operators: readonly string[], more: { below?: true } = {}): Entry => ({
  operators,
  needs: "order",
  ...more,
});

/** The names of a rule, the operators that each takes, and the fact that its trigger must bring; some take rules below them. */
const EARNING_NAMES: Readonly<Record<string, Entry>> = {
  "customer.segment": { operators: EQUALITY },
  "customer.metadata": { operators: ALL },
  "order.amount": paid(ORDER),
  "order.initial_amount": paid(ORDER),
  "order.total_amount": paid(ORDER),
  "order.items.price_any": paid(ORDER),
  "order.items.price_each": paid(ORDER),
  "order.items.count": paid(COUNT),
  "order.items.quantity": paid(COUNT),
  "order.items.aggregated_quantity": paid(COUNT),
  "order.items.price": paid(BOUNDS),
  "order.items.aggregated_amount": paid(BOUNDS),
  "order.items.every": paid(LINES, { below: true }),
  "order.items.any": paid(LINES, { below: true }),
  "order.items.none": paid(LINES),
  "order.items.cheapest": paid(LINES, { below: true }),
  "order.items.most_expensive": paid(LINES, { below: true }),
  "order.metadata": paid(ALL),
  "order.items.metadata": paid(ALL),
  "custom_event.metadata": { operators: ALL, needs: "custom_event" },
};
const COST_NAMES: Readonly<Record<string, Entry>> = {
  "customer.segment": { operators: EQUALITY },
  "customer.metadata": { operators: ALL },
  "member.metadata": { operators: ALL },
};

const Value = Type.Unsafe<unknown>({
  type: ["string", "number", "boolean", "object"],
  properties: {
    id: { type: "string", minLength: 1, maxLength: 200 },
    object: { type: "string", enum: ["product", "sku", "products_collection"] },
    source_id: { type: ["string", "null"], maxLength: 200 },
    type: { type: "string", enum: ["product_or_sku", "products_collection"] },
  },
  additionalProperties: false,
});
const values = Type.Optional(Type.Array(Value, { minItems: 1, maxItems: 1000 }));
const Conditions = strict(
  {
    $is: values,
    $is_not: values,
    $in: values,
    $not_in: values,
    $less_than: values,
    $less_than_or_equal: values,
    $more_than: values,
    $more_than_or_equal: values,
    $from: values,
    $dow: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), { minItems: 1, maxItems: 7 })),
  },
  { title: "RuleConditions" },
);

export type RuleItem = {
  name: string;
  property?: string | null;
  schema_id?: string | null;
  error?: { message: string } | null;
  rules?: RuleGroup | null;
  conditions?: Static<typeof Conditions> | null;
};
/** Rules under the numbers that `logic` combines. */
export type RuleGroup = { logic: string } & { [number: string]: RuleItem | string };

/** A group, and how deep others may stand below its rules. */
function groupSchema(title: string, names: readonly string[], depth: number, options: object = {}): TSchema {
  const item = strict({
    name: Choice(names),
    property: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 1000 }))),
    schema_id: Type.Optional(Nullable(idOf("ms"))),
    error: Type.Optional(Nullable(strict({ message: Type.String({ minLength: 1, maxLength: 200 }) }))),
    ...(depth > 0 && { rules: Type.Optional(Nullable(groupSchema(`${title}Below`, names, depth - 1))) }),
    conditions: Type.Optional(Nullable(Conditions)),
  });
  return Type.Unsafe<RuleGroup>({
    type: "object",
    title,
    properties: { logic: { type: "string", minLength: 1, maxLength: 2000 } },
    required: ["logic"],
    patternProperties: { "^[1-9][0-9]{0,3}$": item },
    additionalProperties: false,
    description: "Rules under numbers, and how they are combined: `1 and (2 or 3)`.",
    ...options,
  });
}
export const EarningRuleGroup = groupSchema("EarningRuleGroup", Object.keys(EARNING_NAMES), 2) as ReturnType<
  typeof Type.Unsafe<RuleGroup>
>;
export const CostRuleGroup = groupSchema("CostRuleGroup", Object.keys(COST_NAMES), 0, {
  maxProperties: 10,
}) as ReturnType<typeof Type.Unsafe<RuleGroup>>;

const itemsOf = (group: RuleGroup): [string, RuleItem][] =>
  Object.entries(group).filter((entry): entry is [string, RuleItem] => typeof entry[1] !== "string");

const noFormulas: FaultOfFormula = () => "formulas are not taken here";

/** Where a group stands: the trigger decides which rules have something to look at. */
type Place = { path: string; trigger: RuleTrigger | null };

/** Refuses what the schema cannot: names, operators, logic. */
export function requireRuleGroup(group: RuleGroup, place: Place): void {
  requireItems(group, place);
  try {
    parseDefinition(evaluableOf(group), noFormulas);
  } catch (error) {
    if (error instanceof RuleFault) throw invalid(`Property ${place.path}: ${error.message}`);
    throw error;
  }
}

function requireItems(group: RuleGroup, { path, trigger }: Place): void {
  const items = itemsOf(group);
  if (items.length === 0) throw invalid(`Property ${path} must have required property '1'`);
  requireNumbers(group, items, path);
  for (const [number, { name, rules, conditions, schema_id }] of items) {
    const at = `Property ${path}.${number}`;
    const entry = (trigger ? EARNING_NAMES : COST_NAMES)[name]!;
    if (entry.needs && trigger && entry.needs !== triggerOf(trigger.event).brings)
      throw invalid(`${at}.name: '${name}' needs the trigger ${programTriggersBringing(entry.needs).join(" or ")}`);
    const unknown = Object.keys(conditions ?? {}).find((operator) => !entry.operators.includes(operator));
    if (unknown !== undefined)
      throw invalid(`${at}.conditions: '${name}' takes [ ${entry.operators.join(", ")} ] and not '${unknown}'`);
    // Contract is silent: an event of another schema never starts this rule, so such a rule could never hold.
    if (schema_id && schema_id !== trigger?.custom_event?.schema_id)
      throw invalid(`${at}.schema_id must be the schema of the trigger`);
    if (rules && !entry.below) throw invalid(`${at} must NOT have additional property 'rules'`);
    if (rules) requireItems(rules, { path: `${path}.${number}.rules`, trigger });
  }
}

/** Every number of the logic is a rule, and every rule is named by the logic. */
function requireNumbers(group: RuleGroup, items: readonly [string, RuleItem][], path: string): void {
  if (group.logic.trim() === "") throw invalid(`Property ${path}.logic must name the rules`);
  const used = new Set<string>();
  const walk = (logic: Logic): void => {
    if (logic.kind === "key") used.add(logic.key);
    else for (const term of logic.terms) walk(term);
  };
  try {
    walk(
      parseLogic(
        group.logic,
        items.map(([number]) => number),
      ),
    );
  } catch (error) {
    if (error instanceof RuleFault) throw invalid(`Property ${path}.logic: ${error.message}`);
    throw error;
  }
  const unused = items.find(([number]) => !used.has(number));
  if (unused) throw invalid(`Property ${path}.logic does not name the rule '${unused[0]}'`);
}

/** The group as the engine of validation rules asks it. */
const evaluableOf = oncePer((group: RuleGroup): { rules: RuleMap } => ({ rules: mapOf(group, true) }));

function mapOf(group: RuleGroup, isTop: boolean): RuleMap {
  const nodes = itemsOf(group).map(([number, item]) => [number, isTop ? atTop(item) : nodeOf(item)] as const);
  return { ...Object.fromEntries(nodes), logic: group.logic };
}

const nodeOf = ({ name, property, conditions, rules, error }: RuleItem) => ({
  // Contract is silent: an order that was paid has its discounts, and `order.amount` is what it cost before them.
  name: name === "order.amount" ? "order.initial_amount" : name,
  property: property ?? null,
  conditions: (conditions ?? {}) as Record<string, unknown[]>,
  rules: rules ? mapOf(rules, false) : {},
  ...(error && { error }),
});

// Contract is silent: a rule about lines that stands alone is asked about all lines of the order.
function atTop(item: RuleItem) {
  const node = nodeOf(item);
  const rule = findRule(item.name);
  if (rule?.kind !== "value" || rule.place !== "below") return node;
  return { name: "order.items.any", property: null, conditions: {}, rules: { "1": node } };
}

/** Whether the rules hold. Without a group there is nothing to fulfil. */
export const ruleGroupHolds = (group: RuleGroup | null | undefined, facts: RuleFacts): boolean =>
  !group || rulesHold(evaluableOf(group), facts, { phase: "after" });

/** What the rules declare that is loaded for them. */
export const loadsOfGroup = (group: RuleGroup): RuleLoads => loadsOf(evaluableOf(group));

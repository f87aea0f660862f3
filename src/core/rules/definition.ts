import { BUNDLE_LIMIT_MAX, type Bundle } from "../discounts/bundle.ts";
import type { ApplicableTo } from "../discounts/targets.ts";
import { CENTS_SAY, isCents, isObject } from "../shapes.ts";
import { type FaultOfFormula, parseApplicableTo } from "./applicable.ts";
import { RuleFault } from "./fault.ts";
import { isLogicKey, parseLogic } from "./logic.ts";
import { findOperator, operatorsFor } from "./operators.ts";
import { productEntries } from "./products.ts";
import { findRule } from "./registry.ts";
import { type Conditions, nodesOf, type Rule, type RuleMap, type RuleNode } from "./rule.ts";
import { sizeOf, treeOf } from "./tree.ts";

export const RULES_NODES_MAX = 100;
/** How deep rules may stand below others. Rules at the top are at depth 0. */
export const RULES_DEPTH_MAX = 3;
/** How many questions one evaluation may ask, when keys are named more than once. */
const QUESTIONS_MAX = 500;
export const TEXT_LENGTH_MAX = 1000;

/** The parts of a bundle by key, how many bundles count at most, and a logic that only says which parts there are. */
export type StoredBundle = { readonly [key: string]: RuleNode | string | number };
export type RuleDefinition = {
  readonly rules: RuleMap;
  /** Empty: there is no bundle. */
  readonly bundle_rules: StoredBundle;
  readonly applicable_to: ApplicableTo;
  readonly error: { readonly message: string } | null;
};
export type DefinitionBody = { rules?: unknown; bundle_rules?: unknown; applicable_to?: unknown; error?: unknown };

/**
 * A definition as it is stored: what was left out is filled in, what is unknown left away. Names and operators stay as
 * they were written, old ones too, so that an answer shows what was sent. A `RuleFault` says what is wrong.
 */
export function parseDefinition(given: DefinitionBody, formulaFault: FaultOfFormula): RuleDefinition {
  const rules = given.rules === undefined || given.rules === null ? {} : parseMap(given.rules, null, { nodes: 0 }, 0);
  const questions = sizeOf(treeOf(rules));
  if (questions > QUESTIONS_MAX)
    throw new RuleFault(`rules ask ${questions} questions, more than ${QUESTIONS_MAX}; name each key once`);
  return {
    rules,
    bundle_rules: parseBundle(given.bundle_rules),
    applicable_to: parseApplicableTo(given.applicable_to, formulaFault),
    error: parseError(given.error, "error") ?? null,
  };
}

type Budget = { nodes: number };

function parseMap(given: unknown, above: Rule | null, budget: Budget, depth: number): RuleMap {
  if (!isObject(given)) throw new RuleFault("rules must be an object of rules by their keys");
  const { logic, ...rest } = given;
  const nodes = Object.entries(rest).map(([key, node]) => {
    if (!isLogicKey(key))
      throw new RuleFault(`'${key}' cannot be the key of a rule: use up to 64 characters without spaces`);
    return [key, parseNode(node, above, budget, depth)] as const;
  });
  return {
    ...Object.fromEntries(nodes),
    ...parseLogicOfMap(
      logic,
      nodes.map(([key]) => key),
    ),
  };
}

function parseLogicOfMap(logic: unknown, keys: readonly string[]): { logic?: string } {
  if (logic === undefined || logic === null) {
    parseLogic(null, keys);
    return {};
  }
  if (typeof logic !== "string") throw new RuleFault("logic must be a text such as '1 and (2 or 3)'");
  parseLogic(logic, keys);
  return { logic };
}

function parseNode(given: unknown, above: Rule | null, budget: Budget, depth: number): RuleNode {
  budget.nodes += 1;
  if (budget.nodes > RULES_NODES_MAX) throw new RuleFault(`there are more than ${RULES_NODES_MAX} rules`);
  if (depth > RULES_DEPTH_MAX) throw new RuleFault(`rules are nested more than ${RULES_DEPTH_MAX} deep`);
  if (!isObject(given) || typeof given.name !== "string") throw new RuleFault("a rule must be an object with a 'name'");
  const { name } = given;
  const rule = findRule(name);
  if (!rule) throw new RuleFault(`Rule '${name}' is unknown`);
  requirePlace(name, rule, above);
  const below = given.rules === undefined || given.rules === null ? {} : parseMap(given.rules, rule, budget, depth + 1);
  if (nodesOf(below).length > 0 && !(rule.kind === "lines" && rule.allows_below))
    throw new RuleFault(`Rule '${name}' takes no 'rules' below it`);
  const error = parseError(given.error, `Rule '${name}': error`);
  return {
    name,
    property: parseProperty(given.property, name, rule),
    conditions: parseConditions(given.conditions, name, rule),
    rules: below,
    ...(error && { error }),
  };
}

function requirePlace(name: string, rule: Rule, above: Rule | null): void {
  const isBelowOnly = rule.kind === "value" && rule.place === "below";
  if (isBelowOnly && !above) throw new RuleFault(`Rule '${name}' must stand below a rule that picks lines`);
  if (above && rule.kind === "value" && !isBelowOnly)
    throw new RuleFault(`Rule '${name}' cannot stand below '${above.name}'`);
}

function parseProperty(property: unknown, name: string, rule: Rule): string | null {
  if (property !== undefined && property !== null && typeof property !== "string")
    throw new RuleFault(`Rule '${name}': property must be a text`);
  if (rule.property && !property) throw new RuleFault(`Rule '${name}' must have a 'property'`);
  if ((property?.length ?? 0) > TEXT_LENGTH_MAX)
    throw new RuleFault(`Rule '${name}': property has more than ${TEXT_LENGTH_MAX} characters`);
  return property ?? null;
}

/** A rule that picks lines picks all without conditions; any other rule without them would ask nothing. */
function parseConditions(given: unknown, name: string, rule: Rule): Conditions {
  const picksProducts = rule.kind === "lines" && rule.takes === "products";
  if (given === undefined || given === null) {
    if (picksProducts) return {};
    throw new RuleFault(`Rule '${name}' must have 'conditions'`);
  }
  if (!isObject(given)) throw new RuleFault(`Rule '${name}': conditions must be an object of values by operators`);
  const entries = Object.entries(given);
  if (entries.length === 0 && !picksProducts) throw new RuleFault(`Rule '${name}' must have 'conditions'`);
  return Object.fromEntries(entries.map(([operator, values]) => [operator, parseValues(values, operator, name, rule)]));
}

function parseValues(values: unknown, written: string, name: string, rule: Rule): readonly unknown[] {
  const operator = findOperator(written);
  const kind = operator?.values[rule.takes];
  if (!operator || !kind) {
    const names = operatorsFor(rule.takes).map((one) => one.name);
    throw new RuleFault(`Rule '${name}' does not take '${written}'; it takes ${names.join(", ")}`);
  }
  const most = rule.takes === "flag" ? 1 : operator.values_max;
  if (!Array.isArray(values) || values.length === 0 || values.length > most)
    throw new RuleFault(
      `Rule '${name}': '${written}' must be a list of ${most === 1 ? "one value" : `1 to ${most} values`}`,
    );
  if (!values.every((value) => kind.accepts(value)))
    throw new RuleFault(`Rule '${name}': '${written}' takes ${kind.says}`);
  if (rule.kind === "value" && rule.unit === "money" && !values.every(isCents))
    throw new RuleFault(`Rule '${name}': '${written}' ${CENTS_SAY}`);
  return values;
}

function parseError(given: unknown, at: string): { message: string } | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isObject(given)) throw new RuleFault(`${at} must be an object with a 'message'`);
  const { message } = given;
  if (message === undefined || message === null) return undefined;
  if (typeof message !== "string" || message.length > TEXT_LENGTH_MAX)
    throw new RuleFault(`${at}.message must be a text of at most ${TEXT_LENGTH_MAX} characters`);
  return { message };
}

function parseBundle(given: unknown): StoredBundle {
  if (given === undefined || given === null) return {};
  if (!isObject(given)) throw new RuleFault("bundle_rules must be an object");
  const { limit, ...rest } = given;
  const map = parseMap(rest, null, { nodes: 0 }, 0);
  const parts = nodesOf(map);
  for (const [key, node] of parts) requirePart(node, key);
  const most = limit ?? 1;
  if (!Number.isInteger(most) || (most as number) < 1 || (most as number) > BUNDLE_LIMIT_MAX)
    throw new RuleFault(`bundle_rules.limit must be a whole number from 1 to ${BUNDLE_LIMIT_MAX}`);
  return parts.length === 0 ? {} : { ...map, limit: most as number };
}

function requirePart({ name, conditions, rules }: RuleNode, key: string): void {
  const at = `bundle_rules.${key}`;
  if (findRule(name)?.name !== "order.items.any") throw new RuleFault(`${at}: name must be 'order.items.any'`);
  const [value] = conditions.$is ?? [];
  if (Object.keys(conditions).length !== 1 || conditions.$is?.length !== 1 || !isObject(value))
    throw new RuleFault(`${at}: conditions must be '$is' with one object`);
  if (!value.type || !value.object) throw new RuleFault(`${at}: the object must have 'id', 'type' and 'object'`);
  const below = nodesOf(rules);
  const quantity = below[0]?.[1].conditions.$is?.[0];
  const isQuantity =
    below.length === 1 &&
    findRule(below[0]![1].name)?.name === "order.items.aggregated_quantity" &&
    Object.keys(below[0]![1].conditions).length === 1 &&
    Number.isSafeInteger(Number(quantity)) &&
    Number(quantity) >= 1;
  if (below.length > 0 && !isQuantity)
    throw new RuleFault(`${at}: rules must be one 'order.items.aggregated_quantity' with '$is' of 1 or more`);
}

/** The bundle that checked `bundle_rules` describe, or null. A part without a quantity asks for one unit. */
export function describedBundle(rules: StoredBundle): Bundle | null {
  const { limit, ...map } = rules;
  const parts = nodesOf(map as RuleMap).map(([, node]) => ({
    entry: productEntries(node.conditions.$is![0], null)[0]!,
    quantity: Number(nodesOf(node.rules)[0]?.[1].conditions.$is?.[0] ?? 1),
  }));
  return parts.length === 0 ? null : { parts, limit: typeof limit === "number" ? limit : 1 };
}

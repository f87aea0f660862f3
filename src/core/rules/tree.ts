import { RuleFault } from "./fault.ts";
import { type Logic, parseLogic } from "./logic.ts";
import { findOperator } from "./operators.ts";
import { findRule } from "./registry.ts";
import { type Ask, nodesOf, type Rule, type RuleMap, type RuleNode } from "./rule.ts";

/** Rules as they are evaluated: the logic is read, names are resolved, and what the logic does not name is gone. */
export type Tree = Group | Leaf;
export type Group = { kind: "and" | "or"; terms: readonly Tree[] };
export type Leaf = {
  kind: "leaf";
  key: string;
  rule: Rule;
  ask: Ask;
  message: string | null;
  below: Tree | null;
  /** How many questions the leaf asks: itself and those below it. */
  size: number;
};

// Reading a definition again on every evaluation would cost more than evaluating it. The catalog's objects never change.
const trees = new WeakMap<RuleMap, Tree>();

/** The tree of checked rules. What was never checked is a `RuleFault`. */
export function treeOf(rules: RuleMap): Tree {
  const known = trees.get(rules);
  if (known) return known;
  const tree = buildTree(rules);
  trees.set(rules, tree);
  return tree;
}

/** A key may be named again and again, so a rule is read once and shared: otherwise the work would multiply by depth. */
function buildTree(map: RuleMap): Tree {
  const nodes = new Map(nodesOf(map));
  const leaves = new Map<string, Leaf>();
  const grow = (logic: Logic): Tree => {
    if (logic.kind !== "key") return { kind: logic.kind, terms: logic.terms.map(grow) };
    const leaf = leaves.get(logic.key) ?? leafOf(logic.key, nodes.get(logic.key)!);
    leaves.set(logic.key, leaf);
    return leaf;
  };
  const { logic } = map;
  return grow(parseLogic(typeof logic === "string" ? logic : null, nodes.keys()));
}

function leafOf(key: string, node: RuleNode): Leaf {
  const rule = findRule(node.name);
  if (!rule) throw new RuleFault(`Rule '${node.name}' is unknown`);
  const below = nodesOf(node.rules).length > 0 ? buildTree(node.rules) : null;
  const conditions = Object.entries(node.conditions).map(([name, values]) => {
    const operator = findOperator(name);
    if (!operator) throw new RuleFault(`Rule '${node.name}' has the unknown operator '${name}'`);
    return { operator, values };
  });
  const ask: Ask = {
    property: node.property,
    conditions,
    below: below ? leavesOf(below).map(({ rule, ask }) => ({ rule, conditions: ask.conditions })) : [],
  };
  const size = 1 + (below ? sizeOf(below) : 0);
  return { kind: "leaf", key, rule, ask, message: node.error?.message ?? null, below, size };
}

/** The leaves in the order of the logic. Those below a leaf are not among them. */
export const leavesOf = (tree: Tree): Leaf[] => (tree.kind === "leaf" ? [tree] : tree.terms.flatMap(leavesOf));
/** How many questions an evaluation asks at most. */
export const sizeOf = (tree: Tree): number =>
  tree.kind === "leaf" ? tree.size : tree.terms.reduce((all, one) => all + sizeOf(one), 0);

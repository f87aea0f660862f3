import { oncePer } from "../once-per.ts";
import type { RuleDefinition, StoredBundle } from "./definition.ts";
import { productEntries } from "./products.ts";
import { findRule } from "./registry.ts";
import type { LoadedFact, Rule, RuleNode } from "./rule.ts";

/** What a definition needs loaded: which facts, and of which segments, loyalty tiers and collections. */
export type RuleLoads = {
  facts: ReadonlySet<LoadedFact>;
  segments: ReadonlySet<string>;
  tiers: ReadonlySet<string>;
  collections: ReadonlySet<string>;
};
type Ids = Exclude<keyof RuleLoads, "facts">;

/** The ids in a value of a rule that loads such things. */
const IDS_IN: Record<Ids, (value: unknown, rule: Rule) => readonly string[]> = {
  segments: textList,
  tiers: textList,
  collections: (value, rule) =>
    productEntries(value, rule.kind === "lines" ? rule.object : null).flatMap(({ object, id }) =>
      object === "products_collection" ? [id] : [],
    ),
};

function textList(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : [];
}

type Definition = Pick<RuleDefinition, "rules"> & Partial<Pick<RuleDefinition, "bundle_rules" | "applicable_to">>;

/** What the rules of a definition declare. A rule that no logic names counts too, and one that nobody knows declares nothing. */
export const loadsOf = oncePer((definition: Definition): RuleLoads => {
  const loads = {
    facts: new Set<LoadedFact>(),
    segments: new Set<string>(),
    tiers: new Set<string>(),
    collections: new Set<string>(),
  };
  const visit = (map: StoredBundle): void => {
    for (const node of Object.values(map)) if (typeof node === "object") visitNode(node);
  };
  const visitNode = ({ name, conditions, rules }: RuleNode): void => {
    const rule = findRule(name);
    const values = Object.values(conditions).flat();
    for (const fact of rule?.loads ?? []) {
      loads.facts.add(fact);
      if (!isIds(fact)) continue;
      for (const value of values) for (const id of IDS_IN[fact](value, rule!)) loads[fact].add(id);
    }
    visit(rules);
  };
  visit(definition.rules);
  visit(definition.bundle_rules ?? {});
  const { included = [], excluded = [] } = definition.applicable_to ?? {};
  for (const { object, id } of [...included, ...excluded])
    if (object === "products_collection") loads.collections.add(id);
  if (loads.collections.size > 0) loads.facts.add("collections");
  return loads;
});

const isIds = (fact: LoadedFact): fact is Ids => fact in IDS_IN;

/** Whether rules declare that they look at such facts. */
export const anyLoads = (
  rules: readonly { readonly definition: RuleDefinition }[],
  ...facts: readonly LoadedFact[]
): boolean => rules.some(({ definition }) => facts.some((fact) => loadsOf(definition).facts.has(fact)));

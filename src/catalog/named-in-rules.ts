import { collectionsCounted } from "../core/loyalty/earning/proportional.ts";
import { loadsOfGroup } from "../core/loyalty/earning/rule-group.ts";
import { loadsOf, type RuleLoads } from "../core/rules/loads.ts";
import type { Catalog } from "./catalog.ts";

/** The segments, collections and loyalty tiers that rules name: nothing else has to be worked out for a cart. */
export type Named = Omit<RuleLoads, "facts">;

const union = <K extends keyof RuleLoads>(all: readonly RuleLoads[], name: K) =>
  new Set(all.flatMap((loads) => [...loads[name]])) as RuleLoads[K];
const namedIn = (all: readonly RuleLoads[], collections: readonly string[] = []): Named => ({
  segments: union(all, "segments"),
  tiers: union(all, "tiers"),
  collections: union(all, "collections").union(new Set(collections)),
});

// A catalog that keeps its rows keeps what they declare.
const ofRules = new WeakMap<object, RuleLoads>();
const ofEarnings = new WeakMap<object, Named>();
const ofCosts = new WeakMap<object, Named>();

function kept<T>(by: WeakMap<object, T>, rows: object, make: () => T): T {
  const known = by.get(rows) ?? make();
  by.set(rows, known);
  return known;
}

/** What the validation rules of a project declare that is loaded for them. */
export const loadsIn = ({ validation_rules }: Pick<Catalog, "validation_rules">): RuleLoads =>
  kept(ofRules, validation_rules, () => {
    const all = [...validation_rules.values()].map(loadsOf);
    return { ...namedIn(all), facts: union(all, "facts") };
  });

/** What earnings of loyalty programs name: in rules, or in points in proportion to lines of an order. */
export const namedInEarnings = (catalog: Pick<Catalog, "earning_rules" | "benefits">): Named =>
  kept(ofEarnings, catalog, () => {
    const earnings = [...catalog.earning_rules.values()].flatMap((rule) => rule.earnings);
    const counted = [
      ...earnings.flatMap(({ effects }) =>
        effects.flatMap((effect) => (effect.type === "POINTS_PROPORTIONAL" ? effect.points_proportional : [])),
      ),
      ...[...catalog.benefits.values()].flatMap(({ config }) =>
        "points_proportional" in config ? config.points_proportional : [],
      ),
    ];
    return namedIn(
      earnings.flatMap(({ rules }) => (rules ? loadsOfGroup(rules) : [])),
      counted.flatMap(collectionsCounted),
    );
  });

/** What the costs of rewards name. */
export const namedInCosts = ({ rewards }: Pick<Catalog, "rewards">): Named =>
  kept(ofCosts, rewards, () =>
    namedIn(
      [...rewards.values()].flatMap(({ costs }) => costs.flatMap(({ rules }) => (rules ? loadsOfGroup(rules) : []))),
    ),
  );

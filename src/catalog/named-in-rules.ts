import { collectionsCounted } from "../core/loyalty/earning/proportional.ts";
import { loadsOfGroup, type RuleGroup } from "../core/loyalty/earning/rule-group.ts";
import { oncePer } from "../core/once-per.ts";
import { loadsOf, type RuleLoads } from "../core/rules/loads.ts";
import type { Catalog } from "./catalog.ts";

/** The segments, collections and loyalty tiers that rules name: nothing else has to be worked out for a cart. */
export type NamedInRules = Omit<RuleLoads, "facts">;

const union = <K extends keyof RuleLoads>(all: readonly RuleLoads[], name: K) =>
  new Set(all.flatMap((loads) => [...loads[name]])) as RuleLoads[K];
const namedInRows = (all: readonly RuleLoads[], collections: readonly string[] = []): NamedInRules => ({
  segments: union(all, "segments"),
  tiers: union(all, "tiers"),
  collections: union(all, "collections").union(new Set(collections)),
});

const ofRules = oncePer((rows: Catalog["validation_rules"]): RuleLoads => {
  const all = [...rows.values()].map(loadsOf);
  return { ...namedInRows(all), facts: union(all, "facts") };
});
/** What the validation rules of a project declare that is loaded for them. */
export const loadsIn = ({ validation_rules }: Pick<Catalog, "validation_rules">): RuleLoads =>
  ofRules(validation_rules);

const loadsOfGroups = (all: readonly { rules?: RuleGroup | null }[]): RuleLoads[] =>
  all.flatMap(({ rules }) => (rules ? loadsOfGroup(rules) : []));

/** What earnings of loyalty programs name: in rules, or in points in proportion to lines of an order. */
export const namedInEarnings = oncePer(
  ({ earning_rules, benefits }: Pick<Catalog, "earning_rules" | "benefits">): NamedInRules => {
    const earnings = [...earning_rules.values()].flatMap((rule) => rule.earnings);
    const given = [
      ...earnings.flatMap(({ effects }) => effects.filter((effect) => effect.type === "POINTS_PROPORTIONAL")),
      ...[...benefits.values()].flatMap(({ config }) => ("points_proportional" in config ? config : [])),
    ];
    const counted = given.flatMap(({ points_proportional }) => collectionsCounted(points_proportional));
    return namedInRows(loadsOfGroups(earnings), counted);
  },
);

const ofCosts = oncePer((rewards: Catalog["rewards"]) =>
  namedInRows(loadsOfGroups([...rewards.values()].flatMap(({ costs }) => costs))),
);
/** What the costs of rewards name. */
export const namedInCosts = ({ rewards }: Pick<Catalog, "rewards">): NamedInRules => ofCosts(rewards);

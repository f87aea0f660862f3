import { loadsOf, type RuleLoads } from "../core/rules/loads.ts";
import type { Catalog } from "./catalog.ts";

/** What the rules of a project look at, so that nothing else has to be worked out for a cart. */
export type Named = Readonly<Record<"segments" | "collections" | "tiers", ReadonlySet<string>>>;

// A refreshed catalog keeps the rows that did not change, and with them what was found in them.
const ofRule = new WeakMap<object, readonly string[]>();
const ofRules = new WeakMap<object, Named>();

const PREFIXES = { segments: ["seg_"], collections: ["pc_"], tiers: ["ltr_", "lt_"] } as const;
const ALL_PREFIXES = Object.values(PREFIXES).flat();

function textsIn(value: unknown, found: Set<string>): Set<string> {
  if (typeof value === "string") found.add(value);
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) textsIn(part, found);
  return found;
}

function idsIn<R extends object>(row: R, rulesOf: (row: R) => unknown): readonly string[] {
  const known = ofRule.get(row);
  if (known) return known;
  const texts = textsIn(rulesOf(row), new Set());
  const ids = [...texts].filter((text) => ALL_PREFIXES.some((prefix) => text.startsWith(prefix)));
  ofRule.set(row, ids);
  return ids;
}

function namedIn<R extends object>(rows: ReadonlyMap<string, R>, rulesOf: (row: R) => unknown): Named {
  const known = ofRules.get(rows);
  if (known) return known;
  const ids = [...rows.values()].flatMap((row) => idsIn(row, rulesOf));
  const of = (kind: keyof Named) => new Set(ids.filter((id) => PREFIXES[kind].some((prefix) => id.startsWith(prefix))));
  const named = { segments: of("segments"), collections: of("collections"), tiers: of("tiers") };
  ofRules.set(rows, named);
  return named;
}

// A catalog that keeps its rules keeps what they declare.
const ofCatalog = new WeakMap<object, RuleLoads>();

/** What the validation rules of a project declare that is loaded for them. */
export function loadsIn({ validation_rules }: Pick<Catalog, "validation_rules">): RuleLoads {
  const known = ofCatalog.get(validation_rules);
  if (known) return known;
  const all = [...validation_rules.values()].map(loadsOf);
  const union = <T>(of: (loads: RuleLoads) => ReadonlySet<T>) => new Set(all.flatMap((loads) => [...of(loads)]));
  const loads: RuleLoads = {
    facts: union(({ facts }) => facts),
    segments: union(({ segments }) => segments),
    tiers: union(({ tiers }) => tiers),
    collections: union(({ collections }) => collections),
  };
  ofCatalog.set(validation_rules, loads);
  return loads;
}

/** The segments, collections and loyalty tiers that any validation rule of the project names. */
export const namedInRules = (catalog: Pick<Catalog, "validation_rules">): Named => {
  const { segments, collections, tiers } = loadsIn(catalog);
  return { segments, collections, tiers };
};

/** Those that earnings of loyalty programs name, or points in proportion to lines of an order. */
export const namedInEarnings = ({ earning_rules }: Pick<Catalog, "earning_rules">): Named =>
  namedIn(earning_rules, ({ earnings }) => earnings.map(({ rules, effects }) => [rules, effects]));

/** Those that the costs of rewards name. */
export const namedInCosts = ({ rewards }: Pick<Catalog, "rewards">): Named =>
  namedIn(rewards, ({ costs }) => costs.map(({ rules }) => rules));

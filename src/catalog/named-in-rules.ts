import type { ValidationRuleRow } from "../resources/validation-rules/store.ts";
import type { Catalog } from "./catalog.ts";

/** What the rules of a project look at, so that nothing else has to be worked out for a cart. */
export type Named = { segments: ReadonlySet<string>; collections: ReadonlySet<string> };

// A refreshed catalog keeps the rows that did not change, and with them what was found in them.
const ofRule = new WeakMap<ValidationRuleRow, readonly string[]>();
const ofRules = new WeakMap<object, Named>();

const PREFIXES = { segments: "seg_", collections: "pc_" } as const;

function textsIn(value: unknown, found: Set<string>): Set<string> {
  if (typeof value === "string") found.add(value);
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) textsIn(part, found);
  return found;
}

function idsIn(row: ValidationRuleRow): readonly string[] {
  const known = ofRule.get(row);
  if (known) return known;
  const texts = textsIn([row.rules, row.bundle_rules, row.applicable_to], new Set());
  const ids = [...texts].filter((text) => Object.values(PREFIXES).some((prefix) => text.startsWith(prefix)));
  ofRule.set(row, ids);
  return ids;
}

/** The segments and collections that any validation rule of the project names. */
export function namedInRules(catalog: Pick<Catalog, "validation_rules">): Named {
  const known = ofRules.get(catalog.validation_rules);
  if (known) return known;
  const ids = [...catalog.validation_rules.values()].flatMap(idsIn);
  const of = (prefix: string) => new Set(ids.filter((id) => id.startsWith(prefix)));
  const named = { segments: of(PREFIXES.segments), collections: of(PREFIXES.collections) };
  ofRules.set(catalog.validation_rules, named);
  return named;
}

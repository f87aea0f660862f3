import { type Logic, parseLogic, renderLogic } from "../../../../src/core/rules/logic.ts";

// The rules of a definition as a tree that can be changed. Keys stay what they were; what is new gets the next number.

export type Condition = { operator: string; values: readonly unknown[] };
export type RuleItem = {
  kind: "rule";
  /** Names it in the page while it is edited. */
  id: string;
  /** Its key in the definition; null: it is new. */
  key: string | null;
  name: string;
  property: string | null;
  conditions: readonly Condition[];
  below: RuleGroup;
  message: string | null;
};
export type RuleGroup = { kind: "and" | "or"; id: string; terms: readonly RuleTerm[] };
export type RuleTerm = RuleItem | RuleGroup;
type StoredRule = {
  name: string;
  property?: string | null;
  conditions?: Record<string, readonly unknown[]> | null;
  rules?: StoredRules | null;
  error?: { message?: string | null } | null;
};
/** Rules by key, and the logic that joins them. */
export type StoredRules = { readonly [key: string]: StoredRule | string | undefined | null };

let made = 0;
/** A name within the page that nothing else has. */
export const newId = (): string => {
  made += 1;
  return `term-${made}`;
};
export const newGroup = (kind: "and" | "or" = "and", terms: readonly RuleTerm[] = []): RuleGroup => ({
  ...{ kind, id: newId(), terms },
});

const rulesIn = (stored: StoredRules): [string, StoredRule][] =>
  Object.entries(stored).filter(
    (entry): entry is [string, StoredRule] => typeof entry[1] === "object" && entry[1] !== null,
  );

function itemOf(key: string, { name, property, conditions, rules, error }: StoredRule): RuleItem {
  return {
    ...{ kind: "rule", id: newId(), key, name, property: property ?? null, message: error?.message ?? null },
    conditions: Object.entries(conditions ?? {}).map(([operator, values]) => ({ operator, values })),
    below: parseRules(rules ?? {}),
  };
}

/** The tree of stored rules. The root is always a group, so that there is a place for more. */
export function parseRules(stored: StoredRules): RuleGroup {
  const rules = new Map(rulesIn(stored));
  const logic = parseLogic(typeof stored.logic === "string" ? stored.logic : null, rules.keys());
  const termOf = (one: Logic): RuleTerm =>
    one.kind === "key" ? itemOf(one.key, rules.get(one.key)!) : newGroup(one.kind, one.terms.map(termOf));
  const root = termOf(logic);
  return root.kind === "rule" ? newGroup("and", [root]) : root;
}

/** Whether a row can be sent: rules about lines may be without conditions, all others ask nothing without values. */
export const isComplete = ({ name, conditions }: RuleItem, takesProducts: (name: string) => boolean): boolean =>
  name !== "" &&
  (conditions.length > 0 || takesProducts(name)) &&
  conditions.every(({ values }) => values.length > 0 && values.every((value) => value !== "" && value !== null));

function storedOf(item: RuleItem, isSent: (item: RuleItem) => boolean): StoredRule {
  const { name, property, conditions, below, message } = item;
  return {
    ...{ name, property },
    conditions: Object.fromEntries(conditions.map(({ operator, values }) => [operator, values])),
    rules: printRules(below, isSent),
    ...(message !== null && message !== "" && { error: { message } }),
  };
}

/** The rules as they are stored. Rows that are not complete are left out; the same key twice becomes two keys. */
export function printRules(root: RuleGroup, isSent: (item: RuleItem) => boolean = () => true): StoredRules {
  const used = new Map<string, StoredRule>();
  const keptKeys = new Set<string>();
  const collect = (term: RuleTerm): void => {
    if (term.kind === "rule") {
      if (term.key !== null) keptKeys.add(term.key);
    } else term.terms.forEach(collect);
  };
  collect(root);
  let last = 0;
  const nextKey = (): string => {
    do last += 1;
    while (used.has(String(last)) || keptKeys.has(String(last)));
    return String(last);
  };
  const logicOf = (term: RuleTerm): Logic | null => {
    if (term.kind === "rule") {
      if (!isSent(term)) return null;
      const key = term.key !== null && !used.has(term.key) ? term.key : nextKey();
      used.set(key, storedOf(term, isSent));
      return { kind: "key", key };
    }
    const terms = term.terms.flatMap((one) => logicOf(one) ?? []);
    if (terms.length === 0) return null;
    return terms.length === 1 ? terms[0]! : { kind: term.kind, terms };
  };
  const logic = logicOf(root);
  if (logic === null) return {};
  return { ...Object.fromEntries(used), logic: renderLogic(logic) };
}

/** The tree with a key for each rule that has none, so that what the server says of a new one finds its row. */
export function withKeys(root: RuleGroup): RuleGroup {
  const used = new Set<string>();
  const own = new Set(
    root.terms.flatMap(function keys(term): string[] {
      return term.kind === "rule" ? [term.key ?? ""] : term.terms.flatMap(keys);
    }),
  );
  let last = 0;
  const nextKey = (): string => {
    do last += 1;
    while (own.has(String(last)) || used.has(String(last)));
    return String(last);
  };
  const keyed = (term: RuleTerm): RuleTerm => {
    if (term.kind !== "rule") return { ...term, terms: term.terms.map(keyed) };
    const key = term.key !== null && !used.has(term.key) ? term.key : nextKey();
    used.add(key);
    return { ...term, key, below: withKeys(term.below) };
  };
  return { ...root, terms: root.terms.map(keyed) };
}

/** The tree with one term put in the place of another; null takes it out, and groups that it leaves empty. */
export function replaceTerm(root: RuleGroup, id: string, next: RuleTerm | null): RuleGroup {
  const walk = (term: RuleTerm): RuleTerm[] => {
    if (term.id === id) return next === null ? [] : [next];
    if (term.kind === "rule") return [{ ...term, below: replaceTerm(term.below, id, next) }];
    const terms = term.terms.flatMap(walk);
    return terms.length === 0 && term.terms.length > 0 ? [] : [{ ...term, terms }];
  };
  const [changed] = walk(root);
  return changed === undefined || changed.kind === "rule" ? { ...root, terms: [] } : changed;
}

export const itemsOf = (term: RuleTerm): RuleItem[] =>
  term.kind === "rule" ? [term, ...itemsOf(term.below)] : term.terms.flatMap(itemsOf);

import { productEntries } from "../rules/products.ts";
import { type Leaf, type Tree, treeOf } from "../rules/tree.ts";
import { parseInstant } from "../time/instant.ts";
import { type At, type ValidityFields, validityFault } from "../time/validity.ts";

export type NeverReason =
  | "expired"
  | "used_up"
  | "no_moment"
  | "segment_without_customers"
  | "products_that_do_not_exist"
  | "contradictory_rules";

/** What a project has of the things that rules name. */
export type Existing = {
  hasCustomers(segmentId: string): boolean;
  hasGoods(object: string, id: string): boolean;
};
type Ruled = { definition: { rules: Parameters<typeof treeOf>[0] } };

const POSITIVE = new Set(["$is", "$in", "$from"]);
const SEGMENT = "customer.segment";
/** Rules on lines that hold only when a line is one of the goods. */
const ON_LINES = new Set(["order.items.any", "order.items.every", "product.id", "sku.id"]);

/** Why rules can never hold, whatever is in a cart; null: they can, or nobody can tell. */
export function neverHolds(rules: readonly Ruled[], existing: Existing): NeverReason | null {
  const trees = rules.map(({ definition }) => treeOf(definition.rules));
  return treeFault({ kind: "and", terms: trees }, existing);
}

function treeFault(tree: Tree, existing: Existing): NeverReason | null {
  if (tree.kind === "leaf") return leafFault(tree, existing) ?? boundsFault([tree]);
  if (tree.kind === "and") {
    for (const term of tree.terms) {
      const fault = treeFault(term, existing);
      if (fault) return fault;
    }
    return boundsFault(requiredLeaves(tree));
  }
  const faults = tree.terms.map((term) => treeFault(term, existing));
  return faults.every((fault) => fault !== null) ? (faults[0] ?? null) : null;
}

/** The leaves that all have to hold, those of groups inside too. */
const requiredLeaves = (tree: Tree): Leaf[] =>
  tree.kind === "leaf" ? [tree] : tree.kind === "and" ? tree.terms.flatMap(requiredLeaves) : [];

function leafFault({ rule, ask }: Leaf, { hasCustomers, hasGoods }: Existing): NeverReason | null {
  const wanted = ask.conditions.filter(({ operator }) => POSITIVE.has(operator.name));
  if (rule.name === SEGMENT)
    return wanted.some(({ values }) => !values.some((id) => hasCustomers(String(id))))
      ? "segment_without_customers"
      : null;
  if (rule.kind !== "lines" || !ON_LINES.has(rule.name)) return null;
  const named = (values: readonly unknown[], isCollection: boolean) =>
    values
      .flatMap((value) => productEntries(value, rule.object))
      .map(({ object, id, source_id }) => ({ object: isCollection ? "products_collection" : object, id, source_id }));
  const isThere = ({ object, id, source_id }: { object: string; id: string; source_id?: string | null | undefined }) =>
    hasGoods(object, id) || (source_id ? hasGoods(object, source_id) : false);
  return wanted.some(({ operator, values }) => !named(values, operator.name === "$from").some(isThere))
    ? "products_that_do_not_exist"
    : null;
}

/** The least and the most that conditions leave of a number that a rule reads once. */
function boundsFault(leaves: readonly Leaf[]): NeverReason | null {
  const bounds = new Map<string, { least: number; most: number }>();
  for (const { rule, ask } of leaves) {
    if (rule.kind !== "value" || rule.takes !== "number" || rule.place === "below") continue;
    const own = bounds.getOrInsertComputed(rule.name, () => ({
      least: Number.NEGATIVE_INFINITY,
      most: Number.POSITIVE_INFINITY,
    }));
    for (const { operator, values } of ask.conditions) {
      const numbers = values.map(Number);
      // Amounts and counts are whole numbers.
      const step = rule.unit === null ? 0 : 1;
      if (operator.name === "$more_than") own.least = Math.max(own.least, numbers[0]! + step);
      if (operator.name === "$more_than_or_equal") own.least = Math.max(own.least, numbers[0]!);
      if (operator.name === "$less_than") own.most = Math.min(own.most, numbers[0]! - step);
      if (operator.name === "$less_than_or_equal") own.most = Math.min(own.most, numbers[0]!);
      if (operator.name === "$is" || operator.name === "$in") {
        own.least = Math.max(own.least, Math.min(...numbers));
        own.most = Math.min(own.most, Math.max(...numbers));
      }
    }
  }
  return bounds.values().some(({ least, most }) => least > most) ? "contradictory_rules" : null;
}

/** A week, and one day more for the end of the first. */
const DAYS = 8;

/**
 * Whether something is valid at any moment from now on. Days and hours repeat every week, so a week is looked at, from the start on: on each
 * day the first moments that could be valid are asked. Windows that repeat otherwise are taken to have one.
 */
export function hasMoment(validity: ValidityFields, { now, zone }: At): boolean {
  if (validity.validity_timeframe) return validityFault(validity, { now, zone }) !== "expired";
  const begin = validity.start_date === null ? null : parseInstant(validity.start_date, zone);
  const at = Temporal.Instant.from(now).toZonedDateTimeISO(zone);
  const from = begin && Temporal.ZonedDateTime.compare(begin, at) > 0 ? begin : at;
  const isValid = (moment: Temporal.ZonedDateTime) =>
    Temporal.ZonedDateTime.compare(moment, from) >= 0 &&
    validityFault(validity, { now: moment.toInstant().toString(), zone }) === null;
  if (isValid(from)) return true;
  const starts = (validity.validity_hours?.daily ?? []).map(({ start_time }) => start_time);
  for (let n = 0; n < DAYS; n += 1) {
    const day = from.toPlainDate().add({ days: n });
    const moments = ["00:00", ...starts].map((time) => day.toZonedDateTime({ timeZone: zone, plainTime: time }));
    if (moments.some(isValid)) return true;
  }
  return false;
}

import type { Catalog } from "../../catalog/catalog.ts";
import { budgetKeys, countedAs, type UsedUnits } from "../../core/discounts/items.ts";
import { oncePer } from "../../core/once-per.ts";
import type { Order } from "../../core/order/order.ts";
import type { UnitsRow } from "../../core/rows/counter.ts";
import { limitedEntries } from "../../core/rules/limits.ts";
import type { AssignedRule } from "../../core/validate/redeemable.ts";
import type { Db } from "../../db/db.ts";
import { loadUnits } from "../../resources/checkout/counters/units-store.ts";

type Limited = { ref: string; campaign_id: string | null };

/** Units that were discounted so far of products whose number is limited, as a transaction or a request sees it. */
export type Budgets = {
  usedBy(redeemable: Limited, customerId: string | null): UsedUnits;
  /** What comes after it counts them. */
  add(rows: readonly UnitsRow[]): void;
};

const NO_UNITS: UsedUnits = new Map();
const placeOf = (subjectId: string, customerId: string): string => `${subjectId} ${customerId}`;

export function budgetsFrom(rows: readonly UnitsRow[]): Budgets {
  const places = new Map<string, Map<string, number>>();
  const add = (more: readonly UnitsRow[]): void => {
    for (const { subject_id, customer_id, name, units } of more) {
      const place = placeOf(subject_id, customer_id);
      const names = places.get(place) ?? new Map<string, number>();
      names.set(name, (names.get(name) ?? 0) + units);
      places.set(place, names);
    }
  };
  add(rows);
  return {
    add,
    // The limit is a part of the name, and says which subject and whose units count: no name comes twice.
    usedBy: ({ ref, campaign_id }, customerId) => {
      if (places.size === 0) return NO_UNITS;
      const subjects = [...new Set([campaign_id ?? ref, ref])];
      const people = customerId === null ? [""] : ["", customerId];
      const found = subjects.flatMap((id) => people.map((one) => places.get(placeOf(id, one)) ?? NO_UNITS));
      return new Map(found.flatMap((names) => [...names]));
    },
  };
}

const anyLimits = oncePer((rules: Catalog["validation_rules"]) =>
  rules.values().some(({ applicable_to }) => limitedEntries(applicable_to).length > 0),
);
/** Whether any rule of the project limits units over time. */
export const limitsUnits = ({ validation_rules }: Pick<Catalog, "validation_rules">): boolean =>
  anyLimits(validation_rules);

const limitedBy = (rules: readonly AssignedRule[]) =>
  rules.flatMap(({ definition }) => limitedEntries(definition.applicable_to));

/** A redeemable with the rules that may limit its units. */
type LimitedRedeemable = Limited & { rules: readonly AssignedRule[] };
export const isLimited = ({ rules }: LimitedRedeemable): boolean => limitedBy(rules).length > 0;

export type BudgetsAsked = {
  redeemables: readonly LimitedRedeemable[];
  customerIds: readonly string[];
  /** What carts may hold, by id and source id. */
  products(): readonly string[];
};

/** Who asks with these carts, and what is in them or may come into them. */
export const askedBy = (
  requests: readonly { cart: { customer: { id: string | null } | null; order: Order | null } }[],
  added: () => readonly string[],
): Pick<BudgetsAsked, "customerIds" | "products"> => ({
  customerIds: requests.flatMap(({ cart: { customer } }) => customer?.id ?? []),
  products: () => [...requests.flatMap(({ cart: { order } }) => (order?.items ?? []).map(countedAs)), ...added()],
});

/** One statement, or none where nothing is limited so. */
export async function loadBudgets(db: Db, projectId: string, asked: BudgetsAsked): Promise<Budgets> {
  const limited = asked.redeemables.filter(isLimited);
  if (limited.length === 0) return budgetsFrom([]);
  const products = [...new Set(asked.products())];
  const entries = new Set(limited.flatMap(({ rules }) => limitedBy(rules)));
  const names = new Set([...entries].flatMap((entry) => budgetKeys(entry, products)));
  const subjects = new Set(limited.flatMap(({ ref, campaign_id }) => [campaign_id ?? ref, ref]));
  const wanted = { subjectIds: [...subjects], customerIds: ["", ...new Set(asked.customerIds)], names: [...names] };
  return budgetsFrom(await loadUnits(db, projectId, wanted));
}

import { namesProducts } from "../discounts/apply.ts";
import { effectOfDiscount } from "../discounts/discount.ts";
import { indexEntries, positionFor } from "../discounts/entry-index.ts";
import { definitionOf } from "../discounts/registry.ts";
import { type ApplicableEntry, EVERY_LINE, mergeApplicableTo } from "../discounts/targets.ts";
import type { Order } from "../order/order.ts";
import type { Evaluable } from "../rules/evaluate.ts";
import { productEntries } from "../rules/products.ts";
import { type Leaf, leavesOf, treeOf } from "../rules/tree.ts";
import { type Steps, spend } from "../steps.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import type { Applied } from "../validate/situation.ts";
import type { Scenario } from "./scenario.ts";

type Entry = Pick<ApplicableEntry, "object" | "id" | "source_id">;
/** Products that something names; `every`: it is for whatever is in the cart. */
type Names = { entries: readonly Entry[]; every: boolean };
const NOTHING: Names = { entries: [], every: false };

/** The products that the discount is for, and those of which it adds free units. */
function discounted({ benefit, rules }: Redeemable): Names & { added: readonly Entry[] } {
  if (benefit.kind === "points") return { ...NOTHING, added: [] };
  const applicableTo = mergeApplicableTo(rules.map(({ definition }) => definition.applicable_to));
  const { included, included_all } = applicableTo;
  const lines = { entries: included, every: included_all || included.length === 0, added: [] };
  if (benefit.kind === "gift") return benefit.effect === "APPLY_TO_ITEMS" ? lines : { ...NOTHING, added: [] };
  const { discount } = benefit;
  const effect = definitionOf(discount).effects[effectOfDiscount(discount, namesProducts(applicableTo))]!;
  if (effect.on === "order") return { ...NOTHING, added: [] };
  if (effect.on === "lines") return lines;
  const added = effect.adds(discount).flatMap((id) => productEntries(id, null));
  return { entries: added, every: false, added };
}

const ASKS_FOR = new Set(["$is", "$in", "$from"]);
const ASKS_FOR_TEXT = new Set(["$is", "$in", "$contains", "$starts_with", "$ends_with"]);

/** The products that rules and bundles ask for. A rule that wants a product not to be there asks for none. */
function requiredProducts({ rules }: Redeemable, steps: Steps | undefined): Names {
  const leaves = rules.flatMap(({ definition }) => leavesOf(treeOf(definition.rules))).filter(isAboutLines);
  for (const { ask } of leaves) for (const { values } of ask.conditions) spend(steps, NAME_STEPS * values.length);
  const parts = rules.flatMap(({ bundle }) => bundle?.parts ?? []);
  return {
    entries: [...leaves.flatMap(entriesNamedBy), ...parts.map(({ entry }) => entry)],
    every: leaves.some(({ rule, ask }) =>
      rule.takes === "metadata" ? ask.conditions.some(({ operator }) => ASKS_FOR_TEXT.has(operator.name)) : false,
    ),
  };
}

const isAboutLines = ({ rule }: Leaf): boolean => rule.kind === "lines" && rule.name !== "order.items.none";
const entriesNamedBy = ({ rule, ask }: Leaf): Entry[] =>
  rule.kind !== "lines" || rule.takes !== "products"
    ? []
    : ask.conditions
        .filter(({ operator }) => ASKS_FOR.has(operator.name))
        .flatMap(({ values }) => values.flatMap((value) => productEntries(value, rule.object)));

const NAME_STEPS = 5;
const LINE_STEPS = 5;

function isInCart(entries: readonly Entry[], order: Order | null, steps: Steps | undefined): boolean {
  if (entries.length === 0 || !order) return false;
  spend(steps, NAME_STEPS * entries.length + LINE_STEPS * order.items.length);
  const index = indexEntries(entries);
  return order.items.some((item) => positionFor(index, item) >= 0);
}

/** Whether it has to do with the products of the order, as the scenario asks. */
export function concernsItems(
  items: NonNullable<Scenario["items"]>,
  redeemable: Redeemable,
  { applied, order, steps }: { applied: Applied; order: Order | null; steps?: Steps | undefined },
): boolean {
  const counted = applied.targets.filter(({ target }) => target.count > 0);
  // Contract is silent: a discount on all items, whatever they are, is not one on specific items.
  const isSpecific = counted.some(({ target }) => target.entry !== EVERY_LINE);
  if (isSpecific || isInCart(discounted(redeemable).added, order, steps)) return true;
  if (items === "discounted") return false;
  if (counted.length > 0) return true;
  const asked = requiredProducts(redeemable, steps);
  return asked.every ? (order?.items ?? []).length > 0 : isInCart(asked.entries, order, steps);
}

/**
 * A definition that holds for every order that a redeemable concerns, and perhaps for some more. An index of such
 * definitions finds the promotions of a cart by its products.
 */
export function concernOf(items: NonNullable<Scenario["items"]>, redeemable: Redeemable): Evaluable {
  const [own, asked] = [
    discounted(redeemable),
    items === "touched" ? requiredProducts(redeemable, undefined) : NOTHING,
  ];
  if ((items === "touched" && own.every) || asked.every) return { rules: {} };
  const named = [...own.entries, ...asked.entries].map(({ object, id, source_id }) => ({ object, id, source_id }));
  return { rules: { "1": { name: "order.items.any", property: null, conditions: { $is: named }, rules: {} } } };
}

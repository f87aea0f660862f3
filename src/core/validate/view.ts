import { remembered } from "../answer.ts";
import { type ApplicableEntry, type ApplicableTo, EVERY_LINE, matches, type Target } from "../discounts/targets.ts";
import type { Order, OrderItem } from "../order/order.ts";
import { SKIPS } from "../stacking/walk.ts";
import { type Steps, spend } from "../steps.ts";
import type { Decided, Decision } from "./decide.ts";
import type { Failure } from "./judge.ts";
import type { Applied } from "./situation.ts";

type Fields = Record<string, unknown>;
export type People = { customer_id: string | null; referrer_id: string | null };
const UNITS_SHOWN_MAX = 1000;

const list = (data: readonly Fields[]): Fields => ({ data, total: data.length, data_ref: "data", object: "list" });

const NOTHING_NAMED = { applicable: remembered(list([])), inapplicable: remembered(list([])) };

/** The units of a line that are discounted, by their numbers; of a very large order only that there are too many. */
function targetUnits({ index, start, step, count }: Target, isLarge: boolean): Fields {
  if (isLarge) return { index, units_limit_exceeded: true };
  return { index, units: Array.from({ length: count }, (_, n) => start + n * step) };
}

/** What the rule names, and the products of the cart that it matched, each with the lines that are discounted. */
function applicableView(
  { applicableTo, targets }: Applied,
  order: Order | null,
  steps: Steps | undefined,
): { applicable: Fields; inapplicable: Fields } {
  if (applicableTo.included.length === 0 && applicableTo.excluded.length === 0) return NOTHING_NAMED;
  const items = order?.items ?? [];
  spend(steps, viewSteps(applicableTo, targets.length, items.length));
  const isLarge = items.reduce((sum, { quantity }) => sum + quantity, 0) > UNITS_SHOWN_MAX;
  const used = targets.map(({ target }) => target).filter(({ count }) => count > 0);
  const where = (own: readonly Target[]): Fields =>
    own.length === 0
      ? {}
      : {
          order_item_indices: own.map(({ index }) => index),
          order_item_units: own.map((target) => targetUnits(target, isLarge)),
        };
  const usedOf = Map.groupBy(used, ({ entry }) => entryName(entry));
  const defined = (entry: ApplicableEntry): Fields => ({
    skip_initially: 0,
    repeat: 1,
    target: "ITEM",
    strict: false,
    ...entry,
    ...where(usedOf.get(entryName(entry)) ?? []),
  });
  const named = applicableTo.included.map(defined);
  const concrete = used.flatMap((target) => {
    const { entry, index } = target;
    // A product or SKU that the rule names itself stands there already.
    if (entry === EVERY_LINE || entry.object !== "products_collection") return [];
    return [{ ...identity(items[index]!), strict: true, effect: entry.effect ?? "APPLY_TO_EVERY", ...where([target]) }];
  });
  const excluded = applicableTo.excluded.flatMap((entry) => [
    { strict: false, ...entry, effect: entry.effect ?? "APPLY_TO_EVERY" } as Fields,
    ...(entry.object === "products_collection" ? items.filter((item) => matches(entry, item)) : []).map((item) => ({
      ...identity(item),
      strict: true,
      effect: "APPLY_TO_EVERY",
    })),
  ]);
  return { applicable: list([...named, ...concrete]), inapplicable: list(excluded) };
}

const entryName = ({ object, id }: ApplicableEntry): string => `${object} ${id}`;

const ENTRY_STEPS = 12;
const TARGET_STEPS = 20;
/** What is shown of the products that a rule names; a collection that is left out is looked for in every line. */
const viewSteps = ({ included, excluded }: ApplicableTo, targets: number, lines: number): number =>
  ENTRY_STEPS * (included.length + excluded.length) +
  TARGET_STEPS * targets +
  lines * excluded.filter(({ object }) => object === "products_collection").length;

function identity({ product, sku }: OrderItem): Fields {
  const thing = sku ?? product;
  return {
    object: sku ? "sku" : "product",
    id: thing?.id ?? thing?.source_id ?? null,
    source_id: thing?.source_id ?? null,
    ...(sku && product && { product_id: product.id, product_source_id: product.source_id }),
  };
}

/** How orders are shown: as fields, or written already. */
export type ShowOrder = (order: Order) => unknown;

/** What a redeemable that applies does; with the cart after it where `showOrder` is given. */
export function appliedView(applied: Applied, showOrder: ShowOrder | null, steps?: Steps): Fields {
  const { discount, gift, loyalty_card, bundle, replacements, order } = applied;
  const { applicable, inapplicable } = applicableView(applied, order, steps);
  const result: Fields = {};
  if (discount) result.discount = discount;
  if (gift) result.gift = gift;
  if (loyalty_card) result.loyalty_card = loyalty_card;
  if (bundle) result.bundle = bundle;
  if (replacements.length > 0) result.application_details = replacements;
  const view: Fields = showOrder && order ? { order: showOrder(order) } : {};
  view.applicable_to = applicable;
  view.inapplicable_to = inapplicable;
  view.result = result;
  return view;
}

const failureView = ({ error, bundle }: Failure, requestId: string | undefined): Fields => ({
  result: {
    error: requestId === undefined ? error : { ...error, request_id: requestId },
    details: { message: error.error?.message ?? error.message, key: error.key },
    ...(bundle && { bundle }),
  },
});

export type ViewOptions = {
  /** Null: the cart is not shown after each of them. */
  showOrder: ShowOrder | null;
  requestId?: string;
  /** The reason of a skipped one stands in its result, too. */
  hasSkippedDetails?: boolean;
  /** Pays for what is shown. */
  steps?: Steps | undefined;
  /** What else is shown of a redeemable. */
  about?(candidate: Decided["candidate"]): Fields;
};

/** One redeemable of an answer. A skipped one has an empty result, and its reason stands beside it. */
export function decidedView({ candidate, outcome }: Decided, options: ViewOptions): Fields {
  const view: Fields = { status: outcome.status, id: candidate.id, object: candidate.object };
  return Object.assign(view, options.about?.(candidate), outcomeView(outcome, options));
}

function outcomeView(outcome: Decided["outcome"], options: ViewOptions): Fields {
  const { showOrder, requestId, hasSkippedDetails, steps } = options;
  switch (outcome.status) {
    case "APPLICABLE":
      return appliedView(outcome.result, showOrder, steps);
    case "INAPPLICABLE":
      return failureView(outcome.failure, requestId);
    case "SKIPPED": {
      const details = { key: outcome.reason, message: SKIPS[outcome.reason] };
      return { result: hasSkippedDetails ? { details } : {}, details };
    }
  }
}

/**
 * The part of an answer that follows from the decision. With `ALL` every redeemable stands in `redeemables`, in the
 * order in which it was taken; with `PARTIAL` only those that apply.
 */
export function decisionView(
  { valid, decided, order }: Decision,
  options: ViewOptions & { mode: "ALL" | "PARTIAL"; showWhole: ShowOrder },
): Fields {
  const views = decided.map((one) => decidedView(one, options));
  const of = (status: string) => views.filter((view) => view.status === status);
  const [skipped, inapplicable] = [of("SKIPPED"), of("INAPPLICABLE")];
  const view: Fields = { valid, redeemables: options.mode === "ALL" ? views : of("APPLICABLE") };
  if (skipped.length > 0) view.skipped_redeemables = skipped;
  if (inapplicable.length > 0) view.inapplicable_redeemables = inapplicable;
  if (valid && order) view.order = options.showWhole(order);
  return view;
}

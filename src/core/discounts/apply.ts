import { oncePer } from "../once-per.ts";
import { nextStep, type Order } from "../order/order.ts";
import type { FormulaValues, StepInput, StepOf } from "./definition.ts";
import { type Discount, effectOfDiscount } from "./discount.ts";
import { definitionOf } from "./registry.ts";
import { type ApplicableEntry, type ApplicableTo, BUDGET_LIMITS } from "./targets.ts";

export type DiscountStep = StepOf<Discount & { effect: NonNullable<Discount["effect"]> }>;

/** Whether a limit of some entry is a formula. Most entries have none. */
const hasFormulas = oncePer((entries: readonly ApplicableEntry[]): boolean =>
  entries.some((entry) => Object.keys(entry).some((field) => field.endsWith("_limit_formula"))),
);

/** The products with limits that are numbers: a formula that cannot be worked out leaves the fixed limit. */
export const withLimits = (applicableTo: ApplicableTo, formulas: FormulaValues): ApplicableTo =>
  hasFormulas(applicableTo.included)
    ? { ...applicableTo, included: applicableTo.included.map((entry) => resolveEntry(entry, formulas)) }
    : applicableTo;

function resolveEntry(entry: ApplicableEntry, formulas: FormulaValues): ApplicableEntry {
  const resolved: Record<string, unknown> = { ...entry };
  const limits = [
    ...(["quantity_limit", "aggregated_quantity_limit", ...BUDGET_LIMITS] as const).map(
      (f) => [f, formulas.count] as const,
    ),
    ...(["amount_limit", "aggregated_amount_limit"] as const).map(
      (f) => [f, (x: string) => formulas.money(x, null)] as const,
    ),
  ];
  for (const [field, evaluate] of limits) {
    const formula = (entry as Record<string, unknown>)[`${field}_formula`];
    if (typeof formula === "string" && formula !== "") resolved[field] = evaluate(formula) ?? resolved[field];
  }
  return resolved as ApplicableEntry;
}

const STEPS = {
  /** For each entry that names products. */
  entry: 1,
  /** For each entry with a limit that is worked out, beside its formula. */
  resolved: 60,
} as const;

/** What a discount costs, without its formulas, which pay for themselves. */
export function discountSteps(discount: Discount, { items }: Order, applicableTo: ApplicableTo): number {
  const { included, excluded } = applicableTo;
  const entries = (included.length + excluded.length) * (hasFormulas(included) ? STEPS.resolved : STEPS.entry);
  const effect = effectOfDiscount(discount, namesProducts(applicableTo));
  return entries + definitionOf(discount).effects[effect]!.steps(discount, items.length);
}

export const namesProducts = ({ included, excluded, included_all }: ApplicableTo): boolean =>
  included_all || included.length > 0 || excluded.length > 0;

/** Applies a discount to the cart as the redeemables before left it. */
export function applyDiscount(discount: Discount, input: StepInput): DiscountStep {
  const applicableTo = withLimits(input.applicableTo, input.formulas);
  const step = { ...input, applicableTo, order: nextStep(input.order) };
  const effect = effectOfDiscount(discount, namesProducts(applicableTo));
  return definitionOf(discount).effects[effect]!.apply(discount, effect, step) as DiscountStep;
}

import type { Decimal } from "decimal.js";
import type { BundleResult } from "../discounts/bundle.ts";
import type { FormulaValues } from "../discounts/definition.ts";
import type { FormulaStep } from "../formula/evaluate.ts";
import type { FormulaFacts } from "../formula/facts.ts";
import { countFormula, moneyFormula, percentFormula } from "../formula/results.ts";
import type { FormulaNode } from "../formula/syntax.ts";
import { shownPercent } from "../money/amounts.ts";
import type { Order } from "../order/order.ts";
import type { Redeemable } from "./redeemable.ts";
import type { Situation } from "./situation.ts";

/** What the formulas of a discount are worth for this code and this cart. */
export function formulasFor(
  { metadata, quantity, redeemed, published, validity }: Redeemable,
  order: Order,
  { situation, bundle }: { situation: Situation; bundle: BundleResult | undefined },
): FormulaValues {
  const facts: FormulaFacts = {
    steps: situation.steps,
    now: situation.now,
    zone: situation.zone,
    order,
    item: null,
    customer: situation.customer,
    redeemable: {
      metadata,
      redemption_quantity: quantity,
      redeemed_quantity: redeemed,
      publish_count: published,
      start_date: validity.start_date,
      expiration_date: validity.expiration_date,
    },
    redemption_metadata: situation.redemption.metadata,
    publication_metadata: null,
    bundle_quantity: bundle?.quantity ?? null,
  };
  const evaluate = <V extends number | Decimal>(
    work: (node: FormulaNode, facts: FormulaFacts, trace?: FormulaStep[]) => V | null,
    text: string,
    given: FormulaFacts,
  ): V | null => {
    const node = situation.formula(text);
    const steps: FormulaStep[] | undefined = situation.explain && [];
    const value = node === null ? null : work(node, given, steps);
    if (steps)
      situation.explain?.({
        kind: "formula",
        formula: text,
        value: value === null ? null : shownPercent(value),
        steps,
      });
    return value;
  };
  return {
    money: (text, item) => evaluate(moneyFormula, text, { ...facts, item }),
    percent: (text, item) => evaluate(percentFormula, text, { ...facts, item }),
    count: (text) => evaluate(countFormula, text, facts),
  };
}

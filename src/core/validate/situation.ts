import type { DiscountStep } from "../discounts/apply.ts";
import type { BundleResult } from "../discounts/bundle.ts";
import type { Explain } from "../discounts/explain.ts";
import type { UsedUnits } from "../discounts/items.ts";
import type { ApplicableTo } from "../discounts/targets.ts";
import type { CatalogueUnits } from "../discounts/units.ts";
import type { FormulaNode } from "../formula/syntax.ts";
import type { Order } from "../order/order.ts";
import type { EvaluateOptions } from "../rules/evaluate.ts";
import type { RuleFacts } from "../rules/facts.ts";
import type { Steps } from "../steps.ts";

/** What a decision knows beside the redeemables and the cart. */
export type Situation = {
  now: string;
  zone: string;
  customer: RuleFacts["customer"];
  redemption: Pick<RuleFacts["redemption"], "metadata" | "api_key_id" | "user_login">;
  units: CatalogueUnits;
  /** The formula of a text that was checked when it was stored; null when it is none. */
  formula(text: string): FormulaNode | null;
  calculation(categoryId: string | null): "INITIAL_AMOUNT" | "DISCOUNTED_AMOUNT";
  /** Rules that are not asked: a qualification leaves some out, and may show what a bundle brings that is not there. */
  asked?: RulesAsked;
  /** Is told the arithmetic, piece by piece: a trace wants it. */
  explain?: Explain;
  /** What the request may cost. Whoever decides pays for all that grows with the request; without it nothing is counted. */
  steps?: Steps | undefined;
};
/** Which rules are asked; the others count as true. */
export type RulesAsked = Pick<EvaluateOptions, "only" | "ignore"> & { bundles?: "optional" };

/** The cart as the redeemables before left it, and what they used of shared limits. */
export type Running = {
  order: Order | null;
  /** Lines that are not discounted again, where a product gets at most one discount. */
  blocked: ReadonlySet<number>;
  applied: readonly {
    campaign_id: string | null;
    order_amount: number;
    discount_amount: number;
    gift_amount: number;
    /** Units that count against limits over time. */
    units?: UsedUnits;
  }[];
};

/** What a redeemable did to the cart. */
export type Applied = {
  order: Order | null;
  applicableTo: ApplicableTo;
  discount?: DiscountStep["discount"];
  gift?: { credits: number; balance: number };
  loyalty_card?: { points: number };
  bundle?: BundleResult;
  targets: DiscountStep["targets"];
  replacements: DiscountStep["replacements"];
  /** Units that count against limits over time; left out when there are none. */
  units?: UsedUnits;
  hasEffect: boolean;
};

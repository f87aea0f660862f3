import { type Tree, treeOf } from "../rules/tree.ts";

/** What all redemptions of a campaign come to, one number for each thing that rules can limit. */
export type CampaignTotals = {
  redemptions: number;
  order_amount: number;
  discount_amount: number;
  gift_amount: number;
};
export const NO_TOTALS: CampaignTotals = { redemptions: 0, order_amount: 0, discount_amount: 0, gift_amount: 0 };

/** The rules that limit a whole campaign for all time, and what they look at. It only grows, but for rollbacks. */
const LIMITED: Readonly<Record<string, keyof CampaignTotals>> = {
  "campaign.redemptions.count": "redemptions",
  "campaign.orders.amount": "order_amount",
  "campaign.orders.amount_discounted": "discount_amount",
  "redemption.gift.amount": "gift_amount",
};

/** The largest number for which each operator holds. One that is not here sets no limit. */
const LARGEST: Readonly<Record<string, (values: readonly unknown[]) => number>> = {
  // What is counted is whole: fewer than 10.5 are 10 at most.
  $less_than: ([value]) => Math.ceil(Number(value)) - 1,
  $less_than_or_equal: ([value]) => Math.floor(Number(value)),
  $is: (values) => Math.max(...values.map(Number)),
  $in: (values) => Math.max(...values.map(Number)),
};

type Limiting = { definition: { rules: Parameters<typeof treeOf>[0] } };
const UNLIMITED = Number.POSITIVE_INFINITY;

function largestOf(tree: Tree, total: keyof CampaignTotals): number {
  if (tree.kind === "leaf") {
    if (LIMITED[tree.rule.name] !== total) return UNLIMITED;
    return Math.min(
      UNLIMITED,
      ...tree.ask.conditions.map(({ operator, values }) => LARGEST[operator.name]?.(values) ?? UNLIMITED),
    );
  }
  const terms = tree.terms.map((term) => largestOf(term, total));
  return tree.kind === "and" ? Math.min(UNLIMITED, ...terms) : Math.max(...terms);
}

/** How far rules let a total of their campaign grow; null: they do not limit it. */
export function campaignLimit(rules: readonly Limiting[], total: keyof CampaignTotals): number | null {
  const most = Math.min(UNLIMITED, ...rules.map(({ definition }) => largestOf(treeOf(definition.rules), total)));
  return Number.isFinite(most) ? most : null;
}

/** Whether rules can still hold for a redemption that adds something to each total. */
function canHold(tree: Tree, totals: CampaignTotals): boolean {
  if (tree.kind !== "leaf") {
    const holds = (term: Tree) => canHold(term, totals);
    return tree.kind === "and" ? tree.terms.every(holds) : tree.terms.some(holds);
  }
  const total = LIMITED[tree.rule.name];
  return total === undefined || totals[total] + 1 <= largestOf(tree, total);
}

/** Whether the limits that rules set are used up: no redemption holds them that takes anything off. */
export const isUsedUp = (rules: readonly Limiting[], totals: CampaignTotals): boolean =>
  !rules.every(({ definition }) => canHold(treeOf(definition.rules), totals));

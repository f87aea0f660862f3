import type { RuleDefinition } from "./definition.ts";
import { leavesOf, treeOf } from "./tree.ts";

const known = new WeakMap<RuleDefinition, boolean>();
/** The names of such rules. */
export const PER_CUSTOMER = /^(?:redemption\.count\.per_customer|campaign\.redemptions\.customers_count)\b/;

/** Whether a rule asks how often this customer redeemed something. */
export function asksPerCustomer({ definition }: { readonly definition: RuleDefinition }): boolean {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const asks = leavesOf(treeOf(definition.rules)).some(({ rule }) => PER_CUSTOMER.test(rule.name));
  known.set(definition, asks);
  return asks;
}

import type { Catalog } from "../../catalog/catalog.ts";
import { notFound } from "../../core/errors.ts";
import { walletsOfEarnings } from "../../core/loyalty/earning/earning-rule.ts";
import { walletOfBenefit } from "../../core/loyalty/program/benefit.ts";
import type { Reward } from "../../core/loyalty/program/reward.ts";
import type { LoyaltyStatus } from "../../core/loyalty/program/status.ts";

/** What uses something: ids of one kind, in their order. */
export type LoyaltyUses = { type: string; ids: string[] };
type Used = { id: string; status: LoyaltyStatus };

/** The programs that a component is assigned to. */
export const programsUsing = ({ programs, assignments_of }: Catalog, componentId: string): Used[] =>
  [...programs.values()].filter(({ id }) =>
    assignments_of.get(id)?.some(({ component_id }) => component_id === componentId),
  );

/** What a card definition is used by, by its kind. Programs come first. */
export function usesOfCardDefinition(catalog: Catalog, id: string): Map<string, Used[]> {
  const { earning_rules, benefits, rewards, tier_structures } = catalog;
  const into = (one: { card_definition_id: string } | null | undefined) => one?.card_definition_id === id;
  const isPrice = ({ costs }: Pick<Reward, "costs">) => costs.some(({ spending }) => spending.some(into));
  return new Map<string, Used[]>([
    ["program", programsUsing(catalog, id)],
    ["earning_rule", [...earning_rules.values()].filter(({ earnings }) => walletsOfEarnings(earnings).includes(id))],
    ["benefit", [...benefits.values()].filter(({ config }) => walletOfBenefit(config) === id)],
    ["reward", [...rewards.values()].filter((one) => isPrice(one) || into(one.digital?.loyalty_card_points))],
    ["tier_structure", [...tier_structures.values()].filter(into)],
  ]);
}

/** The first kind of those that use it and fulfil the condition, or null when it is free. */
export function firstUse(
  uses: ReadonlyMap<string, readonly Used[]>,
  counts: (one: Used) => boolean,
): LoyaltyUses | null {
  for (const [type, all] of uses) {
    const ids = all.filter(counts).map(({ id }) => id);
    if (ids.length > 0) return { type, ids: ids.sort() };
  }
  return null;
}

/** One of a map of the catalog, or 404. */
export function requireKnown<R>(known: ReadonlyMap<string, R>, object: string, id: string): R {
  const found = known.get(id);
  if (!found) throw notFound(object, id);
  return found;
}

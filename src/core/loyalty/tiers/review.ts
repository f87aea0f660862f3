import { type CardState, type Change, noChange } from "../card/card.ts";
import { reviewed, type World } from "../card/moves.ts";
import { noTier } from "./state.ts";

/**
 * Looks at the tier of a card though nothing moved on it: its program became active, or its member entered or left a
 * segment. A card that no structure watched until now begins to be watched. The card was advanced to now.
 */
export function lookAgain(card: CardState, world: World): Change {
  if (!world.tiers) return noChange(card);
  const tier = card.tier ?? noTier(world.tiers.structure.id);
  return reviewed({ ...card, tier }, world, { type: "daily_task_operations", card_transaction_ids: [] });
}

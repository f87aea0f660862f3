import { autoRedeem, leftToRedeem } from "../campaign/auto-redeem.ts";
import { andThen, type Change } from "./card.ts";
import { reviewed, type World } from "./moves.ts";

/**
 * Looks at the tier after transactions of the card. What was not moved changes no tier. What is redeemed by itself comes
 * before: points that are gone at once lead to no tier.
 */
export function afterwards(moved: Change, world: World): Change {
  const change = world.auto ? redeemedFrom(moved, world) : moved;
  const ids = change.entries
    .filter(({ kind, amount }) => kind !== "activation_out" && amount !== 0)
    .map(({ id }) => id);
  if (ids.length === 0) return change;
  return andThen(change, (card) => reviewed(card, world, { type: "card_operations", card_transaction_ids: ids }));
}

const redeemedFrom = (moved: Change, world: World): Change =>
  moved.card.rewards_left === undefined
    ? { ...moved, card: leftToRedeem(moved, world) }
    : andThen(moved, (card) => autoRedeem(card, world));

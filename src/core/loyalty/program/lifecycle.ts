import { type CardState, type Change, newAccount, noChange } from "../card/card.ts";
import { metricOf, reviewed, type World, watchOf } from "../card/moves.ts";
import { noTier } from "../tiers/state.ts";
import { leaveTier } from "../tiers/tiers.ts";

/** A new card. A tier that asks for nothing is joined at once. */
export function openCard(
  ids: Pick<CardState, "id" | "program_id" | "member_id" | "card_definition_id">,
  world: World,
): Change {
  const card: CardState = {
    ...ids,
    created_at: world.now,
    account: newAccount(world.wallet.balance_settings.allow_negative),
    lots: [],
    tier: world.tiers && noTier(world.tiers.structure.id),
  };
  return reviewed(card, world, { type: "member_card_created", card_transaction_ids: [] });
}

/** A card that is deleted leaves its tier. Its points stay as they were. */
export function closeCard(card: CardState, world: World): Change {
  const watch = watchOf(card, world);
  if (!watch || !card.tier) return noChange(card);
  const origin = { type: "member_card_deleted", card_transaction_ids: [] } as const;
  const { state, effects } = leaveTier(card.tier, watch, { at: world.now, metric: metricOf(card, world), origin });
  return { ...noChange({ ...card, tier: state }), tiers: effects };
}

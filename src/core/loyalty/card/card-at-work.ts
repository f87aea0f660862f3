import { lookAgain } from "../tiers/review.ts";
import { advance, dueAt } from "./advance.ts";
import { andThen, type CardEntry, type CardState, type Change } from "./card.ts";
import type { World } from "./moves.ts";
import { opened } from "./points.ts";

/** Points that were spent on a reward which nobody asked for, with what the card had received by then. */
export type SpentPoints = { card_id: string; entry: CardEntry; received: number };

/**
 * A card whose row is locked, and what has happened to it since it was read: a card of a member of a program (v2), or a
 * code of a loyalty campaign (v1). Both are changed by the same verbs.
 */
export type CardAtWork<R = unknown> = {
  row: R;
  change: Change;
  /** The world that it lived in when it was last changed; null: it was not. */
  world: World | null;
  /** When it was last changed. */
  changed_at: string | null;
  /** Only a code of a campaign has it: a card of a program has no settings of its own. */
  code?: {
    /** The world with the settings that the code was published with, and with its reward that is redeemed by itself. */
    ownWorld(world: World): World;
    /** Whether it has no account yet: its first change gives it what it is worth from the beginning. */
    isUnopened: boolean;
    /** Where it is noted what was spent on rewards that nobody asked for; null: none is redeemed. */
    spent: SpentPoints[] | null;
  };
};

const worldOf = ({ code }: CardAtWork, world: World): World => code?.ownWorld(world) ?? world;

/** Does something with a card. What time alone has brought comes first: nothing is earned or spent on points that are gone. */
export function changeCard<R extends { change: Change }>(
  card: CardAtWork,
  given: World,
  next: (state: CardState, world: World) => R,
): R {
  const world = worldOf(card, given);
  advanceCard(card, given);
  const result = next(card.change.card, world);
  note(card, result.change, world);
  return result;
}

/**
 * Brings a card to the present: only what time alone has brought. A code of a campaign that no tier watched until now
 * begins to be watched; for cards of programs a review does that, at the moment when their structure became active.
 */
export function advanceCard(card: CardAtWork, given: World): void {
  const world = worldOf(card, given);
  const { account } = card.change.card;
  if (card.code?.isUnopened && card.change.entries.length === 0)
    note(card, opened(card.change.card, world, account.sums.received), world);
  const { last_at, ...advanced } = advance(card.change.card, world);
  note(card, advanced, world, last_at ?? world.now);
  if (card.code && world.tiers && !card.change.card.tier) note(card, lookAgain(card.change.card, world), world);
}

/** Looks at the tier of a card though nothing moved on it. */
export function reviewCard(card: CardAtWork, given: World): void {
  changeCard(card, given, (state, world) => ({ change: lookAgain(state, world) }));
}

/** When time alone changes the card next; null: never. */
export const cardDueAt = (card: CardAtWork, given: World): string | null =>
  dueAt(card.change.card, worldOf(card, given));

/** The cards that something has happened to. */
export const changedCards = <C extends CardAtWork>(cards: Iterable<C>): C[] =>
  [...cards].filter(({ world }) => world !== null);

function note(card: CardAtWork, next: Change, world: World, at = world.now): void {
  const before = card.change.card;
  const { account, tier, id } = next.card;
  for (const entry of card.code?.spent ? next.entries : [])
    if (entry.kind === "redemption") card.code!.spent!.push({ card_id: id, entry, received: account.sums.received });
  const isMoved = next.entries.length + next.lots.length + next.tiers.length > 0;
  if (isMoved || account !== before.account || tier !== before.tier) {
    card.world = world;
    card.changed_at = at;
  }
  card.change = andThen(card.change, () => next);
}

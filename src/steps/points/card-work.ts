import { advance, dueAt } from "../../core/loyalty/card/advance.ts";
import { andThen, type CardState, type Change, noChange } from "../../core/loyalty/card/card.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import type { Tx } from "../../db/db.ts";
import { saveMoves } from "../../resources/ledger/ledger/store.ts";
import { type CardRow, lockCards, saveCards } from "../../resources/loyalty-v2/cards/store.ts";
import { withLots } from "./loyalty-cards.ts";
import { saveTierEffects } from "./tier-transactions.ts";

/** A card that is locked, and what has happened to it since. */
export type CardAtWork = {
  row: CardRow;
  change: Change;
  /** What it lived in when it was last changed; null: it was not. */
  world: World | null;
  /** When the last of it happened. */
  changed_at: string | null;
};
/** The cards that a transaction may change, by id. */
export type CardWork = ReadonlyMap<string, CardAtWork>;

/** Locks cards, by their ids or those of their members, and reads their points. The members are locked before. */
export async function loadCardWork(
  tx: Tx,
  projectId: string,
  which: { ids?: readonly string[]; memberIds?: readonly string[] },
): Promise<CardWork> {
  const rows = await lockCards(tx, projectId, which);
  const states = await withLots(tx, projectId, rows);
  return new Map(rows.map((row, n) => [row.id, { row, change: noChange(states[n]!), world: null, changed_at: null }]));
}

/** What time alone has brought comes first: nothing is earned or spent on points that are gone. */
export function changeCard<R extends { change: Change }>(
  one: CardAtWork,
  world: World,
  next: (card: CardState, world: World) => R,
): R {
  advanceCard(one, world);
  const result = next(one.change.card, world);
  note(one, result.change, world);
  return result;
}

/** Only what time alone has brought. */
export function advanceCard(one: CardAtWork, world: World): void {
  const { last_at, ...change } = advance(one.change.card, world);
  note(one, change, world, last_at ?? world.now);
}

function note(one: CardAtWork, next: Change, world: World, at = world.now): void {
  if (isChanged(one.change.card, next)) {
    one.world = world;
    one.changed_at = at;
  }
  one.change = andThen(one.change, () => next);
}

const isChanged = (before: Pick<CardState, "account" | "tier">, { card, entries, lots, tiers }: Change): boolean =>
  entries.length + lots.length + tiers.length > 0 || card.account !== before.account || card.tier !== before.tier;

/** Saves what has happened to the cards. The number of statements does not depend on how many there are. */
export async function saveCardWork(tx: Tx, projectId: string, work: CardWork): Promise<void> {
  const changed = [...work.values()].filter(({ row, change }) => isChanged(row, change));
  if (changed.length === 0) return;
  await saveMoves(
    tx,
    projectId,
    changed.map(({ change }) => change),
  );
  const saved = changed.map(({ change: { card }, world, changed_at }) => ({
    id: card.id,
    account: card.account,
    tier: card.tier,
    due_at: dueAt(card, world!),
    updated_at: changed_at!,
  }));
  await saveCards(tx, projectId, saved);
  await saveTierEffects(
    tx,
    projectId,
    changed.map(({ change }) => ({ card: change.card, effects: change.tiers })),
  );
}

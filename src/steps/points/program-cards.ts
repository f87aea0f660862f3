import { dueAt } from "../../core/loyalty/card/advance.ts";
import { noChange } from "../../core/loyalty/card/card.ts";
import { type CardAtWork, changedCards } from "../../core/loyalty/card/card-at-work.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import type { CardRow } from "../../core/rows/loyalty.ts";
import type { Tx } from "../../db/db.ts";
import { saveMoves } from "../../resources/ledger/ledger/store.ts";
import { lockCards, saveCards } from "../../resources/loyalty-v2/cards/store.ts";
import { withLots } from "./loyalty-cards.ts";
import { saveTierEffects } from "./tier-transactions.ts";

/** A card of a member of a program, which is locked. */
export type ProgramCard = CardAtWork<CardRow>;
/** The same with the world that it lives in at one moment. */
export type CardInWorld = { card: ProgramCard; world: World };
/** The cards that a transaction may change, by id. */
export type ProgramCards = ReadonlyMap<string, ProgramCard>;

/** Locks cards, by their ids or those of their members, and reads their points. The members are locked before. */
export async function openProgramCards(
  tx: Tx,
  projectId: string,
  which: { ids?: readonly string[]; memberIds?: readonly string[] },
): Promise<ProgramCards> {
  const rows = await lockCards(tx, projectId, which);
  const states = await withLots(tx, projectId, rows);
  return new Map(rows.map((row, n) => [row.id, { row, change: noChange(states[n]!), world: null, changed_at: null }]));
}

/** Saves what has happened to the cards. The number of statements does not depend on how many there are. */
export async function saveProgramCards(tx: Tx, projectId: string, cards: ProgramCards): Promise<void> {
  const changed = changedCards(cards.values());
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

import { dueAt } from "../../core/loyalty/card/advance.ts";
import { noChange } from "../../core/loyalty/card/card.ts";
import { type CardAtWork, changedCards } from "../../core/loyalty/card/card-at-work.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import type { CardRow } from "../../core/rows/loyalty.ts";
import type { Tx } from "../../db/db.ts";
import { together, type Writes, withWrites, writeLater } from "../../db/together.ts";
import { loadLots, saveMoves } from "../../resources/ledger/ledger/store.ts";
import { type CardNames, idsOfCards, lockCards, saveCards } from "../../resources/loyalty-v2/cards/store.ts";
import { statesOf } from "./loyalty-cards.ts";
import { saveTierEffects } from "./tier-transactions.ts";

/** A card of a member of a program, which is locked. */
export type ProgramCard = CardAtWork<CardRow>;
/** The same with the world that it lives in at one moment. */
export type CardInWorld = { card: ProgramCard; world: World };
/** The cards that a transaction may change, by id. */
export type ProgramCards = ReadonlyMap<string, ProgramCard>;

/** Locks cards, and reads their points behind it, in one message. The members are locked before. */
export async function openProgramCards(tx: Tx, projectId: string, which: CardNames): Promise<ProgramCards> {
  const [rows, lots] = await together([
    lockCards(tx, projectId, which),
    loadLots(tx, projectId, idsOfCards(tx, projectId, which)),
  ]);
  const states = statesOf(rows, lots);
  return new Map(rows.map((row, n) => [row.id, { row, change: noChange(states[n]!), world: null, changed_at: null }]));
}

/** Saves what has happened to the cards. The number of statements does not depend on how many there are. */
export const saveProgramCards = (tx: Tx, projectId: string, cards: ProgramCards): Promise<void> =>
  withWrites((writes) => sendProgramCards(tx, projectId, cards, writes));

/** The same for who waits at the end of the transaction. */
export async function sendProgramCards(tx: Tx, projectId: string, cards: ProgramCards, writes: Writes): Promise<void> {
  const changed = changedCards(cards.values());
  if (changed.length === 0) return;
  const changes = changed.map(({ change }) => change);
  writeLater(writes, saveMoves(tx, projectId, changes));
  const saved = changed.map(({ change: { card }, world, changed_at }) => ({
    id: card.id,
    account: card.account,
    tier: card.tier,
    due_at: dueAt(card, world!),
    updated_at: changed_at!,
  }));
  writeLater(writes, saveCards(tx, projectId, saved));
  const moved = changes.map(({ card, tiers: effects }) => ({ card, effects }));
  await saveTierEffects(tx, projectId, moved, writes);
}

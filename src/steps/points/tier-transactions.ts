import type { TierEffect, TierTransaction } from "../../core/loyalty/tiers/state.ts";
import type { TransactionRow } from "../../core/rows/loyalty.ts";
import type { Tx } from "../../db/db.ts";
import { type Writes, writeLater } from "../../db/together.ts";
import {
  insertTransactions,
  lockTransactions,
  saveTransactions,
} from "../../resources/loyalty-v2/transactions/store.ts";

type Of = { id: string; program_id: string; member_id: string; card_definition_id: string };
/** What happened to the tier of a card. */
export type TierMoved = { card: Of; effects: readonly TierEffect[] };

const tierTransactionRow = (projectId: string, card: Of, made: TierTransaction): TransactionRow => ({
  project_id: projectId,
  id: made.id,
  kind: "tier",
  program_id: card.program_id,
  member_id: card.member_id,
  card_id: card.id,
  card_definition_id: card.card_definition_id,
  type: made.type,
  subject_id: made.tier_id,
  status: made.status,
  details: { ...made.details, tier_structure_id: made.tier_structure_id },
  created_at: made.created_at,
  updated_at: null,
});

/**
 * Saves the tier transactions of many cards, which are locked: new ones, and how those ended that waited: these come back.
 * Only what ended is read before.
 */
export async function saveTierEffects(
  tx: Tx,
  projectId: string,
  moved: readonly TierMoved[],
  writes: Writes,
): Promise<readonly TransactionRow[]> {
  const made = moved.flatMap(({ card, effects }) =>
    effects.flatMap((one) => (one.kind === "made" ? [tierTransactionRow(projectId, card, one.transaction)] : [])),
  );
  writeLater(writes, insertTransactions(tx, made));
  const settled = new Map(
    moved.flatMap(({ effects }) => effects.flatMap((one) => (one.kind === "settled" ? [[one.id, one] as const] : []))),
  );
  if (settled.size === 0) return [];
  const rows = await lockTransactions(tx, projectId, [...settled.keys()]);
  const ended = rows.map((row): TransactionRow => {
    const end = settled.get(row.id)!;
    const more = end.status === "APPROVED" ? { expires_at: end.expires_at } : { rejection: end.rejection };
    return { ...row, status: end.status, details: { ...row.details, ...more }, updated_at: end.at };
  });
  writeLater(writes, saveTransactions(tx, projectId, ended));
  return ended;
}

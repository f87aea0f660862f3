import type { ProgramSetup } from "../../catalog/program-setup.ts";
import { closeCard } from "../../core/loyalty/program/lifecycle.ts";
import type { CardRow, MemberRow } from "../../core/rows/loyalty.ts";
import type { Tx } from "../../db/db.ts";
import { withWrites } from "../../db/together.ts";
import type { NewId, Project } from "../../request.ts";
import { cardState, deleteCards } from "../../resources/loyalty-v2/cards/store.ts";
import { saveMembers, view as viewMember } from "../../resources/loyalty-v2/members/store.ts";
import { loadWorlds } from "../points/card-worlds.ts";
import { memberCardView } from "../points/loyalty-cards.ts";
import { saveTierEffects, type TierMoved } from "../points/tier-transactions.ts";

type Removing = { db: Tx; project: Pick<Project, "id" | "timezone">; now: string; newId: NewId };

/**
 * Deletes members who are locked, with their cards: who was in a tier leaves it. What the cards held stays in the
 * ledger. Without the setup of a member's program, which is deleted then, no tier is left. Returns what is to be recorded.
 */
export async function removeProgramMembers(
  c: Removing,
  setups: ReadonlyMap<string, ProgramSetup>,
  members: readonly MemberRow[],
) {
  const memberIds = members.map(({ id }) => id);
  const cards = await deleteCards(c.db, c.project.id, { memberIds, now: c.now });
  const worldOf = await loadWorlds(c, setups, { members });
  const moved = cards.map((card): TierMoved => {
    const world = worldOf(card);
    return { card, effects: world ? closeCard(cardState(card, []), world).tiers : [] };
  });
  await withWrites((writes) => saveTierEffects(c.db, c.project.id, moved, writes));
  const gone = members.map((member): MemberRow => ({ ...member, status: "DELETED", updated_at: c.now }));
  await saveMembers(c.db, c.project.id, gone);
  return removalEvents(gone, cards);
}

function removalEvents(members: readonly MemberRow[], cards: readonly CardRow[]) {
  const by = Map.groupBy(cards, ({ member_id }) => member_id);
  return members.flatMap((row) => {
    const member = viewMember(row);
    return [
      ...(by.get(row.id) ?? []).flatMap((one) => {
        const { card, ...member_card } = memberCardView(one, []);
        const payload = { member, card, member_card };
        return [
          { kind: "vl.card.unassigned" as const, subject_id: one.id, payload },
          { kind: "vl.member.card.unassigned" as const, subject_id: row.id, payload },
        ];
      }),
      { kind: "vl.member.deleted" as const, subject_id: row.id, payload: { member } },
    ];
  });
}

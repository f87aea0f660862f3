import type { Catalog } from "../../catalog/catalog.ts";
import { setupsOf } from "../../catalog/program-setup.ts";
import type { Lot } from "../../core/ledger/account.ts";
import { advance } from "../../core/loyalty/card/advance.ts";
import { balanceOf, type CardState, lifetimeOf, nextOf } from "../../core/loyalty/card/card.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import type { Card, MemberCard } from "../../core/loyalty/card/schema.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { CardRow, MemberRow } from "../../core/rows/loyalty.ts";
import type { Db } from "../../db/db.ts";
import type { NewId, Project } from "../../request.ts";
import { loadLots } from "../../resources/ledger/ledger/store.ts";
import { cardState, cardsOfMembers } from "../../resources/loyalty-v2/cards/store.ts";
import { loadWorlds } from "./card-worlds.ts";

/** Cards with the lots that something is left of: one statement for all. */
export async function withLots(db: Db, projectId: string, cards: readonly CardRow[]): Promise<CardState[]> {
  if (cards.length === 0) return [];
  const ids = cards.map(({ id }) => id);
  return statesOf(cards, await loadLots(db, projectId, ids));
}

/** The same with lots that were read. */
export function statesOf(cards: readonly CardRow[], lots: readonly LotRow[]): CardState[] {
  const lotsOf = Map.groupBy(lots, ({ account_id }) => account_id);
  return cards.map((card) => cardState(card, lotsOf.get(card.id) ?? []));
}

/** A card as clients see it. */
function cardView({ id, card_definition_id, code, account }: CardRow, lots: readonly Lot[]): Card {
  const lifetime_bucket = lifetimeOf(account.sums);
  const expires = nextOf(lots, "available");
  const activates = nextOf(lots, "pending");
  const day =
    activates && (activates.type === "EVENT_BASED" ? { cancel_date: activates.date } : { date: activates.date });
  return {
    id,
    card_definition_id,
    card_type: "INDIVIDUAL",
    code,
    lifetime_bucket,
    balance: balanceOf(lifetime_bucket),
    next_expiration: expires && { points: expires.points, date: expires.date },
    next_activation: activates && {
      points: activates.points,
      type: activates.type as NonNullable<Card["next_activation"]>["type"],
      ...day,
    },
    object: "card",
  };
}

export const memberCardView = (card: CardRow, lots: readonly Lot[]): MemberCard => ({
  member_role: "OWNER",
  created_at: card.created_at,
  card: cardView(card, lots),
  object: "member_card",
});

/** A card as it is at this moment: what time alone has brought is counted, also when no job has saved it yet. */
export type CardNow = { card: CardRow; state: CardState; world: World | null };

/** The cards of members, by member: the number of statements does not depend on how many there are. */
export async function loadCardsNow(
  c: { db: Db; project: Pick<Project, "id" | "timezone">; now: string; newId: NewId },
  catalog: Catalog,
  members: readonly MemberRow[],
): Promise<Map<string, CardNow[]>> {
  const cards = await cardsOfMembers(
    c.db,
    c.project.id,
    members.map(({ id }) => id),
  );
  const states = await withLots(c.db, c.project.id, cards);
  const setups = setupsOf(
    catalog,
    members.map(({ program_id }) => program_id),
  );
  const worldOf = await loadWorlds(c, setups, { members });
  const now = cards.map((card, n): CardNow => {
    const world = worldOf(card);
    const state = world ? advance(states[n]!, world).card : states[n]!;
    return { card: { ...card, account: state.account }, state, world };
  });
  return Map.groupBy(now, ({ card }) => card.member_id);
}

import type { Catalog } from "../../catalog/catalog.ts";
import { setupOf } from "../../catalog/program-setup.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import type { CardState, Change } from "../../core/loyalty/card/card.ts";
import { advanceCard, changeCard } from "../../core/loyalty/card/card-at-work.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import { isInWindow } from "../../core/loyalty/card/window.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { WriteCtx } from "../../ctx.ts";
import { lockMembers } from "../../resources/loyalty-v2/members/store.ts";
import type { ProgramRow } from "../../resources/loyalty-v2/programs/store.ts";
import { loadWorlds } from "./card-worlds.ts";
import { type CardInWorld, openProgramCards, type ProgramCards } from "./program-cards.ts";

/** A member who is locked, with all cards. What time alone has brought to them is there. */
export type MemberAtWork = {
  program: ProgramRow;
  member: MemberRow;
  cards: ProgramCards;
  card(id: string): CardInWorld | null;
  /** The card of a definition. */
  cardOf(cardDefinitionId: string): CardInWorld | null;
};

/** Locks a member of a program and their cards, parents first: 404 for what is missing. */
export async function openMember(
  c: WriteCtx,
  catalog: Catalog,
  { programId, memberId }: { programId: string; memberId: string },
): Promise<MemberAtWork> {
  const setup = setupOf(catalog, programId);
  if (!setup) throw notFound("program", programId);
  const [member] = await lockMembers(c.db, c.project.id, [memberId]);
  if (member?.program_id !== programId) throw notFound("member", memberId);
  const locked = await openProgramCards(c.db, c.project.id, { memberIds: [memberId] });
  const worldOf = await loadWorlds(c, new Map([[programId, setup]]), { members: [member] });
  const cards = [...locked.values()].flatMap((card): CardInWorld[] => {
    const world = worldOf(card.row);
    return world ? [{ card, world }] : [];
  });
  for (const { card, world } of cards) advanceCard(card, world);
  return {
    program: setup.program,
    member,
    cards: locked,
    card: (id) => cards.find(({ card }) => card.row.id === id) ?? null,
    cardOf: (id) => cards.find(({ card }) => card.row.card_definition_id === id) ?? null,
  };
}

export const stateOf = ({ card }: CardInWorld): CardState => card.change.card;

/** Does something with a card, and returns what it was. */
export const alter = ({ card, world }: CardInWorld, next: (state: CardState, world: World) => Change): Change =>
  changeCard(card, world, (state) => ({ change: next(state, world) })).change;

/** 423 unless the program is active and open now, and the member is active. */
export function requireActiveMember(c: Pick<WriteCtx, "project" | "now">, { program, member }: MemberAtWork): void {
  if (program.status !== "ACTIVE")
    throw new ApiError("non_active_program", { details: `The program must be ACTIVE, and is ${program.status}` });
  if (!isInWindow(program, c.now, zoneOf(c.project)))
    throw new ApiError("program_outside_validity_window", { details: "The program is not valid at this time" });
  if (member.status !== "ACTIVE")
    throw new ApiError("non_active_member", { details: `The member must be ACTIVE, and is ${member.status}` });
}

import { notFound } from "../../core/errors.ts";
import { tierProgress } from "../../core/loyalty/tiers/progress.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { CardRow, MemberRow } from "../../core/rows/loyalty.ts";
import type { Ctx } from "../../ctx.ts";
import { bySourceId, findCustomers } from "../../resources/customers/customers/store.ts";
import { getCard } from "../../resources/loyalty-v2/cards/store.ts";
import type {
  Membership,
  MembershipQuery,
  Memberships,
  MemberWithCards,
} from "../../resources/loyalty-v2/members/schema.ts";
import { getMember, loadMembersById, membersOfCustomers, view } from "../../resources/loyalty-v2/members/store.ts";
import type { ProgramRow } from "../../resources/loyalty-v2/programs/store.ts";
import { type CardNow, loadCardsNow, memberCardView } from "../../steps/points/loyalty-cards.ts";

/** The program, or 404. */
export async function requireProgram(c: Pick<Ctx, "catalog">, programId: string): Promise<ProgramRow> {
  const program = (await c.catalog()).programs.get(programId);
  if (!program) throw notFound("program", programId);
  return program;
}

/** A member of a program, parents first: 404 for what is missing. */
export async function readProgramMember(c: Ctx, which: { programId: string; memberId: string }): Promise<MemberRow> {
  await requireProgram(c, which.programId);
  return getMember(c.db, c.project.id, which);
}

export async function readCard(
  c: Ctx,
  which: { programId: string; memberId: string; cardId: string },
): Promise<{ member: MemberRow; card: CardRow }> {
  const member = await readProgramMember(c, which);
  return { member, card: await getCard(c.db, c.project.id, which) };
}

export async function readMemberWithCards(
  c: Ctx,
  which: { programId: string; memberId: string },
): Promise<MemberWithCards> {
  const member = await readProgramMember(c, which);
  const cards = await loadCardsNow(c, await c.catalog(), [member]);
  return { ...view(member), cards: cardsOf(cards, member).map(({ card, state }) => memberCardView(card, state.lots)) };
}

const cardsOf = (cards: ReadonlyMap<string, CardNow[]>, { id }: MemberRow): readonly CardNow[] => cards.get(id) ?? [];
const programView = ({ id, name, status, metadata }: ProgramRow) => ({
  ...{ id, name, status, metadata },
  object: "program" as const,
});
type IdentificationType = Required<MembershipQuery>["identification_type"];

/** One customer's membership in a program, with how each card stands among the tiers. */
export async function readMembership(
  c: Ctx,
  { programId, reference, type }: { programId: string; reference: string; type: IdentificationType },
): Promise<Membership> {
  const program = await requireProgram(c, programId);
  const [member] = await membersMeant(c, { reference, type, programId });
  if (!member) throw notFound("member", reference);
  const cards = await loadCardsNow(c, await c.catalog(), [member]);
  return {
    member: view(member),
    program: programView(program),
    cards: cardsOf(cards, member).map(({ card, state, world }) => {
      const tier_progress = world && tierProgress(state, world);
      return { ...memberCardView(card, state.lots), ...(tier_progress && { tier_progress }) };
    }),
    object: "membership",
  };
}

/** All memberships of a customer, oldest first. */
export async function readMemberships(c: Ctx, reference: string, type: IdentificationType): Promise<Memberships> {
  const customer = await customerMeant(c, reference, type);
  const catalog = await c.catalog();
  const found = await membersOfCustomers(c.db, c.project.id, { customerIds: [customer.id] });
  const members = found.filter(({ program_id }) => catalog.programs.has(program_id));
  const cards = await loadCardsNow(c, catalog, members);
  return {
    customer: { id: customer.id, source_id: customer.source_id, object: "customer" },
    memberships: members.map((member) => ({
      member: view(member),
      program: programView(catalog.programs.get(member.program_id)!),
      cards: cardsOf(cards, member).map(({ card, state }) => memberCardView(card, state.lots)),
      object: "membership",
    })),
    object: "memberships_result",
  };
}

/** The customer that a path names. By the id of a member it is the one whose membership that is. */
async function customerMeant(c: Ctx, reference: string, type: IdentificationType): Promise<CustomerRow> {
  const members = type === "member_id" ? await loadMembersById(c.db, c.project.id, [reference]) : [];
  const ids = type === "member_id" ? members.flatMap(({ customer_id }) => customer_id ?? []) : [reference];
  const named = type === "customer_source_id" ? { ids: [], sourceIds: [reference] } : { ids, sourceIds: [] };
  const rows = await findCustomers(c.db, c.project.id, { ...named, trackingIds: [] });
  const customer = type === "customer_source_id" ? bySourceId(rows)(reference) : rows[0];
  if (!customer) throw notFound(type === "member_id" ? "member" : "customer", reference);
  return customer;
}

async function membersMeant(
  c: Ctx,
  { reference, type, programId }: { reference: string; type: IdentificationType; programId: string },
): Promise<MemberRow[]> {
  if (type === "member_id") {
    const members = await loadMembersById(c.db, c.project.id, [reference]);
    return members.filter(({ program_id }) => program_id === programId);
  }
  const named = type === "customer_id" ? { ids: [reference], sourceIds: [] } : { ids: [], sourceIds: [reference] };
  const rows = await findCustomers(c.db, c.project.id, { ...named, trackingIds: [] });
  const customer = type === "customer_id" ? rows[0] : bySourceId(rows)(reference);
  return membersOfCustomers(c.db, c.project.id, { customerIds: customer ? [customer.id] : [], programId });
}

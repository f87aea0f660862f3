import type { Catalog } from "../../catalog/catalog.ts";
import { invalid, notFound } from "../../core/errors.ts";
import type { EarningRule } from "../../core/loyalty/earning/earning-rule.ts";
import { variantOf } from "../../core/loyalty/program/shape.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import type { Ctx } from "../../ctx.ts";
import { bySourceId, findCustomers } from "../../resources/customers/customers/store.ts";
import type { Identification } from "../../resources/loyalty-v2/examine/schema.ts";
import { loadMembersById, membersOfCustomers } from "../../resources/loyalty-v2/members/store.ts";
import type { ProgramRow } from "../../resources/loyalty-v2/programs/store.ts";
import { type CardNow, loadCardsNow } from "../points/loyalty-cards.ts";

/** A membership that is asked about, with its cards as they are at this moment. */
export type Examined = { member: MemberRow; program: ProgramRow; cards: readonly CardNow[] };
type Metadata = Readonly<Record<string, unknown>>;
type MetadataSent = { metadata?: Metadata | null | undefined } | undefined;

const WHO = { customer_id: "customer_id", customer_source_id: "customer_source_id", member_id: "member_id" } as const;

/** The customer who is meant, and the memberships that are active: all, or the one that is meant. */
export async function loadExamined(
  c: Ctx,
  catalog: Catalog,
  identification: Identification,
): Promise<{ customer: CustomerRow; memberships: Examined[] }> {
  const type = variantOf(identification, WHO, { path: ".customer_identification" });
  const reference = String(identification[type]);
  const meant = type === "member_id" ? await loadMembersById(c.db, c.project.id, [reference]) : [];
  const ids = type === "customer_id" ? [reference] : meant.flatMap(({ customer_id }) => customer_id ?? []);
  const sourceIds = type === "customer_source_id" ? [reference] : [];
  const rows = await findCustomers(c.db, c.project.id, { ids, sourceIds, trackingIds: [] });
  const customer = type === "customer_source_id" ? bySourceId(rows)(reference) : rows[0];
  if (!customer) throw notFound(type === "member_id" ? "member" : "customer", reference);
  const members =
    type === "member_id" ? meant : await membersOfCustomers(c.db, c.project.id, { customerIds: [customer.id] });
  const active = members.filter(
    ({ status, program_id }) => status === "ACTIVE" && catalog.programs.get(program_id)?.status === "ACTIVE",
  );
  const cards = await loadCardsNow(c, catalog, active);
  const memberships = active.map((member) => ({
    member,
    program: catalog.programs.get(member.program_id)!,
    cards: (cards.get(member.id) ?? []).filter(({ world }) => world !== null),
  }));
  return { customer, memberships };
}

/** The rules of a program, in the order in which they were assigned. */
export const earningRulesOf = ({ assignments_of, earning_rules }: Catalog, programId: string): EarningRule[] =>
  (assignments_of.get(programId) ?? []).flatMap(({ component_id }) => earning_rules.get(component_id) ?? []);

/** What is supposed of a member needs a member that is meant. */
export function requireMemberMeant(member: MetadataSent, path: string, { type }: Identification): void {
  if (member !== undefined && type !== "member_id")
    throw invalid(`Property ${path}.member needs the type member_id of .customer_identification`);
}

/** A member or customer with other metadata, key by key. */
export const supposing = <R extends { metadata: Metadata }>(row: R, sent: MetadataSent): R =>
  sent?.metadata ? { ...row, metadata: { ...row.metadata, ...sent.metadata } } : row;

/** The tier that a member is in, of the structure that watches one of the cards. */
export const tierInOf =
  (cards: readonly CardNow[]) =>
  (tierStructureId: string): string | null => {
    const watched = cards.find(({ world }) => world?.tiers?.structure.id === tierStructureId);
    return watched?.state.tier?.tier_id ?? null;
  };

export const examinedCustomer = ({ id, source_id, metadata }: CustomerRow) => ({
  id,
  source_id,
  metadata,
  object: "customer" as const,
});
export const membershipShown = ({ member, program }: Examined) => ({
  member: {
    id: member.id,
    customer_id: member.customer_id!,
    program_id: program.id,
    metadata: member.metadata,
    object: "member" as const,
  },
  program: { id: program.id, name: program.name, metadata: program.metadata, object: "program" as const },
});
export const cardShown = ({ card: { id, card_definition_id, code } }: CardNow) => ({
  id,
  card_definition_id,
  card_type: "INDIVIDUAL" as const,
  code,
  object: "card" as const,
});

import type { ProgramSetup } from "../../catalog/program-setup.ts";
import { codeFault, foldCode, trimCode } from "../../core/codes/code.ts";
import { codeTemplate, createCodeMaker } from "../../core/codes/generate.ts";
import { ApiError } from "../../core/errors.ts";
import { dueAt } from "../../core/loyalty/card/advance.ts";
import { openCard } from "../../core/loyalty/program/lifecycle.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { CardRow, MemberRow } from "../../core/rows/loyalty.ts";
import type { Tx } from "../../db/db.ts";
import { withWrites } from "../../db/together.ts";
import type { NewId, Project } from "../../request.ts";
import type { CardDefinitionRow } from "../../resources/loyalty-v2/card-definitions/store.ts";
import { insertCards } from "../../resources/loyalty-v2/cards/store.ts";
import { insertMembers, view as viewMember } from "../../resources/loyalty-v2/members/store.ts";
import { loadWorlds } from "../points/card-worlds.ts";
import { memberCardView } from "../points/loyalty-cards.ts";
import { saveTierEffects, type TierMoved } from "../points/tier-transactions.ts";

type Enrolling = {
  db: Tx;
  project: Pick<Project, "id" | "timezone" | "case_sensitive_codes">;
  now: string;
  newId: NewId;
  random(bytes: number): Uint8Array;
};
/** A customer who is locked, and how they become a member. */
export type NewMember = { customer: CustomerRow; status: "ACTIVE" | "INACTIVE"; metadata: Record<string, unknown> };
export type Enrolled = { member: MemberRow; cards: CardRow[] };

/**
 * Enrols customers who are no members of the program yet, each with a card for every wallet. Whoever is one already is
 * not among those that are returned. The number of statements does not depend on how many there are.
 */
export async function enrol(c: Enrolling, setup: ProgramSetup, joining: readonly NewMember[]): Promise<Enrolled[]> {
  const { program, definitions } = setup;
  const members = await insertMembers(
    c.db,
    joining.map(({ customer, status, metadata }) => ({
      project_id: c.project.id,
      id: c.newId("lmbr"),
      program_id: program.id,
      customer_id: customer.id,
      status,
      metadata,
      uses: {},
      created_at: c.now,
      updated_at: null,
    })),
  );
  const customers = joining.map(({ customer }) => customer);
  const worldOf = await loadWorlds(c, new Map([[program.id, setup]]), { members, customers });
  const opened = members.flatMap((member) =>
    definitions.map(({ id: card_definition_id }): TierMoved & { card: NewCard } => {
      const { program_id, id: member_id } = member;
      const of = { id: c.newId("lcrd"), program_id, member_id, card_definition_id };
      const world = worldOf(of)!;
      const { card, tiers: effects } = openCard(of, world);
      const { account, tier, created_at } = card;
      return { card: { ...of, account, tier, due_at: dueAt(card, world), created_at, updated_at: null }, effects };
    }),
  );
  const cards = await issue(
    c,
    definitions,
    opened.map(({ card }) => card),
  );
  await withWrites((writes) => saveTierEffects(c.db, c.project.id, opened, writes));
  const by = Map.groupBy(cards, ({ member_id }) => member_id);
  return members.map((member) => ({ member, cards: by.get(member.id) ?? [] }));
}

type NewCard = Omit<CardRow, "code">;

/** Gives each card a code. One that is taken is made again. */
async function issue(
  c: Enrolling,
  definitions: readonly CardDefinitionRow[],
  cards: readonly NewCard[],
): Promise<CardRow[]> {
  const makers = new Map(definitions.map((definition) => [definition.id, codesOf(c, definition)]));
  const issued: CardRow[] = [];
  let wanted = cards;
  for (let attempt = 1; wanted.length > 0; attempt += 1) {
    if (attempt > ATTEMPTS)
      throw new ApiError("invalid_code_config", {
        details: `No free code was found in ${ATTEMPTS} attempts: make the pattern of the card definition longer`,
      });
    const rows = wanted.map((card) => ({ ...card, code: makers.get(card.card_definition_id)!() }));
    const saved = await insertCards(c.db, c.project, rows);
    issued.push(...rows.filter(({ id }) => saved.has(id)));
    wanted = wanted.filter(({ id }) => !saved.has(id));
  }
  return issued.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
const ATTEMPTS = 20;

/** Makes codes that can be sent as they are. */
function codesOf({ random, project }: Enrolling, { code_config }: CardDefinitionRow): () => string {
  const { prefix, pattern, postfix, charset } = code_config;
  const template = codeTemplate({ pattern: `${prefix}${pattern}${postfix}`, charset }, charset);
  if ("fault" in template) throw new ApiError("invalid_code_config", { details: template.fault });
  const make = createCodeMaker(template, random);
  const isUsable = (code: string) =>
    trimCode(code) === code && codeFault(foldCode(code, project.case_sensitive_codes)) === null;
  return () => {
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      const code = make();
      if (isUsable(code)) return code;
    }
    throw new ApiError("invalid_code_config", { details: "No code can be made that can be sent" });
  };
}

/** What is told of new members: theirs, and that of each card. */
export const enrolmentEvents = (enrolled: readonly Enrolled[]) =>
  enrolled.flatMap(({ member, cards }) => {
    const shown = viewMember(member);
    return [
      { kind: "vl.member.created" as const, subject_id: member.id, payload: { member: shown } },
      ...cards.flatMap((card) => {
        const { card: own, ...member_card } = memberCardView(card, []);
        const payload = { member: shown, card: own, member_card };
        return [
          { kind: "vl.card.created" as const, subject_id: card.id, payload: { card: own } },
          { kind: "vl.card.code_generation.succeeded" as const, subject_id: card.id, payload: { card: own } },
          { kind: "vl.card.assigned" as const, subject_id: card.id, payload },
          { kind: "vl.member.card.assigned" as const, subject_id: member.id, payload },
        ];
      }),
    ];
  });

import { foldCode, trimCode } from "../../../core/codes/code.ts";
import { notFound } from "../../../core/errors.ts";
import type { CardState } from "../../../core/loyalty/card/card.ts";
import type { CardRow } from "../../../core/rows/loyalty.ts";
import type { Db, Fragment, IdList, Tx } from "../../../db/db.ts";
import { updateEach } from "../../../db/each-row.ts";
import { namedBy } from "../../../db/records.ts";
import type { Project } from "../../../request.ts";

/** What a change of a card sets. */
export type CardSaved = Pick<CardRow, "id" | "account" | "tier" | "due_at" | "updated_at">;

const COLUMNS = [
  ...["id", "program_id", "member_id", "card_definition_id", "code", "account", "tier", "due_at"],
  ...["created_at", "updated_at"],
];

/** Inserts those whose codes are free, and returns their ids. */
export async function insertCards(
  tx: Tx,
  { id: project_id, case_sensitive_codes }: Pick<Project, "id" | "case_sensitive_codes">,
  cards: readonly CardRow[],
): Promise<Set<string>> {
  if (cards.length === 0) return new Set();
  const rows = cards
    .map((card) => ({ project_id, ...card, code_folded: foldCode(card.code, case_sensitive_codes) }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const saved = await tx<{ id: string }[]>`
    insert into loyalty_cards ${tx(rows as never)} on conflict (project_id, code_folded) do nothing returning id`;
  return new Set(saved.map(({ id }) => id));
}

/** The cards of members, in the order in which they were made. Those of deleted members are none. */
export const cardsOfMembers = (db: Db, projectId: string, memberIds: readonly string[]): PromiseLike<CardRow[]> =>
  db<CardRow[]>`
    select ${db(COLUMNS)} from loyalty_cards
    where project_id = ${projectId} and member_id = any(${memberIds}) and deleted_at is null order by id`;

/** Cards that are not deleted, by id. */
export const cardsById = (db: Db, projectId: string, ids: readonly string[]): PromiseLike<CardRow[]> =>
  db<CardRow[]>`
    select ${db(COLUMNS)} from loyalty_cards
    where project_id = ${projectId} and id = any(${ids}) and deleted_at is null order by id`;

export const cardsByCode = (
  db: Db,
  { id, case_sensitive_codes }: Pick<Project, "id" | "case_sensitive_codes">,
  codes: readonly string[],
): PromiseLike<{ id: string; member_id: string; code_folded: string }[]> =>
  db<{ id: string; member_id: string; code_folded: string }[]>`
    select id, member_id, code_folded from loyalty_cards
    where project_id = ${id} and code_folded = any(${codes.map((code) => foldCode(trimCode(code), case_sensitive_codes))})
      and deleted_at is null order by id`;

export async function getCard(
  db: Db,
  projectId: string,
  { memberId, cardId }: { memberId: string; cardId: string },
): Promise<CardRow> {
  const [row] = await db<CardRow[]>`
    select ${db(COLUMNS)} from loyalty_cards
    where project_id = ${projectId} and id = ${cardId} and member_id = ${memberId} and deleted_at is null`;
  if (!row) throw notFound("card", cardId);
  return row;
}

/** Cards by their ids, or those of their members. */
export type CardNames = { ids?: readonly string[]; memberIds?: IdList };
const whereNamed = (db: Db, { ids = [], memberIds = [] }: CardNames) =>
  "length" in memberIds ? namedBy(db, { id: ids, member_id: memberIds }) : db`member_id = any(${memberIds})`;

/** Locks cards that are not deleted. Their members are locked before. */
export const lockCards = (tx: Tx, projectId: string, which: CardNames): PromiseLike<CardRow[]> =>
  tx<CardRow[]>`
    select ${tx(COLUMNS)} from loyalty_cards
    where project_id = ${projectId} and ${whereNamed(tx, which)} and deleted_at is null
    order by id for no key update`.execute();

/** Their ids, for a statement behind the one that locks them. */
export const idsOfCards = (db: Db, projectId: string, which: CardNames): Fragment => db`array(
  select id from loyalty_cards where project_id = ${projectId} and ${whereNamed(db, which)} and deleted_at is null)`;

/** Sets what can change of cards that are locked. */
export async function saveCards(tx: Tx, projectId: string, cards: readonly CardSaved[]): Promise<void> {
  if (cards.length === 0) return;
  const update = tx`
    update loyalty_cards c set account = x.account, tier = x.tier, due_at = x.due_at, updated_at = x.updated_at
    from unnest((select ${cards.map((card) => card.id)}::text[]), ${cards.map((card) => JSON.stringify(card.account))}::text[]::jsonb[],
      ${cards.map((card) => card.tier && JSON.stringify(card.tier))}::text[]::jsonb[],
      ${cards.map((card) => card.due_at)}::timestamptz[], ${cards.map((card) => card.updated_at)}::timestamptz[])
      as x (id, account, tier, due_at, updated_at)
    where c.project_id = ${projectId} and c.id = x.id`;
  await updateEach(tx, projectId, cards.length, update);
}

/** Deletes the cards of members. What they hold stays in the ledger; time changes it no more, and nothing shows it. */
export const deleteCards = (
  tx: Tx,
  projectId: string,
  { memberIds, now }: { memberIds: readonly string[]; now: string },
): PromiseLike<CardRow[]> => tx<CardRow[]>`
  update loyalty_cards set deleted_at = ${now}, updated_at = ${now}, due_at = null
  where project_id = ${projectId} and member_id = any(${memberIds}) and deleted_at is null
  returning ${tx(COLUMNS)}`;

/** A card as the core changes it. */
export const cardState = (card: CardRow, lots: CardState["lots"]): CardState => {
  const { id, program_id, member_id, card_definition_id, created_at, account, tier } = card;
  return { id, program_id, member_id, card_definition_id, created_at, account, lots, tier };
};

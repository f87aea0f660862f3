import { notFound } from "../../../core/errors.ts";
import type { MemberRow } from "../../../core/rows/loyalty.ts";
import { type CursorAsked, type CursorPage, cursorPage } from "../../../db/cursor.ts";
import type { Db, Fragment, IdList, Tx } from "../../../db/db.ts";
import { updateEach } from "../../../db/each-row.ts";
import type { Member } from "./schema.ts";

export const view = ({ project_id: _, uses: __, customer_id, ...row }: MemberRow): Member => ({
  ...row,
  customer_id: customer_id ?? "",
  object: "member",
});

/** Enrols those who are no members yet, and returns them. New rows are inserted in the order of their ids. */
export async function insertMembers(tx: Tx, rows: readonly MemberRow[]): Promise<MemberRow[]> {
  if (rows.length === 0) return [];
  const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return tx<MemberRow[]>`insert into loyalty_members ${tx(sorted as never)} on conflict do nothing returning *`;
}

/** A member of the program that is not deleted. */
export async function getMember(
  db: Db,
  projectId: string,
  { programId, memberId }: { programId: string; memberId: string },
): Promise<MemberRow> {
  const [row] = await db<MemberRow[]>`
    select * from loyalty_members where project_id = ${projectId} and id = ${memberId}
      and program_id = ${programId} and status <> 'DELETED'`;
  if (!row) throw notFound("member", memberId);
  return row;
}

/** Members of any program that are not deleted, by id. */
export const loadMembersById = (db: Db, projectId: string, ids: readonly string[]): PromiseLike<MemberRow[]> =>
  db<MemberRow[]>`
    select * from loyalty_members where project_id = ${projectId} and id = any(${ids}) and status <> 'DELETED'
    order by id`;

/** The memberships of customers in all programs, or in one, oldest first. */
export const membersOfCustomers = (
  db: Db,
  projectId: string,
  { customerIds, programId }: { customerIds: readonly string[]; programId?: string },
): PromiseLike<MemberRow[]> => db<MemberRow[]>`
  select * from loyalty_members where project_id = ${projectId} and customer_id = any(${customerIds})
    and status <> 'DELETED' and ${programId === undefined ? db`true` : db`program_id = ${programId}`}
  order by id`;

/** Locks those that are not deleted, before their cards. */
export const lockMembers = (tx: Tx, projectId: string, ids: readonly string[]): PromiseLike<MemberRow[]> =>
  tx<MemberRow[]>`
    select * from loyalty_members where project_id = ${projectId} and id = any(${ids}) and status <> 'DELETED'
    order by id for no key update`.execute();

/** Locks the memberships of customers, who are locked: nobody else enrols them. */
export const lockMembersOf = (tx: Tx, projectId: string, customerIds: IdList): PromiseLike<MemberRow[]> =>
  tx<MemberRow[]>`
    select * from loyalty_members where project_id = ${projectId} and customer_id = any(${customerIds})
      and status <> 'DELETED'
    order by id for no key update`.execute();

/** Their ids, for a statement behind the one that locks them. */
export const idsOfMembers = (db: Db, projectId: string, customerIds: IdList): Fragment => db`array(
  select id from loyalty_members where project_id = ${projectId} and customer_id = any(${customerIds})
    and status <> 'DELETED')`;

/** Locks the next ones of a program. */
export const lockMembersOfProgram = (
  tx: Tx,
  projectId: string,
  { programId, limit }: { programId: string; limit: number },
): PromiseLike<MemberRow[]> => tx<MemberRow[]>`
  select * from loyalty_members where project_id = ${projectId} and program_id = ${programId} and status <> 'DELETED'
  order by id limit ${limit} for no key update`;

/** Sets what can change of members that are locked. */
export async function saveMembers(tx: Tx, projectId: string, rows: readonly MemberRow[]): Promise<void> {
  if (rows.length === 0) return;
  const update = tx`
    update loyalty_members m set status = x.status, metadata = x.metadata, uses = x.uses, updated_at = x.updated_at
    from unnest((select ${rows.map((r) => r.id)}::text[]), ${rows.map((r) => r.status as string)}::text[],
      ${rows.map((r) => JSON.stringify(r.metadata))}::text[]::jsonb[], ${rows.map((r) => JSON.stringify(r.uses))}::text[]::jsonb[],
      ${rows.map((r) => r.updated_at)}::timestamptz[]) as x (id, status, metadata, uses, updated_at)
    where m.project_id = ${projectId} and m.id = x.id`;
  await updateEach(tx, projectId, rows.length, update);
}

/** How many members a program has, counted up to a number. */
export async function countProgramMembers(
  db: Db,
  projectId: string,
  { programId, max }: { programId: string; max: number },
): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) from (select 1 from loyalty_members
      where project_id = ${projectId} and program_id = ${programId} and status <> 'DELETED' limit ${max}) as x`;
  return row.count;
}

export const listMembers = (
  db: Db,
  of: { project: { id: string; secret: string }; now: string; programId: string },
  asked: CursorAsked,
): Promise<CursorPage<MemberRow>> =>
  cursorPage<MemberRow>(
    db,
    of,
    {
      prefix: "lcrsmbr",
      from: (db) => db`loyalty_members`,
      where: (db) => db`project_id = ${of.project.id} and program_id = ${of.programId} and status <> 'DELETED'`,
      sortable: ["created_at", "status", "customer_id"],
      fields: { id: "id", status: "enum", customer_id: "id", created_at: "date" },
    },
    asked,
  );

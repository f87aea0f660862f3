import type { ComponentKind } from "../../../core/loyalty/program/program.ts";
import { type CursorAsked, type CursorPage, cursorPage } from "../../../db/cursor.ts";
import type { Db, Tx } from "../../../db/db.ts";

/** What a program uses. What customers change of it, the stock, is not in the catalog. */
export type Assignment = {
  /** Of the catalog only: the interface has none. */
  id: string;
  program_id: string;
  kind: ComponentKind;
  component_id: string;
  created_at: string;
};
export type AssignmentRow = Omit<Assignment, "id"> & {
  project_id: string;
  /** The stock of a reward in this program; null: unlimited. */
  stock_quantity: number | null;
  redeemed: number;
  updated_at: string | null;
};

export const assignmentId = (programId: string, componentId: string): string => `${programId}/${componentId}`;

/** All, or those with these ids, in the order of their assignment. What the catalog snapshot reads. */
export async function loadProgramAssignments(
  db: Db,
  projectId: string,
  ids: readonly string[] | null,
): Promise<Assignment[]> {
  const pairs = (ids ?? []).map((id) => id.split("/"));
  const among =
    ids === null
      ? db`true`
      : db`(program_id, component_id) in (
          select * from unnest(${pairs.map(([program]) => program!)}::text[], ${pairs.map(([, one]) => one ?? "")}::text[]))`;
  const rows = await db<Omit<Assignment, "id">[]>`
    select program_id, kind, component_id, created_at from loyalty_assignments
    where project_id = ${projectId} and ${among} order by created_at, component_id`;
  return rows.map((row) => ({ ...row, id: assignmentId(row.program_id, row.component_id) }));
}

/** What a program uses, as it is now. */
export const assignmentsOf = (db: Db, projectId: string, programId: string): PromiseLike<AssignmentRow[]> =>
  db<AssignmentRow[]>`
    select * from loyalty_assignments where project_id = ${projectId} and program_id = ${programId}
    order by created_at, component_id`;

/** What programs use, as it is now. */
export const assignmentsOfPrograms = (
  db: Db,
  projectId: string,
  programIds: readonly string[],
): PromiseLike<AssignmentRow[]> => db<AssignmentRow[]>`
  select * from loyalty_assignments where project_id = ${projectId} and program_id = any(${programIds})
  order by program_id, created_at, component_id`;

/** Returns the rows that were not assigned before. */
export async function insertAssignments(tx: Tx, rows: readonly AssignmentRow[]): Promise<AssignmentRow[]> {
  if (rows.length === 0) return [];
  return tx<AssignmentRow[]>`
    insert into loyalty_assignments ${tx(rows as never)} on conflict do nothing returning *`;
}

/** Returns the assignments that it deleted: these, or all of the program. */
export const deleteAssignments = (
  tx: Tx,
  projectId: string,
  programId: string,
  componentIds: readonly string[] | null,
): PromiseLike<AssignmentRow[]> => tx<AssignmentRow[]>`
  delete from loyalty_assignments where project_id = ${projectId} and program_id = ${programId}
    and ${componentIds === null ? tx`true` : tx`component_id = any(${componentIds})`}
  returning *`;

/** Sets what is left of a reward; undefined when the program does not have it. */
export async function setStock(
  tx: Tx,
  projectId: string,
  { programId, rewardId, stock, now }: { programId: string; rewardId: string; stock: number | null; now: string },
): Promise<AssignmentRow | undefined> {
  const [row] = await tx<AssignmentRow[]>`
    update loyalty_assignments set stock_quantity = ${stock}, updated_at = ${now}
    where project_id = ${projectId} and program_id = ${programId} and component_id = ${rewardId} and kind = 'reward'
    returning *`;
  return row;
}

/** Locks what is left of a reward in a program. Cards are locked before it. */
export async function lockRewardStock(
  tx: Tx,
  projectId: string,
  { programId, rewardId }: { programId: string; rewardId: string },
): Promise<AssignmentRow | undefined> {
  const [row] = await tx<AssignmentRow[]>`
    select * from loyalty_assignments
    where project_id = ${projectId} and program_id = ${programId} and component_id = ${rewardId} and kind = 'reward'
    order by component_id for no key update`;
  return row;
}

/** One was bought, or given back. The row is locked; what there is without limit stays so. */
export const countPurchase = (
  tx: Tx,
  projectId: string,
  { programId, rewardId, by }: { programId: string; rewardId: string; by: 1 | -1 },
) => tx`
  update loyalty_assignments set stock_quantity = stock_quantity - ${by}, redeemed = greatest(0, redeemed + ${by})
  where project_id = ${projectId} and program_id = ${programId} and component_id = ${rewardId} and kind = 'reward'`;

const TABLES: Record<ComponentKind, string> = {
  card_definition: "loyalty_card_definitions",
  tier_structure: "loyalty_tier_structures",
  earning_rule: "loyalty_earning_rules",
  reward: "loyalty_rewards",
};

/** Locks those of the components that exist, so that none is changed or deleted meanwhile, and returns their ids. */
export async function lockComponents(
  tx: Tx,
  projectId: string,
  { kind, ids }: { kind: ComponentKind; ids: readonly string[] },
): Promise<Set<string>> {
  const table = TABLES[kind];
  const rows = await tx<{ id: string }[]>`
    select id from ${tx(table)} where project_id = ${projectId} and id = any(${ids}) and status <> 'DELETED'
    order by id for no key update`;
  return new Set(rows.map(({ id }) => id));
}

/** How the lists of what is assigned to a program are read. */
export const listProgramAssignments = (
  db: Db,
  of: { project: { id: string; secret: string }; now: string },
  { programId, kind, prefix }: { programId: string; kind: ComponentKind; prefix: `lcrs${string}` },
  asked: CursorAsked,
): Promise<CursorPage<AssignmentRow & { id: string }>> =>
  cursorPage<AssignmentRow & { id: string }>(
    db,
    of,
    {
      prefix,
      from: (db) => db`(
        select component_id as id, * from loyalty_assignments
        where project_id = ${of.project.id} and program_id = ${programId} and kind = ${kind}) as a`,
      where: (db) => db`true`,
      sortable: ["created_at"],
    },
    asked,
  );

import { crudStore } from "../../../db/crud-store.ts";
import type { Tx } from "../../../db/db.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { Category } from "./schema.ts";

export type CategoryRow = Omit<Category, "object"> & { project_id: string };

export const categories = crudStore<CategoryRow>({
  table: "categories",
  object: "category",
  columns: columnsOf(Category),
  sortable: ["created_at", "name", "hierarchy"],
  fields: { id: "id", name: "string", hierarchy: "number", created_at: "date" },
});

export const view = ({ project_id: _, ...row }: CategoryRow): Category => ({ ...row, object: "category" });

/** Locks those of the categories that exist, so that none of them is deleted meanwhile, and returns their ids. */
export async function lockCategories(tx: Tx, projectId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ id: string }[]>`
    select id from categories where project_id = ${projectId} and id = any(${ids}) order by id for no key update`;
  return new Set(rows.map(({ id }) => id));
}

/** The category of that name; it is made, with the hierarchy that new ones have, when there is none. */
export async function categoryNamed(
  tx: Tx,
  projectId: string,
  made: Pick<CategoryRow, "id" | "name" | "created_at">,
): Promise<{ row: CategoryRow; created: boolean }> {
  const [created] = await tx<CategoryRow[]>`
    insert into categories (project_id, id, name, hierarchy, created_at)
    values (${projectId}, ${made.id}, ${made.name}, 1, ${made.created_at})
    on conflict (project_id, name) do nothing returning *`;
  if (created) return { row: created, created: true };
  const [row] = await tx<CategoryRow[]>`
    select * from categories where project_id = ${projectId} and name = ${made.name}`;
  return { row: row!, created: false };
}

import { crudStore } from "../../db/crud-store.ts";
import type { Tx } from "../../db/db.ts";
import { columnsOf } from "../../http/schemas.ts";
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

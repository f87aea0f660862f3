import { crudStore } from "../../db/crud-store.ts";
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

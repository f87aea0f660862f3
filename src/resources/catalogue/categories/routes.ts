import { removeCategory } from "../../../flows/catalogue/remove-category.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByCategory,
  Category,
  CategoryCreate,
  CategoryDelete,
  CategoryList,
  CategoryQuery,
  CategoryUpdate,
} from "./schema.ts";
import { categories as store, view } from "./store.ts";

export const categoryRoutes = [
  read(
    "GET /v1/categories",
    { id: "listCategories", summary: "List categories", query: CategoryQuery, ok: CategoryList },
    async (c) => list(await store.list(c.db, c.project.id, { ...c.query, now: c.now }), view),
  ),
  write(
    "POST /v1/categories",
    { id: "createCategory", summary: "Create a category", body: CategoryCreate, ok: Category },
    async (c) => {
      const id = c.newId("cat");
      const row = { ...c.body, id, project_id: c.project.id, created_at: c.now, updated_at: null };
      c.changed("category", id);
      return view(await store.insert(c.db, row));
    },
  ),
  read(
    "GET /v1/categories/{categoryId}",
    { id: "getCategory", summary: "Read a category", params: ByCategory, ok: Category },
    async (c) => view(await store.get(c.db, c.project.id, c.params.categoryId)),
  ),
  write(
    "PUT /v1/categories/{categoryId}",
    { id: "updateCategory", summary: "Update a category", params: ByCategory, body: CategoryUpdate, ok: Category },
    async (c) => {
      c.changed("category", c.params.categoryId);
      const patch = { name: c.body.name, hierarchy: c.body.hierarchy, updated_at: c.now };
      return view(await store.update(c.db, c.project.id, c.params.categoryId, patch));
    },
  ),
  write(
    "DELETE /v1/categories/{categoryId}",
    { id: "deleteCategory", summary: "Delete a category", params: ByCategory, query: CategoryDelete, ok: Empty },
    async (c) => removeCategory(c, c.params.categoryId, c.query.remove_from_stacking_rules ?? false),
  ),
];

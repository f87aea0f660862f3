import { type Static, Type } from "typebox";
import { DateRange, DateTime, Filters, listOf, Nullable, open, optional, PageQuery } from "../../../http/schemas.ts";

const writable = {
  name: Type.String({ minLength: 1, maxLength: 200, description: "Unique in the project." }),
  hierarchy: Type.Integer({ minimum: 0, description: "Lower applies first." }),
};

export const Category = Type.Object(
  {
    id: Type.String(),
    ...writable,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("category"),
  },
  { title: "Category" },
);
export type Category = Static<typeof Category>;

export const CategoryCreate = open(writable);
export const CategoryUpdate = open(optional(writable));
export const CategoryList = listOf(Category);
export const CategoryQuery = PageQuery(["created_at", "name", "hierarchy"], {
  created_at: Type.Optional(DateRange),
  filters: Type.Optional(Filters),
});
export const CategoryDelete = Type.Object({
  remove_from_stacking_rules: Type.Optional(
    Type.Boolean({ description: "Take the category out of the stacking rules first, instead of refusing." }),
  ),
});
export const ByCategory = Type.Object({ categoryId: Type.String() });

import { crudStore } from "../../db/crud-store.ts";

export type ProductCollectionRow = {
  project_id: string;
  id: string;
  name: string;
  type: "STATIC" | "AUTO_UPDATE";
  products: { id: string; object: "product" | "sku"; product_id?: string }[];
  filter: Record<string, unknown> | null;
  created_at: string;
  updated_at: string | null;
};

export const productCollections = crudStore<ProductCollectionRow>({
  table: "product_collections",
  object: "products_collection",
  columns: ["project_id", "id", "name", "type", "products", "filter", "created_at", "updated_at"],
  sortable: ["created_at", "updated_at", "name"],
});

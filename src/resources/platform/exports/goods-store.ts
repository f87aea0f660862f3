import { BY_AGE, date, type ExportObject, id, json, money, text } from "../../../db/exported-rows.ts";

const GOODS_FILTERS = {
  id: "id",
  source_id: "string",
  price: "money",
  image_url: "string",
  created_at: "date",
  updated_at: "date",
  "metadata.*": "metadata",
} as const;

export const exportedProducts: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select * from products where project_id = ${projectId} and deleted_at is null) as x`,
  fields: {
    id: id("id"),
    name: text("name"),
    price: money("price"),
    image_url: text("image_url"),
    source_id: text("source_id"),
    // As the import of products takes them: `size,colour`.
    attributes: {
      ...json((db) => db`to_jsonb(attributes)`),
      inCsv: text((db) => db`array_to_string(attributes, ',')`),
    },
    created_at: date("created_at"),
    updated_at: date("updated_at"),
    metadata: json("metadata"),
  },
  defaults: ["id", "name", "price", "image_url", "source_id", "attributes", "created_at"],
  orders: BY_AGE,
  defaultOrder: "-created_at",
  filters: { ...GOODS_FILTERS, name: "string" },
  metadataOf: "product",
};

export const exportedSkus: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select * from skus where project_id = ${projectId} and deleted_at is null) as x`,
  fields: {
    id: id("id"),
    sku: text("sku"),
    product_id: id("product_id"),
    currency: text("currency"),
    price: money("price"),
    image_url: text("image_url"),
    source_id: text("source_id"),
    attributes: json("attributes"),
    created_at: date("created_at"),
    updated_at: date("updated_at"),
    metadata: json("metadata"),
  },
  defaults: ["id", "sku", "product_id", "currency", "price", "image_url", "source_id", "attributes", "created_at"],
  orders: BY_AGE,
  defaultOrder: "-created_at",
  filters: { ...GOODS_FILTERS, sku: "string", product_id: "id" },
  // There is one schema for both.
  metadataOf: "product",
};

import { ALL_PRODUCTS_ID } from "../../../core/discounts/discount.ts";
import { notFound } from "../../../core/errors.ts";
import { toInstant } from "../../../core/filters/filter.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import type { ProductCollection } from "./schema.ts";

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

export const OBJECT = "products_collection";

export const productCollections = crudStore<ProductCollectionRow>({
  table: "product_collections",
  object: OBJECT,
  columns: ["project_id", "id", "name", "type", "products", "filter", "created_at", "updated_at"],
  sortable: ["created_at", "updated_at", "name"],
});

export const view = ({ project_id: _, products, filter, ...row }: ProductCollectionRow): ProductCollection => ({
  ...row,
  ...(filter === null ? { products } : { filter }),
  object: OBJECT,
});

/** Every project has the collection of all products, as old as the project itself. It is not stored. */
export async function getProductCollection(db: Db, projectId: string, id: string): Promise<ProductCollectionRow> {
  if (id !== ALL_PRODUCTS_ID) return productCollections.get(db, projectId, id);
  const [project] = await db<{ created_at: string }[]>`select created_at from projects where id = ${projectId}`;
  const stamps = { created_at: project!.created_at, updated_at: null };
  const filter = { junction: "and" };
  return { project_id: projectId, id, name: "All Products", type: "AUTO_UPDATE", products: [], filter, ...stamps };
}

export async function lockProductCollection(tx: Tx, projectId: string, id: string): Promise<ProductCollectionRow> {
  const [row] = await tx<ProductCollectionRow[]>`
    select * from product_collections where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound(OBJECT, id);
  return row;
}

/** How many there are. Nobody else creates one until the transaction ends. */
export async function lockCount(tx: Tx, projectId: string): Promise<number> {
  await tx`select project_id from tenants where project_id = ${projectId} order by project_id for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*) from product_collections where project_id = ${projectId}`;
  return row!.count;
}

/** The validation rules that name the collection, wherever in them. */
export async function rulesNaming(db: Db, projectId: string, id: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from validation_rules where project_id = ${projectId} and (
      jsonb_path_exists(rules, '$.** ? (@ == $id)', jsonb_build_object('id', ${id}::text))
      or jsonb_path_exists(bundle_rules, '$.** ? (@ == $id)', jsonb_build_object('id', ${id}::text))
      or jsonb_path_exists(applicable_to, '$.** ? (@ == $id)', jsonb_build_object('id', ${id}::text)))
    order by id`;
  return rows.map((row) => row.id);
}

/** A product or SKU of the catalogue, and where it stands in the order. */
export type ItemKey = { object: "product" | "sku"; id: string; sort_key: string };
export type ItemsQuery = {
  order: string;
  starting_after?: string;
  /** Only these: the members of a static collection. */
  members?: { products: readonly string[]; skus: readonly string[] };
};

type Part = { limit: number; offset?: number; after?: ItemKey | undefined };

/** Those that were never updated come last in the order of `updated_at`, as NULL does. */
const sortColumn = (db: Db, order: string): Fragment =>
  order.endsWith("updated_at") ? db`coalesce(updated_at, '9999-12-31T00:00:00Z'::timestamptz)` : db`created_at`;

function conditionsOf(db: Db, { order, starting_after, members }: ItemsQuery) {
  const start = starting_after === undefined ? null : toInstant(starting_after);
  const since =
    start === null ? db`true` : order.startsWith("-") ? db`created_at < ${start}` : db`created_at > ${start}`;
  const live = db`deleted_at is null and ${since}`;
  if (!members) return { ofProducts: live, ofSkus: live };
  const { products, skus } = members;
  return {
    ofProducts: db`${live} and id = any(${products})`,
    ofSkus: db`${live} and (id = any(${skus}) or product_id = any(${products}))`,
  };
}

/** Products and SKUs together. Each kind gives no more rows than the page can need, so that indexes are walked. */
export function listItems(db: Db, projectId: string, query: ItemsQuery, { limit, offset = 0, after }: Part) {
  const { ofProducts, ofSkus } = conditionsOf(db, query);
  const isDown = query.order.startsWith("-");
  const key = sortColumn(db, query.order);
  const direction = isDown ? db`desc` : db`asc`;
  const sign = isDown ? db`<` : db`>`;
  const rest = after ? db`(${key}, id) ${sign} (${after.sort_key}::timestamptz, ${after.id}::text)` : db`true`;
  const most = db`order by ${key} ${direction}, id ${direction} limit ${limit + offset}`;
  return db<ItemKey[]>`
    select * from (
      (select 'product' as object, id, ${key} as sort_key from products
        where project_id = ${projectId} and ${ofProducts} and ${rest} ${most})
      union all
      (select 'sku' as object, id, ${key} as sort_key from skus
        where project_id = ${projectId} and ${ofSkus} and ${rest} ${most})
    ) as items order by sort_key ${direction}, id ${direction} limit ${limit} offset ${offset}`;
}

export async function countItems(db: Db, projectId: string, query: ItemsQuery): Promise<number> {
  const { ofProducts, ofSkus } = conditionsOf(db, query);
  const [row] = await db<{ count: number }[]>`
    select (select count(*) from products where project_id = ${projectId} and ${ofProducts})
      + (select count(*) from skus where project_id = ${projectId} and ${ofSkus}) as count`;
  return row!.count;
}

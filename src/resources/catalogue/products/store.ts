import { SHIPPING_PRODUCT_ID, SHIPPING_SOURCE_ID } from "../../../core/discounts/discount.ts";
import { notFound } from "../../../core/errors.ts";
import { toInstant } from "../../../core/filters/filter.ts";
import { crudStore, pageSql } from "../../../db/crud-store.ts";
import type { Db, Fragment, IdList, Tx } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import { insertUntaken, lockBySource, tenantOf } from "../../../db/records.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { Product, type ProductQuery } from "./schema.ts";

/** What is in the bin is in the table, with `deleted_at`. Only the functions that say so see it. */
export type ProductRow = Omit<Product, "object"> & { project_id: string; deleted_at: string | null };

const SORTABLE = ["created_at", "updated_at"];
const FIELDS = {
  id: "id",
  source_id: "string",
  name: "string",
  price: "money",
  image_url: "string",
  created_at: "date",
  updated_at: "date",
  "metadata.*": "metadata",
} as const;
const PAGE_LIMIT = 10;

/** `update` is for a row that was locked before: it would find one in the bin too. */
export const { update: updateProduct } = crudStore<ProductRow>({
  table: "products",
  object: "product",
  columns: columnsOf(Product),
  sortable: SORTABLE,
});

export const view = ({ project_id: _, deleted_at: __, ...row }: ProductRow): Product => ({ ...row, object: "product" });

/** Oldest first unless another order is asked for. The bounds of `start_date` and `end_date` belong to the range. */
export async function listProducts(db: Db, projectId: string, query: ProductQuery & { now: string }) {
  const { limit = PAGE_LIMIT, order = "created_at", page, now, start_date, end_date } = query;
  const from = start_date === undefined ? db`true` : db`created_at >= ${toInstant(start_date)}`;
  const to = end_date === undefined ? db`true` : db`created_at <= ${toInstant(end_date)}`;
  const where = db`deleted_at is null and ${from} and ${to} and ${whereOf(db, query, { fields: FIELDS, now })}`;
  const [rows, counts] = await Promise.all([
    db<ProductRow[]>`
      select * from products where project_id = ${projectId} and ${where}
      ${pageSql(db, { limit, order, ...(page !== undefined && { page }) }, SORTABLE)}`,
    db<{ total: number }[]>`select count(*) as total from products where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

const isReferredTo = (db: Db, reference: string): Fragment => db`(id = ${reference} or source_id = ${reference})`;

/** By its id or, when no id is so, by its source id. */
export async function getProduct(db: Db, projectId: string, reference: string): Promise<ProductRow> {
  const [row] = await db<ProductRow[]>`
    select * from products where project_id = ${projectId} and deleted_at is null and ${isReferredTo(db, reference)}
    order by id = ${reference} desc limit 1`;
  if (row) return row;
  if (!isShipping(reference)) throw notFound("product", reference);
  const [project] = await db<{ created_at: string }[]>`select created_at from projects where id = ${projectId}`;
  return shippingProduct(projectId, project!.created_at);
}

/** Every project has the product for shipping, as old as the project itself. It is not stored, and has no price. */
export const isShipping = (reference: string): boolean =>
  reference === SHIPPING_PRODUCT_ID || reference === SHIPPING_SOURCE_ID;
export const shippingProduct = (project_id: string, created_at: string): ProductRow => ({
  project_id,
  id: SHIPPING_PRODUCT_ID,
  source_id: SHIPPING_SOURCE_ID,
  name: "Shipping",
  price: null,
  attributes: [],
  metadata: {},
  image_url: null,
  created_at,
  updated_at: null,
  deleted_at: null,
});

/** The same, locked: nobody else changes or deletes it, or adds a SKU to it, until the transaction ends. */
export async function lockProduct(tx: Tx, projectId: string, reference: string): Promise<ProductRow> {
  const [row] = await tx<ProductRow[]>`
    select * from products where project_id = ${projectId} and deleted_at is null and ${isReferredTo(tx, reference)}
    order by id = ${reference} desc limit 1 for no key update`;
  if (!row) throw notFound("product", reference);
  return row;
}

export async function lockProductById(tx: Tx, projectId: string, id: string): Promise<ProductRow> {
  const [row] = await tx<ProductRow[]>`
    select * from products where project_id = ${projectId} and id = ${id} and deleted_at is null
    order by id for no key update`;
  if (!row) throw notFound("product", id);
  return row;
}

export async function lockProductBySource(tx: Tx, projectId: string, sourceId: string): Promise<ProductRow | null> {
  const [row] = await tx<ProductRow[]>`
    select * from products where project_id = ${projectId} and source_id = ${sourceId} and deleted_at is null
    order by id for no key update`;
  return row ?? null;
}

/** The products that exist, by id or source id, locked: none of them is deleted meanwhile. */
export const lockProducts = (tx: Tx, projectId: string, references: readonly string[]) =>
  tx<Pick<ProductRow, "id" | "source_id">[]>`
    select id, source_id from products where project_id = ${projectId} and deleted_at is null
      and (id = any(${references}) or source_id = any(${references}))
    order by id for no key update`;

/** The products that exist, by source id, locked. */
export const lockProductsBySource = (tx: Tx, projectId: string, sourceIds: readonly string[]) =>
  lockBySource<ProductRow>(tx, { table: "products", projectId }, sourceIds);

/** Products by id or source id, whole and locked: nobody deletes one while a SKU of it is made. */
export const lockWholeProducts = (tx: Tx, projectId: string, references: readonly string[]) =>
  tx<ProductRow[]>`
    select * from products where project_id = ${projectId} and deleted_at is null
      and (id = any(${references}) or source_id = any(${references}))
    order by id for no key update`;

export const insertProducts = (tx: Tx, projectId: string, rows: readonly ProductRow[]) =>
  insertUntaken(tx, { table: "products", projectId }, rows);

/** Writes products that are locked. */
export async function updateProducts(tx: Tx, projectId: string, rows: readonly ProductRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    update products p set name = x.name, price = x.price, attributes = x.attributes, metadata = x.metadata,
      image_url = x.image_url, updated_at = x.updated_at
    from json_populate_recordset(null::products, ${JSON.stringify(rows)}::text::json) x
    where p.project_id = ${projectId} and p.id = x.id`;
}

/** Null when somebody else has just created one with this source id: then there is one to update. */
export async function insertProduct(tx: Tx, row: Omit<ProductRow, "deleted_at">): Promise<ProductRow | null> {
  const { project_id, id, source_id, name, price, attributes, metadata, image_url, created_at, updated_at } = row;
  const values = { project_id, id, source_id, name, price, attributes, metadata, image_url, created_at, updated_at };
  const [saved] = await tx<ProductRow[]>`
    insert into products ${tx(values as never)}
    on conflict (project_id, source_id) where deleted_at is null do nothing returning *`;
  return saved ?? null;
}

export const productsById = (db: Db, projectId: string, ids: IdList) =>
  db<ProductRow[]>`
    select * from products where project_id = ${projectId} and id = any(${ids}) and deleted_at is null`;

/** Products with one of these names and without a source id; of very many the oldest. */
export const productsNamed = (db: Db, projectId: string, names: readonly string[]) =>
  db<ProductRow[]>`
    select * from products
    where project_id = ${projectId} and name = any(${names}) and source_id is null and deleted_at is null
    order by id limit 1000`;

/**
 * Everything that the references name, by id or by source id: what an order is resolved with. Joined, because a long
 * list is looked up in an index then; one `or` over two lists is compared with every row of a small table.
 */
export function findProducts(db: Db, projectId: string, references: readonly string[]) {
  const ids = references.filter((one) => one.startsWith("prod_"));
  return db<ProductRow[]>`
    select t.* from unnest((select ${ids}::text[])) as x (ref) join products t on t.project_id = ${projectId} and t.id = ref
    where t.deleted_at is null
    union all
    select t.* from unnest((select ${references}::text[])) as x (ref)
      join products t on t.project_id = ${projectId} and t.source_id = ref
    where t.deleted_at is null and t.id <> all(${ids})`;
}

export const binProduct = (tx: Tx, projectId: string, id: string, now: string) =>
  tx`update products set deleted_at = ${now} where project_id = ${projectId} and id = ${id}`;

/** For good, also out of the bin. Its SKUs must be gone. */
export const eraseProduct = (tx: Tx, projectId: string, id: string) =>
  tx`delete from products where project_id = ${projectId} and id = ${id}`;

type Overriding = {
  /** If it has to be made. */
  id: string;
  now: string;
  source_id: string;
  name?: string | null;
  price?: number | null;
  metadata?: Record<string, unknown> | null;
};

/** Makes the products with these source ids, or brings those that are there up to date with what is sent. */
export async function upsertProducts(tx: Tx, projectId: string, given: readonly Overriding[]): Promise<void> {
  const rows = [...new Map(given.map((one) => [one.source_id, one])).values()];
  if (rows.length === 0) return;
  await tx`
    insert into products (project_id, id, source_id, name, price, metadata, created_at)
    select p.project_id, x.id, x.source_id, x.name, x.price, x.metadata, x.now
    from ${tenantOf(tx, projectId)} cross join unnest(
      ${rows.map((r) => r.id)}::text[], ${rows.map((r) => r.source_id)}::text[],
      ${rows.map((r) => r.name ?? null)}::text[], ${rows.map((r) => r.price ?? null)}::bigint[],
      ${rows.map((r) => JSON.stringify(r.metadata ?? {}))}::text[]::jsonb[], ${rows.map((r) => r.now)}::timestamptz[])
      as x (id, source_id, name, price, metadata, now)
    order by x.source_id
    on conflict (project_id, source_id) where deleted_at is null do update set
      name = coalesce(excluded.name, products.name), price = coalesce(excluded.price, products.price),
      metadata = case when excluded.metadata = '{}' then products.metadata else excluded.metadata end,
      updated_at = excluded.created_at`;
}

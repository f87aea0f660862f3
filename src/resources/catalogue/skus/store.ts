import { notFound } from "../../../core/errors.ts";
import { toInstant } from "../../../core/filters/filter.ts";
import { crudStore, pageSql } from "../../../db/crud-store.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import { insertUntaken, lockBySource, tenantOf } from "../../../db/records.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { Sku, type SkuQuery } from "./schema.ts";

/** What is in the bin is in the table, with `deleted_at`. Only the functions that say so see it. */
export type SkuRow = Omit<Sku, "object"> & { project_id: string; deleted_at: string | null };

const SORTABLE = ["created_at", "updated_at"];
const PAGE_LIMIT = 10;

/** `update` is for a row that was locked before: it would find one in the bin too. */
export const { update: updateSku } = crudStore<SkuRow>({
  table: "skus",
  object: "sku",
  columns: columnsOf(Sku),
  sortable: SORTABLE,
});

export const view = ({ project_id: _, deleted_at: __, ...row }: SkuRow): Sku => ({ ...row, object: "sku" });

/** The SKUs of a product, oldest first unless another order is asked for. */
export async function listSkus(db: Db, projectId: string, productId: string, query: SkuQuery) {
  const { limit = PAGE_LIMIT, order = "created_at", page, start_date, end_date } = query;
  const from = start_date === undefined ? db`true` : db`created_at >= ${toInstant(start_date)}`;
  const to = end_date === undefined ? db`true` : db`created_at <= ${toInstant(end_date)}`;
  const where = db`product_id = ${productId} and deleted_at is null and ${from} and ${to}`;
  const [rows, counts] = await Promise.all([
    db<SkuRow[]>`
      select * from skus where project_id = ${projectId} and ${where}
      ${pageSql(db, { limit, order, ...(page !== undefined && { page }) }, SORTABLE)}`,
    db<{ total: number }[]>`select count(*) as total from skus where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** The first so many SKUs of each product, and how many it has, by the id of the product. */
export async function skusOf(db: Db, projectId: string, productIds: readonly string[], most: number) {
  const rows = await db<(SkuRow & { nth: number; total: number })[]>`
    select * from (
      select *, row_number() over (partition by product_id order by created_at, id) as nth,
        count(*) over (partition by product_id) as total
      from skus where project_id = ${projectId} and product_id = any(${productIds}) and deleted_at is null
    ) as ranked where nth <= ${most} order by product_id, nth`;
  const grouped = Map.groupBy(rows, ({ product_id }) => product_id);
  return new Map(
    [...grouped].map(([id, found]) => [
      id,
      { rows: found.map(({ nth: _, total: __, ...row }): SkuRow => row), total: found[0]!.total },
    ]),
  );
}

/** The ids of all SKUs of each product. */
export async function skuIdsOf(db: Db, projectId: string, productIds: readonly string[]) {
  const rows = await db<{ product_id: string; ids: string[] }[]>`
    select product_id, array_agg(id order by created_at, id) as ids from skus
    where project_id = ${projectId} and product_id = any(${productIds}) and deleted_at is null group by product_id`;
  return new Map(rows.map(({ product_id, ids }) => [product_id, ids]));
}

const isReferredTo = (db: Db, reference: string): Fragment => db`(id = ${reference} or source_id = ${reference})`;

/** By its id or, when no id is so, by its source id; of one product, or wherever it is. */
export async function getSku(db: Db, projectId: string, reference: string, productId?: string): Promise<SkuRow> {
  const [row] = await db<SkuRow[]>`
    select * from skus where project_id = ${projectId} and deleted_at is null and ${isReferredTo(db, reference)}
      and ${productId === undefined ? db`true` : db`product_id = ${productId}`}
    order by id = ${reference} desc limit 1`;
  if (!row) throw notFound("sku", reference);
  return row;
}

/** One of a product, locked: nobody else changes or deletes it until the transaction ends. */
export async function lockSku(tx: Tx, projectId: string, reference: string, productId: string): Promise<SkuRow> {
  const [row] = await tx<SkuRow[]>`
    select * from skus where project_id = ${projectId} and deleted_at is null and ${isReferredTo(tx, reference)}
      and product_id = ${productId}
    order by id = ${reference} desc limit 1 for no key update`;
  if (!row) throw notFound("sku", reference);
  return row;
}

export async function lockSkuById(tx: Tx, projectId: string, id: string): Promise<SkuRow> {
  const [row] = await tx<SkuRow[]>`
    select * from skus where project_id = ${projectId} and id = ${id} and deleted_at is null
    order by id for no key update`;
  if (!row) throw notFound("sku", id);
  return row;
}

/** The SKU of any product: a source id is unique in the catalogue. */
export async function lockSkuBySource(tx: Tx, projectId: string, sourceId: string): Promise<SkuRow | null> {
  const [row] = await tx<SkuRow[]>`
    select * from skus where project_id = ${projectId} and source_id = ${sourceId} and deleted_at is null
    order by id for no key update`;
  return row ?? null;
}

/** Those that exist, by source id, locked. */
export const lockSkusBySource = (tx: Tx, projectId: string, sourceIds: readonly string[]) =>
  lockBySource<SkuRow>(tx, { table: "skus", projectId }, sourceIds);

export const insertSkus = (tx: Tx, projectId: string, rows: readonly SkuRow[]) =>
  insertUntaken(tx, { table: "skus", projectId }, rows);

/** Writes the names and prices of SKUs that are locked. */
export async function updateSkus(tx: Tx, projectId: string, rows: readonly SkuRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    update skus s set sku = x.sku, price = x.price, updated_at = x.updated_at
    from json_populate_recordset(null::skus, ${JSON.stringify(rows)}::text::json) x
    where s.project_id = ${projectId} and s.id = x.id`;
}

/** Null when somebody else has just created one with this source id: then there is one to update. */
export async function insertSku(tx: Tx, row: Omit<SkuRow, "deleted_at">): Promise<SkuRow | null> {
  const { project_id, id, source_id, product_id, sku, price, currency, attributes, metadata, image_url } = row;
  const { created_at, updated_at } = row;
  const written = { project_id, id, source_id, product_id, sku, price, currency, attributes, metadata, image_url };
  const [saved] = await tx<SkuRow[]>`
    insert into skus ${tx({ ...written, created_at, updated_at } as never)}
    on conflict (project_id, source_id) where deleted_at is null do nothing returning *`;
  return saved ?? null;
}

export const skusById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<SkuRow[]>`select * from skus where project_id = ${projectId} and id = any(${ids}) and deleted_at is null`;

function named(db: Db, projectId: string, references: readonly string[]): Fragment {
  const ids = references.filter((one) => one.startsWith("sku_"));
  return db`
    select t.* from unnest((select ${ids}::text[])) as x (ref) join skus t on t.project_id = ${projectId} and t.id = ref
    where t.deleted_at is null
    union all
    select t.* from unnest((select ${references}::text[])) as x (ref)
      join skus t on t.project_id = ${projectId} and t.source_id = ref
    where t.deleted_at is null and t.id <> all(${ids})`;
}

/** Everything that the references name, by id or by source id: what an order is resolved with. */
export const findSkus = (db: Db, projectId: string, references: readonly string[]) =>
  db<SkuRow[]>`select * from (${named(db, projectId, references)}) as s`;

/** The ids of their products, for a statement that does not wait for these SKUs. */
export const productIdsOf = (db: Db, projectId: string, references: readonly string[]): Fragment =>
  db`array(select product_id from (${named(db, projectId, references)}) as s)`;

export const binSku = (tx: Tx, projectId: string, id: string, now: string) =>
  tx`update skus set deleted_at = ${now} where project_id = ${projectId} and id = ${id}`;

/** With their product, so without entries of their own. */
export const binSkusOf = (tx: Tx, projectId: string, productId: string, now: string) =>
  tx`
    update skus set deleted_at = ${now}
    where project_id = ${projectId} and product_id = ${productId} and deleted_at is null`;

/** For good, also out of the bin. */
export const eraseSku = (tx: Tx, projectId: string, id: string) =>
  tx`delete from skus where project_id = ${projectId} and id = ${id}`;

/** All of a product, for good; those that lay in the bin too. */
export async function eraseSkusOf(tx: Tx, projectId: string, productId: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    delete from skus where project_id = ${projectId} and product_id = ${productId} returning id`;
  return rows.map(({ id }) => id);
}

type Overriding = {
  /** If it has to be made. */
  id: string;
  now: string;
  source_id: string;
  product_id: string;
  sku?: string | null;
  price?: number | null;
  metadata?: Record<string, unknown> | null;
};

/** Makes the SKUs with these source ids, or brings those that are there up to date with what is sent. */
export async function upsertSkus(tx: Tx, projectId: string, given: readonly Overriding[]): Promise<void> {
  const rows = [...new Map(given.map((one) => [one.source_id, one])).values()];
  if (rows.length === 0) return;
  await tx`
    insert into skus (project_id, id, source_id, product_id, sku, price, metadata, created_at)
    select p.project_id, x.id, x.source_id, x.product_id, x.sku, x.price, x.metadata, x.now
    from ${tenantOf(tx, projectId)} cross join unnest(
      ${rows.map((r) => r.id)}::text[], ${rows.map((r) => r.source_id)}::text[],
      ${rows.map((r) => r.product_id)}::text[], ${rows.map((r) => r.sku ?? null)}::text[],
      ${rows.map((r) => r.price ?? null)}::bigint[], ${rows.map((r) => JSON.stringify(r.metadata ?? {}))}::text[]::jsonb[],
      ${rows.map((r) => r.now)}::timestamptz[]) as x (id, source_id, product_id, sku, price, metadata, now)
    order by x.source_id
    on conflict (project_id, source_id) where deleted_at is null do update set
      sku = coalesce(excluded.sku, skus.sku), price = coalesce(excluded.price, skus.price),
      metadata = case when excluded.metadata = '{}' then skus.metadata else excluded.metadata end,
      updated_at = excluded.created_at`;
}

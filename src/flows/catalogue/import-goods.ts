import { listCell, moneyCell, objectCell, textCell } from "../../core/bulk/cells.ts";
import type { Columns } from "../../core/bulk/columns.ts";
import type { BulkOutcome } from "../../core/bulk/entry.ts";
import { ApiError, type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { metadataSizeFault } from "../../core/metadata/size.ts";
import { skuMetadata } from "../../core/order/collections.ts";
import { StartOver } from "../../db/batches/commit.ts";
import {
  insertProducts,
  lockProductsBySource,
  lockWholeProducts,
  type ProductRow,
  updateProducts,
} from "../../resources/catalogue/products/store.ts";
import { insertSkus, lockSkusBySource, type SkuRow, updateSkus } from "../../resources/catalogue/skus/store.ts";
import type { ImportCtx, ImportKind } from "../../steps/bulk/imports.ts";

const ID_MAX = 200;
const NAME_MAX = 1000;
const ATTRIBUTE_MAX = 200;
const ATTRIBUTES_MAX = 100;
const URL_MAX = 5000;

type Metadata = Record<string, unknown>;
type ProductLine = {
  name: string;
  source_id?: string;
  price?: number;
  attributes?: string[];
  image_url?: string;
  metadata: Metadata;
};

const PRODUCT_COLUMNS: Columns = {
  name: { field: "name", parse: textCell(NAME_MAX), isRequired: "file" },
  source_id: { field: "source_id", parse: textCell(ID_MAX) },
  price: { field: "price", parse: moneyCell },
  attributes: { field: "attributes", parse: listCell(textCell(ATTRIBUTE_MAX)) },
  image_url: { field: "image_url", parse: textCell(URL_MAX) },
};

/** Products from a file. Of one that is there only the name is changed. */
export const PRODUCT_FILE: ImportKind<ProductLine> = {
  noun: "product",
  key: "source_id",
  isPersonal: false,
  columns: PRODUCT_COLUMNS,
  schemaOf: ({ catalog }) => catalog.metadata_schemas.get("product"),
  bodyOf: ({ fields, metadata }) => ({ value: { ...fields, metadata } as ProductLine }),
  save: async (c, values) => {
    const sourceIds = [...new Set(values.flatMap(({ source_id }) => source_id ?? []))];
    const known = await lockProductsBySource(c.db, c.project.id, sourceIds);
    const rows = new Map(known.map((row) => [row.source_id!, row]));
    const [made, written]: [Set<string>, Map<string, ProductRow>] = [new Set(), new Map()];
    const outcomes = values.map((line): BulkOutcome => {
      const before = line.source_id === undefined ? undefined : rows.get(line.source_id);
      const refused = before ? null : productRefusal(c, line);
      if (refused) return { found: false, refused };
      const row = before ? { ...before, name: line.name, updated_at: c.now } : newProduct(c, line);
      if (!before) made.add(row.id);
      if (row.source_id !== null) rows.set(row.source_id, row);
      written.set(row.id, row);
      return { found: before !== undefined };
    });
    const isMade = ({ id }: ProductRow) => made.has(id);
    const inserted = await insertProducts(c.db, c.project.id, [...written.values()].filter(isMade));
    if (inserted < made.size) throw new StartOver("a product with this source id was made meanwhile");
    await updateProducts(
      c.db,
      c.project.id,
      [...written.values()].filter((row) => !isMade(row)),
    );
    return outcomes;
  },
};

function newProduct(c: ImportCtx, line: ProductLine): ProductRow {
  const { source_id = null, name, price = null, attributes = [], metadata, image_url = null } = line;
  const stamps = { project_id: c.project.id, id: c.newId("prod"), created_at: c.now, updated_at: null };
  return { ...stamps, source_id, name, price, attributes, metadata, image_url, deleted_at: null };
}

function productRefusal(c: ImportCtx, { attributes = [], metadata }: ProductLine): ErrorBody | null {
  if (attributes.length > ATTRIBUTES_MAX)
    return errorBody("invalid_payload", { details: `attributes must NOT have more than ${ATTRIBUTES_MAX} items` });
  const fault = metadataFault(c.catalog.metadata_schemas, "product", { metadata, on: "create" });
  if (fault !== null) return errorBody("metadata_validation_failed", { details: fault });
  const tooLarge = metadataSizeFault(metadata);
  return tooLarge === null ? null : errorBody("invalid_payload", { details: tooLarge });
}

type SkuLine = {
  product_id: string;
  source_id: string;
  sku?: string;
  price?: number;
  image_url?: string;
  attributes?: Record<string, unknown>;
  metadata: Metadata;
};

const SKU_COLUMNS: Columns = {
  product_id: { field: "product_id", parse: textCell(ID_MAX), isRequired: "file" },
  source_id: { field: "source_id", parse: textCell(ID_MAX), isRequired: "file" },
  sku: { field: "sku", parse: textCell(NAME_MAX) },
  price: { field: "price", parse: moneyCell },
  image_url: { field: "image_url", parse: textCell(URL_MAX) },
  attributes: { field: "attributes", parse: objectCell },
};

/** SKUs from a file. Of one that is there only the name and the price are changed. */
export const SKU_FILE: ImportKind<SkuLine> = {
  noun: "sku",
  key: "source_id",
  isPersonal: false,
  columns: SKU_COLUMNS,
  schemaOf: ({ catalog }) => catalog.metadata_schemas.get("product"),
  bodyOf: ({ fields, metadata }) => ({ value: { ...fields, metadata } as SkuLine }),
  save: async (c, values) => {
    const references = [...new Set(values.map(({ product_id }) => product_id))];
    const products = productsNamed(await lockWholeProducts(c.db, c.project.id, references));
    const sourceIds = [...new Set(values.map(({ source_id }) => source_id))];
    const rows = new Map((await lockSkusBySource(c.db, c.project.id, sourceIds)).map((row) => [row.source_id!, row]));
    const [made, changed]: [Map<string, SkuRow>, Map<string, SkuRow>] = [new Map(), new Map()];
    const outcomes = values.map((line): BulkOutcome => {
      const before = rows.get(line.source_id);
      const product = products.get(line.product_id);
      const after = product
        ? skuAfter(c, { line, before, product })
        : { refused: notFound("product", line.product_id).body };
      if ("refused" in after) return { found: before !== undefined, ...after };
      rows.set(line.source_id, after.row);
      const isNew = !before || made.has(line.source_id);
      (isNew ? made : changed).set(line.source_id, after.row);
      return { found: before !== undefined };
    });
    if ((await insertSkus(c.db, c.project.id, [...made.values()])) < made.size)
      throw new StartOver("a SKU with this source id was made meanwhile");
    await updateSkus(c.db, c.project.id, [...changed.values()]);
    return outcomes;
  },
};

/** Products by what rows call them: their ids come before source ids. */
const productsNamed = (products: readonly ProductRow[]): ReadonlyMap<string, ProductRow> =>
  new Map([...products.map((row) => [row.source_id!, row] as const), ...products.map((row) => [row.id, row] as const)]);

function skuAfter(
  c: ImportCtx,
  { line, before, product }: { line: SkuLine; before: SkuRow | undefined; product: ProductRow },
): { row: SkuRow } | { refused: ErrorBody } {
  const { source_id, sku, price, attributes = {}, metadata, image_url = null } = line;
  if (before && before.product_id !== product.id)
    return {
      refused: new ApiError("duplicate_found", { details: `Duplicated sku exists with source_id ${source_id}` }).body,
    };
  if (before) {
    const patch = { ...(sku !== undefined && { sku }), ...(price !== undefined && { price }), updated_at: c.now };
    return { row: { ...before, ...patch } };
  }
  const unknown = Object.keys(attributes).find((name) => !product.attributes.includes(name));
  const fault = unknown === undefined ? null : `The product has no attribute ${unknown}`;
  if (fault !== null) return { refused: errorBody("invalid_payload", { details: fault }) };
  const whole = skuMetadata(product.metadata, metadata);
  const broken = metadataFault(c.catalog.metadata_schemas, "product", { metadata: whole, on: "create" });
  if (broken !== null) return { refused: errorBody("metadata_validation_failed", { details: broken }) };
  const tooLarge = metadataSizeFault(metadata);
  if (tooLarge !== null) return { refused: errorBody("invalid_payload", { details: tooLarge }) };
  const stamps = { project_id: c.project.id, id: c.newId("sku"), created_at: c.now, updated_at: null };
  const values = { sku: sku ?? null, price: price ?? null, currency: null, image_url };
  return { row: { ...stamps, source_id, product_id: product.id, ...values, attributes, metadata, deleted_at: null } };
}

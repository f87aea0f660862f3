import type { WriteCtx } from "../ctx.ts";
import { binProduct, eraseProduct, lockProduct } from "../resources/products/store.ts";
import { binSku, binSkusOf, eraseSku, eraseSkusOf, lockSku } from "../resources/skus/store.ts";
import type { BinKind } from "../resources/trash-bin/schema.ts";
import { insertBinEntry, lockBinEntry, removeBinEntriesBelow, removeBinEntry } from "../resources/trash-bin/store.ts";

/** How each kind is deleted for good. Another kind of thing that goes to the bin is a line here. */
const ERASE: Record<BinKind, (c: WriteCtx, id: string) => Promise<void>> = {
  product: async (c, id) => {
    // Entries before what they are of, as purging does it: no two wait for each other.
    await removeBinEntriesBelow(c.db, c.project.id, id);
    await eraseSkusOf(c.db, c.project.id, id);
    await eraseProduct(c.db, c.project.id, id);
  },
  sku: async (c, id) => {
    await eraseSku(c.db, c.project.id, id);
  },
};

/** Deletes a product and its SKUs: into the bin or, with force, for good. */
export async function removeProduct(c: WriteCtx, reference: string, force: boolean): Promise<null> {
  const { id, name, source_id } = await lockProduct(c.db, c.project.id, reference);
  if (force) {
    await ERASE.product(c, id);
    return null;
  }
  await binProduct(c.db, c.project.id, id, c.now);
  await binSkusOf(c.db, c.project.id, id, c.now);
  await enter(c, { resource_type: "product", resource_id: id, resource_name: name ?? source_id ?? id });
  return null;
}

/** Deletes a SKU of a product: into the bin or, with force, for good. */
export async function removeSku(
  c: WriteCtx,
  [productReference, reference]: readonly [string, string],
  force: boolean,
): Promise<null> {
  const product = await lockProduct(c.db, c.project.id, productReference);
  const { id, sku, source_id } = await lockSku(c.db, c.project.id, reference, product.id);
  if (force) {
    await ERASE.sku(c, id);
    return null;
  }
  await binSku(c.db, c.project.id, id, c.now);
  const names = { resource_id: id, resource_name: sku ?? source_id ?? id, resource_parent_id: product.id };
  await enter(c, { resource_type: "sku", ...names });
  return null;
}

type Binned = { resource_type: BinKind; resource_id: string; resource_name: string; resource_parent_id?: string };

const enter = (c: WriteCtx, binned: Binned) =>
  insertBinEntry(c.db, {
    resource_parent_id: null,
    ...binned,
    project_id: c.project.id,
    id: c.newId("tbe"),
    created_at: c.now,
  });

/** Deletes for good what an entry of the bin stands for, with all that went along. */
export async function purgeBinEntry(c: WriteCtx, id: string): Promise<null> {
  const { resource_type, resource_id } = await lockBinEntry(c.db, c.project.id, id);
  await removeBinEntry(c.db, c.project.id, id);
  await ERASE[resource_type](c, resource_id);
  return null;
}

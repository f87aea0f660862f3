import { oncePer } from "../once-per.ts";
import type { OrderItem } from "../order/order.ts";

/** What an entry of a list names. */
export type NamedByEntry = {
  readonly object: "product" | "sku" | "products_collection";
  readonly id: string;
  readonly source_id?: string | null;
  readonly strict?: boolean;
};

/** Positions of entries by what they name: of several entries that name the same, the first. */
type ByName = { ids: Map<string, number>; sourceIds: Map<string, number> };
/** A list of entries, ready to be asked about a line: one lookup for each name of the line, however long the list is. */
export type EntryIndex = {
  skus: ByName;
  products: ByName;
  /** Products that do not stand for their SKUs. */
  strict: ByName;
  collections: Map<string, number>;
};

const byName = (): ByName => ({ ids: new Map(), sourceIds: new Map() });
const addFirst = (to: Map<string, number>, name: string, position: number): void => {
  if (!to.has(name)) to.set(name, position);
};

export function indexEntries(entries: readonly NamedByEntry[]): EntryIndex {
  const index: EntryIndex = { skus: byName(), products: byName(), strict: byName(), collections: new Map() };
  for (const [position, { object, id, source_id, strict }] of entries.entries()) {
    if (object === "products_collection") {
      addFirst(index.collections, id, position);
      continue;
    }
    const { ids, sourceIds } = object === "sku" ? index.skus : strict ? index.strict : index.products;
    addFirst(ids, id, position);
    if (source_id) addFirst(sourceIds, source_id, position);
  }
  return index;
}

type Thing = { id: string | null; source_id: string | null } | null;
const NONE = Number.POSITIVE_INFINITY;

/** The id of an entry may be the id or the source id of the thing; its source id is the source id only. */
function firstOf({ ids, sourceIds }: ByName, thing: Thing): number {
  if (thing === null) return NONE;
  let first = NONE;
  if (thing.id !== null) first = ids.get(thing.id) ?? NONE;
  if (thing.source_id === null) return first;
  return Math.min(first, ids.get(thing.source_id) ?? NONE, sourceIds.get(thing.source_id) ?? NONE);
}

/**
 * The position of the entry that counts for a line, or -1: an entry for its SKU before one for its product before one for
 * a collection, and the first among equals. A product stands for its SKUs too, unless it is meant strictly.
 */
export function positionFor(index: EntryIndex, { sku, product, collections }: OrderItem): number {
  let first = firstOf(index.skus, sku);
  if (first !== NONE) return first;
  first = firstOf(index.products, product);
  if (sku === null) first = Math.min(first, firstOf(index.strict, product));
  if (first !== NONE) return first;
  if (index.collections.size > 0)
    for (const id of collections) first = Math.min(first, index.collections.get(id) ?? NONE);
  return first === NONE ? -1 : first;
}

/** The index of a list that never changes, made once for each list. */
export const entryIndexOf = oncePer((entries: readonly NamedByEntry[]): EntryIndex => indexEntries(entries));

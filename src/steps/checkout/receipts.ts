import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Catalog } from "../../catalog/catalog.ts";
import { oncePer } from "../../core/once-per.ts";
import { type Inputs, receiptOf } from "../../core/redeem/receipt.ts";
import { receiptKept } from "../../core/redeem/receipt-kept.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { Decision } from "../../core/validate/decide.ts";
import type { Tx } from "../../db/db.ts";
import { type FragmentRow, insertFragments } from "../../resources/checkout/receipts/store.ts";
import type { Request } from "./requests.ts";

const REMEMBERED_MAX = 10_000;

/** Half of the digits: a receipt names several, and what is as improbable as that does not come twice in a project. */
const HASH_DIGITS = 32;
const hashOf = (text: string): string => hash("sha256", text).slice(0, HASH_DIGITS);
/** Whether a text has this hash. Older ones have all digits. */
export const isHashOf = (kept: string, text: string): boolean => hash("sha256", text).startsWith(kept);

/** A piece of configuration as it is kept. The order of keys stays: it may decide which rule is told of first. */
const fragmentOf = oncePer((body: object): FragmentRow => {
  const text = JSON.stringify(body);
  return { hash: hashOf(text), text };
});

// What is known to be committed. A change of the configuration makes a new catalog, and with it this is asked again.
const stored = new WeakMap<Catalog, LRUCache<string, true>>();
const cacheKey = (projectId: string, name: string): string => `${projectId} ${name}`;

function remember(catalog: Catalog, projectId: string, hashes: readonly string[]): void {
  const known = stored.getOrInsertComputed(catalog, () => new LRUCache({ max: REMEMBERED_MAX }));
  for (const hash of hashes) known.set(cacheKey(projectId, hash), true);
}

/** The configuration that a transaction decided on, to be saved at its end. */
export type Fragments = { rows: Map<string, FragmentRow>; catalog: Catalog | null };
export const noFragments = (): Fragments => ({ rows: new Map(), catalog: null });

/** A decision, with all that its receipt keeps. */
export type KeptDecision = {
  request: Request;
  /** The redemption, of a stack the one of the whole; and its order as it is afterwards. */
  redemption: RedemptionRow;
  order: OrderRow | null;
  inputs: Inputs;
  decision: Decision;
};

/** What a redemption was decided on, for its row. Of the configuration what is not known to be stored is to be saved. */
export function receiptIn(
  fragments: Fragments,
  projectId: string,
  { request: { catalog, sent }, redemption, order, inputs, decision }: KeptDecision,
): object {
  const redeemables = sent.redeemables.map((one) => ({
    object: one.object,
    id: one.id,
    ...(one.gift && { gift: one.gift }),
    ...(one.reward && { reward: one.reward }),
  }));
  const keep = (body: object): string => {
    const fragment = fragmentOf(body);
    if (!stored.get(catalog)?.has(cacheKey(projectId, fragment.hash))) fragments.rows.set(fragment.hash, fragment);
    return fragment.hash;
  };
  fragments.catalog = catalog;
  return receiptKept(receiptOf(inputs, decision, { redeemables, keep }), redemption, order) as object;
}

/** Comes last and sorted: batches that use the same configuration wait for each other in one order. */
export async function saveFragments(tx: Tx, projectId: string, { rows, catalog }: Fragments): Promise<void> {
  const committed = await insertFragments(tx, projectId, [...rows.values()]);
  if (catalog !== null) remember(catalog, projectId, committed);
}

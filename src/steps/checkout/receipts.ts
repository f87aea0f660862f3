import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Catalog } from "../../catalog/catalog.ts";
import { oncePer } from "../../core/once-per.ts";
import { type Inputs, receiptOf } from "../../core/redeem/receipt.ts";
import type { Decision } from "../../core/validate/decide.ts";
import type { Tx } from "../../db/db.ts";
import {
  type FragmentRow,
  insertFragments,
  insertReceipts,
  type ReceiptRow,
} from "../../resources/checkout/receipts/store.ts";
import type { Request } from "./requests.ts";

const REMEMBERED_MAX = 10_000;

export const hashOf = (text: string): string => hash("sha256", text);

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

/** What a transaction decided on, to be saved at its end. */
export type Receipts = { rows: ReceiptRow[]; fragments: Map<string, FragmentRow>; catalog: Catalog | null };
export const noReceipts = (): Receipts => ({ rows: [], fragments: new Map(), catalog: null });

/** A decision, with all that its receipt keeps. */
export type KeptDecision = {
  request: Request;
  /** The redemption: of a stack the one of the whole. */
  redemption: { id: string; customer_id: string | null; created_at: string };
  tracking_id: string | null;
  inputs: Inputs;
  decision: Decision;
};

/** Keeps what was decided on; of the configuration what is not known to be stored. */
export function keepReceipt(
  receipts: Receipts,
  projectId: string,
  {
    request: { catalog, sent },
    redemption: { id, customer_id, created_at },
    tracking_id,
    inputs,
    decision,
  }: KeptDecision,
): void {
  const redeemables = sent.redeemables.map((one) => ({
    object: one.object,
    id: one.id,
    ...(one.gift && { gift: one.gift }),
    ...(one.reward && { reward: one.reward }),
  }));
  const keep = (body: object): string => {
    const fragment = fragmentOf(body);
    if (!stored.get(catalog)?.has(cacheKey(projectId, fragment.hash))) receipts.fragments.set(fragment.hash, fragment);
    return fragment.hash;
  };
  receipts.rows.push({
    redemption_id: id,
    customer_id,
    tracking_id: customer_id === null ? tracking_id : null,
    receipt: JSON.stringify(receiptOf(inputs, decision, { redeemables, keep })),
    created_at,
  });
  receipts.catalog = catalog;
}

/** Two statements. Configuration comes last and sorted: batches that use the same wait for each other in one order. */
export async function saveReceipts(tx: Tx, projectId: string, { rows, fragments, catalog }: Receipts): Promise<void> {
  await insertReceipts(tx, projectId, rows);
  const committed = await insertFragments(tx, projectId, [...fragments.values()]);
  if (catalog !== null) remember(catalog, projectId, committed);
}

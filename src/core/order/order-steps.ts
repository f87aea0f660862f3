import type { Metadata, Order } from "./order.ts";

const CHARACTERS_PER_STEP = 120;

// Metadata objects are shared by the steps of a decision, which copy the lines around them.
const lengths = new WeakMap<Metadata, number>();
function lengthOf(metadata: Metadata | undefined): number {
  if (!metadata) return 0;
  const known = lengths.get(metadata);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(metadata);
  lengths.set(metadata, length);
  return length;
}

/** What it costs to show an order once, with so many steps for a line, and as many more as its metadata is long. */
export function orderSteps({ items, metadata }: Order, stepsPerLine: number): number {
  let characters = lengthOf(metadata);
  for (const { metadata: own, product, sku } of items)
    characters += lengthOf(own) + lengthOf(product?.metadata) + lengthOf(sku?.metadata);
  return items.length * stepsPerLine + Math.ceil(characters / CHARACTERS_PER_STEP);
}

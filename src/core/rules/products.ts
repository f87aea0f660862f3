import type { ApplicableEntry } from "../discounts/targets.ts";
import type { OrderItem } from "../order/order.ts";
import type { Line } from "./rule.ts";

type Entry = Pick<ApplicableEntry, "object" | "id" | "source_id">;

/**
 * What a value of a product rule names. Without an object it is a collection when its type says so, else what the rule
 * is about, and where that is open either a product or a SKU of that id. A bare text is an id.
 */
export function productEntries(value: unknown, fallback: "product" | "sku" | null): Entry[] {
  if (typeof value === "string") return productEntries({ id: value }, fallback);
  const { id, object, type, source_id } = value as Partial<Entry> & { type?: string };
  if (typeof id !== "string") return [];
  const objects: Entry["object"][] = object
    ? [object]
    : type === "products_collection"
      ? ["products_collection"]
      : fallback
        ? [fallback]
        : ["product", "sku"];
  return objects.map((object) => ({ object, id, source_id: source_id ?? null }));
}

export const linesOf = (items: readonly OrderItem[]): Line[] => items.map((item, index) => ({ item, index }));

import type { Metadata } from "../order/order.ts";

/**
 * A property of metadata. A key that is there as it is written comes first, so that one called `a.b` can be reached;
 * else the dots lead into nested objects. What every object inherits does not count.
 */
export function readProperty(metadata: Metadata, property: string | null): unknown {
  if (property === null) return undefined;
  if (Object.hasOwn(metadata, property)) return metadata[property];
  let value: unknown = metadata;
  for (const key of property.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

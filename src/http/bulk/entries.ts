import type { BulkEntry } from "../../core/bulk/entry.ts";
import { compileBody, validationError } from "../validation.ts";

/**
 * The objects of a list, each checked for itself: one whose shape is wrong stops no other. `key` is the field that tells
 * them apart.
 */
export function checkedEntries(schema: object, list: readonly unknown[], key: string): BulkEntry[] {
  const holds = compileBody(schema);
  return list.map((value) => {
    if (holds(value)) return { value };
    const named = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : null;
    const fault = validationError("body", holds.errors!).body.details ?? "";
    return { fault, key: typeof named === "string" ? named : null };
  });
}

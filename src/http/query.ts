import { parse } from "qs";
import { ApiError } from "../core/errors.ts";

const TOO_LARGE = {
  depth: 10,
  parameterLimit: 5000,
  arrayLimit: 1000,
  strictDepth: true,
  throwOnLimitExceeded: true,
} as const;

/**
 * Nested query strings: `created_at[before]=…`, `filters[…][conditions][$in][0]=…`, also with a leading bracket
 * (`[filters][…]`). Repeated names become a list; dots in names are literal.
 */
export function parseQuery(text: string): Record<string, unknown> {
  const plain = text.replace(/(^|&)(?:\[|%5B)([^\]&%=]+)(?:\]|%5D)/gi, "$1$2");
  try {
    return parse(plain, TOO_LARGE);
  } catch (error) {
    if (error instanceof RangeError) throw new ApiError("query_too_large", { details: error.message });
    throw error;
  }
}

import type { ErrorBody } from "../errors.ts";

/** An object of a list that was sent, or why its shape is wrong. */
export type BulkEntry = { value: unknown } | { fault: string; key: string | null };

/** What became of an object of a list: it was there or was made, or it was refused. */
export type BulkOutcome = { found: boolean } | { found: boolean; refused: ErrorBody };
export const isRefused = (outcome: BulkOutcome): outcome is Extract<BulkOutcome, { refused: unknown }> =>
  "refused" in outcome;

/** In parts of so many, in their order. */
export const inParts = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

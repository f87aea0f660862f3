import { invalid } from "../errors.ts";

type Metadata = Readonly<Record<string, unknown>>;

/** How large the metadata of one object may be, in bytes of JSON: a page of 100 objects then has 3.2 MB of it at most. */
export const METADATA_BYTES_MAX = 32_768;
/** A character takes at most 3 bytes for each UTF-16 unit. */
const BYTES_A_UNIT = 3;

export function isMetadataTooLarge(metadata: Metadata, max = METADATA_BYTES_MAX): boolean {
  const text = JSON.stringify(metadata);
  return text.length * BYTES_A_UNIT > max && new TextEncoder().encode(text).length > max;
}

/** Why metadata is too large after a merge, or null. What a body holds is measured by its schema. */
export const metadataSizeFault = (metadata: Metadata): string | null =>
  isMetadataTooLarge(metadata)
    ? `metadata must not have more than ${METADATA_BYTES_MAX} bytes of JSON, together with the keys that are stored already`
    : null;

/** Metadata after what was sent, key by key. A key that is set to null is kept as null. */
export function mergeMetadata<M extends Metadata>(before: M, sent: Metadata | null | undefined): M {
  const merged = { ...before, ...sent };
  const details = sent ? metadataSizeFault(merged) : null;
  if (details !== null) throw invalid(details);
  return merged;
}

import { ApiError } from "../core/errors.ts";
import { metadataFault } from "../core/metadata/check.ts";
import type { Catalog } from "./catalog.ts";

type Metadata = Readonly<Record<string, unknown>>;

/** Refuses metadata that breaks the project's schema for that object: 400 `metadata_validation_failed`. */
export function requireMetadata(
  { metadata_schemas }: Pick<Catalog, "metadata_schemas">,
  relatedObject: string,
  /** What an update replaces as a whole is checked as on creation; where it is merged, what is required stays. */
  { metadata, on }: { metadata: Metadata; on: "create" | "update" },
): void {
  const details = metadataFault(metadata_schemas, relatedObject, { metadata, on });
  if (details !== null) throw new ApiError("metadata_validation_failed", { details });
}

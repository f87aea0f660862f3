import { notFound } from "../../../core/errors.ts";
import type { Definitions } from "../../../core/metadata/definition.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { MetadataSchema, MetadataSchemaRead } from "./schema.ts";

// With a space, as the public API has it.
const OBJECT = "metadata schema";

export type MetadataSchemaRow = {
  project_id: string;
  id: string;
  related_object: string;
  properties: Definitions;
  allow_defined_only: boolean;
  created_at: string;
  updated_at: string | null;
};

export const metadataSchemas = crudStore<MetadataSchemaRow>({
  table: "metadata_schemas",
  object: OBJECT,
  columns: ["project_id", "id", "related_object", "properties", "allow_defined_only", "created_at", "updated_at"],
  sortable: ["created_at"],
});

/** By the name of the object it is for, or by its id. */
export async function findMetadataSchema(db: Db, projectId: string, resource: string): Promise<MetadataSchemaRow> {
  const [row] = await db<MetadataSchemaRow[]>`
    select * from metadata_schemas
    where project_id = ${projectId} and (related_object = ${resource} or id = ${resource})
    order by related_object = ${resource} desc`;
  if (!row) throw notFound(OBJECT, resource);
  return row;
}

/** Locks the schema, so that definitions which two updates send are merged one after the other. */
export async function lockMetadataSchema(tx: Tx, projectId: string, id: string): Promise<MetadataSchemaRow> {
  const [row] = await tx<MetadataSchemaRow[]>`
    select * from metadata_schemas where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound(OBJECT, id);
  return row;
}

export const view = ({ project_id: _, ...row }: MetadataSchemaRow): MetadataSchema => ({
  ...row,
  object: "metadata_schema",
});

export function readView({ project_id: _, properties, ...row }: MetadataSchemaRow): MetadataSchemaRead {
  const definitions = Object.entries(properties).map(([name, definition]) => {
    const { object_type, min_length, max_length, exact_length, ...same } = definition;
    return [
      name,
      {
        ...same,
        objectType: object_type,
        ...(min_length !== undefined && { minLength: min_length }),
        ...(max_length !== undefined && { maxLength: max_length }),
        ...(exact_length !== undefined && { exactLength: exact_length }),
      },
    ];
  });
  return { ...row, properties: Object.fromEntries(definitions), object: "metadata_schema" };
}

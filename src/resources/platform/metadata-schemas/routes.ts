import { invalid } from "../../../core/errors.ts";
import { type Definitions, definitionsFault } from "../../../core/metadata/definition.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByMetadataSchema,
  ByResource,
  InProject,
  MetadataSchema,
  MetadataSchemaCreate,
  MetadataSchemaList,
  MetadataSchemaRead,
  MetadataSchemaReadList,
  MetadataSchemaUpdate,
} from "./schema.ts";
import { findMetadataSchema, lockMetadataSchema, readView, metadataSchemas as store, view } from "./store.ts";

/** A definition that is sent replaces the whole one of its name; what it leaves out takes its default. */
function definitions(sent: Record<string, { object_type?: string | null; deleted?: boolean }> = {}): Definitions {
  return Object.fromEntries(
    Object.entries(sent).map(([name, { deleted, object_type = null, ...rest }]) => [
      name,
      { ...rest, object_type, ...(deleted && { deleted }) },
    ]),
  ) as Definitions;
}

function check(relatedObject: string, properties: Definitions, before: Definitions = {}): Definitions {
  const changed = Object.keys(properties).find(
    (key) => Object.hasOwn(before, key) && before[key]!.type !== properties[key]!.type,
  );
  const details =
    changed === undefined
      ? definitionsFault(relatedObject, properties)
      : `Property .properties.${changed}.type cannot change from ${before[changed]!.type}`;
  if (details !== null) throw invalid(details);
  return properties;
}

export const metadataSchemaRoutes = [
  read(
    "GET /v1/metadata-schemas",
    { id: "listMetadataSchemas", summary: "List metadata schemas", ok: MetadataSchemaReadList },
    async (c) => list(await store.list(c.db, c.project.id), readView, "schemas"),
  ),
  read(
    "GET /v1/metadata-schemas/{resource}",
    {
      id: "getMetadataSchema",
      summary: "Read the metadata schema of an object",
      params: ByResource,
      ok: MetadataSchemaRead,
    },
    async (c) => readView(await findMetadataSchema(c.db, c.project.id, c.params.resource)),
  ),
  read(
    "GET /management/v1/projects/{projectId}/metadata-schemas",
    {
      id: "listProjectMetadataSchemas",
      summary: "List metadata schemas of a project",
      params: InProject,
      ok: MetadataSchemaList,
    },
    async (c) => list(await store.list(c.db, c.project.id), view),
  ),
  write(
    "POST /management/v1/projects/{projectId}/metadata-schemas",
    {
      id: "createMetadataSchema",
      summary: "Create a metadata schema",
      params: InProject,
      body: MetadataSchemaCreate,
      ok: MetadataSchema,
    },
    async (c) => {
      const { related_object, allow_defined_only = false } = c.body;
      const properties = check(related_object, definitions(c.body.properties));
      const id = c.newId("ms");
      c.changed("metadata_schema", id);
      const stamps = { created_at: c.now, updated_at: null };
      const row = { id, project_id: c.project.id, related_object, properties, allow_defined_only, ...stamps };
      return view(await store.insert(c.db, row));
    },
  ),
  read(
    "GET /management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}",
    { id: "getProjectMetadataSchema", summary: "Read a metadata schema", params: ByMetadataSchema, ok: MetadataSchema },
    async (c) => view(await store.get(c.db, c.project.id, c.params.metadataSchemaId)),
  ),
  write(
    "PUT /management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}",
    {
      id: "updateMetadataSchema",
      summary: "Update a metadata schema",
      description: "A definition that is sent replaces the one of its name; the others stay. Its type cannot change.",
      params: ByMetadataSchema,
      body: MetadataSchemaUpdate,
      ok: MetadataSchema,
    },
    async (c) => {
      const before = await lockMetadataSchema(c.db, c.project.id, c.params.metadataSchemaId);
      const merged = { ...before.properties, ...definitions(c.body.properties) };
      const properties = check(before.related_object, merged, before.properties);
      c.changed("metadata_schema", before.id);
      const patch = { properties, allow_defined_only: c.body.allow_defined_only, updated_at: c.now };
      return view(await store.update(c.db, c.project.id, before.id, patch));
    },
  ),
  write(
    "DELETE /management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}",
    {
      id: "deleteMetadataSchema",
      summary: "Delete a metadata schema",
      description: "Values on objects stay as they are.",
      params: ByMetadataSchema,
      ok: Empty,
    },
    async (c) => {
      await store.remove(c.db, c.project.id, c.params.metadataSchemaId);
      c.changed("metadata_schema", c.params.metadataSchemaId);
      return null;
    },
  ),
];

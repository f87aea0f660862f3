import { invalid } from "../../../core/errors.ts";
import { DEFINITIONS_MAX } from "../../../core/metadata/definition.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { requireNoProgram } from "../../../steps/referrals/referral-programs.ts";
import {
  ByCustomEventSchema,
  CustomEventSchema,
  CustomEventSchemaCreate,
  CustomEventSchemaList,
  CustomEventSchemaUpdate,
  InProject,
} from "./schema.ts";
import { lockCustomEventSchema, customEventSchemas as store, view } from "./store.ts";

export const customEventSchemaRoutes = [
  read(
    "GET /management/v1/projects/{projectId}/custom-event-schemas",
    {
      id: "listCustomEventSchemas",
      summary: "List custom event schemas",
      params: InProject,
      ok: CustomEventSchemaList,
    },
    async (c) => list(await store.list(c.db, c.project.id), view),
  ),
  write(
    "POST /management/v1/projects/{projectId}/custom-event-schemas",
    {
      id: "createCustomEventSchema",
      summary: "Define a custom event",
      params: InProject,
      body: CustomEventSchemaCreate,
      ok: CustomEventSchema,
    },
    async (c) => {
      const id = c.newId("ms");
      c.changed("custom_event_schema", id);
      const { name, schema } = c.body;
      const row = { id, project_id: c.project.id, name, schema, created_at: c.now, updated_at: null };
      return view(await store.insert(c.db, row));
    },
  ),
  read(
    "GET /management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}",
    {
      id: "getCustomEventSchema",
      summary: "Read a custom event schema",
      params: ByCustomEventSchema,
      ok: CustomEventSchema,
    },
    async (c) => view(await store.get(c.db, c.project.id, c.params.customEventSchemaId)),
  ),
  write(
    "PUT /management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}",
    {
      id: "updateCustomEventSchema",
      summary: "Update a custom event schema",
      description: "A property that is sent replaces the one of its name; the others stay. The name cannot change.",
      params: ByCustomEventSchema,
      body: CustomEventSchemaUpdate,
      ok: CustomEventSchema,
    },
    async (c) => {
      const before = await lockCustomEventSchema(c.db, c.project.id, c.params.customEventSchemaId);
      const properties = { ...before.schema.properties, ...c.body.schema?.properties };
      if (Object.keys(properties).length > DEFINITIONS_MAX)
        throw invalid(`Property .schema.properties must NOT have more than ${DEFINITIONS_MAX} properties`);
      c.changed("custom_event_schema", before.id);
      const patch = { schema: { properties }, updated_at: c.now };
      return view(await store.update(c.db, c.project.id, before.id, patch));
    },
  ),
  write(
    "DELETE /management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}",
    {
      id: "deleteCustomEventSchema",
      summary: "Delete a custom event schema",
      description: "Refused while a referral program waits for the event.",
      params: ByCustomEventSchema,
      ok: Empty,
    },
    async (c) => {
      const { id } = await lockCustomEventSchema(c.db, c.project.id, c.params.customEventSchemaId);
      await requireNoProgram(c, { type: "custom_event_schema", id });
      await store.remove(c.db, c.project.id, id);
      c.changed("custom_event_schema", id);
      return null;
    },
  ),
];

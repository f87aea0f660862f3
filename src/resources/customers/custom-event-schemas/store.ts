import { notFound } from "../../../core/errors.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Tx } from "../../../db/db.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { CustomEventSchema } from "./schema.ts";

const OBJECT = "custom_event_schema";
export type CustomEventSchemaRow = Omit<CustomEventSchema, "object"> & { project_id: string };

export const customEventSchemas = crudStore<CustomEventSchemaRow>({
  table: "custom_event_schemas",
  object: OBJECT,
  columns: columnsOf(CustomEventSchema),
  sortable: ["created_at"],
});

/** Locks the schema, so that properties which two updates send are merged one after the other. */
export async function lockCustomEventSchema(tx: Tx, projectId: string, id: string): Promise<CustomEventSchemaRow> {
  const [row] = await tx<CustomEventSchemaRow[]>`
    select * from custom_event_schemas where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound(OBJECT, id);
  return row;
}

export const view = ({ project_id: _, ...row }: CustomEventSchemaRow): CustomEventSchema => ({
  ...row,
  object: "custom-event-schema",
});

import { type Static, Type } from "typebox";
import { Choice, DateTime, listOf, Nullable, optional, strict } from "../../../http/schemas.ts";

const Definition = strict({
  type: Choice(["string", "number", "date", "datetime", "boolean"]),
  optional: Type.Boolean(),
  deleted: Type.Optional(Type.Boolean({ description: "True: no longer checked." })),
});
export type EventDefinition = Static<typeof Definition>;
const EventProperties = strict({
  properties: Type.Unsafe<Record<string, EventDefinition>>({
    type: "object",
    additionalProperties: Definition,
    maxProperties: 100,
    propertyNames: { minLength: 1, maxLength: 200 },
  }),
});

export const CustomEventSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ minLength: 1, maxLength: 300, description: "The name of the event." }),
    schema: EventProperties,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("custom-event-schema"),
  },
  { title: "CustomEventSchema" },
);
export type CustomEventSchema = Static<typeof CustomEventSchema>;
const { name, schema } = CustomEventSchema.properties;
export const CustomEventSchemaCreate = strict({ name, schema });
export const CustomEventSchemaUpdate = strict(optional({ schema }));
export const CustomEventSchemaList = listOf(CustomEventSchema);
export const InProject = Type.Object({ projectId: Type.String() });
export const ByCustomEventSchema = Type.Object({ projectId: Type.String(), customEventSchemaId: Type.String() });

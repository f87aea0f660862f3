import { type Static, Type } from "typebox";
import { METADATA_TYPES } from "../../../core/metadata/definition.ts";
import { Choice, DateTime, listOf, Nullable, optional, strict } from "../../../http/schemas.ts";

const Length = Type.Integer({ minimum: 0, maximum: 100_000 });
const limits = {
  eq: Type.Optional(
    Type.Array(Type.Unsafe<string | number>({ type: ["string", "number"] }), { minItems: 1, maxItems: 1000 }),
  ),
  ne: Type.Optional(Type.Array(Type.Number(), { minItems: 1, maxItems: 1000 })),
  lt: Type.Optional(Type.Number()),
  lte: Type.Optional(Type.Number()),
  gt: Type.Optional(Type.Number()),
  gte: Type.Optional(Type.Number()),
};
const definition = {
  type: Choice(METADATA_TYPES),
  optional: Type.Boolean({ description: "False: the key must be present when the object is created." }),
  array: Type.Boolean({ description: "True: a list of such values." }),
  deleted: Type.Optional(Type.Boolean({ description: "True: no longer checked." })),
  ...limits,
};
const lengths = {
  min_length: Type.Optional(Length),
  max_length: Type.Optional(Length),
  exact_length: Type.Optional(Length),
};
const ObjectType = Nullable(Type.String({ minLength: 1, maxLength: 200 }));
const Definition = strict({ ...definition, ...lengths, object_type: Type.Optional(ObjectType) });
const mapOf = <S extends { type: string }>(item: S) =>
  Type.Unsafe<Record<string, Static<S & ReturnType<typeof Type.Any>>>>({
    type: "object",
    additionalProperties: item,
    maxProperties: 100,
    propertyNames: { minLength: 1, maxLength: 200 },
  });
type DefinitionWrite = Static<typeof Definition>;
const Definitions = mapOf(Definition) as unknown as ReturnType<typeof Type.Unsafe<Record<string, DefinitionWrite>>>;

const stamps = {
  created_at: DateTime,
  updated_at: Nullable(DateTime),
  object: Type.Literal("metadata_schema"),
};
const RelatedObject = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "An object of the API, or any other name for the schema of nested objects.",
});

export const MetadataSchema = Type.Object(
  {
    id: Type.String(),
    related_object: RelatedObject,
    properties: Definitions,
    allow_defined_only: Type.Boolean(),
    ...stamps,
  },
  { title: "MetadataSchema" },
);
export type MetadataSchema = Static<typeof MetadataSchema>;
export const MetadataSchemaCreate = strict({
  related_object: RelatedObject,
  properties: Definitions,
  allow_defined_only: Type.Optional(Type.Boolean()),
});
export const MetadataSchemaUpdate = strict(optional({ properties: Definitions, allow_defined_only: Type.Boolean() }));
export const MetadataSchemaList = listOf(MetadataSchema);

/** The v1 operations write the lengths and the object's type in camelCase, as the public API does. */
const DefinitionRead = Type.Object({
  ...definition,
  objectType: ObjectType,
  minLength: Type.Optional(Length),
  maxLength: Type.Optional(Length),
  exactLength: Type.Optional(Length),
});
export type DefinitionRead = Static<typeof DefinitionRead>;
export const MetadataSchemaRead = Type.Object(
  {
    id: Type.String(),
    related_object: RelatedObject,
    properties: Type.Unsafe<Record<string, DefinitionRead>>({ type: "object", additionalProperties: DefinitionRead }),
    allow_defined_only: Type.Boolean(),
    ...stamps,
  },
  { title: "MetadataSchemaRead" },
);
export type MetadataSchemaRead = Static<typeof MetadataSchemaRead>;
export const MetadataSchemaReadList = listOf(MetadataSchemaRead, "schemas");

export const ByResource = Type.Object({ resource: Type.String() });
export const InProject = Type.Object({ projectId: Type.String() });
export const ByMetadataSchema = Type.Object({ projectId: Type.String(), metadataSchemaId: Type.String() });

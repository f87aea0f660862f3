import { isDeepStrictEqual } from "node:util";
import { RECURSIVE_SCHEMAS } from "../../core/recursive-schemas.ts";

type Json = Record<string, unknown>;

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const RECURSIVE = /^#\/\$defs\/(\w+)$/;

/**
 * Schemas as OpenAPI 3.1 has them. A schema with a title is written once, as a component, and referred to elsewhere.
 * `components` are those that were met so far.
 */
export function namedSchemas() {
  const components: Json = {};

  function name(title: string, schema: Json): Json {
    const known = components[title];
    if (known !== undefined && !isDeepStrictEqual(known, schema))
      throw new Error(`Two different schemas have the title ${title}.`);
    components[title] = schema;
    return refTo(title);
  }

  function recursive(title: keyof typeof RECURSIVE_SCHEMAS): Json {
    if (!(title in components)) {
      components[title] = null; // It is being written: what is inside may refer to it.
      components[title] = fieldsOf(RECURSIVE_SCHEMAS[title] as unknown as Json);
    }
    return refTo(title);
  }

  /** The fields of a schema, without those that say nothing to a reader or are not of OpenAPI 3.1. */
  function fieldsOf(schema: Json): Json {
    const fields = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      // Unknown fields of a body are ignored, not wanted: a generated client need not offer them.
      if (key === "additionalProperties" && value === true && schema.properties) return [];
      if (key === "dependencies") return [["dependentRequired", value]];
      return [[key, shown(value)]];
    });
    return Object.fromEntries(fields);
  }

  /** One schema with several types is no union to many generators, so it is written as one. */
  function union(schema: Json, types: readonly string[]): Json {
    const { description, ...bare } = schema;
    const { title, properties, required, additionalProperties, patternProperties, ...limits } = bare;
    const rest = types.filter((type) => type !== "object");
    const scalar = rest.length === 1 ? { type: rest[0] } : { ...limits, type: rest };
    const object = shown({ ...(title === undefined ? bare : schema), type: "object" });
    return { anyOf: [object, scalar], ...(title === undefined && description !== undefined && { description }) };
  }

  function shown(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(shown);
    if (typeof schema !== "object" || schema === null) return schema;
    const { $ref, type, title, "x-shown": later } = schema as Json;
    if (later) return [type].flat().includes("null") ? { anyOf: [shown(later), { type: "null" }] } : shown(later);
    const named = typeof $ref === "string" && RECURSIVE.exec($ref);
    if (named) return recursive(named[1] as keyof typeof RECURSIVE_SCHEMAS);
    if (Array.isArray(type) && type.includes("object")) return union(schema as Json, type);
    const fields = fieldsOf(schema as Json);
    return typeof title === "string" && type === "object" ? name(title, fields) : fields;
  }

  return { components, shown: shown as (schema: object) => Json };
}

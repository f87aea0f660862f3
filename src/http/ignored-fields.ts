import { recursiveSchema } from "../core/recursive-schemas.ts";

const HEADER = "Laurel-Ignored-Fields";
const NAMES_MAX = 20;
const NAME_LENGTH_MAX = 100;

type Schema = {
  $ref?: string;
  "x-shown"?: Schema;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema | boolean;
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

/**
 * The header that names the fields of a body that its schema does not know. v1 ignores them, so a field with a typing
 * mistake would otherwise go unnoticed. The header is bounded, and holds printable ASCII only.
 */
export function ignoredFieldsHeader(schema: object, body: unknown): Record<string, string> {
  const names = [...ignoredFields(schema, body)];
  if (names.length === 0) return {};
  const shown = names.slice(0, NAMES_MAX).map(headerText);
  const more = names.length - shown.length;
  return { [HEADER]: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ") };
}

/** Paths such as `order.items[].colour`: the lines of a list are not told apart. */
export const ignoredFields = (schema: object, body: unknown): Set<string> => ignoredIn(schema, body, "");

function ignoredIn({ $ref, "x-shown": later, ...given }: Schema, value: unknown, path: string): Set<string> {
  const schema: Schema = $ref ? recursiveSchema($ref) : (later ?? given);
  const shapes = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (shapes && !schema.properties) {
    const fitting = shapes.filter((shape) => takes(shape, value));
    // A field is known when one of the shapes knows it.
    const found = fitting.map((shape) => ignoredIn(shape, value, path));
    return found.length === 0 ? new Set() : found.reduce((a, b) => a.intersection(b));
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (typeof items !== "object") return new Set();
    return new Set(value.flatMap((item) => [...ignoredIn(items, item, `${path}[]`)]));
  }
  if (typeof value !== "object" || value === null) return new Set();
  const { properties, patternProperties, additionalProperties } = schema;
  const patterns = Object.entries(patternProperties ?? {});
  return new Set(
    Object.entries(value).flatMap(([name, inner]) => {
      const at = path === "" ? name : `${path}.${name}`;
      if (properties && Object.hasOwn(properties, name)) return [...ignoredIn(properties[name]!, inner, at)];
      const named = patterns.find(([pattern]) => new RegExp(pattern, "u").test(name))?.[1];
      if (named) return [...ignoredIn(named, inner, at)];
      if (typeof additionalProperties === "object") return [...ignoredIn(additionalProperties, inner, at)];
      // Without properties the object is free: metadata, for one. Nothing of it is ignored.
      return properties === undefined ? [] : [at];
    }),
  );
}

const takes = ({ type }: Schema, value: unknown): boolean =>
  type === undefined || [type].flat().includes(Array.isArray(value) ? "array" : value === null ? "null" : typeof value);

/** A comma separates names, so it is encoded, too. */
const headerText = (name: string): string => {
  const text = name.slice(0, NAME_LENGTH_MAX).replace(/[^\x21-\x2b\x2d-\x7e]/gu, (one) => {
    const isHalf = one.length === 1 && one >= "\ud800" && one <= "\udfff";
    return isHalf ? "%EF%BF%BD" : encodeURIComponent(one);
  });
  if (name.length <= NAME_LENGTH_MAX && text.length <= NAME_LENGTH_MAX) return text;
  return `${text.slice(0, NAME_LENGTH_MAX).replace(/%.?$/, "")}...`;
};

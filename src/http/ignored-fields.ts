import { oncePer } from "../core/once-per.ts";
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

const NOTHING: Record<string, string> = {};

/**
 * The header that names the fields of a body that its schema does not know. v1 ignores them, so a field with a typing
 * mistake would otherwise go unnoticed. The header is bounded, and holds printable ASCII only.
 */
export function ignoredFieldsHeader(schema: object, body: unknown): Record<string, string> {
  const names = [...ignoredFields(schema, body)];
  if (names.length === 0) return NOTHING;
  const shown = names.slice(0, NAMES_MAX).map(headerText);
  const more = names.length - shown.length;
  return { [HEADER]: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ") };
}

/** Paths such as `order.items[].colour`: the lines of a list are not told apart. */
export function ignoredFields(schema: object, body: unknown): Set<string> {
  const names = new Set<string>();
  addIgnored(schema, body, "", names);
  return names;
}

const patternOf = oncePer((schema: Schema) =>
  Object.entries(schema.patternProperties ?? {}).map(([pattern, named]) => [new RegExp(pattern, "u"), named] as const),
);

/** Adds the names to those of fields before. Almost always there are none, and then it makes nothing. */
function addIgnored(given: Schema, value: unknown, path: string, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  const schema = given.$ref ? (recursiveSchema(given.$ref) as Schema) : (given["x-shown"] ?? given);
  const shapes = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (shapes && !schema.properties) {
    addIgnoredByAll(shapes, value, path, names);
    return;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (typeof items === "object") for (const item of value) addIgnored(items, item, `${path}[]`, names);
    return;
  }
  const { properties, additionalProperties } = schema;
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name];
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    // A plain value has no fields: the path is made for what has some.
    if (known && (typeof inner !== "object" || inner === null)) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const named = known ?? patternOf(schema).find(([pattern]) => pattern.test(name))?.[1];
    if (named) addIgnored(named, inner, at, names);
    else if (typeof additionalProperties === "object") addIgnored(additionalProperties, inner, at, names);
    // Without properties the object is free: metadata, for one. Nothing of it is ignored.
    else if (properties !== undefined) names.add(at);
  }
}

/** A field is known when one of the shapes knows it. */
function addIgnoredByAll(shapes: readonly Schema[], value: object, path: string, names: Set<string>): void {
  let ignored: Set<string> | undefined;
  for (const shape of shapes) {
    if (!takes(shape, value)) continue;
    const found = new Set<string>();
    addIgnored(shape, value, path, found);
    ignored = ignored?.intersection(found) ?? found;
    if (ignored.size === 0) return;
  }
  for (const name of ignored ?? []) names.add(name);
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

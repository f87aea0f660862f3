import { parseDay } from "../time/instant.ts";
import { type Definition, type MetadataSchema, nestedSchemaOf } from "./definition.ts";

type Values = Readonly<Record<string, unknown>>;
type Schemas = { get(relatedObject: string): MetadataSchema | undefined };

/**
 * What is wrong with metadata, as `<key>: <all that is asked of it> (actual value is '…')`, or null.
 * On an update only the keys that are sent are looked at, so a required key may be left out but not be null.
 */
export function metadataFault(
  schemas: Schemas,
  relatedObject: string,
  { metadata, on }: { metadata: Values; on: "create" | "update" },
): string | null {
  const schema = schemas.get(relatedObject);
  return schema ? faultIn(schema, schemas, metadata, on) : null;
}

function faultIn(schema: MetadataSchema, schemas: Schemas, metadata: Values, on: "create" | "update"): string | null {
  for (const [key, definition] of Object.entries(schema.properties)) {
    if (definition.deleted) continue;
    const value = own(metadata, key);
    const left = value === undefined && (definition.optional || on === "update");
    if (left || (value === null && definition.optional)) continue;
    const fault = valueFault(definition, schemas, value);
    if (fault !== null) return `${key}: ${fault} (actual value is '${printed(value)}')`;
  }
  if (!schema.allow_defined_only) return null;
  const isDefined = (key: string) => Object.hasOwn(schema.properties, key) && !schema.properties[key]!.deleted;
  const unknown = Object.keys(metadata).find((key) => !isDefined(key));
  return unknown === undefined
    ? null
    : `${unknown}: property is not defined in the schema (actual value is '${printed(metadata[unknown])}')`;
}

/** A key may be called `constructor`: what every object has does not count. */
const own = <T>(object: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** What is asked of the value, when it does not hold. */
function valueFault(definition: Definition, schemas: Schemas, value: unknown): string | null {
  const values = definition.array ? value : [value];
  if (Array.isArray(values) && values.every((one) => TYPES[definition.type].holds(one) && inLimits(definition, one))) {
    const nested = nestedSchemaOf(definition);
    const schema = nested === null ? undefined : schemas.get(nested);
    if (!schema) return null;
    for (const one of values) {
      const fault = faultIn(schema, schemas, one as Values, "create");
      if (fault !== null) return fault;
    }
    return null;
  }
  return requirements(definition);
}

function requirements(definition: Definition): string {
  const { optional, array, min_length, max_length, exact_length, eq, ne, lt, lte, gt, gte } = definition;
  const parts = [
    TYPES[definition.type].text,
    !optional && "property is required",
    exact_length !== undefined && `must have exactly ${exact_length} characters`,
    min_length !== undefined && `must have at least ${min_length} characters`,
    max_length !== undefined && `must have at most ${max_length} characters`,
    eq && `must be equal to one of ${eq.join(",")}`,
    ne && `must not be equal to any of ${ne.join(",")}`,
    lt !== undefined && `must be less than ${lt}`,
    lte !== undefined && `must be less than or equal to ${lte}`,
    gt !== undefined && `must be greater than ${gt}`,
    gte !== undefined && `must be greater than or equal to ${gte}`,
  ];
  return `${array ? "must be an array, and every element: " : ""}${parts.filter(Boolean).join(", ")}`;
}

function inLimits(
  { min_length, max_length, exact_length, eq, ne, lt, lte, gt, gte }: Definition,
  value: unknown,
): boolean {
  if (eq && !eq.includes(value as string | number)) return false;
  if (typeof value === "string") {
    const length = [...value].length;
    return length >= (min_length ?? 0) && length <= (max_length ?? length) && length === (exact_length ?? length);
  }
  if (typeof value !== "number") return true;
  return (
    !ne?.includes(value) &&
    value < (lt ?? Number.POSITIVE_INFINITY) &&
    value <= (lte ?? value) &&
    value > (gt ?? Number.NEGATIVE_INFINITY) &&
    value >= (gte ?? value)
  );
}

const DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
const IMAGE_URL = /^https?:\/\/[^\s/?#]+\/[^\s?#]*\.(?:jpe?g|png)(?:[?#]\S*)?$/i;
const GEOPOINT = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*$/;

const isDay = (value: unknown): boolean => typeof value === "string" && parseDay(value) !== null;
function isInstant(value: unknown): boolean {
  if (typeof value !== "string" || !DATETIME.test(value)) return false;
  try {
    return Boolean(Temporal.PlainDateTime.from(value.replace(/Z$/, ""), { overflow: "reject" }));
  } catch {
    return false;
  }
}
function isGeopoint(value: unknown): boolean {
  const [, latitude, longitude] = (typeof value === "string" && GEOPOINT.exec(value)) || [];
  return latitude !== undefined && Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180;
}

const TYPES: Record<Definition["type"], { text: string; holds(value: unknown): boolean }> = {
  string: { text: "must be a string", holds: (value) => typeof value === "string" },
  number: { text: "must be a number", holds: (value) => typeof value === "number" },
  boolean: { text: "must be a boolean", holds: (value) => typeof value === "boolean" },
  object: {
    text: "must be an object",
    holds: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  },
  date: { text: "must be a date", holds: isDay },
  datetime: { text: "must be a datetime", holds: isInstant },
  geopoint: { text: "must be a geopoint", holds: isGeopoint },
  image_url: {
    text: "must be a URL pointing to JPG/JPEG or PNG resource",
    holds: (value) => typeof value === "string" && IMAGE_URL.test(value),
  },
};

const PRINTED_MAX = 100;
function printed(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > PRINTED_MAX ? `${text.slice(0, PRINTED_MAX)}…` : text;
}

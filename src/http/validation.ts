import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { CHARACTERS_FAULT, charactersFault, isPathWord, PATH_WORD_FAULT } from "../core/codes/code.ts";
import { ApiError } from "../core/errors.ts";
import { isMetadataTooLarge } from "../core/metadata/size.ts";
import { isCurrency } from "../core/projects/currencies.ts";
import { isDialCode } from "../core/projects/dial-codes.ts";
import { normaliseOrigin } from "../core/projects/origin.ts";
import { CENTS_SAY } from "../core/shapes.ts";
import { NOT_A_DAY, NOT_A_TIME, parseDay } from "../core/time/instant.ts";
import { resolveZone } from "../core/time/zone.ts";
import { isWebAddress, WEB_ADDRESS_SAYS } from "../core/webhooks/headers.ts";

// Offsets beyond 15:59, which no place has, are more than PostgreSQL takes.
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-](?:0\d|1[0-5])(?::?\d{2})?)$/;

/** A day of the calendar, of the years 1 to 9999. */
const isCalendarDate = (text: string): boolean => (parseDay(text)?.year ?? 0) > 0;
export function isDateTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  try {
    // Written in UTC it must still be a year of four digits: 9999-12-31T23:59:59-05:00 is in the year 10000.
    return /^(?!0000)\d{4}-/.test(Temporal.Instant.from(text).toString());
  } catch {
    return false;
  }
}

/** Each format with what is said when a text does not have it. */
const FORMATS: Record<string, { holds(text: string): boolean; says: string }> = {
  date: { holds: isCalendarDate, says: NOT_A_DAY },
  "date-time": { holds: isDateTime, says: NOT_A_TIME },
  "date-or-date-time": {
    holds: (text) => isCalendarDate(text) || isDateTime(text) || isDateTime(`${text}Z`),
    says: `${NOT_A_DAY}, or a time such as 2027-01-01T00:00:00Z`,
  },
  email: {
    holds: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
    says: "must be an e-mail address such as ann@shop.example",
  },
  "time-zone": {
    holds: (text) => resolveZone(text) !== null,
    says: "must be a time zone such as Europe/Berlin, or GMT with an offset",
  },
  currency: { holds: isCurrency, says: "must be a 3-letter ISO 4217 code such as EUR" },
  "dial-code": { holds: isDialCode, says: "must be a country dial code such as 49" },
  "path-code": { holds: (text) => !isPathWord(text), says: PATH_WORD_FAULT },
  "code-characters": { holds: (text) => charactersFault(text) === null, says: CHARACTERS_FAULT },
  origin: {
    holds: (text) => text === "*" || normaliseOrigin(text) !== null,
    says: "must be an origin with its scheme, such as https://shop.example:8443, or *",
  },
  "web-address": { holds: isWebAddress, says: WEB_ADDRESS_SAYS },
};
/** Formats of numbers: they check nothing, and say what is meant where the type is another. */
const NUMBER_FORMATS: Record<string, string> = {
  cents: CENTS_SAY,
  "cents-or-points": "must be a whole number: of cents (4999 for 49.99), or of points",
};

function checker(coerceTypes: "array" | false): Ajv {
  const ajv = new Ajv({
    removeAdditional: false,
    allErrors: false,
    allowUnionTypes: true,
    strict: true,
    coerceTypes,
    // A failure brings the schema along that it broke.
    verbose: true,
    inlineRefs: false,
    // That our schemas are schemas is what a test says, not every start.
    meta: false,
    validateSchema: false,
    // V8 does as well by itself: a check takes the same time without, and is compiled in 40% of it.
    code: { optimize: false },
  });
  ajv.addKeyword({
    keyword: "x-max-bytes",
    type: "object",
    schemaType: "number",
    validate: (max: number, metadata: Values) => !isMetadataTooLarge(metadata, max),
    error: { message: ({ schema }) => `must not have more than ${schema} bytes of JSON` },
  });
  ajv.addVocabulary(["x-shown"]);
  for (const [name, { holds }] of Object.entries(FORMATS)) ajv.addFormat(name, holds);
  // A file in a form, which no check sees.
  for (const name of [...Object.keys(NUMBER_FORMATS), "binary"]) ajv.addFormat(name, true);
  return ajv;
}

// A body is taken as it is: "5" is not 5. A query string or path has only text, so there it is.
const forBody = checker(false);
let forText: Ajv | undefined;

const bodies = new WeakMap<object, ValidateFunction>();

/** A schema that refers to its own parts would not find them from one of ours. Each is compiled once in a process. */
export const compileBody = (schema: object): ValidateFunction =>
  bodies.getOrInsertComputed(schema, () => forBody.compile("$defs" in schema ? schema : withParts(schema as Schema)));
export function compileText(schema: object): ValidateFunction {
  forText ??= checker("array");
  return forText.compile(schema);
}

type Values = Record<string, unknown>;
type Schema = Values & { properties?: Values };
const parts = new WeakMap<Schema, { $ref: string }>();
let partsCount = 0;

/** Many bodies hold an order or a customer. Such a part is compiled once, and they refer to it: that takes half the CPU. */
function withParts(schema: Schema): Schema {
  const made = { ...schema };
  for (const name of ["properties", "patternProperties"])
    if (made[name])
      made[name] = Object.fromEntries(Object.entries(made[name]).map(([key, value]) => [key, partOf(value)]));
  for (const name of ["anyOf", "oneOf", "allOf"]) if (made[name]) made[name] = (made[name] as unknown[]).map(partOf);
  for (const name of ["items", "additionalProperties"]) if (made[name]) made[name] = partOf(made[name]);
  return made;
}

function partOf(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (!("properties" in schema)) return withParts(schema as Schema);
  let part = parts.get(schema as Schema);
  if (!part) {
    partsCount += 1;
    part = { $ref: `part-${partsCount}` };
    parts.set(schema as Schema, part);
    forBody.addSchema(withParts(schema as Schema), part.$ref);
  }
  return part;
}

/**
 * `TRUE` is true as well, where a boolean is asked for: Ajv takes the lower-case words only. And a whole number is written
 * with digits: Ajv would read `0x10`, `1e1` and `4999.00`, too.
 */
export function readable(schema: object, data: unknown): void {
  const { properties = {}, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  for (const [name, value] of Object.entries(data as Values)) {
    const part = Array.isArray(data) ? items : Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!part || value === null) continue;
    if (typeof value === "object") readable(part, value);
    if (typeof value !== "string") continue;
    const types = [part.type].flat();
    if (types.includes("boolean")) (data as Values)[name] = value.toLowerCase();
    // No number, and no empty text either: that would be null where null is taken.
    if (types.includes("integer") && !types.includes("string") && !/^-?\d+$/.test(value)) (data as Values)[name] = "?";
  }
}

/** What an operation does not name is ignored, so no handler sees it: nobody has checked what it is. */
export function dropUnnamed(schema: object, data: unknown): void {
  const { properties, additionalProperties } = schema as { properties?: object; additionalProperties?: unknown };
  if (!properties || additionalProperties === true) return;
  for (const name of Object.keys(data as Values)) if (!Object.hasOwn(properties, name)) delete (data as Values)[name];
}

type Part = "body" | "params" | "querystring" | "headers";

/** A pattern says nothing to a reader; an example does. */
const PATTERNS: readonly (readonly [pattern: RegExp, says: (found: RegExpExecArray) => string])[] = [
  [/^\^\[0-9\]\{1,\d+\}\$$/, () => "must be a whole number such as 2"],
  [/^\^\[0-9\]\{1,\d+\}\(\\\.\[0-9\]/, () => "must be a number such as 1.5"],
  [/^\^https\?/, () => "must be a link such as https://shop.example"],
  [/^\^(\w+_)\[/, ([, prefix]) => `must be an id that begins with ${prefix}`],
];

/** What a schema found wrong, as an error of the interface, in the words of the published API. */
export function validationError(part: Part, errors: readonly ErrorObject[]): ApiError {
  const key = part === "querystring" ? "invalid_query_params" : "invalid_payload";
  return new ApiError(key, { details: faultDetails(part, tellingOf(errors)) });
}

/** Of a value that fits none of several shapes, the failure that lies deepest: the shape that was meant got that far. */
const tellingOf = (errors: readonly ErrorObject[]): ErrorObject => {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split("/").length;
  return errors.reduce((best, one) => (depth(one) > depth(best) ? one : best));
};

/** What is said of a whole body. The published API has words only for its fields. */
const BODY_SAYS: Readonly<Record<string, (error: ErrorObject) => string>> = {
  type: ({ data, parentSchema }) => {
    const isList = parentSchema?.type === "array";
    const fields = ((parentSchema?.required ?? []) as string[]).map((field) => `'${field}'`).join(", ");
    if (data == null) return `The request needs a JSON body${isList ? ": a list" : fields && ` with ${fields}`}`;
    return `The body must be a JSON ${isList ? "list" : "object"}${fields && ` with ${fields}`}`;
  },
  minProperties: () => "The body must have at least one field",
};

function faultDetails(part: Part, error: ErrorObject): string {
  const { instancePath, keyword, params, message, parentSchema } = error;
  const whole = part === "body" && instancePath === "" ? BODY_SAYS[keyword] : undefined;
  if (whole) return whole(error);
  const root = { body: "Payload", querystring: "Query", params: "Path", headers: "Headers" }[part];
  const path = instancePath
    .replace(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
  const subject = path === "" ? root : `Property ${path}`;
  const meant = NUMBER_FORMATS[String(parentSchema?.format)];
  switch (keyword) {
    case "type":
      return `${subject} ${meant ?? message}`;
    case "enum":
      return `${subject} must be equal to one of the allowed values [ ${params.allowedValues.map(String).join(", ")} ]`;
    case "const":
      return `${subject} must be equal to one of the allowed values [ ${params.allowedValue} ]`;
    case "format":
      return `${subject} ${FORMATS[params.format]?.says ?? message}`;
    case "pattern": {
      if (meant) return `${subject} ${meant}`;
      for (const [pattern, says] of PATTERNS) {
        const found = pattern.exec(params.pattern);
        if (found) return `${subject} ${says(found)}`;
      }
      return `${subject} ${message}`;
    }
    case "additionalProperties":
      return `${subject} must NOT have additional property '${params.additionalProperty}'`;
    case "uniqueItems":
      return `${subject} must NOT have duplicate items`;
    default:
      return `${subject} ${message}`;
  }
}

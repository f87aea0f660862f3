import fc from "fast-check";
import { stringify } from "qs";
import type { Route } from "../../src/http/route.ts";

// Requests made from the schemas of a route: valid ones, and ones that are a little or entirely wrong.

type Schema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
};
type Any = fc.Arbitrary<unknown>;
export type RandomRequest = { path: string; query: string; body: unknown; headers: Record<string, string> };

// At the ends of what a database can store, and beyond them.
const FAR = ["0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
const FORMATS: Record<string, readonly string[]> = {
  date: ["2026-02-28", "2024-02-29", "0001-01-01", "9999-12-31"],
  "date-time": ["2026-01-01T00:00:00Z", "2026-12-31T23:59:59.999+14:00", "1970-01-01T00:00:00.000Z", ...FAR],
  "date-or-date-time": ["2026-02-28", "2026-01-01T00:00:00Z", "0000-01-01", "9999-12-31", ...FAR],
  email: ["a@b.example"],
  "time-zone": ["UTC", "Europe/Warsaw", "GMT+1"],
  currency: ["EUR", "JPY"],
  "dial-code": ["+48", "1"],
  origin: ["https://shop.example:8443", "*"],
  "web-address": ["https://shop.example/hooks"],
};
const NASTY: readonly unknown[] = [
  null,
  "",
  " ",
  "\0",
  "\ud800",
  "💥",
  "'; drop table categories; --",
  "%00%ff",
  "../..",
  "x".repeat(5000),
  -1,
  0,
  0.1,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  -1e300,
  true,
  [],
  {},
  [[]],
  { $in: [] },
  JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1}}'),
];

/** Values that fit the schema, or nearly: what only code checks is not known here. */
export function valid(schema: Schema, ids: readonly string[]): Any {
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return fc.oneof(...union.map((one) => valid(one, ids)));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => valid({ ...schema, type }, ids)));
  switch (schema.type) {
    case "string":
      return text(schema, ids);
    case "integer":
      return integer(schema);
    case "number":
      return fc.oneof(
        integer(schema),
        fc.double({ noNaN: true, min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9 }),
      );
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return list(schema, ids);
    case "object":
      return object(schema, ids);
    default:
      return fc.jsonValue();
  }
}

function text({ format, pattern, minLength = 0, maxLength = 40 }: Schema, ids: readonly string[]): Any {
  if (format) return fc.constantFrom(...(FORMATS[format] ?? ["x"]));
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  const size = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) };
  const exact = fc.constantFrom("x".repeat(Math.max(1, minLength)), "x".repeat(Math.min(maxLength, 300)));
  return fc.oneof(fc.constantFrom(...ids), fc.string(size), fc.string({ ...size, unit: "grapheme" }), exact);
}

const integer = ({ minimum = -(2 ** 53) + 1, maximum = 2 ** 53 - 1 }: Schema) =>
  fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: Math.max(minimum, -1000), max: Math.min(maximum, 1000) }),
  );

function list({ items = {}, minItems = 0, maxItems = 4, uniqueItems }: Schema, ids: readonly string[]): Any {
  const size = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) };
  const item = valid(items, ids);
  return uniqueItems ? fc.uniqueArray(item, { ...size, selector: (one) => JSON.stringify(one) }) : fc.array(item, size);
}

function object({ properties, required = [], additionalProperties }: Schema, ids: readonly string[]): Any {
  if (!properties || Object.keys(properties).length === 0) {
    const value = typeof additionalProperties === "object" ? valid(additionalProperties, ids) : fc.jsonValue();
    const key = fc.oneof(fc.string({ minLength: 1, maxLength: 10 }), fc.constantFrom(...ids));
    return fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
  }
  const fields = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valid(one, ids)]));
  return fc.record(fields, { requiredKeys: required.filter((name) => fields[name]), noNullPrototype: true });
}

/** The same value with one place of it changed: another value, a key less, a key more. */
const mutated = (value: Any): Any =>
  fc
    .tuple(value, fc.nat(), fc.oneof(fc.constantFrom(...NASTY), fc.jsonValue()), fc.constantFrom("set", "drop", "add"))
    .map(([one, at, other, how]) => change(structuredClone(one), { at, other, how }));

function change(value: unknown, { at, other, how }: { at: number; other: unknown; how: string }): unknown {
  const places: [Record<string, unknown>, string][] = [];
  const visit = (one: unknown): void => {
    if (typeof one !== "object" || one === null) return;
    for (const key of Object.keys(one)) {
      places.push([one as Record<string, unknown>, key]);
      visit((one as Record<string, unknown>)[key]);
    }
  };
  visit(value);
  const place = places[at % Math.max(1, places.length)];
  if (!place) return other;
  const [holder, key] = place;
  if (how === "drop") delete holder[key];
  else holder[how === "add" ? "another" : key] = other;
  return value;
}

const usually = (good: Any, bad: Any): Any => fc.oneof({ weight: 2, arbitrary: good }, { weight: 1, arbitrary: bad });

/** A request to a route: its path filled in, a query, a body and the headers of it. */
export function requestsOf(route: Route, ids: Record<string, string>): fc.Arbitrary<RandomRequest> {
  const real = Object.values(ids);
  const segment = (name: string) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(ids[name] ?? "none") },
      { weight: 1, arbitrary: fc.constantFrom(...real, "none", "%00", "%F0%9F%92%A5", "..%2f..", "x".repeat(900)) },
      { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20 }).map(encodeURIComponent) },
    );
  const parts = route.path.split(/\{(\w+)\}/).map((part, n) => (n % 2 === 0 ? fc.constant(part) : segment(part)));
  const known = valid((route.query ?? { type: "object" }) as Schema, real);
  const query = usually(known, mutated(known)).map((one) =>
    typeof one === "object" && one !== null ? stringify(one) : encodeURIComponent(JSON.stringify(one).toWellFormed()),
  );
  const body = route.body
    ? usually(valid(route.body as Schema, real), mutated(valid(route.body as Schema, real)))
    : fc.constant(undefined);
  const key = fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom("a", "b", "x".repeat(256)) },
  );
  return fc.record({
    path: fc.tuple(...parts).map((all) => all.join("")),
    query,
    body,
    headers: key.map((one): Record<string, string> => (one === undefined ? {} : { "idempotency-key": one })),
  });
}

export const formOf = (body: unknown): string =>
  typeof body === "object" && body !== null ? stringify(body) : encodeURIComponent(String(body).toWellFormed());

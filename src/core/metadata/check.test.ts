import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { metadataFault } from "./check.ts";
import { type Definition, METADATA_TYPES, type MetadataSchema } from "./definition.ts";

const define = (definition: Partial<Definition>): Definition => ({
  type: "string",
  optional: true,
  array: false,
  object_type: null,
  ...definition,
});
type Schemas = Record<string, MetadataSchema>;
const schemaOf = (properties: Record<string, Partial<Definition>>, allow_defined_only = false): MetadataSchema => ({
  properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, define(one)])),
  allow_defined_only,
});
const faultIn = (schemas: Schemas, metadata: Record<string, unknown>, on: "create" | "update" = "create") =>
  metadataFault(new Map(Object.entries(schemas)), "customer", { metadata, on });
/** What is said of one value under the key `k`. */
const fault = (definition: Partial<Definition>, value: unknown, on?: "create" | "update") =>
  faultIn({ customer: schemaOf({ k: definition }) }, value === undefined ? {} : { k: value }, on);

test("the published details are given word by word", () => {
  const image = schemaOf({ ImageURL: { type: "image_url" } });
  assert.equal(
    faultIn({ customer: image }, { ImageURL: "http.com" }),
    "ImageURL: must be a URL pointing to JPG/JPEG or PNG resource (actual value is 'http.com')",
  );
  const location = schemaOf({ location_id: { array: true, eq: ["L1", "L2", "L3"] } });
  assert.equal(
    faultIn({ customer: location }, { location_id: "L1" }),
    "location_id: must be an array, and every element: must be a string, must be equal to one of L1,L2,L3 (actual value is 'L1')",
  );
  assert.equal(faultIn({ customer: location }, { location_id: ["L1", "L3"] }), null);
});

const VALUES: Record<Definition["type"], { good: unknown[]; bad: unknown[] }> = {
  string: { good: ["", "x", "é"], bad: [1, true, {}, ["x"]] },
  number: { good: [0, -1.5, 9007199254740991], bad: ["1", true, {}, [1]] },
  boolean: { good: [true, false], bad: ["true", 1, 0, {}] },
  object: { good: [{}, { a: { b: 1 } }], bad: ["{}", 1, [], [{}]] },
  date: {
    good: ["2026-01-31", "2024-02-29"],
    bad: ["2026-02-29", "2026-13-01", "2026-1-1", "01.01.2026", "2026-01-01T00:00:00Z", 5, ""],
  },
  datetime: {
    good: ["2026-01-31T10:00:00Z", "2026-01-31T10:00", "2026-01-31T10:00:00.123456+02:00", "2026-01-31T10:00:00-0330"],
    bad: ["2026-01-31", "2026-02-30T10:00:00Z", "2026-01-31T25:00:00Z", "2026-01-31 10:00", "now", 1767268800],
  },
  geopoint: {
    good: ["37.786971, -122.399677", "90,180", "-90,-180", "0, 0"],
    bad: ["91,0", "0,181", "37.78", "north", "1,2,3", [1, 2], ""],
  },
  image_url: {
    good: ["https://x.example/a.png", "http://x.example/a/b.JPG", "https://x.example/a.jpeg?w=5#top"],
    bad: ["https://x.example/a.gif", "ftp://x.example/a.png", "a.png", "https://x.example/?a.png", "https:///a.png", 1],
  },
};

for (const type of METADATA_TYPES) {
  test(`a value of the type ${type} is accepted and anything else is refused, alone and in an array`, () => {
    const { good, bad } = VALUES[type];
    for (const value of good) assert.equal(fault({ type }, value), null, JSON.stringify(value));
    assert.equal(fault({ type, array: true }, good), null);
    assert.equal(fault({ type, array: true }, []), null);
    assert.notEqual(fault({ type, array: true }, good[0]), null, "one value is no array");
    for (const value of bad) {
      assert.match(fault({ type }, value)!, /^k: must be a/, JSON.stringify(value));
      assert.match(
        fault({ type, array: true }, [...good, value])!,
        /^k: must be an array, and every element: must be a/,
      );
    }
  });
}

test("a required key must be there when an object is created; in an update it may be left out but not be null", () => {
  const required = { type: "number", optional: false } as const;
  const says = (actual: string) => `k: must be a number, property is required (actual value is '${actual}')`;
  assert.equal(fault(required, undefined), says("undefined"));
  assert.equal(fault(required, null), says("null"));
  assert.equal(fault(required, undefined, "update"), null);
  assert.equal(fault(required, null, "update"), says("null"));
  assert.equal(fault(required, "1", "update"), says("1"));
});

test("an optional key may be left out or be null, in an array's place too but not inside it", () => {
  for (const type of METADATA_TYPES) {
    assert.equal(fault({ type }, undefined), null);
    assert.equal(fault({ type }, null), null);
    assert.equal(fault({ type, array: true }, null), null);
    assert.notEqual(fault({ type, array: true }, [null]), null);
  }
});

test("lengths count characters, not code units, and every limit is told", () => {
  assert.equal(fault({ min_length: 2, max_length: 2, exact_length: 2 }, "🎁🎁"), null);
  for (const definition of [{ min_length: 3 }, { max_length: 1 }, { exact_length: 4 }])
    assert.notEqual(fault(definition, "🎁🎁"), null);
  assert.equal(
    fault({ optional: false, min_length: 2, max_length: 3, exact_length: 2, eq: ["ab"] }, "x"),
    "k: must be a string, property is required, must have exactly 2 characters, must have at least 2 characters, " +
      "must have at most 3 characters, must be equal to one of ab (actual value is 'x')",
  );
});

test("limits of numbers hold at their borders, and every limit is told", () => {
  const cases: [Partial<Definition>, number[], number[]][] = [
    [{ lt: 5 }, [4.99], [5]],
    [{ lte: 5 }, [5], [5.01]],
    [{ gt: 5 }, [5.01], [5]],
    [{ gte: 5 }, [5], [4.99]],
    [{ eq: [1, 2] }, [1, 2], [3]],
    [{ ne: [1, 2] }, [3], [1, 2]],
    [{ lt: 0 }, [-1], [0]],
    [{ gt: 0 }, [1], [0]],
  ];
  for (const [limits, good, bad] of cases) {
    for (const value of good) assert.equal(fault({ type: "number", ...limits }, value), null);
    for (const value of bad) assert.notEqual(fault({ type: "number", ...limits }, value), null);
  }
  assert.equal(
    fault({ type: "number", eq: [1], ne: [2], lt: 9, lte: 8, gt: 0, gte: 0.5 }, 2),
    "k: must be a number, must be equal to one of 1, must not be equal to any of 2, must be less than 9, " +
      "must be less than or equal to 8, must be greater than 0, must be greater than or equal to 0.5 (actual value is '2')",
  );
});

test("keys that are not defined are kept free, unless only defined ones are allowed", () => {
  const metadata = { k: "x", more: 1 };
  assert.equal(faultIn({ customer: schemaOf({ k: {} }) }, metadata), null);
  assert.equal(
    faultIn({ customer: schemaOf({ k: {} }, true) }, metadata),
    "more: property is not defined in the schema (actual value is '1')",
  );
  assert.equal(faultIn({ customer: schemaOf({}, true) }, {}), null);
  assert.equal(faultIn({}, metadata), null, "no schema, nothing to keep");
  assert.equal(faultIn({ order: schemaOf({ k: { type: "number" } }, true) }, metadata), null);
});

test("a removed definition is not checked, and its key counts as not defined", () => {
  const removed = { type: "number", optional: false, deleted: true } as const;
  assert.equal(faultIn({ customer: schemaOf({ k: removed }) }, { k: "text" }), null);
  assert.equal(faultIn({ customer: schemaOf({ k: removed }) }, {}), null);
  assert.match(faultIn({ customer: schemaOf({ k: removed }, true) }, { k: 1 })!, /^k: property is not defined/);
});

test("keys that every object has, as constructor, are keys like any other", () => {
  for (const key of ["constructor", "toString", "hasOwnProperty"]) {
    assert.equal(faultIn({ customer: schemaOf({ [key]: { type: "number" } }) }, {}), null);
    assert.match(faultIn({ customer: schemaOf({}, true) }, { [key]: 1 })!, /property is not defined/);
    assert.match(
      faultIn({ customer: schemaOf({ [key]: { type: "number", optional: false } }) }, {})!,
      /actual value is 'undefined'/,
    );
  }
});

test("an object follows the schema that its definition names, with that one's own rules, also in an array", () => {
  const customer = schemaOf({
    home: { type: "object", object_type: "address" },
    homes: { type: "object", array: true, object_type: "address" },
    free: { type: "object", object_type: "unknown" },
    unnamed: { type: "object" },
    gone: { type: "object", object_type: "no such schema" },
  });
  const schemas = { customer, address: schemaOf({ city: { optional: false } }, true) };
  const good = { city: "Kraków" };
  const anything = { a: [1] };
  assert.equal(
    faultIn(schemas, { home: good, homes: [good, good], free: anything, unnamed: anything, gone: anything }),
    null,
  );
  assert.equal(
    faultIn(schemas, { home: { city: 5 } }),
    "home: city: must be a string, property is required (actual value is '5') (actual value is '{\"city\":5}')",
  );
  assert.match(faultIn(schemas, { home: {} })!, /^home: city: /);
  assert.match(faultIn(schemas, { homes: [good, { ...good, zip: 1 }] })!, /^homes: zip: property is not defined/);
  assert.match(faultIn(schemas, { home: {} }, "update")!, /^home: city: /, "a nested object is always whole");
});

test("a long value is cut in the message", () => {
  const says = fault({ type: "number" }, "x".repeat(5000))!;
  assert.ok(says.length < 200 && says.endsWith("x…')"));
});

// A definition, with values that fit it.
const cents = fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 100);
const one = {
  string: fc.record({ min: fc.nat(5), more: fc.nat(5) }).chain(({ min, more }) => {
    const limits = { min_length: min, max_length: min + more };
    const value = fc.string({ minLength: min, maxLength: min + more, unit: "grapheme-ascii" });
    return fc.record({
      definition: fc.constant({ type: "string", ...limits } as const),
      value,
      spoiled: fc.constant("x".repeat(min + more + 1)),
    });
  }),
  number: fc.tuple(cents, fc.nat(1000)).chain(([gte, width]) => {
    const definition = fc.constant({ type: "number", gte, lte: gte + width } as const);
    const value = fc.integer({ min: 0, max: width }).map((n) => gte + n);
    return fc.record({ definition, value, spoiled: fc.constantFrom(gte - 1, gte + width + 1) });
  }),
  eq: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }).chain((eq) =>
    fc.record({
      definition: fc.constant({ type: "string", eq } as const),
      value: fc.constantFrom(...eq),
      spoiled: fc.constant(`${eq.join("")}?`),
    }),
  ),
  boolean: fc.record({
    definition: fc.constant({ type: "boolean" } as const),
    value: fc.boolean(),
    spoiled: fc.constantFrom("true", 0, 1),
  }),
  date: fc.record({
    definition: fc.constant({ type: "date" } as const),
    value: fc
      .date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
    spoiled: fc.constantFrom("2026-02-30", "2026-00-10", "tomorrow"),
  }),
  datetime: fc.record({
    definition: fc.constant({ type: "datetime" } as const),
    value: fc
      .date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString()),
    spoiled: fc.constantFrom("2026-01-01", "2026-02-30T00:00:00Z"),
  }),
  geopoint: fc.record({
    definition: fc.constant({ type: "geopoint" } as const),
    value: fc.tuple(fc.integer({ min: -90, max: 90 }), fc.integer({ min: -180, max: 180 })).map((at) => at.join(", ")),
    spoiled: fc.constantFrom("90.5, 0", "0, -180.5"),
  }),
};
const anyOne = fc.oneof(...Object.values(one)) as fc.Arbitrary<{
  definition: Partial<Definition>;
  value: unknown;
  spoiled: unknown;
}>;

test("metadata made from its definitions is accepted, and refused with the name of any one key that is spoiled", () => {
  const cases = fc.record({
    defined: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.tuple(anyOne, fc.boolean()), {
      minKeys: 1,
      maxKeys: 6,
    }),
    pick: fc.nat(),
    only: fc.boolean(),
  });
  fc.assert(
    fc.property(cases, ({ defined, pick, only }) => {
      const entries = Object.entries(defined);
      const properties = Object.fromEntries(
        entries.map(([key, [{ definition }, array]]) => [key, { ...definition, array, optional: false }]),
      );
      const schemas = { customer: schemaOf(properties, only) };
      const metadata = Object.fromEntries(
        entries.map(([key, [{ value }, array]]) => [key, array ? [value, value] : value]),
      );
      assert.equal(faultIn(schemas, metadata), null);
      const [key, [{ value, spoiled }, array]] = entries[pick % entries.length]!;
      const bad = { ...metadata, [key]: array ? [value, spoiled] : spoiled };
      assert.ok(faultIn(schemas, bad)?.startsWith(`${key}: `));
      const { [key]: _, ...missing } = metadata;
      assert.ok(faultIn(schemas, missing)?.startsWith(`${key}: `));
      assert.equal(faultIn(schemas, missing, "update"), null);
    }),
  );
});

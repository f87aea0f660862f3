import assert from "node:assert/strict";
import { test } from "node:test";
import { type Definition, type Definitions, definitionsFault, METADATA_TYPES, nestedSchemaOf } from "./definition.ts";

const define = (definition: Partial<Definition>): Definition => ({
  type: "string",
  optional: true,
  array: false,
  object_type: null,
  ...definition,
});
const fault = (relatedObject: string, definition: Partial<Definition>) =>
  definitionsFault(relatedObject, { k: define(definition) });

test("a definition may have the attributes of its type and no others", () => {
  const fits: Record<string, readonly string[]> = { string: ["string"], number: ["number"] };
  const attributes: [Partial<Definition>, string][] = [
    [{ min_length: 1 }, "string"],
    [{ max_length: 1 }, "string"],
    [{ exact_length: 1 }, "string"],
    [{ ne: [1] }, "number"],
    [{ lt: 0 }, "number"],
    [{ lte: 0 }, "number"],
    [{ gt: 0 }, "number"],
    [{ gte: 0 }, "number"],
  ];
  for (const [attribute, owner] of attributes) {
    for (const type of METADATA_TYPES) {
      const says = fault("customer", { type, ...attribute });
      const [name] = Object.keys(attribute);
      if (fits[owner]!.includes(type)) assert.equal(says, null);
      else assert.equal(says, `Property .properties.k.${name} is for the type ${owner} only`);
    }
  }
});

test("allowed values have the type of the definition", () => {
  assert.equal(fault("order", { eq: ["a", "b"] }), null);
  assert.equal(fault("order", { type: "number", eq: [1, 2.25] }), null);
  assert.equal(fault("order", { type: "number", eq: [1, "2"] }), "Property .properties.k.eq.1 must be number");
  assert.equal(fault("order", { eq: [1] }), "Property .properties.k.eq.0 must be string");
  assert.equal(
    fault("order", { type: "date", eq: ["2026-01-01"] }),
    "Property .properties.k.eq is for the types string and number only",
  );
});

test("limits of numbers have at most two decimals", () => {
  for (const value of [0.29, 1.1, -5.25, 1e15, 9007199254740991])
    assert.equal(fault("order", { type: "number", lt: value, eq: [value], ne: [value] }), null, `${value}`);
  for (const field of ["lt", "lte", "gt", "gte"] as const)
    assert.equal(
      fault("order", { type: "number", [field]: 0.125 }),
      `Property .properties.k.${field} must have at most 2 decimals`,
    );
  assert.match(fault("order", { type: "number", ne: [1, 0.001] })!, /\.ne\.1 must have/);
});

test("a geopoint is for customers and products, and a nested object has no nested objects", () => {
  const geopoint = { type: "geopoint" } as const;
  for (const object of ["customer", "product"]) assert.equal(fault(object, geopoint), null);
  for (const object of ["order", "voucher", "address"]) assert.match(fault(object, geopoint)!, /must not be geopoint/);
  for (const object_type of [null, "unknown", "address"]) {
    assert.equal(fault("order", { type: "object", object_type }), null);
    assert.match(fault("address", { type: "object", object_type })!, /a nested object has no nested objects/);
  }
  assert.match(fault("order", { object_type: "address" })!, /\.object_type must be null unless/);
});

test("a schema holds at most 100 definitions, removed ones counted", () => {
  const many = (count: number): Definitions =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, define({ deleted: n % 2 === 0 })]));
  assert.equal(definitionsFault("order", many(100)), null);
  assert.equal(definitionsFault("order", many(101)), "Property .properties must NOT have more than 100 properties");
});

test("the schema of nested values is named by an object's definition only", () => {
  assert.equal(nestedSchemaOf(define({ type: "object", object_type: "address" })), "address");
  assert.equal(nestedSchemaOf(define({ type: "object", object_type: "unknown" })), null);
  assert.equal(nestedSchemaOf(define({ type: "object" })), null);
  assert.equal(nestedSchemaOf(define({})), null);
});

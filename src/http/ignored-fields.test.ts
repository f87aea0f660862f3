import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Type } from "typebox";
import { definitionInBody } from "../core/rules/schema.ts";
import { ignoredFields, ignoredFieldsHeader } from "./ignored-fields.ts";
import { CustomerOrReference, FilterConditions, Metadata, Nullable, open, optional, strict } from "./schemas.ts";

const Body = open(
  optional({
    code: Type.String(),
    customer: CustomerOrReference,
    metadata: Metadata,
    order: Nullable(open(optional({ amount: Type.Integer(), items: Type.Array(open({ quantity: Type.Integer() })) }))),
    rules: Type.Record(Type.String(), open({ name: Type.String() })),
  }),
);
const ignored = (body: unknown) => [...ignoredFields(Body, body)];

test("fields that a schema does not know are named by their path, and what is free is not", () => {
  assert.deepEqual(ignored({ code: "A", metadata: { anything: { at: "all" } } }), []);
  assert.deepEqual(ignored({ cod: "A" }), ["cod"]);
  assert.deepEqual(ignored({ order: { amount: 1, total: 2, items: [{ quantity: 1 }, { quantity: 1, qty: 2 }] } }), [
    "order.total",
    "order.items[].qty",
  ]);
  assert.deepEqual(ignored({ order: null, customer: null }), []);
  assert.deepEqual(ignored({ rules: { "1": { name: "a", label: "b" } } }), ["rules.1.label"]);
});

test("unknown fields are found in what is checked later, too: rules below rules, and filters", () => {
  const rules = {
    1: { name: "order.items.any", condition: {}, rules: { 1: { name: "sku.price", unit: 1 } } },
    logic: "1",
  };
  const applicable_to = { included: [{ object: "product", id: "p", colour: "red" }], every: true };
  assert.deepEqual(
    [...ignoredFields(open(definitionInBody), { rules, applicable_to, bundle_rules: null, error: { text: "No" } })],
    [
      "rules.1.condition",
      "rules.1.rules.1.unit",
      "applicable_to.included[].colour",
      "applicable_to.every",
      "error.text",
    ],
  );
  const filter = { junction: "and", name: { conditions: { $is: "A", $equals: "A" }, condition: "A" } };
  assert.deepEqual([...ignoredFields(FilterConditions, filter)], ["name.conditions.$equals", "name.condition"]);
});

test("of several shapes the one that fits the value decides", () => {
  assert.deepEqual(ignored({ customer: "bob" }), []);
  assert.deepEqual(ignored({ customer: { source_id: "bob", nickname: "b", address: { zip: "1" } } }), [
    "customer.nickname",
    "customer.address.zip",
  ]);
  const Either = Type.Union([strict({ a: Type.String() }), open({ b: Type.String() })]);
  assert.deepEqual([...ignoredFields(Either, { a: "1", b: "2", c: "3" })], ["c"]);
});

test("the header names a field once, at most twenty of them, and shortens what is long", () => {
  assert.deepEqual(ignoredFieldsHeader(Body, {}), {});
  const lines = Array.from({ length: 500 }, () => ({ quantity: 1, colour: "red" }));
  assert.deepEqual(ignoredFieldsHeader(Body, { order: { items: lines } }), {
    "Laurel-Ignored-Fields": "order.items[].colour",
  });
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`field_${n}`, 1]));
  const text = ignoredFieldsHeader(Body, many)["Laurel-Ignored-Fields"]!;
  assert.equal(text.split(", ").length, 21);
  assert.match(text, /^field_0, .*, field_19, and 5 more$/);
  assert.deepEqual(ignoredFieldsHeader(Body, { ["x".repeat(500)]: 1 }), {
    "Laurel-Ignored-Fields": `${"x".repeat(100)}...`,
  });
});

test("whatever a field is called, the header is short printable ASCII without line breaks", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary", maxLength: 130 }), fc.constant(1), { maxKeys: 25 }),
      (body) => {
        const { "Laurel-Ignored-Fields": text = "" } = ignoredFieldsHeader(open({}), body);
        assert.match(text, /^[\x20-\x7e]*$/);
        assert.ok(text.length <= 21 * 105, `${text.length}`);
      },
    ),
  );
  assert.deepEqual(ignoredFieldsHeader(open({}), { "a,b\r\nX-Evil: 1 ü \ud800": 1 }), {
    "Laurel-Ignored-Fields": "a%2Cb%0D%0AX-Evil:%201%20%C3%BC%20%EF%BF%BD",
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition } from "./definition.ts";
import { metadataFromText } from "./from-text.ts";

const defined = (type: Definition["type"], array = false): Definition => ({
  type,
  array,
  optional: true,
  object_type: null,
});
const schema = {
  properties: { n: defined("number"), b: defined("boolean"), s: defined("string"), many: defined("number", true) },
  allow_defined_only: false,
};

test("text becomes a number or a truth value where the schema says so, and stays what it is elsewhere", () => {
  const text = { n: "5.5", b: "TRUE", s: "5", many: ["1", "x"], free: "5", constructor: "1" };
  assert.deepEqual(metadataFromText(schema, text), {
    n: 5.5,
    b: true,
    s: "5",
    many: [1, "x"],
    free: "5",
    constructor: "1",
  });
  for (const n of ["", " ", "five", "Infinity", "1e999"])
    assert.deepEqual(metadataFromText(schema, { n }), { n }, "what is no number is for the check to refuse");
  assert.deepEqual(metadataFromText(schema, { b: "1", n: { a: "1" } }), { b: "1", n: { a: "1" } });
  assert.deepEqual(metadataFromText(undefined, { n: "5" }), { n: "5" });
});

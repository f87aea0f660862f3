import assert from "node:assert/strict";
import { test } from "node:test";
import { booleanCell, numberCell, objectCell } from "./cells.ts";

test("a cell is true or false, however it is written, and nothing that every object has", () => {
  assert.deepEqual(booleanCell("TRUE"), { value: true });
  assert.deepEqual(booleanCell("false"), { value: false });
  for (const text of ["constructor", "__proto__", "toString", "yes", ""]) assert.ok("fault" in booleanCell(text), text);
});

test("a cell with an object holds nothing that a body of JSON may not hold", () => {
  assert.deepEqual(objectCell("{'color': 'red'}"), { value: { color: "red" } });
  for (const [text, reason] of [
    ['{"a": {"b": ["x\\u0000"]}}', /U\+0000/],
    ['{"a\\u0000": 1}', /U\+0000/],
    ["{'a': '\\ud800'}", /well-formed/],
    ['{"a": 9007199254740993}', /between/],
    ['{"a": 1, "a": 2}', /twice/],
    ['{"__proto__": {"a": 1}}', /__proto__/],
    [`{"a": ${"[".repeat(40)}${"]".repeat(40)}}`, /deeper/],
    ["[]", /must be an object/],
    ["null", /must be an object/],
  ] as const) {
    const cell = objectCell(text);
    assert.match("fault" in cell ? cell.fault : "none", reason, text);
  }
  assert.ok("fault" in numberCell("9007199254740993"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { booleanCell } from "./cells.ts";

test("a cell is true or false, however it is written, and nothing that every object has", () => {
  assert.deepEqual(booleanCell("TRUE"), { value: true });
  assert.deepEqual(booleanCell("false"), { value: false });
  for (const text of ["constructor", "__proto__", "toString", "yes", ""]) assert.ok("fault" in booleanCell(text), text);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { moved, placesOf } from "./places.ts";

const rows = (...places: number[]) => places.map((hierarchy, index) => ({ id: "abcd"[index]!, hierarchy }));
const written = (ids: string[], old: ReturnType<typeof rows>) =>
  placesOf(ids, old).flatMap(({ id, hierarchy, isNew }) => (isNew ? [`${id}${hierarchy}`] : []));

test("places: a row that changes places with the next one writes these two and no other", () => {
  assert.deepEqual(moved(["a", "b", "c"], "b", 0), ["b", "a", "c"]);
  assert.deepEqual(written(["b", "a", "c", "d"], rows(2, 5, 7, 9)), ["b2", "a5"]);
  assert.deepEqual(written(["a", "b"], rows(2, 5)), []);
});

test("places: rows that share a place get one each", () => {
  assert.deepEqual(written(["b", "a", "c"], rows(1, 1, 1)), ["a2", "c3"]);
});

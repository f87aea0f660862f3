import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { changedFields, isSame, mergeEdits } from "./changes.ts";

const value = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom("", "a", "b", null),
  fc.array(fc.nat(2), { maxLength: 2 }),
);
const record = fc.record({ a: value, b: value, c: value });

test("opening and saving changes nothing, and a changed field is sent alone", () => {
  fc.assert(fc.property(record, (was) => assert.deepEqual(changedFields(was, structuredClone(was)), {})));
  assert.deepEqual(changedFields({ a: 1, b: { c: [1] } }, { a: 1, b: { c: [2] } }), { b: { c: [2] } });
});

test("nothing, null and an empty text are the same; zero and false are not", () => {
  assert.ok(isSame(null, "") && isSame(undefined, null));
  assert.ok(!isSame(0, "") && !isSame(false, null) && !isSame([], {}));
});

test("merging keeps every change that only one of the two made", () => {
  fc.assert(
    fc.property(record, record, record, (was, theirs, yours) => {
      const { merged, collisions } = mergeEdits(was, theirs, yours);
      for (const name of ["a", "b", "c"] as const) {
        const [byThem, byYou] = [!isSame(theirs[name], was[name]), !isSame(yours[name], was[name])];
        if (byYou) assert.deepEqual(merged[name], yours[name]);
        else assert.deepEqual(merged[name], theirs[name]);
        const collides = byThem && byYou && !isSame(theirs[name], yours[name]);
        assert.equal(
          collisions.some(({ field }) => field === name),
          collides,
        );
      }
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIds } from "./ids.ts";

/** A number whose three bytes are this one. */
const allBytes = (byte: number) => byte * 0x010101;

test("an id is its prefix, a separator, 12 hex digits of time and 12 that grow", () => {
  const newId = createIds(
    () => 0x0123456789ab,
    () => allBytes(0),
  );
  assert.equal(newId("cat"), "cat_0123456789ab000000000000");
  assert.equal(newId("v", "-"), "v-0123456789ab000000000001");
});

test("ids sort as they were made and are unique, whatever the clock and the random bytes do", () => {
  const tick = fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(tick, { minLength: 2, maxLength: 300 }), (ticks) => {
      let [now, fill] = [1_767_268_800_000, 0];
      const newId = createIds(
        () => now,
        () => allBytes(fill),
      );
      const ids = ticks.map(([step, byte]) => {
        now += step;
        fill = byte;
        return newId("x");
      });
      assert.deepEqual(ids.toSorted(), ids);
      assert.equal(new Set(ids).size, ids.length);
      for (const id of ids) assert.match(id, /^x_[0-9a-f]{24}$/);
    }),
  );
});

test("a million ids of one millisecond with the largest steps stay in order and in length", () => {
  const newId = createIds(
    () => 1_767_268_800_000,
    () => allBytes(255),
  );
  let before = newId("x");
  for (let n = 0; n < 1_000_000; n += 1) {
    const id = newId("x");
    assert.ok(id > before && id.length === before.length);
    before = id;
  }
});

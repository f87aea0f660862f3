import assert from "node:assert/strict";
import { test } from "node:test";
import { givingWay } from "../../src/db/batches/giving-way.ts";

test("what takes long lets others have their turn, and comes to the same", async () => {
  const happened: string[] = [];
  let ms = 0;
  function* made() {
    for (const name of ["a", "b", "c", "d"]) {
      happened.push(name);
      ms += 3;
      yield name;
    }
  }
  setImmediate(() => happened.push("another"));
  assert.deepEqual(await givingWay(made(), () => ms), ["a", "b", "c", "d"]);
  assert.deepEqual(happened, ["a", "b", "another", "c", "d"]);
});

test("what is quick is not interrupted", async () => {
  let isInterrupted = false;
  setImmediate(() => {
    isInterrupted = true;
  });
  assert.deepEqual(await givingWay([1, 2, 3], () => 0), [1, 2, 3]);
  assert.equal(isInterrupted, false);
});

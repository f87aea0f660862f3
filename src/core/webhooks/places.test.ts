import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { choosePlaces, keptPlaces } from "./places.ts";

const webhooksOf = (counts: readonly number[]) =>
  counts.flatMap((count, n) => Array.from({ length: count }, (_, k) => ({ project_id: `p${n}`, id: `w${n}-${k}` })));
const countOf = (all: readonly { project_id: string }[], project_id: string) =>
  all.filter((one) => one.project_id === project_id).length;

test("one place goes to each project before one gets a second, and half of them only to who has none", () => {
  const chosen = choosePlaces(webhooksOf([9, 1, 2]), { places: 8, underWay: [] });
  assert.deepEqual(
    chosen.map(({ id }) => id),
    ["w0-0", "w1-0", "w2-0", "w0-1"],
  );
  const rest = choosePlaces(webhooksOf([0, 0, 0, 3, 1]), { places: 8, underWay: chosen });
  assert.deepEqual(
    rest.map(({ id }) => id),
    ["w3-0", "w4-0"],
  );
});

test("whatever is due and under way: places are kept, and who has none gets one while there is one", () => {
  const counts = fc.array(fc.nat(12), { maxLength: 12 });
  fc.assert(
    fc.property(counts, counts, fc.integer({ min: 1, max: 24 }), (waiting, sending, places) => {
      const due = webhooksOf(waiting);
      const underWay = webhooksOf(sending).slice(0, places);
      const chosen = choosePlaces(due, { places, underWay });
      const all = [...underWay, ...chosen];
      assert.ok(all.length <= places);
      assert.equal(new Set(chosen).size, chosen.length);
      const projects = [...new Set(due.map(({ project_id }) => project_id))];
      for (const id of projects) {
        const own = countOf(all, id);
        const waits = countOf(due, id) > countOf(chosen, id);
        if (own === 0) assert.equal(all.length, places, "who has none waits only while there is no place at all");
        for (const { project_id } of chosen)
          if (waits)
            assert.ok(countOf(all, project_id) <= own + 1, "nobody is given more than one more than who waits");
      }
      if (due.length > chosen.length)
        assert.ok(all.length >= places - keptPlaces(places), "somebody waits only when the places for all are taken");
    }),
  );
});

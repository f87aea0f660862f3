import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { edgesOf, isOpen, joined, LENGTHS, moveSpan, parseSpan, pieceOf, printSpan } from "./span.ts";

const ZONE = "Europe/Warsaw";
const NOW = "2026-01-31T23:30:00.000Z";
const span = fc
  .record({
    year: fc.integer({ min: 2000, max: 2100 }),
    month: fc.integer({ min: 1, max: 12 }),
    months: fc.constantFrom(...LENGTHS),
  })
  .map((one) => ({ ...one }));

test("law: months come back from their address, and moving there and back changes nothing", () => {
  fc.assert(
    fc.property(span, fc.integer({ min: -60, max: 60 }), (one, by) => {
      assert.deepEqual(parseSpan(printSpan(one), NOW, ZONE), one);
      assert.deepEqual(moveSpan(moveSpan(one, by), -by), one);
    }),
  );
});

test("without an address it is half a year around now, on the clock of the project", () => {
  assert.deepEqual(parseSpan(null, NOW, ZONE), { year: 2025, month: 12, months: 6 });
  assert.deepEqual(parseSpan("2026-13~6", NOW, ZONE), { year: 2025, month: 12, months: 6 });
});

test("months begin at midnight of the project, in summer too", () => {
  const edges = edgesOf({ year: 2026, month: 3, months: 3 }, ZONE);
  assert.deepEqual(
    edges.map((at) => new Date(at).toISOString()),
    ["2026-02-28T23:00:00.000Z", "2026-03-31T22:00:00.000Z", "2026-04-30T22:00:00.000Z", "2026-05-31T22:00:00.000Z"],
  );
});

test("law: a piece is within the picture, and what is outside has none", () => {
  const end = fc.option(fc.integer({ min: -1000, max: 2000 }), { nil: null });
  fc.assert(
    fc.property(end, end, (a, b) => {
      const [from, to] = a !== null && b !== null && a > b ? [b, a] : [a, b];
      const piece = pieceOf(from, to, [0, 1000]);
      if (piece === null) return assert.ok((from ?? 0) >= 1000 || (to ?? 1000) <= 0);
      assert.ok(piece.left >= 0 && piece.left + piece.width <= 100.000001 && piece.width >= 0);
      assert.equal(piece.isCutLeft, from === null || from < 0);
    }),
  );
});

test("law: joined stretches cover the same time, and none touches another", () => {
  const end = fc.option(fc.integer({ min: 0, max: 50 }), { nil: null });
  const stretch = fc
    .tuple(end, end)
    .map(([a, b]) => (a !== null && b !== null && a > b ? { from: b, to: a } : { from: a, to: b }));
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 6 }), (all) => {
      const covers = (list: typeof all, at: number) =>
        list.some(({ from, to }) => (from ?? at) <= at && at <= (to ?? at));
      const once = joined(all);
      for (let at = -1; at <= 51; at += 1) assert.equal(covers(once, at), covers(all, at));
      for (let at = 1; at < once.length; at += 1) assert.ok((once[at - 1]!.to ?? 99) < (once[at]!.from ?? -1));
    }),
  );
});

test("what has ended is no conflict", () => {
  const now = Date.parse("2026-03-01T00:00:00Z");
  assert.equal(isOpen({ reason: "expired", to: null }, now), false);
  assert.equal(isOpen({ reason: "same_products", to: "2026-02-01T00:00:00Z" }, now), false);
  assert.equal(isOpen({ reason: "same_products", to: "2026-04-01T00:00:00Z" }, now), true);
  assert.equal(isOpen({ reason: "used_up", to: null }, now), true);
});

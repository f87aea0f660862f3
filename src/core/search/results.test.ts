import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mayRead, RESULTS_MAX, ranked, SEARCH_TYPES, type SearchHit } from "./results.ts";

const hit = (type: SearchHit["type"], id: string, ...texts: string[]): SearchHit => ({
  ...{ type, id, title: id, detail: "", texts },
});

test("what was typed comes before what begins so, and that before what holds it", () => {
  const hits = [hit("campaign", "c", "a summer"), hit("voucher", "v", "SUMMER24"), hit("customer", "u", "x", "summer")];
  assert.deepEqual(
    ranked(hits, "Summer").map(({ id, score }) => [id, score]),
    [
      ["u", 1],
      ["v", 0.5],
      ["c", 0.25],
    ],
  );
});

test("law: at most 20 are shown, each once, in order, and of every type that was found at least one", () => {
  const hits = fc.uniqueArray(fc.tuple(fc.constantFrom(...SEARCH_TYPES), fc.nat(60)), {
    selector: String,
    maxLength: 120,
  });
  fc.assert(
    fc.property(hits, (found) => {
      const all = found.map(([type, n]) => hit(type, `${type}${n}`, `x${n}`));
      const shown = ranked(all, "x1");
      assert.equal(shown.length, Math.min(RESULTS_MAX, all.length));
      assert.equal(new Set(shown.map(({ id }) => id)).size, shown.length);
      assert.deepEqual(new Set(shown.map(({ type }) => type)), new Set(all.map(({ type }) => type)));
      for (const [n, { score }] of shown.entries()) assert.ok(n === 0 || score <= shown[n - 1]!.score);
    }),
  );
});

test("a token reads what its scopes open, a key pair everything", () => {
  const readable = (scopes?: string[]) => SEARCH_TYPES.filter(mayRead({ scopes }));
  assert.deepEqual(readable(), SEARCH_TYPES);
  assert.deepEqual(readable(["search", "api"]), SEARCH_TYPES);
  assert.deepEqual(readable(["search", "vouchers"]), ["voucher"]);
});

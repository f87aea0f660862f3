import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { readDraft, SHAPE, saveDraft } from "./drafts.ts";

const kept = new Map<string, string>();
const value = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, text: string) => kept.set(key, text),
  removeItem: (key: string) => kept.delete(key),
};
Object.defineProperty(globalThis, "localStorage", { value, configurable: true });
beforeEach(() => kept.clear());

test("what was typed comes back", () => {
  saveDraft("campaign:new", { name: "Sale" });
  assert.deepEqual(readDraft("campaign:new")?.values, { name: "Sale" });
  assert.deepEqual(Object.keys(readDraft("campaign:new")!).sort(), ["savedAt", "values"]);
  assert.equal(readDraft("campaign:camp_1"), null);
});

test("a draft that holds fields otherwise than forms do now is dropped", () => {
  const times = { days: [1], from: "09:00", to: "17:00", isKept: true };
  for (const shape of [undefined, SHAPE - 1, SHAPE + 1]) {
    saveDraft("campaign:new", {});
    const [key] = kept.keys();
    kept.set(key!, JSON.stringify({ shape, values: { times }, savedAt: "2026-01-01T00:00:00Z" }));
    assert.equal(readDraft("campaign:new"), null, String(shape));
    assert.equal(kept.size, 0);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { draftCards } from "./card-drafts.ts";
import type { PointCard } from "./point-cards.ts";

test("a card is copied when it is first asked for, and the one that was loaded stays as it is", () => {
  const change = { entries: [] } as unknown as PointCard["change"];
  const cards = new Map(["a", "b"].map((id) => [id, { row: { id }, change, world: null } as unknown as PointCard]));
  const drafts = draftCards(cards);
  const draft = drafts.of("a")!;
  draft.change = { entries: [{}] } as unknown as PointCard["change"];
  assert.equal(drafts.of("a"), draft, "what was done to it is seen by who asks again");
  assert.equal(cards.get("a")!.change, change);
  assert.equal(drafts.of("nobody"), undefined);
  assert.deepEqual([...drafts.touched.keys()], ["a"], "of the others nothing is saved");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isSamePerson } from "./person.ts";
import { type ReferralTier, tiersReached } from "./program.ts";

test("two customers are one person when they are the same or have one address, however it is written", () => {
  const ann = { id: "cust_1", email: "Ann@Example.com" };
  assert.ok(isSamePerson(ann, { id: "cust_1", email: null }));
  assert.ok(isSamePerson(ann, { id: "cust_2", email: " ann@example.COM " }));
  assert.ok(!isSamePerson(ann, { id: "cust_2", email: "bob@example.com" }));
  assert.ok(!isSamePerson({ id: "cust_1", email: null }, { id: "cust_2", email: null }));
  assert.ok(!isSamePerson({ id: "cust_1", email: " " }, { id: "cust_2", email: "" }));
  assert.ok(!isSamePerson({ email: "a@b.c" }, {}));
});

test("a tier is reached by each friend, or by the one who makes the number, where the referrer is in its segment", () => {
  const tier = (id: string, parameters: ReferralTier["parameters"]): ReferralTier => ({
    id,
    banner: null,
    parameters,
    reward: { assignment_id: "rewa_1" },
  });
  const tiers = [
    tier("each", { type: "EACH" }),
    tier("third", { type: "MINIMUM", min: 3 }),
    tier("vip", { type: "EACH", segment_id: "seg_1" }),
  ];
  const reached = (count: number, ...segments: string[]) =>
    tiersReached(tiers, { count, segments: new Set(segments) }).map(({ id }) => id);
  assert.deepEqual(reached(1), ["each"]);
  assert.deepEqual(reached(2, "seg_1"), ["each", "vip"]);
  assert.deepEqual(reached(3), ["each", "third"]);
  assert.deepEqual(reached(4, "seg_2"), ["each"]);
});

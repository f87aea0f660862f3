import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTierRules, tierRulesHold } from "./rules.ts";

const among = (...tier_ids: string[]) => parseTierRules({ any_of: [{ tier_structure_id: "lts_1", tier_ids }] }, "");
const inB = (structure: string) => (structure === "lts_1" ? "lt_b" : null);

test("earn-07: of several earnings the first whose tiers hold the member is the one", () => {
  const earnings = [among("lt_a"), among("lt_b"), parseTierRules(null, "")];
  assert.equal(
    earnings.findIndex((rules) => tierRulesHold(rules, inB)),
    1,
  );
  assert.equal(
    earnings.findIndex((rules) => tierRulesHold(rules, () => null)),
    2,
  );
});

test("a tier counts in its own structure only, and one of several is enough", () => {
  assert.equal(tierRulesHold(among("lt_a", "lt_b"), inB), true);
  const elsewhere = parseTierRules({ any_of: [{ tier_structure_id: "lts_2", tier_ids: ["lt_b"] }] }, "");
  assert.equal(tierRulesHold(elsewhere, inB), false);
});

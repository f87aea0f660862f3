import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../errors.ts";
import { type LoyaltyMove, type LoyaltyResource, type LoyaltyStatus, loyaltyInUse, statusAfter } from "./status.ts";

const after = (resource: LoyaltyResource, move: LoyaltyMove, status: LoyaltyStatus): string => {
  try {
    return statusAfter(resource, move, { id: "x", status });
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return `${error.body.code} ${error.body.key}`;
  }
};
const [BAD, CONFLICT] = ["400 invalid_state_transition", "409 invalid_state_transition"];

/** For DRAFT, ACTIVE and INACTIVE: where the move leads. */
const MOVES: Record<LoyaltyResource, Record<LoyaltyMove, [string, string, string]>> = {
  program: {
    activate: ["ACTIVE", BAD, "ACTIVE"],
    deactivate: [BAD, "INACTIVE", BAD],
    draft: [BAD, BAD, BAD],
  },
  card_definition: {
    activate: ["ACTIVE", CONFLICT, "ACTIVE"],
    deactivate: [CONFLICT, CONFLICT, CONFLICT],
    draft: [CONFLICT, "DRAFT", CONFLICT],
  },
  earning_rule: {
    activate: ["ACTIVE", CONFLICT, "ACTIVE"],
    deactivate: [CONFLICT, "INACTIVE", CONFLICT],
    draft: [CONFLICT, "DRAFT", CONFLICT],
  },
  tier_structure: {
    activate: ["ACTIVE", "ACTIVE", "ACTIVE"],
    deactivate: [CONFLICT, "INACTIVE", CONFLICT],
    draft: [CONFLICT, "DRAFT", CONFLICT],
  },
  benefit: {
    activate: ["ACTIVE", BAD, BAD],
    deactivate: [BAD, BAD, BAD],
    draft: [BAD, "DRAFT", BAD],
  },
  reward: {
    activate: ["ACTIVE", CONFLICT, "ACTIVE"],
    deactivate: [CONFLICT, "INACTIVE", CONFLICT],
    draft: [CONFLICT, "DRAFT", CONFLICT],
  },
  member: {
    activate: [BAD, BAD, "ACTIVE"],
    deactivate: [BAD, "INACTIVE", BAD],
    draft: [BAD, BAD, BAD],
  },
};

for (const [resource, moves] of Object.entries(MOVES) as [LoyaltyResource, (typeof MOVES)["program"]][])
  test(`a ${resource} moves as its table says, and a deleted one is not there`, () => {
    for (const [move, expected] of Object.entries(moves) as [LoyaltyMove, string[]][]) {
      const found = (["DRAFT", "ACTIVE", "INACTIVE"] as const).map((status) => after(resource, move, status));
      assert.deepEqual(found, expected, move);
      assert.equal(after(resource, move, "DELETED"), "404 not_found");
    }
  });

test("a refused move says what it was and from where; use is a conflict but for benefits and rewards", () => {
  assert.throws(
    () => statusAfter("earning_rule", "draft", { id: "lern_1", status: "INACTIVE" }),
    ({ body }: ApiError) =>
      body.details === "Cannot draft earning rule from current state: 'INACTIVE'" && body.resource_id === "lern_1",
  );
  const by = { type: "program", ids: ["lprg_1"] };
  const codes = (["program", "card_definition", "earning_rule", "tier_structure", "benefit", "reward"] as const).map(
    (resource) => loyaltyInUse(resource, "x", by).body.code,
  );
  assert.deepEqual(codes, [409, 409, 409, 409, 400, 400]);
  assert.deepEqual(loyaltyInUse("benefit", "x", by).body.related_object_ids, ["lprg_1"]);
});

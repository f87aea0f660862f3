import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../errors.ts";
import { type Component, type ComponentKind, requireFittingComponents, requireReady } from "./program.ts";
import type { LoyaltyStatus } from "./status.ts";

const part = (kind: ComponentKind, id: string, given: Partial<Component> = {}): Component => ({
  ...{ kind, id, status: "ACTIVE", wallets: [] },
  ...given,
});
const program = (status: LoyaltyStatus) => ({ id: "lprg_1", status });
const keyOf = (run: () => void): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.body.key;
    throw error;
  }
};
const fits = (after: readonly Component[], before: readonly Component[] = [], status: LoyaltyStatus = "DRAFT") =>
  keyOf(() => requireFittingComponents(program(status), { before, after }));
const many = (kind: ComponentKind, count: number) =>
  Array.from({ length: count }, (_, n) => part(kind, `${kind}_${n}`));

test("a program has at most 10 wallets, 100 rules, 100 rewards and one tier structure", () => {
  for (const [kind, most] of [
    ["card_definition", 10],
    ["earning_rule", 100],
    ["reward", 100],
  ] as const) {
    assert.equal(fits(many(kind, most)), null);
    assert.equal(fits(many(kind, most + 1)), "invalid_payload");
  }
  assert.equal(fits(many("tier_structure", 1)), null);
  assert.equal(fits(many("tier_structure", 2)), "tier_structure_limit_exceeded");
});

test("what is assigned needs its wallets, and a wallet that is needed stays", () => {
  const [wallet, rule] = [part("card_definition", "w"), part("earning_rule", "r", { wallets: ["w"] })];
  assert.equal(fits([rule]), "resource_locked");
  assert.equal(fits([wallet, rule]), null);
  assert.equal(fits([rule], [wallet, rule]), "resource_locked");
  // A rule that was changed after it was assigned does not keep others out.
  assert.equal(fits([rule, part("earning_rule", "other")], [rule]), null);
});

test("an active program keeps an active rule", () => {
  const [wallet, rule] = [part("card_definition", "w"), part("earning_rule", "r")];
  assert.equal(fits([wallet], [wallet, rule], "ACTIVE"), "missing_active_earning_rule");
  assert.equal(fits([wallet, { ...rule, status: "INACTIVE" }], [], "ACTIVE"), "missing_active_earning_rule");
  assert.equal(fits([wallet], [wallet, rule], "INACTIVE"), null);
});

test("a draft needs everything active; one that was active needs no draft and an active structure", () => {
  const active = [part("card_definition", "w"), part("earning_rule", "r")];
  const ready = (status: LoyaltyStatus, ...more: Component[]) =>
    keyOf(() => requireReady(program(status), [...active, ...more]));
  assert.equal(ready("DRAFT"), null);
  assert.equal(ready("DRAFT", part("reward", "x", { status: "INACTIVE" })), "resource_locked");
  assert.equal(ready("INACTIVE", part("reward", "x", { status: "INACTIVE" })), null);
  assert.equal(ready("INACTIVE", part("reward", "x", { status: "DRAFT" })), "resource_locked");
  assert.equal(ready("INACTIVE", part("tier_structure", "t", { status: "INACTIVE" })), "resource_locked");
  assert.equal(
    keyOf(() => requireReady(program("DRAFT"), [active[1]!])),
    "missing_active_card_definition",
  );
  assert.equal(
    keyOf(() => requireReady(program("DRAFT"), [active[0]!])),
    "missing_active_earning_rule",
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { RULES } from "../../../../src/core/rules/registry.ts";
import { de } from "../../text/de.ts";
import { errors } from "../../text/en/errors.ts";
import { en } from "../../text/en.ts";
import { createText } from "../../text/text.ts";
import { refusalWord } from "./refusal-word.ts";

const t = createText({ ...en, errors }, "en-GB");
const refused = (limit?: { name: string; most: number; with_this: number }) => ({
  ...{ reason: "redemption_rules_violated", message: "" },
  redeemables: [{}, limit ? { limit } : {}],
});

test("a refusal by a limit says which one, and the others say their reason", () => {
  const says = (name: string, most: number, with_this: number) =>
    refusalWord(t, "USD", refused({ name, most, with_this }));
  assert.equal(says("quantity", 1, 2), "The code is used up: 1 of 1.");
  assert.equal(says("redemption.count.per_customer", 1, 2), "Limit for each customer: 1 of 1.");
  assert.equal(says("campaign.redemptions.count.daily", 20, 21), "Daily limit of the campaign: 20 of 20.");
  assert.equal(
    says("campaign.orders.amount_discounted", 50_000, 50_990),
    "Budget of the campaign: $500.00. With this redemption it would be $509.90.",
  );
  assert.equal(refusalWord(t, "USD", refused()), "This code cannot be used (again) now.");
});

test("every rule that counts has a word for its limit, in both languages", () => {
  const names = RULES.filter(
    (rule) => "unit" in rule && rule.unit !== null && /^(campaign|redemption)\./.test(rule.name),
  ).map(({ name }) => name.replaceAll(".", "_"));
  assert.ok(names.length > 15);
  for (const { why } of [en, de])
    assert.deepEqual(
      ["quantity", ...names].filter((name) => !(name in why.limits)),
      [],
    );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Campaign } from "../../../api/operations.gen.ts";
import { en } from "../../../text/en.ts";
import { createText } from "../../../text/text.ts";
import { countedBy, sentTerms, termsFaults, termsOf, termsSay } from "./terms.ts";

const t = createText(en, "en-GB");
type Stored = NonNullable<Campaign["loyalty_tiers_expiration"]>;
const STORED: Record<string, Stored> = {
  "A member is in a tier while the balance is in its range.": {
    qualification_type: "BALANCE",
    start_date: { type: "IMMEDIATE" },
    expiration_date: { type: "BALANCE_DROP" },
  },
  "The balance decides the tier. It lasts for 3 months, then until the end of the quarter.": {
    qualification_type: "BALANCE",
    start_date: { type: "IMMEDIATE" },
    expiration_date: { type: "CUSTOM", extend: "P3M", rounding: { type: "QUARTER", strategy: "END" } },
  },
  "The points that a member earns in a calendar month decide the tier. It begins with the next period. It lasts until the end of the next period, 7 days longer, then until the start of March.":
    {
      qualification_type: "POINTS_IN_PERIOD",
      qualification_period: "MONTH",
      start_date: { type: "NEXT_PERIOD" },
      expiration_date: {
        ...{ type: "END_OF_NEXT_PERIOD", extend: "P7D" },
        rounding: { type: "CUSTOM", strategy: "START", unit: "MONTH", value: 2 },
      },
    },
};

test("terms that are opened and saved are the same terms, and are said in words", () => {
  for (const [says, stored] of Object.entries(STORED)) {
    assert.deepEqual(sentTerms(termsOf(stored)), stored);
    assert.equal(termsSay(termsOf(stored), t), says);
  }
  assert.equal(termsSay(termsOf(null), t), "A member is in a tier while the balance is in its range.");
});

test("what does not fit to a balance is not sent with it", () => {
  const stored = Object.values(STORED)[2]!;
  assert.deepEqual(sentTerms({ ...termsOf(stored), ...countedBy("BALANCE") }), Object.values(STORED)[0]);
});

test("a tier that lasts for a time needs the time", () => {
  const terms = { ...termsOf(null), ends: "CUSTOM" as const };
  assert.deepEqual(Object.keys(termsFaults(terms, t)), ["extend"]);
  assert.deepEqual(termsFaults({ ...terms, extend: "P1Y" }, t), {});
});

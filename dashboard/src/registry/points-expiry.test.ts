import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../text/en.ts";
import { createText } from "../text/text.ts";
import { cardChanges, expiryFault, expirySays, newCard } from "./points-expiry.ts";

const t = createText(en, "en-GB");

test("points expire: what a card says, in words", () => {
  const says = (expiry: Parameters<typeof expirySays>[0]) => expirySays(expiry, t);
  assert.equal(says(null), "Points never expire");
  assert.equal(says({ period_type: "MONTH", period_value: 1 }), "Points expire after 1 month");
  assert.equal(
    says({ period_type: "MONTH", period_value: 6, rounding_type: "END_OF_QUARTER" }),
    "Points expire after 6 months, until the end of the quarter",
  );
  assert.equal(
    says({ period_type: "MONTH", period_value: 0, rounding_type: "PARTICULAR_MONTH", rounding_value: 3 }),
    "Points expire after 0 months, until the end of March",
  );
  assert.equal(
    says({ period_type: "FIXED_DAY_OF_YEAR", fixed_month: 12, fixed_day: 31 }),
    "Points expire on 31 December",
  );
});

test("points expire: never again is sent as null, and a new card leaves it out", () => {
  assert.deepEqual(cardChanges(5, null), { points: 5, expiration_rules: null });
  assert.deepEqual(newCard(null, null), { points: 0 });
});

test("points expire: a number that is missing is told", () => {
  assert.equal(expiryFault({ period_type: "MONTH", period_value: null }, t), "Fill in this field.");
  assert.equal(expiryFault({ period_type: "MONTH", period_value: 0 }, t), null);
});

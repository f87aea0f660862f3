import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../text/en.ts";
import { createText } from "../text/text.ts";
import { redeemedName } from "./redeemed-name.ts";

const t = createText(en, "en-GB");
const nameOf = (redemption: object) =>
  redeemedName({ id: "r_1", ...redemption } as Parameters<typeof redeemedName>[0], t);

test("what was redeemed is a code, an offer by its name, or several of them, and never an id", () => {
  assert.equal(nameOf({ voucher: { code: "SUMMER5" } }), "SUMMER5");
  assert.equal(nameOf({ promotion_tier: { name: "A mug from 150.00" } }), "A mug from 150.00");
  assert.equal(nameOf({ order: { redemptions: { r_1: { stacked: ["r_2", "r_3"] } } } }), "2 offers together");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../../text/en.ts";
import { createText } from "../../text/text.ts";
import { everySays, isoOf, lengthOf, lengthSays, roughSeconds } from "./length.ts";

const t = createText(en, "en-GB");

test("lengths: a number of one unit is what a field holds, and sends again", () => {
  for (const iso of ["PT30M", "PT2H", "P1D", "P2W", "P3M", "P1Y"]) {
    const { count, unit } = lengthOf(iso)!;
    assert.equal(isoOf(count, unit), iso);
  }
  assert.deepEqual([lengthOf("P1M15D"), lengthOf("PT90S"), lengthOf(""), lengthOf("P0D")], [null, null, null, null]);
  assert.equal(isoOf(null, "days"), "");
});

test("lengths: months and minutes are told apart, and said in words", () => {
  assert.equal(lengthSays("P3M"), "3 months");
  assert.equal(lengthSays("PT1M"), "1 minute");
  assert.equal(lengthSays("P1DT12H"), "1 day and 12 hours");
  assert.deepEqual([everySays("P1W", t), everySays("P2D", t)], ["every week", "every 2 days"]);
  assert.ok(roughSeconds("P1M") > roughSeconds("P4W") && roughSeconds("PT60M") === roughSeconds("PT1H"));
});

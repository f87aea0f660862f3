import assert from "node:assert/strict";
import { test } from "node:test";
import type { TracedStep } from "../../api/operations.gen.ts";
import { de } from "../../text/de.ts";
import { en } from "../../text/en.ts";
import { createText } from "../../text/text.ts";
import { stepWord } from "./step-word.ts";

const SAYS = "what the server says";
const words = (step: Omit<TracedStep, "says">) =>
  [createText(en, "en-GB"), createText(de, "de-DE")].map((t) =>
    stepWord({ ...step, says: SAYS }, { t, currency: "EUR" }),
  );

test("a step of the arithmetic is told in both languages, with the amounts of the server", () => {
  assert.deepEqual(words({ kind: "order", type: "PERCENT", value: 20, base: 1999, amount: 400, taken: 400 }), [
    "20% of 19.99 is 4.00",
    "20 % von 19.99 sind 4.00",
  ]);
  const cut = { by: "order", to: 300 };
  assert.deepEqual(words({ kind: "order", type: "AMOUNT", value: 500, base: 300, amount: 500, taken: 300, cut }), [
    "5.00 off 3.00; what is left to pay leaves 3.00",
    "5.00 Rabatt auf 3.00; was noch zu zahlen ist lässt 3.00",
  ]);
  const line = { kind: "line", line: 0, units: 3, units_counted: 2, value: 150, base: 900, amount: 300 } as const;
  assert.equal(words({ ...line, type: "amount_per_unit" })[0], "Line 1, 2 of 3 units: 2 × 1.50 off 9.00");
  assert.equal(
    words({ kind: "units", line: 1, added: 1, free: 1, taken: 500 })[1],
    "Zeile 2: 1 Stück dazu, 5.00 Rabatt",
  );
  const credits = { kind: "credits", balance: 500, locked: 0, requested: 600, payable: 1000, used: 0 } as const;
  assert.equal(words(credits)[0], "5.00 there, 0.00 held by others, 6.00 wanted, 10.00 to pay: 0.00 used");
  assert.match(words({ ...credits, kind: "points", requested: null, payable: null })[1]!, /^500 Punkte vorhanden/);
});

test("every kind of step and every limit has words, and what is added later is told by the server", () => {
  const kinds = ["formula", "order", "line", "split", "units", "credits", "points"] as const;
  for (const kind of kinds) for (const said of words({ kind, type: "PERCENT" })) assert.notEqual(said, SAYS, kind);
  for (const type of ["PERCENT", "AMOUNT", "FIXED"]) assert.notEqual(words({ kind: "order", type })[0], SAYS, type);
  for (const type of ["percent", "amount_per_line", "amount_per_unit", "new_price"])
    assert.notEqual(words({ kind: "line", type })[0], SAYS, type);
  assert.deepEqual(words({ kind: "order", type: "BRAND_NEW" }), [SAYS, SAYS]);
});

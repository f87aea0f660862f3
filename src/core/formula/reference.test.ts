import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleFacts, sampleItem, sampleOrder } from "../../../test/support/formula-facts.ts";
import { evaluateFormula } from "./evaluate.ts";
import { FORMULA_NAMES, parseFormula } from "./parse.ts";
import { FUNCTION_NOTES, OPERATOR_NOTES, VARIABLE_NOTES } from "./reference.ts";
import { isList, textOf } from "./values.ts";

const metadata = { points: 7 };
const item = sampleItem({
  price: 12_500,
  metadata,
  product: { id: "prod_1", source_id: null, name: null, price: null, metadata },
});
/** It is 00:30 on 16 March in Warsaw. */
const facts = sampleFacts({
  order: sampleOrder({ amount: 12_500, items: [item], metadata }),
  item,
  customer: { metadata, birthdate: "1990-05-01" },
  redeemable: {
    metadata,
    redemption_quantity: null,
    redeemed_quantity: null,
    publish_count: null,
    start_date: null,
    expiration_date: null,
  },
  redemption_metadata: metadata,
  publication_metadata: metadata,
});

test("every function, operator and variable has a note, and every note is about one", () => {
  const noted = [...Object.keys(FUNCTION_NOTES), ...Object.keys(VARIABLE_NOTES)];
  assert.deepEqual(noted.sort(), [...FORMULA_NAMES].sort());
});

test("every example gives what its note says", async (t) => {
  for (const [name, { example, gives }] of [...Object.entries(FUNCTION_NOTES), ...Object.entries(OPERATOR_NOTES)])
    await t.test(`${name}: ${example}`, () => {
      assert.ok(example.includes(name));
      const value = evaluateFormula(parseFormula(example), facts);
      assert.ok(value !== null && !isList(value));
      assert.equal(textOf(value), gives);
    });
});

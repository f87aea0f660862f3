import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RuleFault } from "./fault.ts";
import { isLogicKey, type Logic, parseLogic, renderLogic } from "./logic.ts";

const KEYS = ["1", "2", "3", "4", "a-b"];

const READ = [
  ["1", "1"],
  ["1 and 2", "1 and 2"],
  ["1 or 2 and 3", "1 or 2 and 3"],
  ["(1 or 2) and 3", "(1 or 2) and 3"],
  ["1 AND (2 Or 3)", "1 and (2 or 3)"],
  ["((1) and (2)) and (3)", "1 and 2 and 3"],
  ["1 and (2 and (3 and 4))", "1 and 2 and 3 and 4"],
  ["(((1 or (2))))", "1 or 2"],
  ["(1)and(a-b)", "1 and a-b"],
  ["1 and 1", "1 and 1"],
  ["", "1 and 2 and 3 and 4 and a-b"],
  ["  ", "1 and 2 and 3 and 4 and a-b"],
  [null, "1 and 2 and 3 and 4 and a-b"],
  [undefined, "1 and 2 and 3 and 4 and a-b"],
] as const;
for (const [text, same] of READ) {
  test(`the logic ${JSON.stringify(text)} is read as ${same}`, () => {
    assert.equal(renderLogic(parseLogic(text, KEYS)), same);
  });
}

test("and binds tighter than or", () => {
  const [one, two, three] = ["1", "2", "3"].map((key) => ({ kind: "key", key }) as const);
  assert.deepEqual(parseLogic("1 or 2 and 3", KEYS), {
    kind: "or",
    terms: [one, { kind: "and", terms: [two, three] }],
  });
});

test("a group inside one of its own kind is no group of its own", () => {
  assert.deepEqual(parseLogic("((1) and (2)) and (3 and 4)", KEYS), parseLogic("1 and 2 and 3 and 4", KEYS));
});

test("no rules without a logic always hold: an and of nothing", () => {
  assert.deepEqual(parseLogic("", []), { kind: "and", terms: [] });
});

const FAULTS = [
  ["1 and", /ends where the key of a rule or \( must follow/],
  ["and 1", /'and' at position 1 stands where the key/],
  ["1 or or 2", /'or' at position 6 stands where the key/],
  ["1 2", /'2' at position 3 must come after and, or or/],
  ["(1 and 2", /'\(' at position 1 has no matching \)/],
  ["1 and (2", /'\(' at position 7 has no matching \)/],
  ["1)", /'\)' at position 2 has no matching \(/],
  ["()", /'\)' at position 2 stands where/],
  ["1 and 9", /'9' at position 7 is not the key of a rule/],
  ["not 1", /'not' at position 1 is not the key of a rule/],
  ["constructor", /'constructor' at position 1 is not the key/],
  [`${"(".repeat(21)}1${")".repeat(21)}`, /'\(' at position 21 is nested more than 20 deep/],
  [Array(201).fill("1").join(" or "), /more than 200 parts/],
  ["1".repeat(2001), /2001 characters, more than 2000/],
] as const;
for (const [text, message] of FAULTS) {
  test(`the logic ${JSON.stringify(text.slice(0, 30))} is refused: ${message.source}`, () => {
    assert.throws(
      () => parseLogic(text, KEYS),
      (error) => error instanceof RuleFault && message.test(error.message),
    );
  });
}

test("twenty parentheses are still read", () => {
  assert.deepEqual(parseLogic(`${"(".repeat(20)}1${")".repeat(20)}`, KEYS), { kind: "key", key: "1" });
});

test("a key has no spaces or parentheses and is no word of the grammar", () => {
  assert.deepEqual(["1", "a.b", "and", "OR", "a b", "(", ""].map(isLogicKey), [
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

/** Logics in the form that reading gives: no group of one, no group directly inside one of its own kind. */
const keys = fc.constantFrom(...KEYS).map((key): Logic => ({ kind: "key", key }));
const logics = (kind: "and" | "or", depth: number): fc.Arbitrary<Logic> =>
  depth === 0
    ? keys
    : fc.oneof(
        keys,
        fc
          .array(logics(kind === "and" ? "or" : "and", depth - 1), { minLength: 2, maxLength: 3 })
          .map((terms): Logic => ({ kind, terms })),
      );

test("what is written from a logic is read back as the same logic", () => {
  fc.assert(
    fc.property(fc.oneof(logics("and", 4), logics("or", 4)), (logic) => {
      assert.deepEqual(parseLogic(renderLogic(logic), KEYS), logic);
    }),
  );
});

test("any text is read or refused as a RuleFault", () => {
  const words = fc.array(fc.constantFrom("1", "2", "9", "and", "OR", "(", ")", " ", "é"), { maxLength: 30 });
  fc.assert(
    fc.property(
      words.map((list) => list.join(" ")),
      (text) => {
        try {
          parseLogic(text, KEYS);
        } catch (error) {
          assert.ok(error instanceof RuleFault);
        }
      },
    ),
  );
});

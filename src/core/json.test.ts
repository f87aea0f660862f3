import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "./errors.ts";
import { JSON_DEPTH_MAX, parseJson } from "./json.ts";

const refused = (text: string, details: string) =>
  assert.throws(
    () => parseJson(text),
    (error) => error instanceof ApiError && error.body.key === "invalid_payload" && error.body.details === details,
    text,
  );
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("a key that stands twice in an object is refused, however it is written", () => {
  const details = "The body has an object with the same key twice";
  refused('{"a":1,"a":1}', details);
  refused('{"a":{"b":[{"c":1,"c":2}]}}', details);
  refused('{"a":1,"\\u0061":2}', details);
  assert.deepEqual(parseJson('{"a":{"a":1},"b":[{"a":1},{"a":2}]}'), { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] });
  assert.deepEqual(parseJson('{"a":"b:c,\\"d\\":1","e":"\\\\"}'), { a: 'b:c,"d":1', e: "\\" });
});

test("__proto__ is refused as a key, at any depth and escaped, and never changes a prototype", () => {
  for (const text of [
    '{"__proto__":{"polluted":1}}',
    '{"a":[{"__proto__":1}]}',
    '{"__proto_\\u005f":null}',
    '{"__proto__":1,"__proto__":2}',
  ])
    refused(text, "The key __proto__ is not allowed");
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.deepEqual(parseJson('{"constructor":1,"a":"__proto__"}'), { constructor: 1, a: "__proto__" });
});

test("a number that would be rounded or is infinite is refused, the largest safe ones are not", () => {
  for (const number of [
    "9007199254740992",
    "-9007199254740992",
    "9007199254740993",
    "1e400",
    "-1e400",
    "1e16",
    "2e308",
  ])
    refused(`{"a":[${number}]}`, "Property .a[0] must be between -9007199254740991 and 9007199254740991");
  refused("1e400", "Payload must be between -9007199254740991 and 9007199254740991");
  assert.deepEqual(parseJson("[9007199254740991,-9007199254740991,0.1,5.0,1e3]"), [
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    0.1,
    5,
    1000,
  ]);
});

test("nesting ends at 32 levels, and costs no stack above", () => {
  assert.deepEqual(JSON.stringify(parseJson(nested(JSON_DEPTH_MAX))), nested(JSON_DEPTH_MAX));
  const details = "The body must not be nested deeper than 32 levels";
  refused(nested(JSON_DEPTH_MAX + 1), details);
  refused("[".repeat(1_000_000), details);
  refused('{"a":'.repeat(100_000), details);
  assert.deepEqual(parseJson(`"${"[".repeat(100)}"`), "[".repeat(100));
});

test("NUL and lone surrogates are refused in values and in keys; pairs and other controls are text", () => {
  refused('{"a":"\\u0000"}', "Property .a must not hold U+0000");
  refused('{"a":{"b\\u0000":1}}', "Property .a must not hold U+0000");
  refused('{"\\u0000":1}', "Payload must not hold U+0000");
  refused('["\\ud800"]', "Property [0] must be well-formed Unicode");
  refused('{"\\udc00":1}', "Payload must be well-formed Unicode");
  assert.equal(parseJson('"\\ud83d\\ude00\\u0001"'), "😀\u0001");
});

test("a byte order mark, a comment and anything else that JSON does not have are refused", () => {
  for (const text of ["\ufeff{}", "", " ", "{}//", "undefined", "{} {}", "[1,]", '{"a" 1}', '"a\nb"', '"', '{"a":"\\'])
    refused(text, "The body is not valid JSON");
});

const isPlain = (value: unknown): boolean => {
  try {
    return parseJson(JSON.stringify(value)) !== undefined;
  } catch {
    return false;
  }
};

test("property: what JSON.stringify writes within the limits comes back equal", () => {
  const text = fc.string({ unit: "grapheme" }).filter((one) => !one.includes("\0") && one.isWellFormed());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant(null),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map((one) => (one === 0 ? 0 : one)),
      text,
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(
        text.filter((one) => one !== "__proto__"),
        tie("value"),
        { maxKeys: 5, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(fc.property(value, (one) => assert.deepEqual(parseJson(JSON.stringify(one)), one)));
});

test("property: any text is either parsed as JSON.parse does or refused with an error of the interface", () => {
  const pieces = fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "a", "\\", "1", "e400", "null", "\\u0000", " ");
  const almost = fc.array(pieces, { maxLength: 12 }).map((one) => one.join(""));
  let parsed = 0;
  fc.assert(
    fc.property(fc.oneof(fc.json(), almost, fc.string({ unit: "binary" })), (text) => {
      let value: unknown;
      try {
        value = parseJson(text);
      } catch (error) {
        assert.ok(error instanceof ApiError, `${error}`);
        return;
      }
      parsed += 1;
      assert.deepEqual(value, JSON.parse(text));
      assert.ok(isPlain(value));
    }),
    // Of a hundred it may be few.
    { numRuns: 1000 },
  );
  assert.ok(parsed > 10, "some of the texts are JSON");
});

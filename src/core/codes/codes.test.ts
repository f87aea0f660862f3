import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { codeFault, foldCode, trimCode } from "./code.ts";
import { type CodeConfig, type CodeTemplate, codeSpace, codeTemplate, createCodeMaker } from "./generate.ts";

const template = (config: CodeConfig, charset = "ABC") => codeTemplate(config, charset) as CodeTemplate;

test("codes are compared composed, and in lower case where the project does not tell cases apart", () => {
  assert.equal(foldCode("ÉTÉ", false), foldCode("e\u0301te\u0301", false));
  assert.notEqual(foldCode("Summer", true), foldCode("summer", true));
  assert.equal(trimCode("\tSUMMER \r\n"), "SUMMER");
});

for (const [code, fault] of [
  ["SUMMER-25 % ☀️", null],
  ["x".repeat(200), null],
  ["", /1 to 200/],
  ["x".repeat(201), /1 to 200/],
  ["a\0b", /control/],
  ["a\nb", /control/],
  ["a\u0085b", /control/],
  ["\ud800", /broken/],
  ["a\u200bb", /zero-width/],
  ["a\u200db", /zero-width/],
  ["HG1\ufe0f", /zero-width/],
  ["\ufe0eHG1", /zero-width/],
  ["HG\ufe0f1", /zero-width/],
  ["a\u2028b", /zero-width/],
  ["a\u2060b", /zero-width/],
  ["\ufeffab", /zero-width/],
  ["a\u00adb", /zero-width/],
  ["a\u{e0041}b", /zero-width/],
  ["a\u202eb", /bidirectional/],
  ["a\u2066b", /bidirectional/],
  ["a\u061cb", /bidirectional/],
  ["\u05d0\u05d1-10", null],
  ["v_0123456789abcdef01234567", /look like the id/],
  ["v_summer", null],
] as const) {
  test(`the code ${JSON.stringify(code.slice(0, 30))} is ${fault ? "refused" : "taken"}`, () => {
    if (fault) assert.match(codeFault(code) ?? "", fault);
    else assert.equal(codeFault(code), null);
  });
}

test("a pattern says everything; else prefix, eight random characters and postfix", () => {
  assert.deepEqual(template({ pattern: "10OFF-#######", prefix: "no", length: 3 }).length, 7);
  assert.equal(template({}).pattern, "########");
  assert.equal(template({ prefix: "A-", postfix: "-Z", length: 2 }).pattern, "A-##-Z");
  assert.equal(template({ charset: "xyxy" }).characters.length, 2);
  assert.match((codeTemplate({ length: 300 }, "ABC") as { fault: string }).fault, /200 characters/);
});

for (const config of [{ prefix: "a\u202e" }, { postfix: "\u200b" }, { pattern: "#\u2066#" }, { charset: "ab\u200d" }])
  test(`codes are not made of ${JSON.stringify(config)}`, () => {
    const { fault } = codeTemplate({ length: 4, ...config }, "ABC") as { fault: string };
    assert.match(fault, /zero-width or bidirectional/);
  });

test("codes that differ in case only are one code where case does not count", () => {
  assert.equal(codeSpace(template({ charset: "aAbB", length: 3 }), true), 64);
  assert.equal(codeSpace(template({ charset: "aAbB", length: 3 }), false), 8);
});

test("every code fits its pattern and uses its characters only, each about as often", () => {
  const config = fc.record({
    charset: fc.constantFrom("AB", "0123456789", "äöü"),
    pattern: fc.constantFrom("#", "X-####-Y", "##-##", "FIXED"),
  });
  fc.assert(
    fc.property(config, (given) => {
      const one = template(given);
      const code = createCodeMaker(one, randomBytes)();
      assert.equal([...code].length, [...one.pattern].length);
      for (const [i, character] of [...one.pattern].entries())
        assert.ok(character === "#" ? one.characters.includes([...code][i]!) : [...code][i] === character);
    }),
  );
  const make = createCodeMaker(template({ charset: "ABCDE", length: 1 }), randomBytes);
  const seen = new Map<string, number>();
  for (let i = 0; i < 50_000; i += 1) {
    const code = make();
    seen.set(code, (seen.get(code) ?? 0) + 1);
  }
  for (const count of seen.values()) assert.ok(Math.abs(count - 10_000) < 500, `${count} of 10,000`);
});

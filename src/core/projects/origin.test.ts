import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isTrusted, normaliseOrigin } from "./origin.ts";

const CASES = [
  ["https://shop.example", "https://shop.example"],
  ["HTTPS://Shop.Example", "https://shop.example"],
  ["https://shop.example:443", "https://shop.example"],
  ["http://shop.example:80/", "http://shop.example"],
  ["http://shop.example:443", "http://shop.example:443"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["http://[::1]:8080", "http://[::1]:8080"],
  ["https://münchen.example", "https://xn--mnchen-3ya.example"],
  ["capacitor://localhost", "capacitor://localhost"],
  [" https://shop.example ", "https://shop.example"],
  ["shop.example", null],
  ["//shop.example", null],
  ["localhost:3000", null],
  ["https://", null],
  ["https://shop.example/path", null],
  ["https://shop.example?x=1", null],
  ["https://shop.example#x", null],
  ["https://user@shop.example", null],
  ["https://shop.example:99999", null],
  ["null", null],
  ["", null],
] as const;

for (const [text, normal] of CASES) {
  test(`the origin ${JSON.stringify(text)} ${normal ? `is ${normal}` : "is none"}`, () => {
    assert.equal(normaliseOrigin(text), normal);
  });
}

test("a normal form stays as it is", () => {
  const origin = fc.tuple(
    fc.constantFrom("http", "https", "HTTP"),
    fc.domain(),
    fc.option(fc.integer({ min: 1, max: 65535 })),
  );
  fc.assert(
    fc.property(origin, ([scheme, host, port]) => {
      const normal = normaliseOrigin(`${scheme}://${host}${port === null ? "" : `:${port}`}`);
      assert.ok(normal);
      assert.equal(normaliseOrigin(normal), normal);
      assert.equal(new URL(normal).origin, normal);
    }),
  );
});

test("an origin is trusted when its normal form is listed, or when all are; no origin is never trusted", () => {
  const trusted = ["https://shop.example", "http://localhost:3000"];
  assert.equal(isTrusted(trusted, "https://SHOP.example:443"), true);
  assert.equal(isTrusted(trusted, "http://localhost:3000"), true);
  for (const origin of ["http://shop.example", "https://evil.example", "https://shop.example.evil.example", "null", ""])
    assert.equal(isTrusted(trusted, origin), false, origin);
  assert.equal(isTrusted(["*"], "https://anything.example"), true);
  assert.equal(isTrusted(["*"], undefined), false);
  assert.equal(isTrusted([], "https://shop.example"), false);
});

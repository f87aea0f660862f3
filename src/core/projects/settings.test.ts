import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isCurrency } from "./currencies.ts";
import { isDialCode } from "./dial-codes.ts";
import { defaultCallouts, defaultCharset, defaultUsage, mergeNotifications, USAGE_KINDS } from "./settings.ts";

test("codes have capital letters only where case counts, and every letter and digit once", () => {
  assert.equal(defaultCharset(false), "0123456789abcdefghijklmnopqrstuvwxyz");
  assert.equal(new Set(defaultCharset(true)).size, 62);
});

test("merging keeps what is not sent, at both levels, and changes neither side", () => {
  const before = defaultUsage();
  const merged = mergeNotifications(before, { messages: { value: 5 }, redemptions: { emails: ["a@b.example"] } });
  assert.deepEqual(merged, {
    ...defaultUsage(),
    messages: { enabled: false, value: 5, in_app: false, emails: [] },
    redemptions: { enabled: false, value: 80, in_app: false, emails: ["a@b.example"] },
  });
  assert.deepEqual(before, defaultUsage());
  assert.deepEqual(mergeNotifications(defaultCallouts()), defaultCallouts());
});

test("what is sent holds and the rest stays, whatever subset it is", () => {
  const usage = fc.record(
    { value: fc.integer({ min: 0, max: 100 }), enabled: fc.boolean(), in_app: fc.boolean() },
    { requiredKeys: [] },
  );
  const sent = fc.record(Object.fromEntries(USAGE_KINDS.map((kind) => [kind, usage])), { requiredKeys: [] });
  fc.assert(
    fc.property(sent, sent, (first, second) => {
      const merged = mergeNotifications(mergeNotifications(defaultUsage(), first), second);
      for (const kind of USAGE_KINDS)
        assert.deepEqual(merged[kind], { ...defaultUsage()[kind], ...first[kind], ...second[kind] });
    }),
  );
});

test("currencies are the codes of ISO 4217, in upper case", () => {
  for (const code of ["USD", "EUR", "PLN", "JPY", "KWD", "XXX", "ZWG", "CHF", "XCG"]) assert.ok(isCurrency(code), code);
  for (const code of ["usd", "EURO", "US", "", "DEM", "ABC", "USD "]) assert.ok(!isCurrency(code), code);
});

test("dial codes are those of the ITU, with or without a plus", () => {
  for (const code of ["1", "+1", "48", "+48", "380", "+998"]) assert.ok(isDialCode(code), code);
  for (const code of ["", "+", "0", "+0", "999", "++48", "48 ", "4a", "toString"]) assert.ok(!isDialCode(code), code);
});

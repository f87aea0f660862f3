import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDiscount, formatMoney, moneyInput, parseMoney } from "./money.ts";

const CURRENCIES = "EUR USD GBP JPY KWD CHF HUF IQD BHD KRW PLN BRL INR ISK TND XAF".split(" ");
const LOCALES = ["en-GB", "de-DE", "en-US"];
const amount = fc.integer({ min: -9_000_000_000_000_00, max: 9_000_000_000_000_00 });

test("what is shown of an amount is read back as the same amount, in every currency and language", () => {
  const shown = fc.record({
    minor: amount,
    currency: fc.constantFrom(...CURRENCIES),
    locale: fc.constantFrom(...LOCALES),
    sign: fc.boolean(),
  });
  fc.assert(
    fc.property(shown, ({ minor, currency, locale, sign }) => {
      assert.equal(parseMoney(formatMoney(minor, currency, { locale, sign: false }), locale), minor);
      assert.equal(parseMoney(moneyInput(minor, locale), locale), minor);
      const full = formatMoney(minor, currency, { locale, sign });
      assert.equal(full.startsWith("\u2212"), minor < 0);
    }),
  );
});

test("every amount with two digits can be typed with a point and with a comma", () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000_000),
      fc.constantFrom(".", ","),
      fc.constantFrom(...LOCALES),
      (minor, point, locale) => {
        const text = `${Math.floor(minor / 100)}${point}${String(minor % 100).padStart(2, "0")}`;
        assert.equal(parseMoney(text, locale), minor);
      },
    ),
  );
});

test("amounts are read as people write them", () => {
  const cases: [text: string, locale: string, minor: number | null][] = [
    ["9.95", "en-GB", 995],
    ["9,95", "de-DE", 995],
    ["1,234", "en-GB", 123_400],
    ["1.234", "de-DE", 123_400],
    ["1.234", "en-GB", null],
    ["1,234.5", "en-GB", 123_450],
    ["1.234,50", "en-GB", 123_450],
    ["€ 20", "en-GB", 2000],
    ["20 €", "de-DE", 2000],
    [".5", "en-GB", 50],
    ["-3.10", "en-GB", -310],
    ["1 234,50", "de-DE", 123_450],
    ["", "en-GB", null],
    ["abc", "en-GB", null],
    ["1.2.3", "en-GB", null],
    ["1,23,4", "en-GB", null],
    ["99999999999999999999", "en-GB", null],
  ];
  for (const [text, locale, minor] of cases) assert.equal(parseMoney(text, locale), minor, `${text} in ${locale}`);
});

test("amounts are written with two digits, and whole ones without where a currency has no coins", () => {
  assert.equal(formatMoney(123_450, "EUR", { sign: false }), "1,234.50");
  assert.equal(formatMoney(123_450, "EUR", { sign: false, locale: "de-DE" }), "1.234,50");
  assert.equal(formatMoney(100_00, "JPY", { sign: false }), "100");
  assert.equal(formatMoney(100_50, "JPY", { sign: false }), "100.50");
  assert.equal(formatMoney(1_00, "KWD", { sign: false }), "1.00");
  assert.equal(formatDiscount(421_000, "EUR", { sign: false }), "\u22124,210.00");
  assert.equal(formatDiscount(0, "EUR", { sign: false }), "0.00");
  assert.equal(formatDiscount(421_000, "EUR"), "\u2212\u2060€4,210.00", "no line ends behind the minus");
});

import { numberFormat } from "../../text/formats.ts";

// Amounts are whole numbers of 1/100, whatever the currency. Nothing here passes through a binary fraction.

/** Currencies without a small coin: of whole amounts only the part before the point is written. */
const WITHOUT_COINS = new Set("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" "));
const MINUS = "\u2212";
/** Keeps a line from ending between the minus and the sign of the currency. */
const JOINER = "\u2060";

const isWhole = (minor: number) => minor % 100 === 0;

function digitsOf(minor: number, currency: string): number {
  return WITHOUT_COINS.has(currency) && isWhole(minor) ? 0 : 2;
}

/** 123450 of EUR is `€1,234.50`; without the sign `1,234.50`. Amounts below zero have a real minus. */
export function formatMoney(
  minor: number,
  currency: string,
  { locale = "en-GB", sign = true }: { locale?: string; sign?: boolean } = {},
): string {
  const digits = digitsOf(minor, currency);
  const format = numberFormat(locale, {
    ...(sign ? { style: "currency" as const, currency, currencyDisplay: "narrowSymbol" as const } : {}),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const whole = Math.abs(minor);
  // A decimal text, which Intl reads exactly, and not a quotient.
  const text = `${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, "0")}` as `${number}`;
  return (minor < 0 ? MINUS + (sign ? JOINER : "") : "") + format.format(text);
}

/** What is taken off: shown with a minus. Nothing taken off is shown as zero. */
export const formatDiscount = (
  minor: number,
  currency: string,
  options?: { locale?: string; sign?: boolean },
): string => formatMoney(minor === 0 ? 0 : -Math.abs(minor), currency, options);

const separatorsOf = (locale: string) => {
  const parts = numberFormat(locale, { useGrouping: true }).formatToParts(1234567.8);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { group: of("group"), decimal: of("decimal") };
};

/**
 * A text that somebody typed as 1/100, or null when it is no amount. The last point or comma with one or two digits behind it
 * divides: 9,95 and 9.95 are the same in every language; 1,234 is what the language says.
 */
export function parseMoney(text: string, locale = "en-GB"): number | null {
  const plain = text.replace(/[\s\u00a0\u202f'’]/g, "").replace(/^[^\d.,\u2212-]+|[^\d.,]+$/g, "");
  const [, minus, digits = ""] = /^([\u2212-]?)([\d.,]+)$/.exec(plain) ?? [];
  if (!/\d/.test(digits)) return null;
  const { group } = separatorsOf(locale);
  const short = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(digits)!;
  const [head, coins = ""] = [short[1]!, short[2] ?? ""];
  const divider = short[2] === undefined ? "" : digits[head.length]!;
  const isGrouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.exec(head);
  if (!/^\d*$/.test(head) && (!isGrouped || isGrouped[1] === divider)) return null;
  if (isGrouped && divider === "" && isGrouped[1] !== group) return null;
  const minor = BigInt(head.replace(/[.,]/g, "") || "0") * 100n + BigInt(coins.padEnd(2, "0") || "0");
  if (minor > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return minus && minor > 0n ? -Number(minor) : Number(minor);
}

/** An amount for a file: a number in the unit of the currency, in every language the same. */
export const plainMoney = (minor: number | null): number | null => (minor === null ? null : minor / 100);

/** An amount as a field shows it: without the currency's sign and without groups, so that it can be typed over. */
export function moneyInput(minor: number, locale = "en-GB"): string {
  const { decimal } = separatorsOf(locale);
  const whole = Math.abs(minor);
  return `${minor < 0 ? "-" : ""}${Math.floor(whole / 100)}${decimal}${String(whole % 100).padStart(2, "0")}`;
}

import type { OperatorName } from "./syntax.ts";

/** What documents and forms say about one name. The example is evaluated by a test, with `gives` as its result. */
export type FormulaNote = { summary: string; takes?: string; example: string; gives: string };
type Lines = Record<string, string>;

export const FUNCTION_NOTES: Readonly<Record<string, FormulaNote>> = {
  MIN: { takes: "a; b; …", summary: "The lowest of the numbers.", example: "MIN(3; 1; 2)", gives: "1" },
  MAX: { takes: "a; b; …", summary: "The highest of the numbers.", example: "MAX(3; 1; 2)", gives: "3" },
  POW: {
    takes: "base; exponent",
    summary: "The base to the power of the exponent.",
    example: "POW(2; 10)",
    gives: "1024",
  },
  IF: {
    takes: "condition; then; otherwise",
    summary: "`then` when the condition is true, else `otherwise`. The other value is not calculated.",
    example: 'IF(ORDER_AMOUNT > 100; "large"; "small")',
    gives: "large",
  },
  DEFAULT_TO: {
    takes: "value; default; …",
    summary: "The first value that is not missing.",
    example: 'DEFAULT_TO(ORDER_METADATA("nothing"); 5)',
    gives: "5",
  },
  ROUND: {
    takes: "value; places",
    summary: "The value, rounded half up to so many decimal places: 0 by default; -1 rounds to tens.",
    example: "ROUND(75.55; 1)",
    gives: "75.6",
  },
  FLOOR: {
    takes: "value; places",
    summary: "The value, rounded down in the same way.",
    example: "FLOOR(75.55; 1)",
    gives: "75.5",
  },
  CEIL: {
    takes: "value; places",
    summary: "The value, rounded up in the same way.",
    example: "CEIL(75.55)",
    gives: "76",
  },
  DATE: { takes: "text", summary: "The date in the text.", example: 'MONTH(DATE("2026-12-31"))', gives: "12" },
  DATE_TIME: {
    takes: "text",
    summary: "The date and time in the text, in the project's time zone.",
    example: 'DAY_OF_MONTH(DATE_TIME("2026-12-31T23:30:00Z"))',
    gives: "1",
  },
  DAY_OF_MONTH: {
    takes: "date",
    summary: "The day of the month, 1 to 31.",
    example: "DAY_OF_MONTH(TODAY)",
    gives: "16",
  },
  MONTH: { takes: "date", summary: "The month, 1 to 12.", example: "MONTH(TODAY)", gives: "3" },
  YEAR: { takes: "date", summary: "The year.", example: "YEAR(TODAY)", gives: "2026" },
  DAYS_SINCE: {
    takes: "date",
    summary: "Whole days from the date to today; below zero for a date in the future.",
    example: 'DAYS_SINCE(DATE("2026-03-01"))',
    gives: "15",
  },
  MONTHS_SINCE: {
    takes: "date",
    summary: "Whole months from the date to today.",
    example: 'MONTHS_SINCE(DATE("2026-01-01"))',
    gives: "2",
  },
  YEARS_SINCE: {
    takes: "date",
    summary: "Whole years from the date to today.",
    example: "YEARS_SINCE(CUSTOMER_BIRTHDATE)",
    gives: "35",
  },
  DAYS_UNTIL: {
    takes: "date",
    summary: "Whole days from today to the date.",
    example: 'DAYS_UNTIL(DATE("2026-03-20"))',
    gives: "4",
  },
  MONTHS_UNTIL: {
    takes: "date",
    summary: "Whole months from today to the date.",
    example: 'MONTHS_UNTIL(DATE("2026-12-24"))',
    gives: "9",
  },
  ...Object.fromEntries(
    (
      [
        ["ORDER_METADATA", "the order"],
        ["CUSTOMER_METADATA", "the customer"],
        ["REDEEMABLE_METADATA", "the voucher or the promotion tier"],
        ["REDEMPTION_METADATA", "the request"],
        ["PUBLICATION_METADATA", "the publication of the voucher"],
        ["ORDER_ITEM_METADATA", "the line"],
        ["ORDER_ITEM_PRODUCT_METADATA", "the product of the line"],
        ["CHEAPEST_ORDER_ITEM_METADATA", "the line with the lowest price"],
        ["CHEAPEST_ORDER_ITEM_PRODUCT_METADATA", "the product with the lowest price"],
        ["MOST_EXPENSIVE_ORDER_ITEM_METADATA", "the line with the highest price"],
        ["MOST_EXPENSIVE_ORDER_ITEM_PRODUCT_METADATA", "the product with the highest price"],
      ] as const
    ).map(([name, of]) => [
      name,
      { takes: '"property"', summary: `A metadata property of ${of}.`, example: `${name}("points") * 2`, gives: "14" },
    ]),
  ),
  SWITCH: {
    takes: "value; SWITCH_CASE(…) …; default",
    summary: "The result of the first case that equals the value, else the default.",
    example: 'SWITCH(2; SWITCH_CASE(1; "one") SWITCH_CASE(2; "two"); "many")',
    gives: "two",
  },
  SWITCH_CASE: {
    takes: "equal to; result",
    summary: "One case of a `SWITCH`. Use it only there.",
    example: 'SWITCH(TRUE; SWITCH_CASE(ORDER_AMOUNT > 100; "large"); "small")',
    gives: "large",
  },
};

export const OPERATOR_NOTES: Readonly<Record<OperatorName, FormulaNote>> = {
  OR: { summary: "at least one side is true", example: "FALSE OR TRUE", gives: "true" },
  AND: { summary: "both sides are true", example: "TRUE AND FALSE", gives: "false" },
  ">": { summary: "more, or later", example: "2 > 1", gives: "true" },
  "<": { summary: "less, or earlier", example: "2 < 1", gives: "false" },
  ">=": { summary: "more or equal", example: "2 >= 2", gives: "true" },
  "<=": { summary: "less or equal", example: "2 <= 1", gives: "false" },
  "=": { summary: "equal", example: "1.50 = 1.5", gives: "true" },
  is: { summary: "equal", example: '"a" is "a"', gives: "true" },
  isNot: { summary: "not equal", example: '"a" isNot "A"', gives: "true" },
  contains: {
    summary: "a list has the element, or a text contains the other text",
    example: '"winter sale" contains "sale"',
    gives: "true",
  },
  startsWith: { summary: "a text starts with the other text", example: '"winter" startsWith "win"', gives: "true" },
  endsWith: { summary: "a text ends with the other text", example: '"winter" endsWith "win"', gives: "false" },
  IN_ARRAY: {
    summary: "is one of the values, which are separated by commas",
    example: '"b" IN_ARRAY "a, b"',
    gives: "true",
  },
  NOT_IN_ARRAY: { summary: "is none of the values", example: '"c" NOT_IN_ARRAY "a, b"', gives: "true" },
  DATE_IS: { summary: "the same day", example: 'TODAY DATE_IS DATE("2026-03-16")', gives: "true" },
  DATE_IS_NOT: { summary: "another day", example: 'TODAY DATE_IS_NOT DATE("2026-03-16")', gives: "false" },
  IS_AFTER: { summary: "a later date", example: 'TODAY IS_AFTER DATE("2026-03-15")', gives: "true" },
  IS_BEFORE: { summary: "an earlier date", example: 'TODAY IS_BEFORE DATE("2026-03-15")', gives: "false" },
  "+": { summary: "sum", example: "0.1 + 0.2", gives: "0.3" },
  "-": { summary: "difference", example: "1 - 3", gives: "-2" },
  "*": { summary: "product", example: "1.5 * 2", gives: "3" },
  "/": { summary: "quotient", example: "7 / 2", gives: "3.5" },
  "%": { summary: "the remainder of a division", example: "7 % 2", gives: "1" },
};

const line = (prefix: string, of: string): Lines => ({
  [`${prefix}_PRICE`]: `The price of a unit of ${of}.`,
  [`${prefix}_AMOUNT`]: `Price times quantity of ${of}.`,
  [`${prefix}_SUBTOTAL`]: `The amount of ${of} after the discounts so far.`,
  [`${prefix}_UNITS_QUANTITY`]: `The quantity of ${of}.`,
});

/** Amounts are in the major unit: 12.50 and not 1250. */
export const VARIABLE_NOTES: Readonly<Lines> = {
  TRUE: "True.",
  FALSE: "False.",
  TODAY: "Today, in the project's time zone.",
  NOW: "The current date and time.",
  ORDER_AMOUNT: "The amount of the cart after the redeemables before this one.",
  ORDER_ITEMS_QUANTITY: "How many lines the cart has.",
  ORDER_UNITS_QUANTITY: "How many units the cart has.",
  ORDER_BUNDLE_QUANTITY: "How many bundles the cart contains.",
  ...line("ORDER_ITEM", "the discounted line"),
  ...line("CHEAPEST_ORDER_ITEM", "the line with the lowest price"),
  ...line("MOST_EXPENSIVE_ORDER_ITEM", "the line with the highest price"),
  VOUCHER_REDEMPTION_QUANTITY: "How often the voucher may be redeemed.",
  VOUCHER_REDEEMED_QUANTITY: "How often the voucher was redeemed.",
  VOUCHER_PUBLISH_COUNT: "How often the voucher was published.",
  VOUCHER_START_DATE: "The start date of the voucher.",
  VOUCHER_EXPIRATION_DATE: "The expiration date of the voucher.",
  PROMOTION_TIER_START_DATE: "The start date of the promotion tier.",
  PROMOTION_TIER_EXPIRATION_DATE: "The expiration date of the promotion tier.",
  CUSTOMER_BIRTHDATE: "The date of birth of the customer.",
};

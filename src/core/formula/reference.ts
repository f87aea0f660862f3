import type { OperatorName } from "./syntax.ts";

/** What documents and forms say about one name. The example is evaluated by a test, with `gives` as its result. */
export type FormulaNote = { summary: string; takes?: string; example: string; gives: string };
type Lines = Record<string, string>;

export const FUNCTION_NOTES: Readonly<Record<string, FormulaNote>> = {
  MIN: { takes: "a; b; …", summary: "The lowest of the numbers.", example: "MIN(3; 1; 2)", gives: "1" },
  MAX: { takes: "a; b; …", summary: "The highest of the numbers.", example: "MAX(3; 1; 2)", gives: "3" },
  POW: { takes: "base; exponent", summary: "A power.", example: "POW(2; 10)", gives: "1024" },
  IF: {
    takes: "condition; then; otherwise",
    summary: "One of two values. The other one is not looked at.",
    example: 'IF(ORDER_AMOUNT > 100; "large"; "small")',
    gives: "large",
  },
  DEFAULT_TO: {
    takes: "value; default; …",
    summary: "The first value that is there.",
    example: 'DEFAULT_TO(ORDER_METADATA("nothing"); 5)',
    gives: "5",
  },
  ROUND: {
    takes: "value; places",
    summary: "Rounded half up. Without places it is to whole numbers; -1 places are tens.",
    example: "ROUND(75.55; 1)",
    gives: "75.6",
  },
  FLOOR: {
    takes: "value; places",
    summary: "Rounded down, in the same way.",
    example: "FLOOR(75.55; 1)",
    gives: "75.5",
  },
  CEIL: { takes: "value; places", summary: "Rounded up, in the same way.", example: "CEIL(75.55)", gives: "76" },
  DATE: { takes: "text", summary: "A day.", example: 'MONTH(DATE("2026-12-31"))', gives: "12" },
  DATE_TIME: {
    takes: "text",
    summary: "A moment, on the clocks of the project's time zone.",
    example: 'DAY_OF_MONTH(DATE_TIME("2026-12-31T23:30:00Z"))',
    gives: "1",
  },
  DAY_OF_MONTH: { takes: "date", summary: "1 to 31.", example: "DAY_OF_MONTH(TODAY)", gives: "16" },
  MONTH: { takes: "date", summary: "1 to 12.", example: "MONTH(TODAY)", gives: "3" },
  YEAR: { takes: "date", summary: "The year.", example: "YEAR(TODAY)", gives: "2026" },
  DAYS_SINCE: {
    takes: "date",
    summary: "Whole days from the date to today; below zero when it is ahead.",
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
      { takes: '"property"', summary: `A property of ${of}.`, example: `${name}("points") * 2`, gives: "14" },
    ]),
  ),
  SWITCH: {
    takes: "value; SWITCH_CASE(…) …; default",
    summary: "The result of the first case that is equal to the value, or the default.",
    example: 'SWITCH(2; SWITCH_CASE(1; "one") SWITCH_CASE(2; "two"); "many")',
    gives: "two",
  },
  SWITCH_CASE: {
    takes: "equal to; result",
    summary: "One case; it stands inside `SWITCH` only.",
    example: 'SWITCH(TRUE; SWITCH_CASE(ORDER_AMOUNT > 100; "large"); "small")',
    gives: "large",
  },
};

export const OPERATOR_NOTES: Readonly<Record<OperatorName, FormulaNote>> = {
  OR: { summary: "one of the two is true", example: "FALSE OR TRUE", gives: "true" },
  AND: { summary: "both are true", example: "TRUE AND FALSE", gives: "false" },
  ">": { summary: "more, or later", example: "2 > 1", gives: "true" },
  "<": { summary: "less, or earlier", example: "2 < 1", gives: "false" },
  ">=": { summary: "more or equal", example: "2 >= 2", gives: "true" },
  "<=": { summary: "less or equal", example: "2 <= 1", gives: "false" },
  "=": { summary: "equal", example: "1.50 = 1.5", gives: "true" },
  is: { summary: "equal", example: '"a" is "a"', gives: "true" },
  isNot: { summary: "not equal", example: '"a" isNot "A"', gives: "true" },
  contains: {
    summary: "a list has the element, a text the part",
    example: '"winter sale" contains "sale"',
    gives: "true",
  },
  startsWith: { summary: "a text begins with the other", example: '"winter" startsWith "win"', gives: "true" },
  endsWith: { summary: "a text ends with the other", example: '"winter" endsWith "win"', gives: "false" },
  IN_ARRAY: { summary: "one of the values, separated by commas", example: '"b" IN_ARRAY "a, b"', gives: "true" },
  NOT_IN_ARRAY: { summary: "none of the values", example: '"c" NOT_IN_ARRAY "a, b"', gives: "true" },
  DATE_IS: { summary: "the same day", example: 'TODAY DATE_IS DATE("2026-03-16")', gives: "true" },
  DATE_IS_NOT: { summary: "another day", example: 'TODAY DATE_IS_NOT DATE("2026-03-16")', gives: "false" },
  IS_AFTER: { summary: "a later date", example: 'TODAY IS_AFTER DATE("2026-03-15")', gives: "true" },
  IS_BEFORE: { summary: "an earlier date", example: 'TODAY IS_BEFORE DATE("2026-03-15")', gives: "false" },
  "+": { summary: "sum", example: "0.1 + 0.2", gives: "0.3" },
  "-": { summary: "difference", example: "1 - 3", gives: "-2" },
  "*": { summary: "product", example: "1.5 * 2", gives: "3" },
  "/": { summary: "quotient", example: "7 / 2", gives: "3.5" },
  "%": { summary: "what a division leaves", example: "7 % 2", gives: "1" },
};

const line = (prefix: string, of: string): Lines => ({
  [`${prefix}_PRICE`]: `The price of a unit of ${of}.`,
  [`${prefix}_AMOUNT`]: `Price times quantity of ${of}.`,
  [`${prefix}_SUBTOTAL`]: `What discounts so far have left of the amount of ${of}.`,
  [`${prefix}_UNITS_QUANTITY`]: `The quantity of ${of}.`,
});

/** Amounts are in the major unit: 12.50 and not 1250. */
export const VARIABLE_NOTES: Readonly<Lines> = {
  TRUE: "True.",
  FALSE: "False.",
  TODAY: "Today, in the project's time zone.",
  NOW: "This moment.",
  ORDER_AMOUNT: "The amount of the cart, as the redeemables before this one left it.",
  ORDER_ITEMS_QUANTITY: "How many lines the cart has.",
  ORDER_UNITS_QUANTITY: "How many units the cart has.",
  ORDER_BUNDLE_QUANTITY: "How many bundles the cart holds.",
  ...line("ORDER_ITEM", "the line that is discounted"),
  ...line("CHEAPEST_ORDER_ITEM", "the line with the lowest price"),
  ...line("MOST_EXPENSIVE_ORDER_ITEM", "the line with the highest price"),
  VOUCHER_REDEMPTION_QUANTITY: "How often the voucher may be redeemed.",
  VOUCHER_REDEEMED_QUANTITY: "How often the voucher was redeemed.",
  VOUCHER_PUBLISH_COUNT: "How often the voucher was published.",
  VOUCHER_START_DATE: "From when the voucher is valid.",
  VOUCHER_EXPIRATION_DATE: "Until when the voucher is valid.",
  PROMOTION_TIER_START_DATE: "From when the tier is valid.",
  PROMOTION_TIER_EXPIRATION_DATE: "Until when the tier is valid.",
  CUSTOMER_BIRTHDATE: "The birthday of the customer.",
};

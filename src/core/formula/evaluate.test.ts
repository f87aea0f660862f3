import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleFacts, sampleItem, sampleOrder } from "../../../test/support/formula-facts.ts";
import { evaluateFormula, type FormulaStep, formulaNumber } from "./evaluate.ts";
import type { FormulaFacts } from "./facts.ts";
import { FUNCTIONS } from "./functions.ts";
import { FORMULA_OPERATORS } from "./operators.ts";
import { parseFormula } from "./parse.ts";
import { countFormula, moneyFormula, percentFormula } from "./results.ts";
import { isList, textOf } from "./values.ts";
import { VARIABLES } from "./variables.ts";

/** The value as text, which shows its kind well enough; null when it cannot be evaluated. */
function evaluated(text: string, facts: FormulaFacts): string | null {
  const value = evaluateFormula(parseFormula(text), facts);
  return value === null || isList(value) ? (value as null) : textOf(value);
}

const customer = (metadata: Record<string, unknown>, birthdate: string | null = null) => ({
  customer: { metadata, birthdate },
});
const lines = (count: number, amount: number) => ({
  order: sampleOrder({ amount, items: Array.from({ length: count }, () => sampleItem()) }),
});
const visits = (number_of_store_visits: number, day_of_week: number) => ({
  ...customer({ number_of_store_visits }),
  order: sampleOrder({ metadata: { day_of_week } }),
});
const city = (store_city: string) => ({ order: sampleOrder({ metadata: { store_city } }) });
const VISITS_AND = 'IF(CUSTOMER_METADATA("number_of_store_visits") > 10 AND ORDER_METADATA("day_of_week") = 5;20;3)';
const TIERS = "IF(ORDER_ITEMS_QUANTITY > 4;IF(ORDER_AMOUNT > 200;25;15);10)";
const CITIES = 'SWITCH(ORDER_METADATA("store_city");SWITCH_CASE("Boston";10) SWITCH_CASE("New York";15);5)';
const BRANDS = 'IF(CUSTOMER_METADATA("favorite_brands") contains "Nike";20;CUSTOMER_METADATA("age"))';

const VECTORS: [string, Partial<FormulaFacts>, string | null, number?][] = [
  ["ROUND(75.55;1)", {}, "75.6"],
  ["ROUND(75.55;0)", {}, "76"],
  ["ROUND(75.55;-1)", {}, "80"],
  ["FLOOR(75.55;1)", {}, "75.5"],
  ["FLOOR(75.55;0)", {}, "75"],
  ["FLOOR(75.55;-1)", {}, "70"],
  ["CEIL(74.44;1)", {}, "74.5"],
  ["CEIL(74.44;0)", {}, "75"],
  ["CEIL(74.44;-1)", {}, "80"],
  [VISITS_AND, visits(11, 5), "20"],
  [VISITS_AND, visits(11, 4), "3"],
  [VISITS_AND.replace("AND", "OR"), visits(1, 5), "20"],
  [TIERS, lines(5, 20100), "25"],
  [TIERS, lines(5, 20000), "15"],
  [TIERS, lines(4, 99900), "10"],
  [CITIES, city("New York"), "15"],
  [CITIES, city("Paris"), "5"],
  ["ORDER_ITEM_PRICE * 0.01 + 1", { item: sampleItem({ price: 600 }) }, "1.06", 106],
  ["ORDER_ITEM_PRICE * 0.01 + 1", { item: sampleItem({ price: 1000 }) }, "1.1", 110],
  ["IF(ORDER_AMOUNT > 200;ORDER_AMOUNT * 0.15;ORDER_AMOUNT * 0.05)", lines(0, 30000), "45", 4500],
  [BRANDS, customer({ favorite_brands: ["Nike"] }), "20"],
  [
    "IF(ORDER_UNITS_QUANTITY > 5;FLOOR(ORDER_UNITS_QUANTITY / 3;0);1)",
    { order: sampleOrder({ items: [sampleItem({ quantity: 8 })] }) },
    "2",
  ],
  ['CUSTOMER_METADATA("missing") * 2', customer({}), null],
];
for (const [text, given, value, minor] of VECTORS)
  test(`${text} is ${value ?? "not to be evaluated"}`, () => {
    const facts = sampleFacts(given);
    assert.equal(formulaNumber(parseFormula(text), facts)?.toFixed() ?? null, value);
    if (minor !== undefined) assert.equal(moneyFormula(parseFormula(text), facts), minor);
  });

const FACTS = sampleFacts({
  order: sampleOrder({
    amount: 46500,
    items: [
      sampleItem({ price: 1000, quantity: 2, metadata: { size: "M" } }),
      sampleItem({ price: 500, quantity: 4, discount_amount: 100, metadata: { size: "S" } }),
      sampleItem({
        price: 500,
        quantity: 3,
        metadata: { size: "XS" },
        product: { id: "prod_1", source_id: null, name: null, price: 500, metadata: { brand: "Nike" } },
      }),
      sampleItem({
        price: 1000,
        quantity: 1,
        metadata: { size: "L" },
        product: { id: "prod_2", source_id: null, name: null, price: 1000, metadata: { brand: "Puma" } },
      }),
      sampleItem({ price: null, quantity: 7 }),
    ],
    metadata: { day: "2026-03-10", moment: "2026-03-15T22:30:00Z", nested: { a: 1 }, mixed: [1, null] },
  }),
  item: sampleItem({
    price: 1250,
    quantity: 3,
    amount: 3750,
    discount_amount: 750,
    metadata: { color: "red" },
    product: { id: "prod_3", source_id: null, name: null, price: 1250, metadata: { brand: "Asics" } },
  }),
  customer: {
    metadata: { age: 30, name: "Ada Lovelace", zip: 12345, vip: true, tags: ["a", "b", 3], constructor_: 1 },
    birthdate: "1990-05-20",
  },
  redeemable: {
    metadata: { channel: "web" },
    redemption_quantity: 100,
    redeemed_quantity: 40,
    publish_count: 2,
    start_date: "2026-01-01T00:00:00Z",
    expiration_date: "2026-04-30T22:00:00Z",
  },
  redemption_metadata: { till: 4 },
  publication_metadata: { source: "mail" },
  bundle_quantity: 2,
});

/** In Warsaw it is 16 March 2026, 00:30. */
// biome-ignore format: a table reads better in rows
const TABLE: Record<string, [string, string | null][]> = {
  "+": [["1 + 2", "3"], ["0.1 + 0.2", "0.3"], ['"a" + 1', null], ["1 + TRUE", null]],
  "-": [["1 - 2", "-1"], ["1 - -2", "3"], ['-"a"', null], ["TODAY - 1", null]],
  "*": [["0.07 * 100", "7"], ["2 × 3", "6"]],
  "/": [["1 / 4", "0.25"], ["1 ÷ 0", null], ["0 / 0", null], ["10 / 3 * 3 = 10", "true"]],
  "%": [["7 % 3", "1"], ["-7 % 3", "-1"], ["7 % 0", null], ["7.5 % 2", "1.5"]],
  ">": [["2 > 1", "true"], ["10 > 9", "true"], ['"b" > "a"', "true"], ['"10" > 9', null], ["NOW > DATE(\"2026-03-16\")", "false"]],
  "<": [["2 < 1", "false"], ['DATE("2026-01-01") < TODAY', "true"], ["TRUE < FALSE", null]],
  ">=": [["2 >= 2", "true"], ["1 >= 2", "false"]],
  "<=": [["2 <= 2", "true"], ["3 <= 2", "false"]],
  "=": [["1.0 = 1", "true"], ['1 = "1"', "true"], ['1 = "1.0"', "false"], ["TRUE = TRUE", "true"], ['TODAY = "2026-03-16"', "true"], ["TODAY = 1", null], ['CUSTOMER_METADATA("tags") = "a"', null]],
  is: [['CUSTOMER_METADATA("name") is "Ada Lovelace"', "true"], ['CUSTOMER_METADATA("zip") is "12345"', "true"], ['CUSTOMER_METADATA("vip") is "true"', "true"], ['CUSTOMER_METADATA("name") is "ada lovelace"', "false"]],
  isNot: [['"a" isNot "b"', "true"], ['CUSTOMER_METADATA("none") isNot "b"', null]],
  contains: [['"abc" contains "b"', "true"], ['CUSTOMER_METADATA("tags") contains "b"', "true"], ['CUSTOMER_METADATA("tags") contains 3', "true"], ['CUSTOMER_METADATA("tags") contains "c"', "false"], ["TODAY contains 3", null]],
  startsWith: [['"abc" startsWith "a"', "true"], ['"abc" startsWith "b"', "false"], ['CUSTOMER_METADATA("tags") startsWith "a"', null]],
  endsWith: [['"abc" endsWith "c"', "true"], ['CUSTOMER_METADATA("zip") endsWith 45', "true"]],
  IN_ARRAY: [['"b" IN_ARRAY "a, b"', "true"], ['"c" IN_ARRAY "a,b"', "false"], ['CUSTOMER_METADATA("zip") IN_ARRAY "1,12345"', "true"], ['"b" IN_ARRAY CUSTOMER_METADATA("tags")', "true"], ['CUSTOMER_METADATA("tags") IN_ARRAY "x,3"', "true"], ['"b" IN_ARRAY 1', null]],
  NOT_IN_ARRAY: [['"c" NOT_IN_ARRAY "a,b"', "true"], ['"a" NOT_IN_ARRAY "a,b"', "false"]],
  DATE_IS: [['NOW DATE_IS DATE("2026-03-16")', "true"], ['ORDER_METADATA("moment") DATE_IS DATE("2026-03-15")', "true"], ['ORDER_METADATA("day") DATE_IS TODAY', "false"], ['"soon" DATE_IS TODAY', null]],
  DATE_IS_NOT: [['TODAY DATE_IS_NOT DATE("2026-03-15")', "true"], ["5 DATE_IS_NOT TODAY", null]],
  IS_AFTER: [['NOW IS_AFTER DATE_TIME("2026-03-15T23:29:59Z")', "true"], ["NOW IS_AFTER TODAY", "false"], ["VOUCHER_EXPIRATION_DATE IS_AFTER NOW", "true"]],
  IS_BEFORE: [["CUSTOMER_BIRTHDATE IS_BEFORE TODAY", "true"], ['TODAY IS_BEFORE "2026-03-16"', "false"]],
  AND: [["TRUE AND FALSE", "false"], ['FALSE AND CUSTOMER_METADATA("none")', "false"], ['TRUE AND CUSTOMER_METADATA("none")', null], ["1 AND TRUE", null], ["TRUE AND 1", null]],
  OR: [["FALSE OR TRUE", "true"], ['TRUE OR CUSTOMER_METADATA("none")', "true"], ['CUSTOMER_METADATA("none") OR TRUE', null], ["TRUE OR FALSE AND FALSE", "true"]],
  MIN: [["MIN(3;1;2)", "1"], ["MIN(5)", "5"], ['MIN(1;CUSTOMER_METADATA("none"))', null]],
  MAX: [["MAX(3;1;2)", "3"], ['MAX(1;"2")', null]],
  POW: [["POW(2;10)", "1024"], ["POW(4;0.5)", "2"], ["POW(2;-1)", "0.5"], ["POW(-1;0.5)", null], ["POW(0;-1)", null], ["POW(1;1001)", null], ["POW(10;401)", null], ["POW(POW(10;399);2)", null]],
  IF: [["IF(1 < 2;3;4)", "3"], ['IF(1 > 2;CUSTOMER_METADATA("none");4)', "4"], ["IF(1;2;3)", null], ['IF(CUSTOMER_METADATA("none") = 1;2;3)', null], ['IF(CUSTOMER_METADATA("vip");2;3)', "2"]],
  DEFAULT_TO: [['DEFAULT_TO(CUSTOMER_METADATA("none");7)', "7"], ["DEFAULT_TO(1;1 / 0)", "1"], ['DEFAULT_TO(CUSTOMER_METADATA("none") * 2;1 / 0;3)', "3"], ["DEFAULT_TO(1 / 0;1 / 0)", null]],
  ROUND: [["ROUND(2.5)", "3"], ["ROUND(1234.5;-2)", "1200"], ["ROUND(1;0.5)", null], ["ROUND(1;21)", null]],
  FLOOR: [["FLOOR(-1.5;0)", "-2"], ["FLOOR(10 / 3 * 3)", "10"]],
  CEIL: [["CEIL(-1.5;0)", "-1"], ["CEIL(1.2)", "2"], ["CEIL(1 / 3 * 3)", "1"]],
  SWITCH: [["SWITCH(2;SWITCH_CASE(1;10) SWITCH_CASE(1 + 1;20);30)", "20"], ["SWITCH(3;SWITCH_CASE(1;10);30)", "30"], ['SWITCH(CUSTOMER_METADATA("none");SWITCH_CASE(1;10);30)', null], ['SWITCH(1;SWITCH_CASE(1;10) SWITCH_CASE(CUSTOMER_METADATA("none");20);30)', "10"]],
  DATE: [['DATE("2026-12-31")', "2026-12-31"], ['DATE(ORDER_METADATA("day"))', "2026-03-10"], ['DATE(CUSTOMER_METADATA("name"))', null], ["DATE(5)", null]],
  DATE_TIME: [['DATE_TIME("2026-12-31T10:00:00+02:00")', "2026-12-31T08:00:00Z"], ['DATE_TIME("2026-12-31T10:00")', "2026-12-31T09:00:00Z"]],
  DAY_OF_MONTH: [["DAY_OF_MONTH(TODAY)", "16"], ["DAY_OF_MONTH(NOW)", "16"], ["DAY_OF_MONTH(5)", null]],
  MONTH: [["MONTH(CUSTOMER_BIRTHDATE)", "5"], ['MONTH(ORDER_METADATA("moment"))', "3"]],
  YEAR: [["YEAR(TODAY)", "2026"]],
  DAYS_SINCE: [['DAYS_SINCE(DATE("2026-03-10"))', "6"], ['DAYS_SINCE(ORDER_METADATA("day"))', "6"], ['DAYS_SINCE(DATE_TIME("2026-03-15T22:59:00Z"))', "1"], ['DAYS_SINCE(DATE("2026-03-20"))', "-4"]],
  MONTHS_SINCE: [['MONTHS_SINCE(DATE("2026-01-16"))', "2"], ['MONTHS_SINCE(DATE("2026-01-17"))', "1"]],
  YEARS_SINCE: [["YEARS_SINCE(CUSTOMER_BIRTHDATE)", "35"], ["YEARS_SINCE(TODAY)", "0"]],
  DAYS_UNTIL: [['DAYS_UNTIL(DATE("2026-03-29"))', "13"], ["DAYS_UNTIL(VOUCHER_EXPIRATION_DATE)", "46"]],
  MONTHS_UNTIL: [['MONTHS_UNTIL(DATE("2026-06-16"))', "3"], ['MONTHS_UNTIL(DATE("2026-06-15"))', "2"]],
  ORDER_METADATA: [['ORDER_METADATA("day")', "2026-03-10"], ['ORDER_METADATA("nested")', null], ['ORDER_METADATA("mixed") contains 1', null], ['ORDER_METADATA("constructor")', null]],
  CUSTOMER_METADATA: [['CUSTOMER_METADATA("age") * 2', "60"]],
  REDEEMABLE_METADATA: [['REDEEMABLE_METADATA("channel")', "web"]],
  REDEMPTION_METADATA: [['REDEMPTION_METADATA("till")', "4"]],
  PUBLICATION_METADATA: [['PUBLICATION_METADATA("source")', "mail"]],
  ORDER_ITEM_METADATA: [['ORDER_ITEM_METADATA("color")', "red"]],
  ORDER_ITEM_PRODUCT_METADATA: [['ORDER_ITEM_PRODUCT_METADATA("brand")', "Asics"]],
  // Of the two lines at 5.00 the one with 15.00 left wins over 19.00; of those at 10.00 it is 10.00 over 20.00.
  CHEAPEST_ORDER_ITEM_METADATA: [['CHEAPEST_ORDER_ITEM_METADATA("size")', "XS"]],
  CHEAPEST_ORDER_ITEM_PRODUCT_METADATA: [['CHEAPEST_ORDER_ITEM_PRODUCT_METADATA("brand")', "Nike"]],
  MOST_EXPENSIVE_ORDER_ITEM_METADATA: [['MOST_EXPENSIVE_ORDER_ITEM_METADATA("size")', "L"]],
  MOST_EXPENSIVE_ORDER_ITEM_PRODUCT_METADATA: [['MOST_EXPENSIVE_ORDER_ITEM_PRODUCT_METADATA("brand")', "Puma"]],
  TRUE: [["TRUE", "true"]],
  FALSE: [["FALSE", "false"]],
  TODAY: [["TODAY", "2026-03-16"]],
  NOW: [["NOW", "2026-03-15T23:30:00Z"]],
  ORDER_AMOUNT: [["ORDER_AMOUNT > 400", "true"], ["ORDER_AMOUNT", "465"]],
  ORDER_ITEMS_QUANTITY: [["ORDER_ITEMS_QUANTITY", "5"]],
  ORDER_UNITS_QUANTITY: [["ORDER_UNITS_QUANTITY", "17"]],
  ORDER_BUNDLE_QUANTITY: [["ORDER_BUNDLE_QUANTITY * 5", "10"]],
  ORDER_ITEM_PRICE: [["ORDER_ITEM_PRICE", "12.5"]],
  ORDER_ITEM_AMOUNT: [["ORDER_ITEM_AMOUNT", "37.5"]],
  ORDER_ITEM_SUBTOTAL: [["ORDER_ITEM_SUBTOTAL", "30"]],
  ORDER_ITEM_UNITS_QUANTITY: [["ORDER_ITEM_UNITS_QUANTITY", "3"]],
  CHEAPEST_ORDER_ITEM_PRICE: [["CHEAPEST_ORDER_ITEM_PRICE", "5"]],
  CHEAPEST_ORDER_ITEM_AMOUNT: [["CHEAPEST_ORDER_ITEM_AMOUNT", "15"]],
  CHEAPEST_ORDER_ITEM_SUBTOTAL: [["CHEAPEST_ORDER_ITEM_SUBTOTAL", "15"]],
  CHEAPEST_ORDER_ITEM_UNITS_QUANTITY: [["CHEAPEST_ORDER_ITEM_UNITS_QUANTITY", "3"]],
  MOST_EXPENSIVE_ORDER_ITEM_PRICE: [["MOST_EXPENSIVE_ORDER_ITEM_PRICE", "10"]],
  MOST_EXPENSIVE_ORDER_ITEM_AMOUNT: [["MOST_EXPENSIVE_ORDER_ITEM_AMOUNT", "10"]],
  MOST_EXPENSIVE_ORDER_ITEM_SUBTOTAL: [["MOST_EXPENSIVE_ORDER_ITEM_SUBTOTAL", "10"]],
  MOST_EXPENSIVE_ORDER_ITEM_UNITS_QUANTITY: [["MOST_EXPENSIVE_ORDER_ITEM_UNITS_QUANTITY", "1"]],
  VOUCHER_REDEMPTION_QUANTITY: [["VOUCHER_REDEMPTION_QUANTITY", "100"]],
  VOUCHER_REDEEMED_QUANTITY: [["VOUCHER_REDEEMED_QUANTITY", "40"]],
  VOUCHER_PUBLISH_COUNT: [["VOUCHER_PUBLISH_COUNT", "2"]],
  VOUCHER_START_DATE: [["VOUCHER_START_DATE", "2026-01-01T00:00:00Z"]],
  VOUCHER_EXPIRATION_DATE: [["DAY_OF_MONTH(VOUCHER_EXPIRATION_DATE)", "1"]],
  PROMOTION_TIER_START_DATE: [["PROMOTION_TIER_START_DATE DATE_IS VOUCHER_START_DATE", "true"]],
  PROMOTION_TIER_EXPIRATION_DATE: [["MONTH(PROMOTION_TIER_EXPIRATION_DATE)", "5"]],
  CUSTOMER_BIRTHDATE: [["CUSTOMER_BIRTHDATE", "1990-05-20"], ["CUSTOMER_BIRTHDATE + 1", null]],
};
for (const [name, rows] of Object.entries(TABLE))
  test(`${name} is evaluated`, () => {
    for (const [text, value] of rows) assert.equal(evaluated(text, FACTS), value, text);
  });

test("every operator, function and variable has a row in the table", () => {
  const names = [...Object.keys(FORMULA_OPERATORS), ...FUNCTIONS.keys(), ...VARIABLES.keys(), "SWITCH"];
  assert.deepEqual(Object.keys(TABLE).toSorted(), names.toSorted());
});

test("without facts every variable and metadata is null, except the time and the truth values", () => {
  const known = ["TRUE", "FALSE", "TODAY", "NOW"];
  for (const name of VARIABLES.keys())
    assert.equal(evaluateFormula(parseFormula(name), sampleFacts()) === null, !known.includes(name), name);
  for (const name of FUNCTIONS.keys())
    if (name.endsWith("METADATA")) assert.equal(evaluated(`${name}("k")`, sampleFacts()), null, name);
});

test("a birthdate is the day as it is written, wherever the project is", () => {
  const facts = sampleFacts({ zone: "America/New_York", ...customer({}, "1990-05-20T00:00:00.000Z") });
  assert.equal(evaluated("CUSTOMER_BIRTHDATE", facts), "1990-05-20");
});

test("amounts are rounded half up, never below zero, and null beyond what an amount may be", () => {
  const money = (text: string) => moneyFormula(parseFormula(text), FACTS);
  assert.equal(money("1.055"), 106);
  assert.equal(money("1.0549"), 105);
  assert.equal(money("0.005"), 1);
  assert.equal(money("10 / 3 * 3"), 1000);
  assert.ok(Object.is(money("-5"), 0) && Object.is(money("-0"), 0));
  assert.equal(money("90071992547409.91"), Number.MAX_SAFE_INTEGER);
  assert.equal(money("90071992547409.92"), null);
  assert.equal(money("POW(10; 300)"), null);
  assert.equal(money('"5"'), null);
  assert.equal(money("TRUE"), null);
  assert.equal(money("TODAY"), null);
});

test("percentages lie between 0 and 100 and keep their digits, counts are whole", () => {
  const percent = (text: string) => percentFormula(parseFormula(text), FACTS)?.toFixed() ?? null;
  const third = "33.3333333333333333333333333333";
  assert.deepEqual(["12.5", "100 / 3", "-3", "250", "1 / 0"].map(percent), ["12.5", third, "0", "100", null]);
  const units = (text: string) => countFormula(parseFormula(text), FACTS);
  assert.deepEqual(["2.99", "9 / 3 * 3", "-3", "POW(10;9)", "1 / 0"].map(units), [2, 9, 0, 1_000_000, null]);
});

test("a trace lists the parts in the order in which they were evaluated, and leaves out what was not needed", () => {
  const trace: FormulaStep[] = [];
  evaluateFormula(parseFormula('IF(ORDER_AMOUNT > 400; ORDER_AMOUNT * 0.1; CUSTOMER_METADATA("none"))'), FACTS, trace);
  assert.deepEqual(trace, [
    { text: "ORDER_AMOUNT", value: "465" },
    { text: "ORDER_AMOUNT > 400", value: "true" },
    { text: "ORDER_AMOUNT", value: "465" },
    { text: "ORDER_AMOUNT * 0.1", value: "46.5" },
    { text: 'IF(ORDER_AMOUNT > 400; ORDER_AMOUNT * 0.1; CUSTOMER_METADATA("none"))', value: "46.5" },
  ]);
  const missing: FormulaStep[] = [];
  assert.equal(formulaNumber(parseFormula('CUSTOMER_METADATA("none") * 2'), FACTS, missing), null);
  assert.deepEqual(missing[0], { text: 'CUSTOMER_METADATA("none")', value: null });
  const long: FormulaStep[] = [];
  evaluateFormula(parseFormula(`TRUE${" AND TRUE".repeat(240)}`), FACTS, long);
  assert.equal(long.length, 200);
});

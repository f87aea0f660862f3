import { ENTRIES_MAX, LIMITS, MONEY, OBJECTS, TARGETS } from "../discounts/applicable-schema.ts";
import { APPLY_EFFECTS, type ApplicableEntry, type ApplicableTo, NO_PRODUCTS } from "../discounts/targets.ts";
import { CENTS_SAY, isObject } from "../shapes.ts";
import { RuleFault } from "./fault.ts";

/** Says what is wrong with the text of a formula, or null. */
export type FaultOfFormula = (text: string) => string | null;

/** Whole numbers of an entry, with the least that makes sense. */
const NUMBERS: readonly (readonly [field: string, least: number])[] = [
  ["price", 0],
  ["skip_initially", 0],
  ["repeat", 1],
  ...LIMITS.map((field) => [field, 1] as const),
];
const FORMULAS = ["price_formula", ...LIMITS.map((field) => `${field}_formula`)];
const TEXTS = ["source_id", "product_id", "product_source_id"];

type Fields = Readonly<Record<string, unknown>>;
/** Which products a discount is for, with what was left out filled in. */
export function parseApplicableTo(given: unknown, formulaFault: FaultOfFormula): ApplicableTo {
  if (given === undefined || given === null) return NO_PRODUCTS;
  if (!isObject(given)) throw new RuleFault("applicable_to must be an object");
  const { included_all } = given;
  if (included_all !== undefined && included_all !== null && typeof included_all !== "boolean")
    throw new RuleFault("applicable_to.included_all must be true or false");
  return {
    included: parseEntries(given.included, "included", formulaFault),
    excluded: parseEntries(given.excluded, "excluded", formulaFault),
    included_all: included_all ?? false,
  };
}

function parseEntries(given: unknown, list: "included" | "excluded", formulaFault: FaultOfFormula): ApplicableEntry[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given) || given.length > ENTRIES_MAX)
    throw new RuleFault(`applicable_to.${list} must be a list of at most ${ENTRIES_MAX} entries`);
  return given.map((entry, index) => parseEntry(entry, `applicable_to.${list}[${index}]`, formulaFault));
}

/** Only the fields of a definition are kept: what an answer adds, such as the lines that were matched, is not stored. */
function parseEntry(given: unknown, at: string, formulaFault: FaultOfFormula): ApplicableEntry {
  if (!isObject(given)) throw new RuleFault(`${at} must be an object`);
  const { id, strict } = given;
  if (typeof id !== "string" || id === "") throw new RuleFault(`${at}.id must be a text`);
  if (strict !== undefined && strict !== null && typeof strict !== "boolean")
    throw new RuleFault(`${at}.strict must be true or false`);
  const target = given.target ?? null;
  return {
    object: parseChoice(given.object, `${at}.object`, OBJECTS),
    id,
    ...parseTexts(given, at),
    ...(typeof strict === "boolean" && { strict }),
    effect: parseChoice(given.effect ?? "APPLY_TO_EVERY", `${at}.effect`, APPLY_EFFECTS),
    ...parseNumbers(given, at),
    ...parseFormulas(given, at, formulaFault),
    ...(target !== null && { target: parseChoice(target, `${at}.target`, TARGETS) }),
  };
}

function parseChoice<const T extends string>(value: unknown, at: string, allowed: readonly T[]): T {
  if (!(allowed as readonly unknown[]).includes(value))
    throw new RuleFault(`${at} must be one of: ${allowed.join(", ")}`);
  return value as T;
}

function parseTexts(given: Fields, at: string): Record<string, string | null> {
  const sent = TEXTS.filter((field) => given[field] !== undefined);
  return Object.fromEntries(
    sent.map((field) => {
      const value = given[field];
      if (value !== null && typeof value !== "string") throw new RuleFault(`${at}.${field} must be a text or null`);
      return [field, value];
    }),
  );
}

const isSent = (given: Fields, field: string): boolean => given[field] !== undefined && given[field] !== null;

function parseNumbers(given: Fields, at: string): Record<string, number> {
  return Object.fromEntries(
    NUMBERS.filter(([field]) => isSent(given, field)).map(([field, least]) => {
      const value = given[field];
      if (MONEY.includes(field) && !Number.isInteger(value)) throw new RuleFault(`${at}.${field} ${CENTS_SAY}`);
      if (!Number.isSafeInteger(value) || (value as number) < least)
        throw new RuleFault(`${at}.${field} must be a whole number, ${least} or more`);
      return [field, value as number];
    }),
  );
}

function parseFormulas(given: Fields, at: string, formulaFault: FaultOfFormula): Record<string, string> {
  return Object.fromEntries(
    FORMULAS.filter((field) => isSent(given, field)).map((field) => {
      const value = given[field];
      if (typeof value !== "string") throw new RuleFault(`${at}.${field} must be a text`);
      const fault = formulaFault(value);
      if (fault !== null) throw new RuleFault(`${at}.${field}: ${fault}`);
      return [field, value];
    }),
  );
}

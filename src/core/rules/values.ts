import { type TSchema, Type } from "typebox";
import { APPLY_EFFECTS } from "../discounts/targets.ts";
import { parseDuration } from "../time/duration.ts";
import { parseInstant } from "../time/instant.ts";
import { comparableNumber } from "./compare.ts";

/** What an operator compares with: a schema for forms and documents, the words for it, and the check itself. */
export type RuleValueKind = { schema: TSchema; says: string; accepts(value: unknown): boolean };

const TEXT_LENGTH_MAX = 2000;
const DAYS_MAX = 100_000;
const text = Type.String({ maxLength: TEXT_LENGTH_MAX });
const id = Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX });

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= TEXT_LENGTH_MAX;
const isId = (value: unknown): value is string => isText(value) && value !== "";
const isDouble = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isScalar = (value: unknown): boolean => isText(value) || isDouble(value) || typeof value === "boolean";
const isNumber = (value: unknown): boolean => (isText(value) || isDouble(value)) && comparableNumber(value) !== null;
// Dates are read in a zone only to learn whether they are dates, so any zone will do.
const isDateText = (value: unknown): boolean => isText(value) && parseInstant(value, "UTC") !== null;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** `start;interval;duration`. */
function isTimeframe(value: unknown): boolean {
  if (!isText(value)) return false;
  const [start, interval = "", duration = "", ...rest] = value.split(";");
  return rest.length === 0 && isDateText(start) && parseDuration(interval) !== null && parseDuration(duration) !== null;
}
/** `from;to`. */
function isSpan(value: unknown): boolean {
  if (!isText(value)) return false;
  const ends = value.split(";");
  return ends.length === 2 && ends.every(isDateText);
}
/** `HH:mm;HH:mm;weekday,weekday`; without weekdays every day is meant. */
function isDailyHours(value: unknown): boolean {
  if (!isText(value)) return false;
  const [start = "", end = "", days, ...rest] = value.split(";");
  const daysFit = days === undefined || days === "" || /^[0-6](?:,[0-6])*$/.test(days);
  return rest.length === 0 && TIME.test(start) && TIME.test(end) && start < end && daysFit;
}

const TYPES = ["product_or_sku", "products_collection"] as const;
const OBJECTS = ["product", "sku", "products_collection"] as const;
const Product = Type.Object({
  id,
  type: Type.Optional(Type.Enum([...TYPES])),
  object: Type.Optional(Type.Enum([...OBJECTS])),
  source_id: Type.Optional(Type.Union([text, Type.Null()])),
  effect: Type.Optional(Type.Union([Type.Enum([...APPLY_EFFECTS]), Type.Null()])),
});

const isOneOf = (values: readonly string[], value: unknown): boolean =>
  value === undefined || (values as readonly unknown[]).includes(value);

/** A product, a SKU or a collection. Older definitions hold the bare id. */
function isProduct(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return isId(value);
  const { id, type, object, source_id, effect } = value as Readonly<Record<string, unknown>>;
  const sourceFits = source_id === undefined || source_id === null || isText(source_id);
  const effectFits = effect === null || isOneOf(APPLY_EFFECTS, effect);
  return isId(id) && isOneOf(TYPES, type) && isOneOf(OBJECTS, object) && sourceFits && effectFits;
}

export const RULE_VALUES = {
  scalar: {
    schema: Type.Union([text, Type.Number(), Type.Boolean()]),
    says: "text, a number, true or false",
    accepts: isScalar,
  },
  text: { schema: text, says: "text", accepts: isText },
  id: { schema: id, says: "an id", accepts: isId },
  number: { schema: Type.Union([Type.Number(), text]), says: "a number", accepts: isNumber },
  comparable: {
    schema: Type.Union([Type.Number(), text]),
    says: "a number or an ISO 8601 date or date-time",
    accepts: (value) => isNumber(value) || isDateText(value),
  },
  date: { schema: text, says: "an ISO 8601 date or date-time", accepts: isDateText },
  days: {
    schema: Type.Number({ minimum: 0, maximum: DAYS_MAX }),
    says: `a number of days from 0 to ${DAYS_MAX}`,
    accepts: (value) => isDouble(value) && value >= 0 && value <= DAYS_MAX,
  },
  count: {
    schema: Type.Number({ minimum: 0 }),
    says: "a number, 0 or more",
    accepts: (value) => isDouble(value) && value >= 0,
  },
  weekday: {
    schema: Type.Integer({ minimum: 0, maximum: 6 }),
    says: "a weekday from 0 (Sunday) to 6 (Saturday)",
    accepts: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 6,
  },
  timeframe: {
    schema: text,
    says: "text of the form start;interval;duration such as 2026-01-01T00:00:00Z;P1D;PT1H",
    accepts: isTimeframe,
  },
  span: { schema: text, says: "text of the form from;to with ISO 8601 dates", accepts: isSpan },
  daily_hours: {
    schema: text,
    says: "text of the form HH:mm;HH:mm;2,3 with the earlier time first",
    accepts: isDailyHours,
  },
  flag: {
    schema: Type.Union([Type.Boolean(), Type.Enum(["true", "false"])]),
    says: "true or false",
    accepts: (value) => typeof value === "boolean" || value === "true" || value === "false",
  },
  product: {
    schema: Type.Union([Product, id]),
    says: "an object with the id of a product",
    accepts: isProduct,
  },
} satisfies Record<string, RuleValueKind>;

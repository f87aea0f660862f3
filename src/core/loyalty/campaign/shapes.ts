import { Decimal } from "decimal.js";
import { type Static, type TSchema, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Choice, Nullable, open, optional } from "../../shapes.ts";
import { parseDuration } from "../../time/duration.ts";
import { DAYS_OF_MONTH } from "../program/period.ts";

const WHOLE_MAX = Number.MAX_SAFE_INTEGER;
export type WholeSent = number | string;
/** A whole number, which may be sent as a text. The bounds of a text are checked by `wholeOf`. */
export const WholeSent = (minimum: number) =>
  Type.Unsafe<WholeSent>({ type: ["integer", "string"], minimum, maximum: WHOLE_MAX, pattern: "^[0-9]{1,16}$" });
const Whole = Type.Integer({ minimum: 0, maximum: WHOLE_MAX });

export function wholeOf(sent: WholeSent, path: string, minimum = 0): number {
  const value = Number(sent);
  if (value < minimum) throw invalid(`Property ${path} must be >= ${minimum}`);
  if (value > WHOLE_MAX) throw invalid(`Property ${path} must be <= ${WHOLE_MAX}`);
  return value;
}

export const ROUNDINGS = [
  "END_OF_MONTH",
  "END_OF_QUARTER",
  "END_OF_HALF_YEAR",
  "END_OF_YEAR",
  "PARTICULAR_MONTH",
] as const;
const EXPIRATION_MONTHS_MAX = 1200;

/** As it is sent and shown. What fits together is said by `parseExpirationRules`. */
export const ExpirationRulesSchema = open(
  {
    period_type: Choice(["MONTH", "FIXED_DAY_OF_YEAR"]),
    ...optional({
      period_value: Nullable(
        Type.Integer({ minimum: 0, maximum: EXPIRATION_MONTHS_MAX, description: "Months. 0 is the same day." }),
      ),
      rounding_type: Nullable(Choice(ROUNDINGS, { description: "Points stay until the end of that period." })),
      rounding_value: Nullable(
        Type.Integer({ minimum: 0, maximum: 12, description: "The month, for `PARTICULAR_MONTH`: 1 is January." }),
      ),
      fixed_month: Nullable(Type.Integer({ minimum: 1, maximum: 12 })),
      fixed_day: Nullable(Type.Integer({ minimum: 1, maximum: 31 })),
    }),
  },
  { title: "PointsExpirationRules" },
);
export type ExpirationRulesSent = Static<typeof ExpirationRulesSchema>;

/** When points expire: so many months after they were earned, rounded up, or on the same day of every year. */
export type ExpirationRules =
  | {
      period_type: "MONTH";
      period_value: number;
      rounding_type?: (typeof ROUNDINGS)[number];
      /** Only of `PARTICULAR_MONTH`: 1 is January. */
      rounding_value?: number;
    }
  | { period_type: "FIXED_DAY_OF_YEAR"; fixed_month: number; fixed_day: number };

/** The fields of its type, and nothing that was sent beside them. */
export function parseExpirationRules(sent: ExpirationRulesSent, path: string): ExpirationRules {
  const { period_type, period_value, rounding_type, rounding_value, fixed_month, fixed_day } = sent;
  const required = (field: string) => invalid(`Property ${path} must have required property '${field}'`);
  if (period_type === "FIXED_DAY_OF_YEAR") {
    if (fixed_month == null) throw required("fixed_month");
    if (fixed_day == null) throw required("fixed_day");
    const last = DAYS_OF_MONTH[fixed_month - 1]!;
    if (fixed_day > last)
      throw invalid(`Property ${path}.fixed_day must be <= ${last} when the month is ${fixed_month}`);
    return { period_type, fixed_month, fixed_day };
  }
  if (period_value == null) throw required("period_value");
  if (rounding_type == null) return { period_type, period_value };
  if (rounding_type !== "PARTICULAR_MONTH") return { period_type, period_value, rounding_type };
  if (!rounding_value) throw invalid(`Property ${path}.rounding_value must be a month from 1 to 12`);
  return { period_type, period_value, rounding_type, rounding_value };
}

export const CampaignPendingPoints = open({
  period_type: Choice(["DAY"]),
  period_value: Type.Integer({ minimum: 1, maximum: 90, description: "Days until the points can be spent." }),
});
export type CampaignPendingPoints = { period_type: "DAY"; period_value: number };

/** Each way to count, and where its ratio stands. */
export const RATIOS = {
  ORDER_AMOUNT: ["order", "amount"],
  ORDER_TOTAL_AMOUNT: ["order", "total_amount"],
  ORDER_METADATA: ["order", "metadata"],
  ORDER_ITEMS_QUANTITY: ["order_items", "quantity"],
  ORDER_ITEMS_AMOUNT: ["order_items", "amount"],
  ORDER_ITEMS_SUBTOTAL_AMOUNT: ["order_items", "subtotal_amount"],
  CUSTOMER_METADATA: ["customer", "metadata"],
  CUSTOM_EVENT_METADATA: ["custom_event", "metadata"],
} as const;
export type Calculation = keyof typeof RATIOS;
const CALCULATIONS = Object.keys(RATIOS) as Calculation[];

export const GOODS = ["product", "sku", "products_collection"] as const;
export type NamedGoods = { object: (typeof GOODS)[number]; id: string };
const NamedGoods = open({ object: Choice(GOODS), id: Type.String({ minLength: 1, maxLength: 200 }) });

/** `points` for every `every` of what is counted. A formula says the points in place of the number. */
export type Ratio = {
  every: number;
  points: number;
  points_formula?: string;
  /** Of metadata. */
  property?: string;
  /** The goods whose lines count. One alone may be named by `object` and `id`; `ratioGoods` reads both. */
  object?: NamedGoods["object"];
  id?: string;
  applicable_to?: NamedGoods[];
};
export type Loyalty =
  | { type: "FIXED"; points: number; points_formula?: string }
  | ({ type: "PROPORTIONAL"; calculation_type: Calculation } & Partial<
      Record<"order" | "order_items" | "customer" | "custom_event", Record<string, Ratio>>
    >);

const FormulaText = Nullable(Type.String({ maxLength: 4096 }));
/** Of what is counted in money. */
const EveryCents: ReturnType<typeof WholeSent> = { ...WholeSent(1), format: "cents" } as never;
const ratioFields = <P extends TSchema>(points: P, every = WholeSent(1)) => ({
  every,
  points,
  points_formula: Type.Optional(FormulaText),
});
const PerItem = <P extends TSchema>(points: P, every = WholeSent(1)) =>
  open({
    ...ratioFields(points, every),
    object: Type.Optional(Nullable(Choice(GOODS))),
    id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200 }))),
    applicable_to: Type.Optional(Nullable(Type.Array(NamedGoods, { maxItems: 100 }))),
  });
type PerItem = Static<ReturnType<typeof PerItem<ReturnType<typeof WholeSent>>>>;
const branch = <P extends Parameters<typeof optional>[0]>(props: P) => Type.Optional(Nullable(open(optional(props))));

function loyaltySchema<P extends TSchema>(points: P) {
  const PerCents = open(ratioFields(points, EveryCents));
  const PerProperty = open({ ...ratioFields(points), property: Type.String({ minLength: 1, maxLength: 1000 }) });
  const ItemCents = PerItem(points, EveryCents);
  return open({
    type: Choice(["FIXED", "PROPORTIONAL"]),
    points: Type.Optional(WholeSent(0)),
    points_formula: Type.Optional(FormulaText),
    calculation_type: Type.Optional(Nullable(Choice(CALCULATIONS))),
    order: branch({ amount: PerCents, total_amount: PerCents, metadata: PerProperty }),
    order_items: branch({ quantity: PerItem(points), amount: ItemCents, subtotal_amount: ItemCents }),
    customer: branch({ metadata: PerProperty }),
    custom_event: branch({ metadata: PerProperty }),
  });
}

/** As it is sent. Which fields a type takes is said by `parseLoyalty`, in words and not in schemas. */
export const LoyaltySchema = loyaltySchema(WholeSent(0));
/** As it is shown for members of a tier: a multiplier need not leave whole points for each unit. */
export const LoyaltyOfTierSchema = loyaltySchema(Type.Number({ minimum: 0, maximum: WHOLE_MAX }));
export type LoyaltySent = Static<typeof LoyaltySchema>;

type Check = { path: string; requireFormula(text: string, path: string): void };

/** The fields of its type, numbers as numbers. `requireFormula` refuses what is no formula. */
export function parseLoyalty(sent: LoyaltySent, { path, requireFormula }: Check): Loyalty {
  const formula = (text: string | null | undefined, at: string) => {
    if (!text) return {};
    requireFormula(text, `${at}.points_formula`);
    return { points_formula: text };
  };
  if (sent.type === "FIXED") {
    if (sent.points === undefined) throw invalid(`Property ${path} must have required property 'points'`);
    const points = wholeOf(sent.points, `${path}.points`);
    return { type: "FIXED", points, ...formula(sent.points_formula, path) };
  }
  const { type, calculation_type } = sent;
  if (!calculation_type) throw invalid(`Property ${path} must have required property 'calculation_type'`);
  const [group, field] = RATIOS[calculation_type];
  const found = (sent[group] as Record<string, PerItem & { property?: string }> | null)?.[field];
  if (!found)
    throw invalid(
      `Loyalty ${group} rules must contain one of the following properties - '${field}' (${path}.${group})`,
    );
  const at = `${path}.${group}.${field}`;
  const stored: Ratio = {
    every: wholeOf(found.every, `${at}.every`, 1),
    points: wholeOf(found.points, `${at}.points`),
    ...formula(found.points_formula, at),
    ...(field === "metadata" && { property: found.property! }),
    ...(group === "order_items" && parseGoods(found, at)),
  };
  return { type, calculation_type, [group]: { [field]: stored } };
}

function parseGoods({ object, id, applicable_to }: PerItem, path: string) {
  const listed = applicable_to?.map((one) => ({ object: one.object, id: one.id })) ?? [];
  if (listed.length > 0) return { applicable_to: listed };
  if (object && id) return { object, id };
  throw invalid(`Property ${path} must name the lines that count, with applicable_to or with object and id`);
}

/** The ratio of a rule in proportion; null of a fixed one. */
export function ratioOf(loyalty: Loyalty): Ratio | null {
  if (loyalty.type === "FIXED") return null;
  const [group, field] = RATIOS[loyalty.calculation_type];
  return loyalty[group]![field]!;
}

/** The products, SKUs and collections whose lines count. */
export const ratioGoods = ({ object, id, applicable_to }: Partial<Ratio>): readonly NamedGoods[] =>
  applicable_to ?? (object && id ? [{ object, id }] : []);

export type Mapping = { type: "MULTIPLY"; multiplier: number } | { type: "CUSTOM"; points: number };
/** The mapping of a reward, which a tier may make unavailable. */
export type RewardMapping = Mapping | { type: "NOT_AVAILABLE" };
const MULTIPLIER_MAX = 1_000_000;
const mapping = {
  multiplier: Type.Optional(Type.Number({ minimum: 0, maximum: MULTIPLIER_MAX })),
  points: Type.Optional(Whole),
};
export const MappingSchema = open({ type: Choice(["MULTIPLY", "CUSTOM"]), ...mapping });
export const RewardMappingSchema = open({ type: Choice(["MULTIPLY", "CUSTOM", "NOT_AVAILABLE"]), ...mapping });
export type MappingSent = Static<typeof RewardMappingSchema>;

export function parseMapping<T extends RewardMapping>({ type, multiplier, points }: MappingSent, path: string): T {
  if (type === "NOT_AVAILABLE") return { type } as T;
  const [field, value] = type === "MULTIPLY" ? ["multiplier", multiplier] : ["points", points];
  if (value === undefined) throw invalid(`Property ${path} must have required property '${field}'`);
  return { type, [field as string]: value } as T;
}

// Contract is silent: what a multiplier leaves over is dropped.
/** The points of a rule, or the price of a reward, for who is in a tier. */
export function mappedPoints(points: number, mapped: Mapping | undefined): number {
  if (!mapped) return points;
  if (mapped.type === "CUSTOM") return mapped.points;
  const product = new Decimal(points).times(mapped.multiplier).floor();
  return Math.min(product.toNumber(), WHOLE_MAX);
}

/** The points for each unit of a rule in proportion, for who is in a tier. They need not be a whole number. */
export function mappedRatio(points: number, mapped: Mapping | undefined): Decimal {
  if (!mapped) return new Decimal(points);
  return mapped.type === "CUSTOM" ? new Decimal(mapped.points) : new Decimal(points).times(mapped.multiplier);
}

/** What a rule gives to who is in a tier. Of a proportion the points for each unit change. */
export function mappedLoyalty(loyalty: Loyalty, mapped: Mapping | undefined): Loyalty {
  if (!mapped) return loyalty;
  const found = ratioOf(loyalty);
  if (loyalty.type === "FIXED" || found === null)
    return { ...loyalty, points: mappedPoints((loyalty as { points: number }).points, mapped) } as Loyalty;
  const [group, field] = RATIOS[loyalty.calculation_type];
  const points = Math.min(mappedRatio(found.points, mapped).toNumber(), WHOLE_MAX);
  return { ...loyalty, [group]: { [field]: { ...found, points } } };
}

const PERIODS = ["MONTH", "QUARTER", "HALF_YEAR", "YEAR"] as const;
/** Of a campaign, for all of its tiers. What fits together is said by `parseTiersExpiration`. */
export const TiersExpirationSchema = open({
  qualification_type: Choice(["BALANCE", "POINTS_IN_PERIOD"]),
  qualification_period: Type.Optional(Nullable(Choice(PERIODS, { description: "Of the calendar." }))),
  start_date: open({ type: Choice(["IMMEDIATE", "NEXT_PERIOD"]) }),
  expiration_date: open({
    type: Choice(["END_OF_PERIOD", "END_OF_NEXT_PERIOD", "BALANCE_DROP", "CUSTOM"]),
    extend: Type.Optional(
      Nullable(Type.String({ maxLength: 50, description: "How much longer, as P3M or P7D; of `CUSTOM`: how long." })),
    ),
    rounding: Type.Optional(
      Nullable(
        open(
          optional({
            type: Nullable(Choice([...PERIODS, "CUSTOM"])),
            strategy: Nullable(Choice(["START", "END"])),
            unit: Nullable(Choice(["MONTH"])),
            value: Nullable(Type.Integer({ minimum: 0, maximum: 11, description: "Of `CUSTOM`: 0 is January." })),
          }),
        ),
      ),
    ),
  }),
});
export type TiersExpirationSent = Static<typeof TiersExpirationSchema>;

export type TiersExpiration = {
  qualification_type: "BALANCE" | "POINTS_IN_PERIOD";
  /** There where points in a period are counted. */
  qualification_period?: (typeof PERIODS)[number];
  start_date: { type: "IMMEDIATE" | "NEXT_PERIOD" };
  expiration_date: {
    type: "END_OF_PERIOD" | "END_OF_NEXT_PERIOD" | "BALANCE_DROP" | "CUSTOM";
    /** An ISO 8601 duration of whole days and longer units. There with `CUSTOM`. */
    extend?: string;
    rounding?: {
      type: (typeof PERIODS)[number] | "CUSTOM";
      strategy: "START" | "END";
      unit?: "MONTH";
      /** Of `CUSTOM`: the month, 0 is January. */
      value?: number;
    };
  };
};

/** The fields that count, and nothing that was sent beside them. */
export function parseTiersExpiration(sent: TiersExpirationSent, path: string): TiersExpiration {
  const { qualification_type, qualification_period, start_date, expiration_date } = sent;
  const { type, rounding } = expiration_date;
  // Zero is how a client says that there is none, where the field has to be sent.
  const extend = /^P(?:0[YMWD])+$/.test(expiration_date.extend ?? "") ? null : expiration_date.extend;
  const hasPeriod = qualification_type === "POINTS_IN_PERIOD";
  if (hasPeriod && !qualification_period)
    throw invalid(`Property ${path} must have required property 'qualification_period'`);
  // Contract is silent: what has no meaning without a period, or without a balance.
  if (!hasPeriod && start_date.type === "NEXT_PERIOD")
    throw invalid(`Property ${path}.start_date.type must be IMMEDIATE when qualification_type is BALANCE`);
  const fitting = hasPeriod ? ["END_OF_PERIOD", "END_OF_NEXT_PERIOD", "CUSTOM"] : ["BALANCE_DROP", "CUSTOM"];
  if (!fitting.includes(type))
    throw invalid(
      `Property ${path}.expiration_date.type must be equal to one of the allowed values [ ${fitting.join(", ")} ]` +
        ` when qualification_type is ${qualification_type}`,
    );
  if (type === "CUSTOM" && !extend)
    throw invalid(`Property ${path}.expiration_date must have required property 'extend'`);
  if (extend && (!parseDuration(extend) || extend.includes("T")))
    throw invalid(`Property ${path}.expiration_date.extend must be an ISO 8601 duration of days or more, such as P3M`);
  return {
    qualification_type,
    ...(qualification_period && { qualification_period }),
    start_date: { type: start_date.type },
    expiration_date: {
      type,
      ...(extend && { extend }),
      ...(rounding?.type && { rounding: parseTiersRounding(rounding, `${path}.expiration_date.rounding`) }),
    },
  };
}

type RoundingSent = NonNullable<TiersExpirationSent["expiration_date"]["rounding"]>;

function parseTiersRounding({ type, strategy, value }: RoundingSent, path: string) {
  const kept = { type: type!, strategy: strategy ?? ("END" as const) };
  if (type !== "CUSTOM") return kept;
  if (value == null) throw invalid(`Property ${path} must have required property 'value'`);
  return { ...kept, unit: "MONTH" as const, value };
}

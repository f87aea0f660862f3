import { type Static, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Cents, Choice, strict } from "../../shapes.ts";
import { AtLeastOne } from "../program/period.ts";
import { maybe, variantOf } from "../program/shape.ts";

/** A period of the calendar, in the project's zone: the one that holds now. */
const currentPeriod = strict({ unit: Choice(["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"]) });
const LimitPeriodBody = strict({
  type: Type.Optional(Choice(["CURRENT_PERIOD"])),
  current_period: currentPeriod,
});
const LimitPeriod = Type.Object({ type: Choice(["CURRENT_PERIOD"]), current_period: currentPeriod });
export type LimitPeriod = Static<typeof LimitPeriod>;
const parseLimitPeriod = ({ current_period }: Static<typeof LimitPeriodBody>): LimitPeriod => ({
  type: "CURRENT_PERIOD",
  current_period,
});

type TimeLimit = { type: "TIME_BASED"; period: LimitPeriod; points: { max: number } };
type MaxLimit<T extends string> = { type: T; max: number };
export type EarningGlobalLimit = MaxLimit<"BALANCE_BASED"> | TimeLimit;
export type SpendingGlobalLimit = MaxLimit<"SPENDING_BASED"> | TimeLimit;
export type EarningTransactionLimit = MaxLimit<"POINTS"> | { type: "SPENDING"; min_amount: number };
export type SpendingTransactionLimit = MaxLimit<"POINTS">;

const points = strict({ max: AtLeastOne });
const globalLimit = <const T extends string>(type: T) =>
  strict({
    type: Type.Optional(Choice([type, "TIME_BASED"])),
    ...maybe({ max: AtLeastOne, period: LimitPeriodBody, points }),
  });
const transactionLimits = {
  earning: strict({
    type: Type.Optional(Choice(["POINTS", "SPENDING"])),
    ...maybe({ max: AtLeastOne, min_amount: Cents({ minimum: 1 }) }),
  }),
  spending: strict({ type: Type.Optional(Choice(["POINTS"])), max: AtLeastOne }),
};
const LIMIT_TYPES = ["NO_LIMIT", "LIMITED"] as const;
const limitedBody = <S extends Parameters<typeof Type.Array>[0]>(limit: S, maxItems: number) =>
  strict({ type: Type.Optional(Choice(LIMIT_TYPES)), ...maybe({ limits: Type.Array(limit, { maxItems }) }) });
const limited = <L>(fields: Parameters<typeof Type.Object>[0]) =>
  Type.Object({ type: Choice(LIMIT_TYPES), limits: Type.Array(Type.Unsafe<L>(Type.Object(fields))) });

export const EarningLimitsBody = strict({
  global: limitedBody(globalLimit("BALANCE_BASED"), 1),
  transactions: limitedBody(transactionLimits.earning, 2),
});
export const SpendingLimitsBody = strict({
  global: limitedBody(globalLimit("SPENDING_BASED"), 1),
  transactions: limitedBody(transactionLimits.spending, 1),
});
const shownLimit = {
  type: Type.String(),
  max: Type.Optional(AtLeastOne),
  period: Type.Optional(LimitPeriod),
  points: Type.Optional(points),
};
export const EarningLimits = Type.Object({
  global: limited<EarningGlobalLimit>(shownLimit),
  transactions: limited<EarningTransactionLimit>({
    type: Type.String(),
    max: Type.Optional(AtLeastOne),
    min_amount: Type.Optional(AtLeastOne),
  }),
});
export type EarningLimits = Static<typeof EarningLimits>;
export const SpendingLimits = Type.Object({
  global: limited<SpendingGlobalLimit>(shownLimit),
  transactions: limited<SpendingTransactionLimit>({ type: Type.String(), max: AtLeastOne }),
});
export type SpendingLimits = Static<typeof SpendingLimits>;

/** A list that is empty for one type and not for the other, which is the type when none is sent. */
export function parseListed<T extends string, I, O>(
  { type, items }: { type: T | undefined; items: readonly I[] | null | undefined },
  path: string,
  { name, none, some, parse }: { name: string; none: T; some: T; parse(item: I, path: string): O },
): { type: T; items: O[] } {
  const sent = items ?? [];
  if (type === undefined && sent.length === 0) throw invalid(`Property ${path} must have required property 'type'`);
  if (type === none && sent.length > 0)
    throw invalid(`Property ${path}.${name} must NOT have more than 0 items when its type is ${none}`);
  if (type === some && sent.length === 0)
    throw invalid(`Property ${path}.${name} must NOT have fewer than 1 items when its type is ${some}`);
  return { type: type ?? some, items: sent.map((item, n) => parse(item, `${path}.${name}[${n}]`)) };
}

function parseLimits<I, O extends { type: string }>(
  sent: { type?: (typeof LIMIT_TYPES)[number]; limits?: readonly I[] | null },
  path: string,
  parse: (item: I, path: string) => O,
): { type: (typeof LIMIT_TYPES)[number]; limits: O[] } {
  const given = { type: sent.type, items: sent.limits };
  const { type, items } = parseListed(given, path, { name: "limits", none: "NO_LIMIT", some: "LIMITED", parse });
  if (new Set(items.map((one) => one.type)).size < items.length)
    throw invalid(`Property ${path}.limits must NOT have two limits of one type`);
  return { type, limits: items };
}

const parseGlobalLimit =
  <const T extends string>(plain: T) =>
  (sent: Static<ReturnType<typeof globalLimit<T>>>, path: string): MaxLimit<T> | TimeLimit => {
    const {
      max,
      period,
      points: most,
    } = sent as {
      max?: number | null;
      period?: Static<typeof LimitPeriodBody> | null;
      points?: { max: number } | null;
    };
    const subObjects = { [plain]: "max", TIME_BASED: "points" } as Record<T | "TIME_BASED", string>;
    if (variantOf(sent, subObjects, { path }) !== "TIME_BASED") {
      if (period) throw invalid(`Property ${path} must NOT have property 'period' when its type is ${plain}`);
      return { type: plain, max: max! };
    }
    if (!period) throw invalid(`Property ${path} must have required property 'period' when its type is TIME_BASED`);
    return { type: "TIME_BASED", period: parseLimitPeriod(period), points: most! };
  };

export function parseEarningLimits(sent: Static<typeof EarningLimitsBody>, path: string): EarningLimits {
  return {
    global: parseLimits(sent.global, `${path}.global`, parseGlobalLimit("BALANCE_BASED")),
    transactions: parseLimits(sent.transactions, `${path}.transactions`, (one, where): EarningTransactionLimit => {
      const type = variantOf(one, { POINTS: "max", SPENDING: "min_amount" }, { path: where });
      return type === "POINTS" ? { type, max: one.max! } : { type, min_amount: one.min_amount! };
    }),
  };
}

export function parseSpendingLimits(sent: Static<typeof SpendingLimitsBody>, path: string): SpendingLimits {
  return {
    global: parseLimits(sent.global, `${path}.global`, parseGlobalLimit("SPENDING_BASED")),
    transactions: parseLimits(sent.transactions, `${path}.transactions`, ({ max }) => ({ type: "POINTS", max })),
  };
}

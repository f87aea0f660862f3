import { Decimal } from "decimal.js";
import { type Static, Type } from "typebox";
import { CODE_MAX, codeFault } from "../../codes/code.ts";
import { invalid } from "../../errors.ts";
import { parseFormula } from "../../formula/parse.ts";
import { FormulaFault } from "../../formula/syntax.ts";
import { Choice, optional, strict } from "../../shapes.ts";
import {
  CalendarDates,
  PERIOD_MAX,
  PERIOD_MAX_OF_ONE_YEAR,
  Period,
  requireDates,
  requirePeriod,
} from "../program/period.ts";
import { maybe, variantOf } from "../program/shape.ts";
import type { LoyaltyStatus } from "../program/status.ts";
import {
  EarningLimits,
  EarningLimitsBody,
  parseEarningLimits,
  parseListed,
  parseSpendingLimits,
  SpendingLimits,
  SpendingLimitsBody,
} from "./wallet-limits.ts";

export type { EarningLimits, SpendingLimits } from "./wallet-limits.ts";

export const EventSchemaIds = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: 10,
  uniqueItems: true,
});
const flags = {
  earning_activity: Type.Optional(Type.Boolean()),
  spending_activity: Type.Optional(Type.Boolean()),
  custom_activity: Type.Optional(Type.Boolean()),
};
/** Which activities begin the window again, as they are kept and shown. */
export const shownFlags = {
  earning_activity: Type.Boolean(),
  spending_activity: Type.Boolean(),
  custom_activity: Type.Boolean(),
  custom_activity_types: Type.Array(Type.String()),
};
type Flags = { [K in keyof typeof flags]?: boolean } & { custom_activity_types?: readonly string[] | null };

/** The activities of a sliding window, all of them said. At least one counts, and custom ones are named. */
export function parseActivities(sent: Flags, path: string) {
  const { earning_activity = false, spending_activity = false, custom_activity = false } = sent;
  const custom_activity_types = [...(sent.custom_activity_types ?? [])];
  if (!earning_activity && !spending_activity && !custom_activity)
    throw invalid(
      `Property ${path} must have at least one of earning_activity, spending_activity, custom_activity equal to true`,
    );
  if (custom_activity && custom_activity_types.length === 0)
    throw invalid(
      `Property ${path}.custom_activity_types must NOT have fewer than 1 items when custom_activity is true`,
    );
  return { earning_activity, spending_activity, custom_activity, custom_activity_types };
}

// When points expire.

const ROUNDINGS = [
  "END_OF_MONTH",
  "END_OF_QUARTER",
  "END_OF_HALF_YEAR",
  "END_OF_YEAR",
  "END_OF_PARTICULAR_MONTH",
] as const;
const Rounding = strict({
  type: Choice(ROUNDINGS),
  ...maybe({ value: Type.Integer({ minimum: 1, maximum: 12, description: "The month, of END_OF_PARTICULAR_MONTH." }) }),
});
const EXPIRATIONS = {
  NO_EXPIRATION: null,
  ROLLING_EXPIRATION: "rolling_expiration",
  CALENDAR_EXPIRATION: "calendar_expiration",
  SLIDING_EXPIRATION: "sliding_expiration",
} as const;
export const EXPIRATION_TYPES = Object.keys(EXPIRATIONS) as (keyof typeof EXPIRATIONS)[];

export const PointsExpirationBody = strict({
  type: Type.Optional(Choice(EXPIRATION_TYPES, { description: "Left out: that of the only sub-object." })),
  ...maybe({
    rolling_expiration: strict({ period: Period, ...maybe({ rounding: Rounding }) }),
    calendar_expiration: strict({ expiration_dates: CalendarDates }),
    sliding_expiration: strict({ ...flags, ...maybe({ custom_activity_types: EventSchemaIds }), period: Period }),
  }),
});
export type PointsExpirationBody = Static<typeof PointsExpirationBody>;

export const PointsExpiration = Type.Object({
  type: Choice(EXPIRATION_TYPES),
  rolling_expiration: Type.Optional(
    Type.Object({
      period: Period,
      rounding: Type.Optional(
        Type.Object({ type: Choice(ROUNDINGS), value: Type.Optional(Type.Integer({ minimum: 1, maximum: 12 })) }),
      ),
    }),
  ),
  calendar_expiration: Type.Optional(Type.Object({ expiration_dates: CalendarDates })),
  sliding_expiration: Type.Optional(Type.Object({ ...shownFlags, period: Period })),
});
export type PointsExpiration = Static<typeof PointsExpiration>;
export const NO_EXPIRATION: PointsExpiration = { type: "NO_EXPIRATION" };

/** When points expire, as it is kept. What does not fit together is refused. */
export function parsePointsExpiration(sent: PointsExpirationBody, path: string): PointsExpiration {
  const type = variantOf(sent, EXPIRATIONS, { path });
  const { rolling_expiration: rolling, calendar_expiration: calendar, sliding_expiration: sliding } = sent;
  if (rolling) {
    const where = `${path}.rolling_expiration`;
    requirePeriod(rolling.period, `${where}.period`, PERIOD_MAX);
    const rounding = rolling.rounding ? parseRounding(rolling.rounding, `${where}.rounding`) : undefined;
    return { type, rolling_expiration: { period: rolling.period, ...(rounding && { rounding }) } };
  }
  if (calendar) {
    requireDates(calendar.expiration_dates, `${path}.calendar_expiration.expiration_dates`);
    return { type, calendar_expiration: calendar };
  }
  if (sliding) {
    const where = `${path}.sliding_expiration`;
    const activities = parseActivities(sliding, where);
    requirePeriod(sliding.period, `${where}.period`, PERIOD_MAX_OF_ONE_YEAR);
    return { type, sliding_expiration: { ...activities, period: sliding.period } };
  }
  return { type };
}

function parseRounding({ type, value }: Static<typeof Rounding>, path: string) {
  const isNamed = type === "END_OF_PARTICULAR_MONTH";
  if (isNamed && !value) throw invalid(`Property ${path} must have required property 'value' when its type is ${type}`);
  if (!isNamed && value) throw invalid(`Property ${path} must NOT have property 'value' when its type is ${type}`);
  return { type, ...(value && { value }) };
}

// When points can be spent.

const PENDINGS = {
  IMMEDIATE: null,
  PERIOD_BASED: "period_based",
  FIXED_DATES: "fixed_dates",
  EVENT_BASED: "event_based",
} as const;
const PENDING_TYPES = Object.keys(PENDINGS) as (keyof typeof PENDINGS)[];
const pendings = {
  period_based: strict({ period: Period }),
  fixed_dates: strict({ dates: CalendarDates }),
  event_based: strict({
    event_types: Type.Array(EventSchemaIds.items, { ...EventSchemaIds, minItems: 1 }),
    cancel_period: Period,
  }),
};
const PendingPointsBody = strict({
  type: Type.Optional(Choice(PENDING_TYPES, { description: "Left out: that of the only sub-object." })),
  ...maybe(pendings),
});
export const PendingPoints = Type.Object({
  type: Choice(PENDING_TYPES),
  ...optional(pendings),
});
export type PendingPoints = Static<typeof PendingPoints>;

function parsePendingPoints(sent: Static<typeof PendingPointsBody>, path: string): PendingPoints {
  const type = variantOf(sent, PENDINGS, { path });
  const { period_based, fixed_dates, event_based } = sent;
  if (period_based) requirePeriod(period_based.period, `${path}.period_based.period`, PERIOD_MAX_OF_ONE_YEAR);
  if (fixed_dates) requireDates(fixed_dates.dates, `${path}.fixed_dates.dates`);
  if (event_based)
    requirePeriod(event_based.cancel_period, `${path}.event_based.cancel_period`, PERIOD_MAX_OF_ONE_YEAR);
  return {
    type,
    ...(period_based && { period_based }),
    ...(fixed_dates && { fixed_dates }),
    ...(event_based && { event_based }),
  };
}

// What becomes of points when an order is returned.

const SpentMethod = strict({
  type: Choice(["RETURN_POINTS"]),
  mode: Choice(["REFUND_ALL", "REFUND_ITEM", "REFUND_AMOUNT"]),
});
type SpentMethod = Static<typeof SpentMethod>;
type EarnedMethod =
  | { type: "REVOKE_FROM_PENDING" }
  | { type: "REVOKE_FROM_BALANCE"; mode: "REVOKE_TO_ZERO" | "REVOKE_BELOW_ZERO" };
const earnedMethod = {
  type: Choice(["REVOKE_FROM_PENDING", "REVOKE_FROM_BALANCE"]),
  mode: Choice(["REVOKE_TO_ZERO", "REVOKE_BELOW_ZERO"]),
};
const EarnedMethodBody = strict({ type: earnedMethod.type, ...maybe({ mode: earnedMethod.mode }) });
const REFUND_TYPES = ["NONE", "REFUNDABLE"] as const;
const refundBody = <S extends Parameters<typeof Type.Array>[0]>(method: S) =>
  strict({ type: Type.Optional(Choice(REFUND_TYPES)), ...maybe({ methods: Type.Array(method, { maxItems: 1 }) }) });
const RefundsBody = strict({ spent_points: refundBody(SpentMethod), earned_points: refundBody(EarnedMethodBody) });
const Refunds = Type.Object({
  spent_points: Type.Object({ type: Choice(REFUND_TYPES), methods: Type.Array(SpentMethod) }),
  earned_points: Type.Object({
    type: Choice(REFUND_TYPES),
    methods: Type.Array(
      Type.Unsafe<EarnedMethod>(Type.Object({ type: earnedMethod.type, mode: Type.Optional(earnedMethod.mode) })),
    ),
  }),
});
export type Refunds = Static<typeof Refunds>;

function parseRefunds(
  { spent_points: spent, earned_points: earned }: Static<typeof RefundsBody>,
  path: string,
): Refunds {
  const listed = { name: "methods", none: "NONE", some: "REFUNDABLE" } as const;
  const returned = parseListed({ type: spent.type, items: spent.methods }, `${path}.spent_points`, {
    ...listed,
    parse: (method: SpentMethod) => method,
  });
  const revoked = parseListed({ type: earned.type, items: earned.methods }, `${path}.earned_points`, {
    ...listed,
    parse: parseEarnedMethod,
  });
  return {
    spent_points: { type: returned.type, methods: returned.items },
    earned_points: { type: revoked.type, methods: revoked.items },
  };
}

function parseEarnedMethod({ type, mode }: Static<typeof EarnedMethodBody>, path: string): EarnedMethod {
  if (type === "REVOKE_FROM_PENDING") {
    if (mode) throw invalid(`Property ${path} must NOT have property 'mode' when its type is ${type}`);
    return { type };
  }
  if (!mode) throw invalid(`Property ${path} must have required property 'mode' when its type is ${type}`);
  return { type, mode };
}

// The codes of cards.

const CHARSET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LENGTH = 10;
const part = (minLength: number) => Type.String({ minLength, maxLength: CODE_MAX });
const CodeConfigBody = strict(
  maybe({
    length: Type.Integer({ minimum: 1, maximum: CODE_MAX }),
    charset: part(1),
    prefix: part(0),
    postfix: part(0),
    pattern: part(1),
  }),
);
const CardCodeConfig = Type.Object({
  pattern: Type.String({ description: "Each # is a random character of the charset." }),
  length: Type.Integer({ description: "How many # the pattern has." }),
  charset: Type.String(),
  prefix: Type.String(),
  postfix: Type.String(),
});
export type CardCodeConfig = Static<typeof CardCodeConfig>;

/** A code is the prefix, the pattern and the postfix. */
function parseCodeConfig(sent: Static<typeof CodeConfigBody>, path: string): CardCodeConfig {
  const pattern = sent.pattern ?? "#".repeat(sent.length ?? LENGTH);
  const [charset, prefix, postfix] = [sent.charset ?? CHARSET, sent.prefix ?? "", sent.postfix ?? ""];
  const length = pattern.split("#").length - 1;
  if (length === 0) throw invalid(`Property ${path}.pattern must have at least one #`);
  const fault = codeFault(`${prefix}${pattern}${postfix}`) ?? codeFault(charset);
  if (fault !== null) throw invalid(`Property ${path}: ${fault}`);
  return { pattern, length, charset, prefix, postfix };
}

// Paying with points.

const PAYMENTS = { NO_PAYMENTS: null, EXCHANGE_RATIO: "exchange_ratio" } as const;
const PAYMENT_TYPES = Object.keys(PAYMENTS) as (keyof typeof PAYMENTS)[];
const PayWithPointsBody = strict({
  type: Type.Optional(Choice(PAYMENT_TYPES)),
  ...maybe({
    exchange_ratio: strict({
      formula: Type.Unsafe<string | number>({ type: ["string", "number"], minLength: 1, maxLength: 2000 }),
    }),
  }),
});
const PayWithPoints = Type.Object({
  type: Choice(PAYMENT_TYPES),
  exchange_ratio: Type.Optional(
    Type.Object({ formula: Type.String({ description: "How many points 1/100 of the currency costs." }) }),
  ),
});
export type PayWithPoints = Static<typeof PayWithPoints>;

function parsePayWithPoints(sent: Static<typeof PayWithPointsBody>, path: string): PayWithPoints {
  const type = variantOf(sent, PAYMENTS, { path });
  if (!sent.exchange_ratio) return { type };
  const { formula: given } = sent.exchange_ratio;
  const formula = typeof given === "number" ? new Decimal(given).toFixed() : given;
  try {
    parseFormula(formula);
  } catch (error) {
    if (error instanceof FormulaFault) throw invalid(`Property ${path}.exchange_ratio.formula: ${error.message}`);
    throw error;
  }
  return { type, exchange_ratio: { formula } };
}

// All of it.

const BalanceSettings = strict({ allow_negative: Type.Boolean() });

/** What a card definition settles, as it is sent: a section that is sent replaces the whole section, null resets it. */
export const walletBody = maybe({
  code_config: CodeConfigBody,
  points_expiration: PointsExpirationBody,
  pending_points: PendingPointsBody,
  earning_limits: EarningLimitsBody,
  spending_limits: SpendingLimitsBody,
  refunds: RefundsBody,
  balance_settings: BalanceSettings,
  pay_with_points: PayWithPointsBody,
});
type WalletBody = { [K in keyof typeof walletBody]?: Static<(typeof walletBody)[K]> };

/** The same as it is kept and shown: every section, each with its type. */
export const walletFields = {
  code_config: CardCodeConfig,
  points_expiration: PointsExpiration,
  pending_points: PendingPoints,
  earning_limits: EarningLimits,
  spending_limits: SpendingLimits,
  refunds: Refunds,
  balance_settings: BalanceSettings,
  pay_with_points: PayWithPoints,
};
export type Wallet = { [K in keyof typeof walletFields]: Static<(typeof walletFields)[K]> };
const WALLET_SECTIONS = Object.keys(walletFields) as (keyof Wallet)[];

const NO_LIMITS = { type: "NO_LIMIT" as const, limits: [] };
const NO_REFUND = { type: "NONE" as const, methods: [] };
export const PLAIN_WALLET: Wallet = {
  code_config: parseCodeConfig({}, ".code_config"),
  points_expiration: NO_EXPIRATION,
  pending_points: { type: "IMMEDIATE" },
  earning_limits: { global: NO_LIMITS, transactions: NO_LIMITS },
  spending_limits: { global: NO_LIMITS, transactions: NO_LIMITS },
  refunds: { spent_points: NO_REFUND, earned_points: NO_REFUND },
  balance_settings: { allow_negative: false },
  pay_with_points: { type: "NO_PAYMENTS" },
};
const PARSERS: { [K in keyof Wallet]: (sent: NonNullable<WalletBody[K]>, path: string) => Wallet[K] } = {
  code_config: parseCodeConfig,
  points_expiration: parsePointsExpiration,
  pending_points: parsePendingPoints,
  earning_limits: parseEarningLimits,
  spending_limits: parseSpendingLimits,
  refunds: parseRefunds,
  balance_settings: (sent) => sent,
  pay_with_points: parsePayWithPoints,
};

/** The sections that are sent, as they are kept. */
export function parseWallet(sent: WalletBody): Partial<Wallet> {
  const parse = <K extends keyof Wallet>(name: K): Partial<Wallet> => {
    const section = sent[name];
    if (section === undefined) return {};
    return { [name]: section === null ? PLAIN_WALLET[name] : PARSERS[name](section as never, `.${name}`) };
  };
  return Object.assign({}, ...WALLET_SECTIONS.map(parse));
}

/** What the sections ask of each other, or null when it holds. */
export function walletFault({ points_expiration, pending_points, refunds, balance_settings }: Wallet): string | null {
  const { allow_negative } = balance_settings;
  const [earned] = refunds.earned_points.methods;
  if (allow_negative && points_expiration.type !== "NO_EXPIRATION")
    return "Property .points_expiration.type must be NO_EXPIRATION when .balance_settings.allow_negative is true";
  if (earned?.type === "REVOKE_FROM_BALANCE" && earned.mode === "REVOKE_BELOW_ZERO" && !allow_negative)
    return "Property .balance_settings.allow_negative must be true when earned points are revoked below zero";
  if (earned?.type === "REVOKE_FROM_PENDING" && pending_points.type === "IMMEDIATE")
    return "Property .pending_points.type must NOT be IMMEDIATE when earned points are revoked from pending ones";
  return null;
}

/** A kind of loyalty card that a project has. */
export type CardDefinition = Wallet & {
  id: string;
  name: string;
  type: "INDIVIDUAL";
  status: LoyaltyStatus;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

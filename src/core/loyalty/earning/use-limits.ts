import { type Static, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Choice, Nullable, strict } from "../../shapes.ts";
import { variantOf } from "../program/shape.ts";

const UNITS_MAX = { HOUR: 24, DAY: 90, WEEK: 52, MONTH: 12, YEAR: 1 } as const;
const COOLDOWN_UNITS = ["HOUR", "DAY", "WEEK", "MONTH", "YEAR"] as const;
export const CURRENT_PERIODS = ["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"] as const;
const TRIGGERS_MAX = 10_000;

const FixedCooldown = strict({
  period: strict({ value: Type.Integer({ minimum: 1, maximum: 90 }), unit: Choice(COOLDOWN_UNITS) }),
});
const frequencyLimit = (type: ReturnType<typeof Choice<readonly ["TIME_BASED"]>>, limits: object) => ({
  type,
  period: strict({
    type: Choice(["CURRENT_PERIOD"]),
    current_period: strict({ unit: Choice(CURRENT_PERIODS) }),
  }),
  triggers: strict({ max: Type.Integer({ minimum: 1, ...limits }) }),
});
const TIME_BASED = Choice(["TIME_BASED"]);
const FrequencyLimit = strict(frequencyLimit(TIME_BASED, {}));
const FrequencyLimitSent = strict({
  ...frequencyLimit(TIME_BASED, { maximum: TRIGGERS_MAX }),
  type: Type.Optional(TIME_BASED),
  period: strict({
    type: Type.Optional(Choice(["CURRENT_PERIOD"])),
    current_period: strict({ unit: Choice(CURRENT_PERIODS) }),
  }),
});

/** How often one member may use it: a pause after each use, and a number of uses in a calendar period. */
export const UseLimits = strict({
  cooldown: strict({ type: Choice(["NO_COOLDOWN", "FIXED_COOLDOWN"]), fixed_cooldown: Nullable(FixedCooldown) }),
  frequency: strict({ type: Choice(["NO_LIMIT", "LIMITED"]), limits: Type.Array(FrequencyLimit) }),
});
export type UseLimits = Static<typeof UseLimits>;

export const UseLimitsSent = strict({
  cooldown: Type.Optional(
    Nullable(
      strict({
        type: Type.Optional(Choice(["NO_COOLDOWN", "FIXED_COOLDOWN"])),
        fixed_cooldown: Type.Optional(Nullable(FixedCooldown)),
      }),
    ),
  ),
  frequency: Type.Optional(
    Nullable(
      strict({
        type: Type.Optional(Choice(["NO_LIMIT", "LIMITED"])),
        limits: Type.Optional(Nullable(Type.Array(FrequencyLimitSent, { maxItems: 1 }))),
      }),
    ),
  ),
});
export type UseLimitsSent = Static<typeof UseLimitsSent>;

/** The limits as they are stored; what is missing does not limit. */
export function parseUseLimits(sent: UseLimitsSent | null | undefined, path: string): UseLimits {
  return {
    cooldown: parseCooldown(sent?.cooldown ?? { type: "NO_COOLDOWN" }, `${path}.cooldown`),
    frequency: parseFrequency(sent?.frequency ?? { type: "NO_LIMIT" }, `${path}.frequency`),
  };
}

function parseCooldown(sent: NonNullable<UseLimitsSent["cooldown"]>, path: string): UseLimits["cooldown"] {
  const type = variantOf(sent, { NO_COOLDOWN: null, FIXED_COOLDOWN: "fixed_cooldown" }, { path });
  if (type === "NO_COOLDOWN") return { type, fixed_cooldown: null };
  const { period } = sent.fixed_cooldown!;
  if (period.value > UNITS_MAX[period.unit])
    throw invalid(`Property ${path}.fixed_cooldown.period.value must be <= ${UNITS_MAX[period.unit]}`);
  return { type, fixed_cooldown: { period } };
}

function parseFrequency(sent: NonNullable<UseLimitsSent["frequency"]>, path: string): UseLimits["frequency"] {
  const limits = sent.limits ?? [];
  const type = sent.type ?? (limits.length > 0 ? "LIMITED" : null);
  if (type === null) throw invalid(`Property ${path} must have required property 'type'`);
  if (type === "NO_LIMIT" && limits.length > 0)
    throw invalid(`Property ${path}.limits must NOT have more than 0 items`);
  if (type === "LIMITED" && limits.length === 0)
    throw invalid(`Property ${path}.limits must NOT have fewer than 1 items`);
  return {
    type,
    limits: limits.map(({ period: { current_period }, triggers }) => ({
      type: "TIME_BASED",
      period: { type: "CURRENT_PERIOD", current_period },
      triggers,
    })),
  };
}

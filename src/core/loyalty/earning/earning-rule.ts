import { type Static, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Choice, Nullable, strict } from "../../shapes.ts";
import { PointsExpiration, PointsExpirationBody, parsePointsExpiration } from "../card/wallet.ts";
import type { Window } from "../card/window.ts";
import { idOf, maybe, Name, variantOf } from "../program/shape.ts";
import type { LoyaltyStatus } from "../program/status.ts";
import { parseTierRules, TierRules, TierRulesSent } from "../tiers/rules.ts";
import {
  type Proportional,
  type ProportionalSent,
  parseProportional,
  proportionalFields,
  proportionalSent,
} from "./proportional.ts";
import { EarningRuleGroup, type RuleGroup, requireRuleGroup } from "./rule-group.ts";
import { PROGRAM_TRIGGERS, type ProgramTrigger, TRIGGER_FIELDS } from "./triggers.ts";
import type { UseLimits } from "./use-limits.ts";

const CustomEvent = strict({ schema_id: idOf("ms") });
const Segment = strict({ id: idOf("seg") });
/** What starts a rule. */
export const Trigger = strict({
  event: Choice(PROGRAM_TRIGGERS),
  custom_event: Type.Optional(CustomEvent),
  segment: Type.Optional(Segment),
});
export type Trigger = Static<typeof Trigger>;
export const TriggerSent = strict({
  event: Type.Optional(Choice(PROGRAM_TRIGGERS)),
  ...maybe({ custom_event: CustomEvent, segment: Segment }),
});
export type TriggerSent = Static<typeof TriggerSent>;

/** The trigger as it is stored: its event, and what names the object that the event is about. */
export function parseTrigger(sent: TriggerSent): Trigger {
  const event = variantOf(sent, TRIGGER_FIELDS, { path: ".trigger", by: "event" });
  const field = TRIGGER_FIELDS[event];
  return field === null ? { event } : { event, [field]: sent[field] };
}

/** What a member gets. `points_expiration` null: the points expire as those of the wallet do. */
export type EarningEffect =
  | {
      type: "POINTS";
      points: { value: number; card_definition_id: string; points_expiration: PointsExpiration | null };
    }
  | {
      type: "POINTS_PROPORTIONAL";
      points_proportional: Proportional & { points_expiration: PointsExpiration | null };
    }
  /** The id is that of a benefit. */
  | { type: "INCENTIVE"; incentive: { id: string } };

const EFFECTS = {
  POINTS: "points",
  POINTS_PROPORTIONAL: "points_proportional",
  INCENTIVE: "incentive",
} as const satisfies Record<EarningEffect["type"], string>;
const EffectType = Choice(["POINTS", "POINTS_PROPORTIONAL", "INCENTIVE"]);
const points = {
  value: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  card_definition_id: idOf("lcdef"),
};
const Incentive = strict({ id: idOf("lben") });

export const EarningEffect = Type.Unsafe<EarningEffect>(
  strict({
    type: EffectType,
    points: Type.Optional(strict({ ...points, points_expiration: Nullable(PointsExpiration) })),
    points_proportional: Type.Optional(
      strict({ ...proportionalFields, points_expiration: Nullable(PointsExpiration) }),
    ),
    incentive: Type.Optional(Incentive),
  }),
);
const override = { points_expiration: Type.Optional(Nullable(PointsExpirationBody)) };
const EffectSent = strict({
  type: Type.Optional(EffectType),
  ...maybe({
    points: strict({ ...points, ...override }),
    points_proportional: strict({ ...proportionalSent, ...override }),
    incentive: Incentive,
  }),
});
type EffectSent = Static<typeof EffectSent>;

/** The first earning whose rules hold is the one that counts. */
export const Earning = strict({
  id: Type.String(),
  name: Nullable(Type.String()),
  rules: Type.Optional(EarningRuleGroup),
  tier_rules: TierRules,
  effects: Type.Array(EarningEffect),
});
export type Earning = {
  id: string;
  name: string | null;
  rules?: RuleGroup;
  tier_rules: TierRules;
  effects: EarningEffect[];
};
const EARNINGS_MAX = 100;
const earningFields = {
  name: Type.Optional(Nullable(Name)),
  rules: Type.Optional(Nullable(EarningRuleGroup)),
  tier_rules: Type.Optional(Nullable(TierRulesSent)),
  effects: Type.Array(EffectSent, { minItems: 1, maxItems: 100 }),
};
const limits = { minItems: 1, maxItems: EARNINGS_MAX };
export const EarningsCreate = Type.Array(strict(earningFields), limits);
export const EarningsUpdate = Type.Array(strict({ id: Type.Optional(idOf("lernei")), ...earningFields }), limits);
export type EarningSent = Static<typeof EarningsUpdate>[number];

/** What the engine knows of a rule. */
export type EarningRule = Window & {
  id: string;
  name: string;
  status: LoyaltyStatus;
  trigger: Trigger;
  earnings: Earning[];
  error: { message: string } | null;
  trigger_limits: UseLimits;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

/** The earnings as they are stored. Items without an id are new. */
export const parseEarnings = (sent: readonly EarningSent[], trigger: Trigger, newId: () => string): Earning[] =>
  sent.map(({ id, name, rules, tier_rules, effects }, n) => {
    const path = `.earnings[${n}]`;
    if (rules) requireRuleGroup(rules, { path: `${path}.rules`, trigger });
    return {
      id: id ?? newId(),
      name: name ?? null,
      ...(rules && { rules }),
      tier_rules: parseTierRules(tier_rules, `${path}.tier_rules`),
      effects: effects.map((effect, at) => parseEffect(effect, trigger.event, `${path}.effects[${at}]`)),
    };
  });

const parseOverride = (sent: PointsExpirationBody | null | undefined, path: string): PointsExpiration | null =>
  sent ? parsePointsExpiration(sent, `${path}.points_expiration`) : null;

function parseEffect(sent: EffectSent, trigger: ProgramTrigger, path: string): EarningEffect {
  const type = variantOf(sent, EFFECTS, { path });
  if (type === "INCENTIVE") return { type, incentive: sent.incentive! };
  if (type === "POINTS") {
    const { points_expiration, ...rest } = sent.points!;
    return { type, points: { ...rest, points_expiration: parseOverride(points_expiration, `${path}.points`) } };
  }
  const { points_expiration, ...rest } = sent.points_proportional!;
  const at = `${path}.points_proportional`;
  const stored = parseProportional(rest as ProportionalSent, { path: at, trigger });
  return { type, points_proportional: { ...stored, points_expiration: parseOverride(points_expiration, at) } };
}

/** The wallet that an effect pays into, and how its points expire there; null for a benefit. */
export function walletPoints(
  effect: EarningEffect,
): { card_definition_id: string; points_expiration: PointsExpiration | null } | null {
  if (effect.type === "POINTS") return effect.points;
  return effect.type === "POINTS_PROPORTIONAL" ? effect.points_proportional : null;
}

const effectsOf = (earnings: readonly Earning[]): EarningEffect[] => earnings.flatMap(({ effects }) => effects);
const definedIds = (ids: readonly (string | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => id !== undefined)),
];
/** The card definitions that the effects pay into. */
export const walletsOfEarnings = (earnings: readonly Earning[]): string[] =>
  definedIds(effectsOf(earnings).map((effect) => walletPoints(effect)?.card_definition_id));
/** The benefits that the effects give. */
export const benefitsOfEarnings = (earnings: readonly Earning[]): string[] =>
  definedIds(effectsOf(earnings).map((effect) => (effect.type === "INCENTIVE" ? effect.incentive.id : undefined)));

type Wallet = { points_expiration: PointsExpiration; balance_settings: { allow_negative: boolean } };

/**
 * Refuses an expiration that does not fit the wallet: where points of the wallet expire, those of an effect expire in
 * the same way, if at all; and where a balance may be negative none expire.
 */
export function requireOverride(
  override: PointsExpiration,
  { points_expiration, balance_settings }: Wallet,
  path: string,
): void {
  const { type } = override;
  const own = points_expiration.type;
  if (type === "NO_EXPIRATION") return;
  if (balance_settings.allow_negative)
    throw invalid(`Property ${path}.type must be NO_EXPIRATION: the wallet allows a negative balance`);
  if (own !== "NO_EXPIRATION" && own !== type)
    throw invalid(`Property ${path}.type must be equal to one of the allowed values [ ${own}, NO_EXPIRATION ]`);
}

import type { CampaignTier } from "../../../api/operations.gen.ts";
import type { Text } from "../../../text/text.ts";

// What a tier makes of the points of an earning rule, or of the price of a reward.

type Stored = CampaignTier["rewards"][string];
/** `none`: as for everybody. */
export type MappingKind = "none" | Stored["type"];
export type Mapped = { type: MappingKind; number: number | null };
export type Mappings = Record<string, Mapped>;
export const AS_EVERYBODY: Mapped = { type: "none", number: null };

const HAS_NUMBER: readonly MappingKind[] = ["MULTIPLY", "CUSTOM"];
export const hasNumber = ({ type }: Mapped): boolean => HAS_NUMBER.includes(type);

const mappedOf = ({ type, multiplier, points }: Stored): Mapped => ({
  type,
  number: (type === "MULTIPLY" ? multiplier : points) ?? null,
});

export const mappingsIn = (stored: Record<string, Stored>): Mappings =>
  Object.fromEntries(Object.entries(stored).map(([id, one]) => [id, mappedOf(one)]));

/** As it is sent. A map replaces the one before it, so it holds all of them. */
export const sentMappings = <T extends Stored>(mappings: Mappings): Record<string, T> =>
  Object.fromEntries(
    Object.entries(mappings).flatMap(([id, { type, number }]) => {
      if (type === "none") return [];
      const value = type === "MULTIPLY" ? { multiplier: number! } : type === "CUSTOM" ? { points: number! } : {};
      return [[id, { type, ...value } as T]];
    }),
  );

/** What is missing, by the path of its field: `earns.ern_1`. */
export const mappingFaults = (name: "earns" | "pays", mappings: Mappings, t: Text): Record<string, string> =>
  Object.fromEntries(
    Object.entries(mappings).flatMap(([id, one]) =>
      hasNumber(one) && one.number === null ? [[`${name}.${id}`, t("kit.form.required")]] : [],
    ),
  );

/** `2 times: Points for orders`; nothing where it is as for everybody. */
export function mappingSays(stored: Stored | undefined, name: string, what: "earns" | "pays", t: Text): string[] {
  if (!stored) return [];
  const { type, multiplier: times, points: count } = stored;
  if (type === "NOT_AVAILABLE") return [t("cards.notAvailable", { name })];
  return [
    type === "MULTIPLY"
      ? t(what === "earns" ? "cards.timesRule" : "cards.timesReward", { times, name })
      : t(what === "earns" ? "cards.pointsRule" : "cards.pointsReward", { count, name }),
  ];
}

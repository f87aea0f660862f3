import { type Static, Type } from "typebox";
import { Choice, Nullable, strict } from "../../shapes.ts";
import { idOf, variantOf } from "../program/shape.ts";

const AnyOf = Type.Array(
  strict({
    tier_structure_id: idOf("lts"),
    tier_ids: Type.Array(idOf("lt"), { minItems: 1, maxItems: 100, uniqueItems: true }),
  }),
  { minItems: 1, maxItems: 100 },
);
/** In which tiers a member has to be. */
export const TierRules = strict({
  type: Choice(["NO_REQUIREMENTS", "ANY_OF"]),
  any_of: Type.Optional(AnyOf),
});
export type TierRules = Static<typeof TierRules>;
export const TierRulesSent = strict({
  type: Type.Optional(Choice(["NO_REQUIREMENTS", "ANY_OF"])),
  any_of: Type.Optional(Nullable(AnyOf)),
});
export type TierRulesSent = Static<typeof TierRulesSent>;

/** As they are stored; what is missing requires nothing. */
export function parseTierRules(sent: TierRulesSent | null | undefined, path: string): TierRules {
  const type = sent ? variantOf(sent, { NO_REQUIREMENTS: null, ANY_OF: "any_of" }, { path }) : "NO_REQUIREMENTS";
  return type === "ANY_OF" ? { type, any_of: sent!.any_of! } : { type };
}

/** Whether a member fulfils them. `tierIn` gives the tier that the member is in now, of a structure. */
export const tierRulesHold = (
  { type, any_of }: TierRules,
  tierIn: (tierStructureId: string) => string | null,
): boolean =>
  type === "NO_REQUIREMENTS" ||
  any_of!.some(({ tier_structure_id, tier_ids }) => {
    const tier = tierIn(tier_structure_id);
    return tier !== null && tier_ids.includes(tier);
  });

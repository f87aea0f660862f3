import type { CampaignEarningRule, CampaignTier } from "../../../api/operations.gen.ts";
import type { Text } from "../../../text/text.ts";

/** `times`: by how much members of the tier earn more, by the ids of earning rules. */
export type TierValues = { name: string; from: number | null; to: number | null; times: Record<string, number | null> };
type Mappings = CampaignTier["earning_rules"];

export const byPoints = (tiers: readonly CampaignTier[]) => [...tiers].sort((a, b) => a.points.from - b.points.from);

const timesOf = (mappings: Mappings): TierValues["times"] =>
  Object.fromEntries(
    Object.entries(mappings).flatMap(([id, one]) => (one.type === "MULTIPLY" ? [[id, one.multiplier ?? null]] : [])),
  );

/** A new one begins where the highest one ends. */
export function tierValuesOf(tier: CampaignTier | null, tiers: readonly CampaignTier[]): TierValues {
  if (tier) {
    const { name, points, earning_rules } = tier;
    return { name, from: points.from, to: points.to ?? null, times: timesOf(earning_rules) };
  }
  const top = byPoints(tiers).at(-1)?.points;
  return { name: "", from: top === undefined ? 0 : (top.to ?? top.from + 999) + 1, to: null, times: {} };
}

/** The highest tier has no end: it has to end where a new one above it begins. */
export function endedBy(tiers: readonly CampaignTier[], { from, to }: TierValues): CampaignTier | null {
  const top = byPoints(tiers).at(-1);
  return top && top.points.to === undefined && to === null && from !== null && from > top.points.from ? top : null;
}

export function tierFaults({ name, from, to }: TierValues, t: Text) {
  return {
    ...(name.trim() === "" && { name: t("kit.form.required") }),
    ...(from === null && { from: t("kit.form.required") }),
    ...(from !== null && to !== null && to < from && { to: t("designer.endsBefore") }),
  };
}

/** What members get instead, by rule. What the form cannot show stays as it is. */
export function mappingsOf(values: TierValues, tier: CampaignTier | null, rules: readonly CampaignEarningRule[]) {
  const kept = Object.entries(tier?.earning_rules ?? {}).filter(([, { type }]) => type !== "MULTIPLY");
  const times = rules.flatMap(({ id }) => {
    const multiplier = values.times[id];
    return multiplier ? [[id, { type: "MULTIPLY" as const, multiplier }] as const] : [];
  });
  return Object.fromEntries([...kept, ...times]) as Mappings;
}

export const rangeSays = ({ points: { from, to } }: CampaignTier, t: Text): string =>
  to === undefined ? t("cards.rangeFrom", { from }) : t("cards.range", { from, to });

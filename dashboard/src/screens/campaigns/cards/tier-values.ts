import type { CampaignTier } from "../../../api/operations.gen.ts";
import type { Text } from "../../../text/text.ts";
import { type Mappings, mappingFaults, mappingsIn } from "./mapping.ts";

/** What members earn instead, by the ids of earning rules, and what they pay instead, by the ids of assigned rewards. */
export type TierValues = { name: string; from: number | null; to: number | null; earns: Mappings; pays: Mappings };

export const byPoints = (tiers: readonly CampaignTier[]) => [...tiers].sort((a, b) => a.points.from - b.points.from);

/** A new one begins where the highest one ends. */
export function tierValuesOf(tier: CampaignTier | null, tiers: readonly CampaignTier[]): TierValues {
  if (tier) {
    const { name, points, earning_rules, rewards } = tier;
    const range = { from: points.from, to: points.to ?? null };
    return { name, ...range, earns: mappingsIn(earning_rules), pays: mappingsIn(rewards) };
  }
  const top = byPoints(tiers).at(-1)?.points;
  return { name: "", from: top === undefined ? 0 : (top.to ?? top.from + 999) + 1, to: null, earns: {}, pays: {} };
}

/** The highest tier has no end: it has to end where a new one above it begins. */
export function endedBy(tiers: readonly CampaignTier[], { from, to }: TierValues): CampaignTier | null {
  const top = byPoints(tiers).at(-1);
  return top && top.points.to === undefined && to === null && from !== null && from > top.points.from ? top : null;
}

export function tierFaults({ name, from, to, earns, pays }: TierValues, t: Text) {
  return {
    ...(name.trim() === "" && { name: t("kit.form.required") }),
    ...(from === null && { from: t("kit.form.required") }),
    ...(from !== null && to !== null && to < from && { to: t("designer.endsBefore") }),
    ...mappingFaults("earns", earns, t),
    ...mappingFaults("pays", pays, t),
  };
}

export const rangeSays = ({ points: { from, to } }: CampaignTier, t: Text): string =>
  to === undefined ? t("cards.rangeFrom", { from }) : t("cards.range", { from, to });

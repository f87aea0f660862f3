import type { NewId, Project } from "../ctx.ts";
import type { Tx } from "../db/db.ts";
import { type CampaignTierRow, tiersOfCampaigns } from "../resources/campaign-tiers/store.ts";
import { loadCampaigns } from "../resources/campaigns/store.ts";
import { saveCodesDue } from "../resources/vouchers/points-store.ts";
import type { VoucherRow } from "../resources/vouchers/store.ts";
import {
  advancePointCard,
  openPointCards,
  pointsDueAt,
  pointWorld,
  reviewPointCard,
  savePointCards,
  zoneOf,
} from "./point-cards.ts";
import type { PointTelling } from "./point-events.ts";

export type Sweeping = { db: Tx; project: Pick<Project, "id" | "timezone">; now: string; newId: NewId };

/** What cannot be advanced, since its campaign is in the bin, is tried again on another day. */
const LATER_MS = 86_400_000;
export const nextDay = (now: string) => new Date(Date.parse(now) + LATER_MS).toISOString();

/**
 * Brings locked codes of loyalty campaigns to the present, in a number of statements that does not depend on how many
 * there are. What is told of it is to be recorded.
 */
export async function sweepCodes(
  c: Sweeping,
  rows: readonly VoucherRow[],
  { isReview }: { isReview: boolean },
): Promise<PointTelling[]> {
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.flatMap(({ campaign_id }) => campaign_id ?? []))];
  const campaigns = new Map((await loadCampaigns(c.db, c.project.id, ids)).map((one) => [one.id, one]));
  const tiers: Map<string, CampaignTierRow[]> = Map.groupBy(
    await tiersOfCampaigns(c.db, c.project.id, ids),
    ({ campaign_id }) => campaign_id,
  );
  const cards = await openPointCards(c.db, c.project, { campaigns }, rows);
  const zone = zoneOf(c.project);
  // Codes that nothing happened to: they must not be found for ever.
  const unchanged: { id: string; due_at: string | null }[] = [];
  for (const { id } of rows) {
    const one = cards.get(id);
    if (!one) {
      unchanged.push({ id, due_at: nextDay(c.now) });
      continue;
    }
    const world = pointWorld({ tiers_of_campaign: tiers }, one.campaign, { now: c.now, zone, newId: c.newId });
    if (isReview) reviewPointCard(one, world);
    else advancePointCard(one, world);
    if (one.world === null) unchanged.push({ id, due_at: pointsDueAt(one, world) });
  }
  const happened = await savePointCards(c.db, c.project, cards.values(), { source: "Automation" });
  await saveCodesDue(c.db, c.project.id, unchanged);
  return happened;
}

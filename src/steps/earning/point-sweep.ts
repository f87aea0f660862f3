import { type Catalog, loadCatalog } from "../../catalog/catalog.ts";
import { advanceCard, cardDueAt, reviewCard } from "../../core/loyalty/card/card-at-work.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { isBefore } from "../../core/time/calendar.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf, NewEvent } from "../../events/events.ts";
import type { NewId, Origin, Project } from "../../request.ts";
import { hasAutoAssignments } from "../../resources/loyalty-v1/reward-assignments/store.ts";
import { loyaltyTiersOfCampaigns } from "../../resources/loyalty-v1/tiers/store.ts";
import { getProject } from "../../resources/platform/projects/store.ts";
import { loadCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { saveCodesDue } from "../../resources/promotions/vouchers/points-store.ts";
import type { AutoSource } from "../points/auto-rewards.ts";
import { type AutoRedeeming, openPointCards, pointWorld, savePointCards } from "../points/point-cards.ts";
import { autoRedeeming, saveAutoRedeemed } from "./auto-redeem.ts";

export type Sweeping = {
  db: Tx;
  project: Pick<Project, "id" | "timezone">;
  now: string;
  newId: NewId;
  random(bytes: number): Uint8Array;
};
/** What happened to codes, and what was redeemed on them without being asked for. */
export type Swept = { happened: NewEvent[]; redeemed: EventsOf<Origin>[] };

/** What cannot be advanced, since its campaign is in the bin, is tried again on another day. */
const LATER_MS = 86_400_000;
export const nextDay = (now: string) => new Date(Date.parse(now) + LATER_MS).toISOString();

/**
 * Brings locked codes of loyalty campaigns to the present, in a number of statements that does not depend on how many
 * there are. Returns the events; the caller records them.
 */
export async function sweepCodes(
  c: Sweeping,
  rows: readonly VoucherRow[],
  { isReview, of }: { isReview: boolean; of: Origin },
): Promise<Swept> {
  if (rows.length === 0) return { happened: [], redeemed: [] };
  const ids = [...new Set(rows.flatMap(({ campaign_id }) => campaign_id ?? []))];
  const [campaigns, tiers, isAuto] = await Promise.all([
    loadCampaigns(c.db, c.project.id, ids),
    loyaltyTiersOfCampaigns(c.db, c.project.id, ids),
    hasAutoAssignments(c.db, c.project.id, ids),
  ]);
  const tiers_of_campaign: Catalog["tiers_of_campaign"] = Map.groupBy(tiers, ({ campaign_id }) => campaign_id);
  const known = { campaigns: new Map(campaigns.map((one) => [one.id, one])), tiers_of_campaign };
  if (!isAuto) {
    const { happened } = await sweep(c, { ...known, rows, isReview, auto: null });
    return { happened, redeemed: [] };
  }
  const project = await getProject(c.db, c.project.id);
  const catalog = await loadCatalog(c.db, project.id);
  return autoRedeeming(c.db, true, async (db, auto) => {
    const { happened, cards } = await sweep({ ...c, db }, { ...catalog, ...known, rows, isReview, auto });
    return { happened, redeemed: await saveAutoRedeemed(db, { project, catalog, auto, cards }, () => of) };
  });
}

type Sweep = Pick<Catalog, "campaigns" | "tiers_of_campaign"> &
  Partial<AutoSource> & { rows: readonly VoucherRow[]; isReview: boolean; auto: AutoRedeeming | null };

async function sweep(c: Sweeping, { rows, isReview, auto, ...catalog }: Sweep) {
  const cards = await openPointCards(c.db, c.project, catalog, rows, { redeeming: auto });
  const zone = zoneOf(c.project);
  // Codes that nothing happened to: they must not be found for ever.
  const unchanged: { id: string; due_at: string | null }[] = [];
  for (const { id } of rows) {
    const one = cards.get(id);
    if (!one) {
      unchanged.push({ id, due_at: nextDay(c.now) });
      continue;
    }
    const world = pointWorld(catalog, one.campaign, { now: c.now, zone, newId: c.newId });
    // A new card begins to be watched at the moment it was given out.
    const { due_at } = one.row;
    if (!one.row.tier && due_at !== null && isBefore(due_at, c.now)) advanceCard(one, { ...world, now: due_at });
    if (isReview) reviewCard(one, world);
    else advanceCard(one, world);
    if (one.world === null) unchanged.push({ id, due_at: cardDueAt(one, world) });
  }
  const happened = await savePointCards(c.db, c.project, cards.values(), { source: "Automation" });
  await saveCodesDue(c.db, c.project.id, unchanged);
  return { happened, cards };
}

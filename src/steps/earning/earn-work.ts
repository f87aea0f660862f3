import type { Catalog } from "../../catalog/catalog.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import { type Writes, withWrites } from "../../db/together.ts";
import { type EventsOf, type NewEvent, record, recordAll, withIds } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { type EarningProject, type EarningTrigger, tiersMoved } from "../points/earning-triggers.ts";
import { settleOnCampaigns } from "./campaign-earning.ts";
import { type Cause, isForMembers, openCauses } from "./earn-causes.ts";
import type { EarningAhead } from "./earning-ahead.ts";
import { settleInPrograms } from "./program-earning.ts";

/** Points follow in the transaction of what caused them. Returns the events; the caller records them. */
export async function earnFrom(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  triggers: readonly EarningTrigger[],
): Promise<EventsOf<Origin>[]> {
  const causes = await openCauses(tx, project, catalog, triggers);
  return withWrites((writes) => settleCauses(tx, project, catalog, causes, { writes }));
}

type PointsMoved = { told: readonly NewEvent[]; redeemed: readonly EventsOf<Origin>[] };

/** Records that somebody moved points on loyalty cards, which rewards followed, and what moves between tiers earn. */
export async function recordPoints(c: WriteCtx, catalog: Catalog, { told, redeemed }: PointsMoved): Promise<void> {
  const happened = withIds(c, told);
  await record(c, happened);
  await recordAll(c.db, c.project.id, redeemed);
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, catalog, tiersMoved(happened, c)));
}

export type Settling = {
  writes: Writes;
  /** What was locked before. It is as new as the locks, so it is good for the first causes of a transaction. */
  ahead?: EarningAhead | null;
};

/**
 * Settles causes in their order: on codes of campaigns first, which come first in the order of locks, and then for members
 * of programs. Customers and orders were locked before. Returns the events; the caller records them, and waits for `writes`.
 */
export async function settleCauses(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  causes: readonly Cause[],
  { writes, ahead = null }: Settling,
): Promise<EventsOf<Origin>[]> {
  if (causes.length === 0) return [];
  const onCampaigns = await settleOnCampaigns(tx, project, catalog, causes, {
    writes,
    ahead: ahead?.onCampaigns ?? null,
  });
  const inPrograms = await settleInPrograms(tx, project, catalog, causes.filter(isForMembers), {
    writes,
    ahead: ahead?.inPrograms ?? null,
  });
  return [...onCampaigns, ...inPrograms];
}

import type { Catalog } from "../../catalog/catalog.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf, NamedEvent } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { type EarningProject, type EarningTrigger, tiersMoved } from "../points/earning-triggers.ts";
import { settleOnCampaigns } from "./campaign-earning.ts";
import { type Cause, isForMembers, openCauses } from "./earn-causes.ts";
import { settleInPrograms } from "./program-earning.ts";

/** Points follow in the transaction of what caused them. Returns the events; the caller records them. */
export async function earnFrom(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  triggers: readonly EarningTrigger[],
): Promise<EventsOf<Origin>[]> {
  return settleCauses(tx, project, catalog, await openCauses(tx, project, catalog, triggers));
}

/** The same for moves between tiers of loyalty cards, out of what was recorded of changes of their points. */
export const earnFromTiers = (
  c: Origin & { db: Tx; project: EarningProject },
  catalog: Catalog,
  happened: readonly NamedEvent[],
): Promise<EventsOf<Origin>[]> => earnFrom(c.db, c.project, catalog, tiersMoved(happened, c));

/**
 * Settles causes in their order: on codes of campaigns first, which come first in the order of locks, and then for members
 * of programs. Customers and orders were locked before. Returns the events; the caller records them.
 */
export async function settleCauses(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  causes: readonly Cause[],
): Promise<EventsOf<Origin>[]> {
  if (causes.length === 0) return [];
  const onCampaigns = await settleOnCampaigns(tx, project, catalog, causes);
  const inPrograms = await settleInPrograms(tx, project, catalog, causes.filter(isForMembers));
  return [...onCampaigns, ...inPrograms];
}

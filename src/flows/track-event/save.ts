import type { Tx } from "../../db/db.ts";
import { recordInto } from "../../events/events.ts";
import { standingEvents } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses } from "../../steps/earning/earn-causes.ts";
import { inOrder, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { convertReferrals } from "../../steps/referrals/referrals.ts";
import type { TrackPlan } from "./plan.ts";
import type { TrackCommand, TrackState } from "./state.ts";

/**
 * Saves everything that a round planned, each kind in one statement. Returns what points may follow from. What is put into
 * `written` is not waited for: the end of the batch does.
 */
export async function saveRound(
  { tx, projectId, written }: { tx: Tx; projectId: string; written: Promise<unknown>[] },
  { project, catalog, customers }: TrackState,
  plans: readonly TrackPlan[],
): Promise<Cause[]> {
  const events = plans.flatMap((plan) => plan.events);
  /** Customers, with the last command that was theirs. */
  const touched = new Map<string, TrackCommand>(
    plans.flatMap(({ of, customer }) => (customer ? [[customer.row.id, of] as const] : [])),
  );
  const confirmed = await customers.save();
  await recordInto(written, tx, projectId, events);
  const converted = await convertReferrals(
    tx,
    project,
    catalog,
    plans.flatMap(({ referred }) => referred),
  );
  await recordInto(written, tx, projectId, converted.following);
  for (const [id, of] of converted.referrers) if (!touched.has(id)) touched.set(id, of);
  const later = await standingEvents({ db: tx, project }, catalog, { confirmed, touched });
  await recordInto(written, tx, projectId, later);
  const triggers = [
    ...plans.flatMap((plan) => plan.triggers),
    ...converted.told,
    ...later.flatMap(({ of, happened }) => (of.mayEarn ? segmentsEntered(happened, of) : [])),
  ];
  const requests = events.map(({ of }) => of);
  return openCauses(tx, project, catalog, inOrder(requests, triggers));
}

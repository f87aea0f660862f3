import { loadCatalog } from "../../catalog/catalog.ts";
import { raiseRevision } from "../../catalog/changes.ts";
import { segmentDueAt } from "../../core/segments/due.ts";
import { isBefore } from "../../core/time/calendar.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { type EventsOf, withIds } from "../../events/events.ts";
import type { Origin, Project } from "../../request.ts";
import { lockCustomersAfter } from "../../resources/customers/customers/store.ts";
import {
  finishRecalculation,
  lockAutoUpdateSegments,
  type SegmentRow,
} from "../../resources/customers/segments/store.ts";
import { getProject } from "../../resources/platform/projects/store.ts";
import { filterOf, type MembershipEvent, recalculate } from "../customers/segment-membership.ts";
import { segmentsEntered } from "../points/earning-triggers.ts";
import { earnFrom } from "./earn-work.ts";
import type { Sweeping } from "./point-sweep.ts";

const NAME = "recalculate-segments";
const BATCH = 500;
const SECRET_BYTES = 32;

/** Who entered and left segments, and what followed from it. */
export type SegmentsSwept = { of: Origin; moved: (MembershipEvent & { id: string })[]; following: EventsOf<Origin>[] };

/** When the members of a segment are worked out for everybody next; null: never. */
export const dueAtOf = (segment: SegmentRow, project: Pick<Project, "timezone">): string | null =>
  segment.type === "auto-update"
    ? segmentDueAt(segment, { isTimed: filterOf(segment).isTimed, zone: zoneOf(project) })
    : null;

/**
 * Works out the members of the segments that are due by now, for the next customers in the order of their ids. Who
 * enters or leaves does so now, and what follows from it is dated now: both are to be recorded. Null: no segment is due.
 *
 * Customers who are written meanwhile are locked here or by the writer, so both see what the other did. How far it came
 * is saved with the segments, in the same transaction: no customer is looked at twice for one moment.
 */
export async function sweepSegments(c: Sweeping): Promise<SegmentsSwept | null> {
  const { db, project, now } = c;
  const due = dueSegments(await lockAutoUpdateSegments(db, project.id), c);
  if (due.length === 0) return null;
  const after = due[0]!.recalculated_after;
  const of = { ...c, request_id: NAME, newSecret: () => Buffer.from(c.random(SECRET_BYTES)).toString("hex") };
  const customers = await lockCustomersAfter(db, project.id, { after, limit: BATCH });
  const moved = withIds(c, await recalculate({ db, project, now }, due, customers));
  const entered = segmentsEntered(moved, of);
  const following =
    entered.length > 0
      ? await earnFrom(db, await getProject(db, project.id), await loadCatalog(db, project.id), entered)
      : [];
  await finish(c, due, customers.length < BATCH ? null : customers.at(-1)!.id);
  return { of, moved, following };
}

/** Does without a moment that fails, so that it does not keep all others. False: no segment is due. */
export async function passOverSegments(c: Sweeping): Promise<boolean> {
  const due = dueSegments(await lockAutoUpdateSegments(c.db, c.project.id), c);
  await finish(c, due, null);
  return due.length > 0;
}

/** Those that are due by now and equally far: where one was made meanwhile, it begins with the first customer. */
function dueSegments(all: readonly SegmentRow[], { project, now }: Sweeping): SegmentRow[] {
  const due = all.filter((one) => {
    const at = dueAtOf(one, project);
    return at !== null && !isBefore(now, at);
  });
  const [after] = due.map((one) => one.recalculated_after).sort();
  return due.filter((one) => one.recalculated_after === after);
}

async function finish({ db, project, now }: Sweeping, due: readonly SegmentRow[], until: string | null): Promise<void> {
  const ids = due.map(({ id }) => id);
  const first = await finishRecalculation(db, project.id, { ids, now, until });
  if (first.length === 0) return;
  await raiseRevision(
    db,
    project.id,
    first.map((id) => ({ kind: "segment", id })),
  );
}

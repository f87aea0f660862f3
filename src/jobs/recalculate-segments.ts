import { createCatalogs } from "../catalog/catalog.ts";
import { raiseRevision } from "../catalog/changes.ts";
import { segmentsEntered } from "../catalog/earn-causes.ts";
import { earnFrom } from "../catalog/earn-work.ts";
import { withIds } from "../catalog/happened.ts";
import { filterOf, recalculate } from "../catalog/segment-membership.ts";
import { projectTime } from "../core/time/project-time.ts";
import { resolveZone } from "../core/time/zone.ts";
import { transaction } from "../db/commit.ts";
import { record, recordAll } from "../events/events.ts";
import { lockCustomersAfter } from "../resources/customers/store.ts";
import { finishRecalculation, loadAutoUpdateSegments, type SegmentRow } from "../resources/segments/store.ts";
import type { Job, JobCtx } from "./job.ts";

const NAME = "recalculate-segments";
const BATCH = 500;
/**
 * A request that began before the segment was there may still write a customer; so much later none does. So those of a
 * small project, which were found when it was made, are looked at once more.
 */
const SETTLED_MS = 15_000;

type Project = { id: string; timezone: string; case_sensitive_codes: boolean; clock_offset_ms: number };

/** Finds the members of new auto-update segments, and once a day those whom the time brought in or out. */
export const recalculateSegments: Job = {
  name: NAME,
  cron: "* * * * *",
  run: async (c) => {
    const projects = await c.db<Project[]>`
      select id, timezone, case_sensitive_codes, clock_offset_ms from projects p where deleted_at is null
        and exists (select 1 from segments s where s.project_id = p.id and s.type = 'auto-update')`;
    for (const project of projects) {
      const own = { ...c, now: () => projectTime(c.now(), project) };
      const all = await loadAutoUpdateSegments(c.db, project.id);
      const segments = all.filter((one) => isDue(one, project, own.now()));
      if (segments.length > 0) await recalculateAll(own, project, segments);
    }
  },
};

function isDue(segment: SegmentRow, { timezone }: Project, now: string): boolean {
  const time = Temporal.Instant.from(now);
  const settled = Date.parse(segment.created_at) + SETTLED_MS;
  if (time.epochMilliseconds < settled) return false;
  const last = segment.recalculated_at === null ? 0 : Date.parse(segment.recalculated_at);
  if (last < settled) return true;
  if (!filterOf(segment).isTimed) return false;
  const today = time.toZonedDateTimeISO(resolveZone(timezone) ?? "UTC").startOfDay();
  return last < today.epochMilliseconds;
}

/**
 * All customers of a project in the order of their ids, each batch in a transaction of its own. Those who are written
 * meanwhile are locked by it or by the writer, so both see what the other did. Run twice, the second finds nothing to do.
 */
async function recalculateAll({ db, newId, now, random }: JobCtx, project: Project, segments: readonly SegmentRow[]) {
  const started = now();
  const catalog = await createCatalogs(db, { bytesMax: 0 }).catalogOf({ id: project.id, catalog_revision: 0 });
  const newSecret = () => Buffer.from(random(32)).toString("hex");
  for (let after: string | null = ""; after !== null; ) {
    const from: string = after;
    after = await transaction(db, async (tx) => {
      const c = { db: tx, project, now: now(), newId, newSecret, request_id: NAME };
      const customers = await lockCustomersAfter(tx, project.id, { after: from, limit: BATCH });
      const moved = withIds(c, await recalculate(c, segments, customers));
      await record(c, moved);
      await recordAll(tx, project.id, await earnFrom(tx, project, catalog, segmentsEntered(moved, c)));
      return customers.length < BATCH ? null : customers.at(-1)!.id;
    });
  }
  await transaction(db, async (tx) => {
    const ids = segments.map(({ id }) => id);
    const first = await finishRecalculation(tx, project.id, { ids, now: started });
    await raiseRevision(
      tx,
      project.id,
      first.map((id) => ({ kind: "segment", id })),
    );
  });
}

import { ApiError, invalid } from "../../core/errors.ts";
import { parseMoment } from "../../core/time/instant.ts";
import { projectTime } from "../../core/time/project-time.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Tx } from "../../db/db.ts";
import type { NewId } from "../../request.ts";
import { enqueueAsyncAction } from "../../resources/platform/async-actions/store.ts";
import { lockProject, updateProject } from "../../resources/platform/projects/store.ts";

const YEARS_MAX = 2;
/**
 * Moves the clock of a sandbox project forward. Requests see the new time from the moment this is answered, also while
 * the sweep still runs: each of them advances the cards that it touches before anything else, so none can tell whether
 * the sweep was there. `now` is the time of the server.
 */
export async function moveClock(
  c: { db: Tx; now: string; newId: NewId; request_id: string },
  projectId: string,
  sent: string,
): Promise<{ async_action_id: string }> {
  const project = await lockProject(c.db, projectId);
  if (!project.is_sandbox) throw new ApiError("forbidden", { details: "Only a sandbox project has a test clock" });
  const zone = zoneOf(project);
  const to = parseMoment(sent, zone)?.epochMilliseconds;
  if (to === undefined) throw invalid("Property .now must be a date-time");
  const before = Temporal.Instant.from(projectTime(c.now, project));
  if (to <= before.epochMilliseconds) throw invalid(`Property .now must be after ${before}, the time of the project`);
  if (to > before.toZonedDateTimeISO(zone).add({ years: YEARS_MAX }).epochMilliseconds)
    throw invalid(`Property .now must be at most ${YEARS_MAX} years after ${before}, the time of the project`);
  await updateProject(c.db, projectId, { clock_offset_ms: to - Date.parse(c.now) });
  const now = new Date(to).toISOString();
  const id = c.newId("aa");
  const common = { project_id: projectId, id, request_id: c.request_id, created_at: now };
  await enqueueAsyncAction(c.db, {
    ...common,
    type: "PROJECT.CLOCK_ADVANCE",
    work: { from: before.toString(), to: now },
  });
  return { async_action_id: id };
}

import { DEMO_LOADING } from "../core/projects/settings.ts";
import { projectTime } from "../core/time/project-time.ts";
import { transaction } from "../db/batches/commit.ts";
import { isPassing, type Tx } from "../db/db.ts";
import { passOverFirst, passTime } from "../flows/loyalty/advance-cards.ts";
import type { Job, JobCtx } from "./job.ts";

type Project = { id: string; timezone: string; clock_offset_ms: number };
type PassTimeCtx = Parameters<typeof passTime>[0];

/**
 * What time alone brings: points become available or expire, tiers end, customers enter and leave segments. The moments
 * stand with the cards and segments, not in any schedule, so an outage loses none: what is overdue is done in its order,
 * each at its own moment. Projects take turns, a batch each, so that a large one keeps nobody waiting.
 */
export const advanceCards: Job = {
  name: "advance-cards",
  cron: "* * * * *",
  run: async (c) => {
    const errors: unknown[] = [];
    let open: readonly Project[] = await findProjects(c);
    while (open.length > 0) {
      const again: Project[] = [];
      for (const project of open) {
        if (c.signal?.aborted) return;
        try {
          if (await takeBatch(c, project)) again.push(project);
          c.progress?.();
        } catch (error) {
          errors.push(error);
          if (!isPassing(error) && (await takeOne(c, project))) again.push(project);
        }
      }
      open = again;
    }
    if (errors.length > 0) throw errors[0];
  },
};

const findProjects = ({ db, now }: JobCtx) => db<Project[]>`
  select id, timezone, clock_offset_ms from projects
  where deleted_at is null and not ${DEMO_LOADING} = any(features) and id in (
    select project_id from loyalty_reviews
    union select project_id from segments where type = 'auto-update'
    union select c.project_id from projects p join loyalty_cards c on c.project_id = p.id
      and c.due_at <= ${now()}::timestamptz + p.clock_offset_ms * interval '1 millisecond'
    union select v.project_id from projects p join vouchers v on v.project_id = p.id and v.deleted_at is null
      and v.due_at <= ${now()}::timestamptz + p.clock_offset_ms * interval '1 millisecond')`;

const inProjectTime = <T>(c: JobCtx, project: Project, run: (given: PassTimeCtx) => Promise<T>): Promise<T> => {
  const now = projectTime(c.now(), project);
  return transaction(c.db, (db: Tx) => run({ db, project, now, newId: c.newId, random: c.random }));
};

/** Whether there may be more. */
const takeBatch = async (c: JobCtx, project: Project): Promise<boolean> =>
  (await inProjectTime(c, project, (given) => passTime(given))).state === "more";

/**
 * A card that makes its batch fail is found by going one by one. It is passed over, one in a run: when all of them fail,
 * the fault is not theirs.
 */
async function takeOne(c: JobCtx, project: Project): Promise<boolean> {
  try {
    return (await inProjectTime(c, project, (given) => passTime(given, 1))).state === "more";
  } catch (error) {
    if (!isPassing(error)) await inProjectTime(c, project, passOverFirst);
    return false;
  }
}

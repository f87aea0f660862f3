import { projectTime } from "../core/time/project-time.ts";
import { transaction } from "../db/commit.ts";
import { isPassing } from "../db/db.ts";
import { advanceStep, stopAdvance } from "../flows/loyalty/advance-cards.ts";
import { enrolNext, stopEnrolment } from "../flows/loyalty-v2/enrol-members.ts";
import { removeNextMembers, stopRemoval } from "../flows/loyalty-v2/remove-members.ts";
import { deleteCodes, stopDeletion } from "../flows/promotions/delete-codes.ts";
import { type GenerateCtx, generateCodes, stopGeneration } from "../flows/promotions/generate-codes.ts";
import {
  type ActionStep,
  type ActionToDo,
  type AsyncActionRow,
  type AsyncActionType,
  listActionsToDo,
  saveStep,
  takeAction,
} from "../resources/platform/async-actions/store.ts";
import { takeStamps } from "../resources/promotions/vouchers/store.ts";
import type { Job, JobCtx } from "./job.ts";

/** Actions that take turns. */
const ROUND = 100;
const FAILURES_MAX = 5;

type Step = (c: GenerateCtx, action: AsyncActionRow) => Promise<ActionStep>;
type Stop = (c: GenerateCtx, action: AsyncActionRow, reason: string) => Promise<ActionStep> | ActionStep;

/** A chunk of the work of each type, and how it is given up. Another type is a line here. */
const ACTIONS: Record<AsyncActionType, { step: Step; stop: Stop }> = {
  "CAMPAIGN.VOUCHERS_GENERATE": { step: generateCodes, stop: stopGeneration },
  "CAMPAIGN.VOUCHERS_DELETE": { step: deleteCodes, stop: (_, action, reason) => stopDeletion(action, reason) },
  "PROGRAM.MEMBERS_CREATE": { step: enrolNext, stop: stopEnrolment },
  "PROGRAM.MEMBERS_DELETE": { step: removeNextMembers, stop: (_, action, reason) => stopRemoval(action, reason) },
  "PROJECT.CLOCK_ADVANCE": { step: advanceStep, stop: (_, action, reason) => stopAdvance(action, reason) },
};

/**
 * Does what was put off, as long as there is some: each action a chunk in turn, so that a large one keeps nobody
 * waiting. A chunk is a transaction that locks its action: whoever goes on, after whatever crash, sees what was done.
 */
export const runAsyncActions: Job = {
  name: "run-async-actions",
  everyMs: 1_000,
  run: async (c) => {
    const [errors, ahead]: [unknown[], GenerateCtx["ahead"]] = [[], new Map()];
    for (let worked = true; worked && errors.length === 0; ) {
      worked = false;
      for (const one of await listActionsToDo(c.db, ROUND)) {
        if (c.signal?.aborted) return;
        try {
          worked = (await takeTurn({ ...c, ahead }, one, takeStep)) || worked;
        } catch (error) {
          errors.push(error);
          if (!isPassing(error)) await takeTurn({ ...c, ahead }, one, noteFailure);
        }
      }
    }
    if (errors.length > 0) throw errors[0];
  },
};

/** False when there is nothing to do, or another worker is at it. */
const takeTurn = (
  c: JobCtx & Pick<GenerateCtx, "ahead">,
  { project_id, id, clock_offset_ms }: ActionToDo,
  step: Step,
) =>
  transaction(c.db, async (tx) => {
    const began = projectTime(c.now(), { clock_offset_ms });
    const action = await takeAction(tx, project_id, id);
    if (!action) return false;
    const stamps = (count: number) => transaction(c.db, (own) => takeStamps(own, project_id, { now: began, count }));
    const given = { db: tx, now: began, newId: c.newId, random: c.random, ahead: c.ahead, takeStamps: stamps };
    const done = await step(given, action);
    const now = projectTime(c.now(), { clock_offset_ms });
    await saveStep(tx, action, done, { now, tookMs: Date.parse(now) - Date.parse(began) });
    return true;
  });

async function takeStep(c: GenerateCtx, action: AsyncActionRow): Promise<ActionStep> {
  const step = await ACTIONS[action.type].step(c, action);
  return { ...step, work: { ...step.work, failures: 0 } };
}

/** What fails time and again is given up, and says so. */
async function noteFailure(c: GenerateCtx, action: AsyncActionRow): Promise<ActionStep> {
  const failures = Number(action.work.failures ?? 0) + 1;
  if (failures >= FAILURES_MAX)
    return ACTIONS[action.type].stop(c, action, `It failed ${failures} times; the log says why.`);
  return { work: { ...action.work, failures }, progress: action.progress };
}

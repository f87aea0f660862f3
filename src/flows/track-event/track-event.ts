import { type Answer, refusal } from "../../core/answer.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import { together } from "../../db/together.ts";
import { recordInto } from "../../events/events.ts";
import { hotFlow } from "../../idempotency/hot-flow.ts";
import type { Cause } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";
import { loadState } from "./load.ts";
import { planRound } from "./plan.ts";
import { roundsOf } from "./rounds.ts";
import { saveRound } from "./save.ts";
import type { TrackCommand, TrackState } from "./state.ts";

/**
 * Records a batch of events in one transaction: lock the customers, plan one after the other in memory, save all of it,
 * and settle the points that follow, each in a fixed number of statements.
 */
export const trackEvent = hotFlow<TrackCommand, TrackState>({
  name: "track-event",
  failed: ({ request_id }, key, details) => refusal(key, { request_id, ...(details && { details }) }),
  first: (tx, commands) => loadState(tx, commands[0]!.project.id, commands),
  run: async (tx, projectId, { commands, first: state }, answer) => {
    const answers = new Map<TrackCommand, Answer>();
    if (commands.length === 0) return answer(answers);
    const causes: Cause[] = [];
    const written: Promise<unknown>[] = [];
    const settle = async () =>
      recordInto(
        written,
        tx,
        projectId,
        await settleCauses(tx, state.project, state.catalog, causes.splice(0), { writes: written, ahead: state.ahead }),
      );
    try {
      for (const round of roundsOf(commands, state)) {
        const plans = await givingWay(planRound(state, round));
        for (const { of, answer: own } of plans) answers.set(of, own);
        // One after the other, points of the events before come first.
        if (plans.some(({ referred }) => referred.length > 0)) await settle();
        causes.push(...(await saveRound({ tx, projectId, written }, state, plans)));
      }
      await settle();
      return await answer(answers, () => together(written));
    } catch (error) {
      // What was written before, and failed, is the reason.
      await together(written);
      throw error;
    }
  },
});

import { hasCards } from "../../catalog/earn-programs.ts";
import { type Answer, refusal } from "../../core/answer.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import { together } from "../../db/together.ts";
import { recordInto } from "../../events/events.ts";
import { hotFlow } from "../../idempotency/hot-flow.ts";
import type { Cause } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";
import { type FirstRead, findFor, readFirst } from "./ahead.ts";
import { loadState } from "./load.ts";
import { planRound } from "./plan.ts";
import { roundsOf } from "./rounds.ts";
import { saveRound } from "./save.ts";
import type { RollBackRequest } from "./state.ts";

/**
 * Rolls back a batch in one transaction, as `redeem` redeems one: what was redeemed is locked in the same order, each
 * rollback is planned in memory after those before it, and all of it is saved in a fixed number of statements.
 */
export const rollBack = hotFlow<RollBackRequest, FirstRead>({
  name: "roll-back",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  first: readFirst,
  run: async (tx, projectId, { commands, first, isWhole }, answer) => {
    const answers = new Map<RollBackRequest, Answer>();
    const rounds = roundsOf(commands);
    const causes: Cause[] = [];
    const written: Promise<unknown>[] = [];
    const settle = async ({ project, catalog }: RollBackRequest) => {
      const events = await settleCauses(tx, project, catalog, causes.splice(0), { writes: written });
      await recordInto(written, tx, projectId, events);
    };
    // What a later round locked on its own would be out of order: two batches would wait for each other.
    if (rounds.length > 1) await loadState(tx, projectId, commands, first);
    try {
      for (const round of rounds) {
        const isRead = rounds.length === 1 && isWhole;
        const state = await loadState(tx, projectId, round, isRead ? first : await findFor(tx, projectId, round));
        const plans = await givingWay(planRound(state, round));
        for (const [n, command] of round.entries()) answers.set(command, plans[n]!.answer);
        causes.push(...(await saveRound({ tx, projectId, written }, state, plans)));
        // Points that come back and points that are taken back may be on one card.
        if (hasCards(round[0]!.catalog)) await settle(round[0]!);
      }
      if (causes.length > 0) await settle(commands[0]!);
      return await answer(answers, () => together(written));
    } catch (error) {
      // What was written before, and failed, is the reason.
      await together(written);
      throw error;
    }
  },
});

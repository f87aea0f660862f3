import { type Answer, refusal } from "../../core/answer.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import { together } from "../../db/together.ts";
import { hotFlow } from "../../idempotency/hot-flow.ts";
import { heldCommands } from "../../steps/checkout/held-commands.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import { openBatch, saveLast, settleEarned } from "./batch.ts";
import { type FirstRead, readFirst, waitForPromises } from "./first.ts";
import { withHolders } from "./holders.ts";
import { loadState } from "./load.ts";
import { lockRows, startsIn } from "./lock.ts";
import { planRound } from "./plan.ts";
import { rebuildAnswers } from "./rebuild.ts";
import { needsOf, readsEarned, roundsOf } from "./rounds.ts";
import { saveRound } from "./save.ts";

/**
 * Redeems a batch in one transaction: resolve, lock in order (keys, sessions, customers, orders, counters that decide, codes), read
 * what the decisions need, plan one after the other in memory, and save all of it in a fixed number of statements.
 */
export const redeem = hotFlow<RedeemRequest, FirstRead>({
  name: "redeem",
  failed: ({ request_id }, key, details) => refusal(key, { request_id, ...(details && { details }) }),
  held: (tx, commands) => heldCommands(tx, commands, needsOf),
  first: readFirst,
  rebuild: rebuildAnswers,
  late: (command) => ({ ...command, isLate: true }),
  run: async (tx, projectId, { commands, first: { vouchers: first, promises, opened }, isWhole }, answer) => {
    waitForPromises(commands, promises);
    const asked = await withHolders(tx, commands);
    const askedAs = new Map(asked.map((command, n) => [command, commands[n]!]));
    const answers = new Map<RedeemRequest, Answer>();
    const rounds = await roundsOf(tx, projectId, asked, first);
    const known = isWhole ? first : null;
    // What a later round locked on its own would be out of order: two batches would wait for each other.
    if (rounds.length > 1) await lockRows(tx, projectId, asked, { periods: rounds.map(startsIn), known });
    const batch = openBatch(tx, projectId, asked);
    try {
      for (const round of rounds) {
        if (readsEarned(round)) await settleEarned(batch, round[0]!);
        // Of several rounds one may make a code that the next one names.
        const found = rounds.length === 1 ? known : null;
        const { countedLast } = batch;
        const reads = { countedLast, found, opened: found && opened, promises };
        const state = await loadState(tx, projectId, round, reads);
        const plans = await givingWay(planRound(state, round));
        for (const [n, { answer: own }] of plans.entries()) answers.set(askedAs.get(round[n]!)!, own);
        await saveRound(batch, state, plans);
      }
      if (batch.causes.length > 0) await settleEarned(batch, asked[0]!);
      return await answer(answers, () => saveLast(batch));
    } catch (error) {
      // What was written before, and failed, is the reason.
      await together(batch.written);
      throw error;
    }
  },
});

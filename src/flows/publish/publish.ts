import { type Answer, refusal, success } from "../../core/answer.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import { type Writes, withWrites } from "../../db/together.ts";
import { recordAll } from "../../events/events.ts";
import { hotFlow } from "../../idempotency/hot-flow.ts";
import type { Cause } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";
import { membersNow } from "../../steps/points/point-members.ts";
import { loadState } from "./load.ts";
import { planRound } from "./plan.ts";
import { roundsOf } from "./rounds.ts";
import { publicationAnswer, saveRound } from "./save.ts";
import type { PublishCommand } from "./state.ts";

/**
 * Publishes a batch in one transaction: lock in order (keys, customers, campaigns that codes are taken from, codes), plan
 * one after the other in memory, and save all of it in a fixed number of statements.
 */
export const publish = hotFlow<PublishCommand>({
  name: "publish",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  run: async (tx, projectId, { commands }, answer) => {
    const answers = new Map<PublishCommand, Answer>();
    if (commands.length === 0) return answer(answers);
    const state = await loadState(tx, projectId, commands);
    const causes: Cause[] = [];
    const joined: [PublishCommand, string][] = [];
    for (const round of roundsOf(commands, state)) {
      const plans = await givingWay(planRound(state, round));
      causes.push(...(await saveRound(tx, projectId, state, plans)));
      for (const plan of plans)
        if (plan.of.joins !== undefined && "row" in plan.outcome) joined.push([plan.of, plan.outcome.vouchers[0]!.id]);
        else answers.set(plan.of, publicationAnswer(plan, state));
    }
    const settle = (writes: Writes) => settleCauses(tx, commands[0]!.project, state.catalog, causes, { writes });
    if (causes.length > 0) await recordAll(tx, projectId, await withWrites(settle));
    // Who joins is shown the card, with the points that joining brought.
    const cards = await membersNow(tx, state.catalog, joined);
    for (const [n, [command]] of joined.entries()) answers.set(command, success(command.forCaller(cards[n]!)));
    return answer(answers);
  },
});

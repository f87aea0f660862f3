import { type Answer, refusal } from "../../core/answer.ts";
import type { ReadFlow } from "../../db/batches/batch.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import type { Db } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { hotFlow } from "../../idempotency/hot-flow.ts";
import { heldCommands } from "../../steps/checkout/held-commands.ts";
import { codesIn } from "../../steps/checkout/requests.ts";
import { readAtOnce } from "./ahead.ts";
import { loadState, lockCodes } from "./load.ts";
import { planBatch } from "./plan.ts";
import { isOneStatement, keptOf, saveLocks, saveValidations } from "./save.ts";
import type { ValidateCommand } from "./state.ts";

const failed = ({ request_id }: ValidateCommand, key: Parameters<typeof refusal>[0]): Answer =>
  refusal(key, { request_id });

/** Validation without a session: nothing is locked, and only the promise is stored, behind the answer. */
export const validate: ReadFlow<ValidateCommand, Answer> = {
  name: "validate",
  failed,
  read: async (db, projectId, commands, behind) => {
    const { vouchers, read } = await readAtOnce(db, commands);
    const state = await loadState(db, commands, vouchers, read);
    const plans = await givingWay(planBatch(state, commands));
    const kept = keptOf(plans);
    const save = (on: Db) => saveValidations(on, projectId, kept);
    await behind(kept.rows.length, save, isOneStatement(kept) ? { alone: save } : {});
    return plans.map(({ answer }) => answer);
  },
};

/** Validation with a session: the codes are locked, so that no two sessions hold the same last unit. */
export const validateAndLock = hotFlow<ValidateCommand, Awaited<ReturnType<typeof lockCodes>>>({
  name: "validate-and-lock",
  failed,
  held: (tx, commands) =>
    heldCommands(tx, commands, (command) => ({
      sessions: [command.session!.key],
      customers: [],
      orders: [],
      codes: codesIn([command]),
    })),
  first: (tx, commands) => lockCodes(tx, commands[0]!.project.id, commands),
  run: async (tx, projectId, { commands, first: { vouchers, ahead }, isWhole }, answer) => {
    if (commands.length === 0) return answer(new Map());
    const state = await loadState(tx, commands, vouchers, isWhole ? ahead : {});
    const plans = await givingWay(planBatch(state, commands));
    return answer(new Map(plans.map((plan) => [plan.of, plan.answer])), () =>
      together([saveLocks(tx, projectId, state, plans), saveValidations(tx, projectId, keptOf(plans))]),
    );
  },
});

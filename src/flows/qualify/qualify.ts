import { type Answer, refusal, refusedAnswer } from "../../core/answer.ts";
import type { ReadFlow } from "../../db/batches/batch.ts";
import { cartsFrom } from "../../steps/checkout/carts.ts";
import { readAhead } from "./ahead.ts";
import { qualifyRequestFault } from "./plan.ts";
import { answerInRounds } from "./rounds.ts";
import type { QualifyCommand, QualifyRequest } from "./state.ts";

const NO_TYPES: ReadonlySet<string> = new Set();

/** Which redeemables a customer can use, each alone on the cart. Nothing is written. */
export const qualify: ReadFlow<QualifyCommand, Answer> = {
  name: "qualify",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  read: async (db, _, commands) => {
    const { project } = commands[0]!;
    const ahead = await readAhead(db, project, commands);
    const carts = cartsFrom(project, commands, ahead.carts, NO_TYPES);
    const refusals = new Map<QualifyCommand, Answer>();
    const requests = commands.flatMap((command, n): QualifyRequest[] => {
      const cart = carts[n]!;
      const fault = "refused" in cart ? cart.refused : qualifyRequestFault(command);
      if (fault) refusals.set(command, refusedAnswer(fault, command.request_id));
      return fault || "refused" in cart ? [] : [{ command, cart }];
    });
    const answers = await answerInRounds(db, project, requests, ahead);
    return commands.map((command) => answers.get(command) ?? refusals.get(command)!);
  },
};

import type { Answer } from "../../core/answer.ts";
import type { Caller } from "../../ctx.ts";
import type { Engine } from "../engine.ts";
import type { Route } from "../route.ts";
import { createCodeGuard } from "./wrong-codes.ts";
import { createPasswordGuard } from "./wrong-passwords.ts";

type Guard = (
  request: Parameters<ReturnType<typeof createCodeGuard>>[0] & Parameters<ReturnType<typeof createPasswordGuard>>[0],
  run: () => Promise<Answer>,
) => Promise<Answer>;

/** What keeps codes and passwords from being guessed: the guard that runs an operation, or none. */
export function createGuards(
  engine: Pick<Engine, "wrongCodesMax" | "wrongPasswordsMax" | "processes" | "now" | "sharedCounts">,
) {
  const { wrongCodesMax, wrongPasswordsMax = 0, processes, sharedCounts: shared } = engine;
  const counting = { processes, nowMs: () => Date.parse(engine.now()), shared };
  const guardCodes = createCodeGuard(wrongCodesMax, counting);
  const guardPasswords = createPasswordGuard(wrongPasswordsMax, counting);
  return (route: Route, caller: Caller): Guard | null => {
    if (route.findsCodes && wrongCodesMax > 0 && caller.kind === "client") return guardCodes;
    return route.findsPasswords && wrongPasswordsMax > 0 ? guardPasswords : null;
  };
}

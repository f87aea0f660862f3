import { ApiError, type ErrorBody } from "./errors.ts";

/**
 * What one request may cost, in steps of about a tenth of a microsecond. The dearest request that is answered takes
 * 100 ms of these, and with all that is not counted less than 250 ms of one core.
 */
export const STEPS_MAX = 1_000_000;

/** Counts what a request costs. The same request always costs the same: caches do not change the count. */
export type Steps = { used: number; readonly max: number };

export const newSteps = (max = STEPS_MAX): Steps => ({ used: 0, max });
/** The counter of a request that begins, or begins again: a batch may be run twice, and is not paid for twice. */
export function restarted(steps: Steps = newSteps()): Steps {
  steps.used = 0;
  return steps;
}

/** A request that went over its budget. It knows whose budget, for a batch refuses only that one request. */
export class TooExpensive extends ApiError {
  readonly steps: Steps;
  constructor(steps: Steps) {
    super("request_too_expensive", {
      details: `The request would take more than ${steps.max} steps: send fewer lines or fewer redeemables at once, make their rules and formulas simpler, or do not sort offers by deal`,
    });
    this.steps = steps;
  }
}

/** The refusal of a request that went over its budget, as a value; anything else is thrown on. */
export function tooExpensive(error: unknown): ErrorBody {
  if (error instanceof TooExpensive) return error.body;
  throw error;
}

/** Pays for work before it is done. Where nobody counts, nothing is paid. */
export function spend(steps: Steps | undefined, more: number): void {
  if (steps === undefined) return;
  if (steps.used + more > steps.max) throw new TooExpensive(steps);
  steps.used += more;
}

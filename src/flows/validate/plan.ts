import { type Answer, refusedAnswer, writtenSuccess } from "../../core/answer.ts";
import type { ErrorBody } from "../../core/errors.ts";
import { refusalIn, refusedBefore } from "../../core/refusals/refusal.ts";
import type { SessionLock, ValidationRow, ValidationTally } from "../../core/rows/validation.ts";
import { tooExpensive } from "../../core/steps.ts";
import { decide } from "../../core/validate/decide.ts";
import { holdInstead } from "../../core/validate/session-locks.ts";
import { candidatesOf, situationOf } from "../../steps/checkout/candidates.ts";
import type { Cart } from "../../steps/checkout/carts.ts";
import { requestFault, settingsBetween, settingsFor } from "../../steps/checkout/requests.ts";
import { unitsFor } from "../../steps/checkout/units.ts";
import type { Validated } from "../../steps/checkout/validation-view.ts";
import { seePoints } from "../../steps/points/point-changes.ts";
import { countOutcomes, keepValidation, locksOfSession, tallyCampaigns } from "./record.ts";
import type { ValidateCommand, ValidateState } from "./state.ts";

/** What one command does. */
export type ValidationPlan = {
  of: ValidateCommand;
  answer: Answer;
  /** Null: the request was refused, and nothing is kept of it. */
  row: ValidationRow | null;
  /** What its session holds from now on; null: what it held before. */
  locks: readonly SessionLock[] | null;
  tallies: readonly ValidationTally[];
};

const planRefusal = (of: ValidateCommand, error: ErrorBody): ValidationPlan => ({
  of,
  answer: { ...refusedAnswer(error, of.request_id), refusal: refusedBefore("validation", error) },
  row: null,
  locks: null,
  tallies: [],
});

/** Each command is planned on what those before it left. */
export function* planBatch(state: ValidateState, commands: readonly ValidateCommand[]): Generator<ValidationPlan> {
  for (const command of commands) {
    const plan = planValidation(state, command);
    applyValidationPlan(state, plan);
    yield plan;
  }
}

/** The state becomes what the next command of the batch finds: it sees what this one's session holds. */
function applyValidationPlan({ sessions }: ValidateState, { of: { session }, locks }: ValidationPlan): void {
  if (locks) holdInstead(sessions, session!.key, locks);
}

/**
 * What a command does. The state stays as it is. What costs too much is refused alone: the others of the batch are decided
 * as without it.
 */
export function planValidation(state: ValidateState, command: ValidateCommand): ValidationPlan {
  try {
    const validated = decideRequest(state, command);
    if ("refused" in validated) return planRefusal(command, validated.refused);
    const shown = command.show(validated);
    if ("refused" in shown) return planRefusal(command, shown.refused as ErrorBody);
    // Whoever asks which of all promotions apply is refused nothing.
    const { cart, settings, situation } = validated;
    const within = { kind: "validation" as const, customer: cart.customer, settings, situation };
    const refusal = command.alone ? null : refusalIn(validated.decisions[0]!, within);
    const answer = writtenSuccess(shown);
    return planSuccess(command, validated, refusal ? { ...answer, refusal } : answer);
  } catch (error) {
    return planRefusal(command, tooExpensive(error));
  }
}

function planSuccess(command: ValidateCommand, validated: Validated, answer: Answer): ValidationPlan {
  const decision = validated.decisions[0]!;
  const locks = command.session && locksOfSession(command, decision);
  // Contract is silent: whoever asks which of all promotions apply validates none of them.
  const campaigns = command.alone ? null : countOutcomes(decision);
  return {
    of: command,
    answer,
    row: keepValidation(command, validated, campaigns),
    locks,
    tallies: campaigns ? tallyCampaigns(command, campaigns) : [],
  };
}

/** Decides about the redeemables of a request: all together, or each alone. */
function decideRequest(state: ValidateState, command: ValidateCommand): Validated | { refused: ErrorBody } {
  const { catalog, id, request_id, session, newId } = command;
  const cart = state.carts.get(command)!;
  if ("refused" in cart) return cart;
  const settings = settingsFor(catalog);
  // All promotions are looked at, however many may be combined.
  const limit = command.alone ? { redeemables_limit: Number.POSITIVE_INFINITY } : {};
  const fault = requestFault(command, { ...settings, ...limit });
  if (fault) return { refused: fault };
  const candidates = findCandidates(state, command, cart);
  if ("refused" in candidates) return candidates;
  const units = unitsFor(state.unitTypes, state.units, catalog, cart);
  const situation = { ...situationOf(command, cart, units), ...command.alone };
  const decisions = (command.alone ? candidates.map((candidate) => [candidate]) : [candidates]).map((together) =>
    decide(together, cart.order, { settings: settingsBetween(command), situation }),
  );
  return { id, cart, settings, situation, decisions, session, request_id, newId };
}

const findCandidates = (state: ValidateState, command: ValidateCommand, { customer, email }: Cart) =>
  candidatesOf(command, {
    voucherOf: (reference) => {
      const found = state.voucherOf(reference, command.project);
      const card = found && state.points.get(found.row.id);
      return card ? { ...found, card: seePoints(card, command) } : found;
    },
    stockOf: (id) => state.stock.get(id) ?? null,
    heldOf: (id) => state.sessions.held.get(id),
    use: state.use,
    budgets: state.budgets,
    customerId: customer?.id ?? null,
    email,
  });

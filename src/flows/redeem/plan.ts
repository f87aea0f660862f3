import { refusedAnswer } from "../../core/answer.ts";
import type { Asker } from "../../core/redeem/counters.ts";
import { EMPTY_PLAN } from "../../core/redeem/plan.ts";
import { type AppliedStep, stepsOf } from "../../core/redeem/redemption-plan.ts";
import {
  failureRows,
  type RedeemRefusal,
  refuseInvalid,
  refuseLapsed,
  refuseOtherPrice,
  refuseUncountable,
} from "../../core/redeem/refuse.ts";
import { refusalIn, refusedBefore } from "../../core/refusals/refusal.ts";
import { redeemableShown } from "../../steps/checkout/redemption-view.ts";
import { type RedeemRequest, settingsFor } from "../../steps/checkout/requests.ts";
import { draftCards } from "../../steps/points/card-drafts.ts";
import { decideRequest, type RedeemAttempt } from "./decide.ts";
import { applyRedeemPlan, type RedeemPlan } from "./redeem-plan.ts";
import { refuseSpending } from "./spending.ts";
import type { RedeemState } from "./state.ts";
import { planSuccess, requestKept } from "./succeed.ts";
import { redemptionParts, stackKept } from "./webhook-parts.ts";

/** Nothing but an answer. */
const NOTHING = {
  ...EMPTY_PLAN,
  receipt: null,
  customers: [],
  additions: [],
  gifts: null,
  released: [],
  overrides: [],
  events: [],
  referred: [],
  triggers: [],
  touched: [],
} as const satisfies Partial<RedeemPlan>;

/** What a command does. The state stays as it is. */
export function planRedemption(state: RedeemState, command: RedeemRequest): RedeemPlan {
  const cards = draftCards(state.points);
  const attempt = decideRequest(state, command, cards);
  // Also who is refused has looked at a card: what time brought to it is saved.
  const own = { of: command, points: cards.touched };
  if ("refused" in attempt) {
    const answer = refusedAnswer(attempt.refused, command.request_id);
    return { ...NOTHING, ...own, answer: { ...answer, refusal: refusedBefore("redemption", attempt.refused) } };
  }
  const { decision, customer, cart, candidates, settings, situation, promised } = attempt;
  const asker: Asker = { api_key_id: command.api_key_id, customer_id: customer?.row.id ?? null, starts: state.starts };
  const steps = stepsOf(decision, asker, state.vouchers);
  const refusal = refusalOf(attempt, steps);
  const plan = refusal ? planFailure(attempt, refusal) : planSuccess(attempt, steps);
  const noted = refusalIn(decision, {
    kind: "redemption",
    customer: customer?.row ?? null,
    settings,
    situation,
    ...(refusal && { error: refusal.error, redemption_id: plan.redemptions.at(-1)!.id }),
  });
  return {
    ...NOTHING,
    ...own,
    ...plan,
    ...(noted && { answer: { ...plan.answer, refusal: noted } }),
    receipt: {
      request: command,
      // The last row is that of the stack, of the one redeemable, or of the failure.
      redemption: plan.redemptions.at(-1)!,
      order: "orders" in plan ? (plan.orders[0] ?? null) : null,
      inputs: { candidates, order: cart.order, settings, situation, promised },
      decision,
    },
  };
}

/** Why nothing is redeemed; null: all is well. */
function refusalOf(attempt: RedeemAttempt, steps: readonly AppliedStep[]): RedeemRefusal | null {
  const { command, state, decision, promised } = attempt;
  const isPartial = settingsFor(command.catalog).redeemables_application_mode === "PARTIAL";
  // Units are within their limits anyway.
  const uncountable = () => steps[state.use.passing(steps)];
  const full = (step: AppliedStep | undefined) => (step ? refuseUncountable(step.redeemable) : null);
  return (
    (promised && refuseLapsed(decision, promised)) ??
    refuseInvalid(decision, { isPartial }) ??
    (promised && refuseOtherPrice(decision, promised)) ??
    full(uncountable()) ??
    refuseSpending(attempt, steps)
  );
}

/** Nothing changes but that it is known. */
function planFailure(attempt: RedeemAttempt, refusal: RedeemRefusal) {
  const { command, customer } = attempt;
  const { catalog, newId } = command;
  // A customer who would only be made by this redemption is not made by its failure.
  const customer_id = customer && !customer.created ? customer.row.id : null;
  const redemptions = failureRows(
    {
      request: { ...requestKept(attempt), customer_id },
      newId,
      campaignNameOf: (id) => catalog.campaigns.get(id)?.name ?? null,
      shownOf: (redeemable) => redeemableShown(redeemable, catalog),
    },
    refusal,
  );
  const happened = redemptions.map((row) => ({
    kind: "customer.redemption.failed" as const,
    customer_id: row.customer_id,
    voucher_id: row.related_object_type === "voucher" ? row.related_object_id : null,
    campaign_id: row.campaign_id,
    payload: { redemption_id: row.id, failure_code: row.failure_code, ...stackKept(attempt) },
    shown: () => redemptionParts(attempt, row, { vouchers: [], entries: [], order: null }),
  }));
  const { id } = redemptions.at(-1)!;
  return {
    redemptions,
    events: [{ of: command, happened }],
    answer: refusedAnswer({ ...refusal.error, resource_id: id, resource_type: "redemption" }, command.request_id),
  };
}

/** Each command is planned on what those before it left. */
export function* planRound(state: RedeemState, round: readonly RedeemRequest[]): Generator<RedeemPlan> {
  for (const command of round) {
    const plan = planRedemption(state, command);
    applyRedeemPlan(state, plan);
    yield plan;
  }
}

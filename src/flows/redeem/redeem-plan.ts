import type { Answer } from "../../core/answer.ts";
import type { Addition } from "../../core/redeem/counters.ts";
import { applyPlan, mergePlans, type Plan } from "../../core/redeem/plan.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import { holdInstead } from "../../core/validate/session-locks.ts";
import type { EventsOf } from "../../events/events.ts";
import type { KeptDecision } from "../../steps/checkout/receipts.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import type { Overrides } from "../../steps/goods/overrides.ts";
import type { EarningTrigger } from "../../steps/points/earning-triggers.ts";
import type { PointCard } from "../../steps/points/point-cards.ts";
import { noteCauses } from "../../steps/points/point-changes.ts";
import type { Referred } from "../../steps/referrals/referrals.ts";
import type { RewardGifts } from "../../steps/rewards/reward-handouts.ts";
import type { RedeemState } from "./state.ts";

/** What one command does. */
export type RedeemPlan = Plan & {
  of: RedeemRequest;
  answer: Answer;
  /** What was decided on; null: nothing was. */
  receipt: KeptDecision | null;
  /** The customer and the referrer as the request describes them; none when it is refused. */
  customers: readonly SavedCustomer[];
  /** What its redemptions add to what is counted. */
  additions: readonly Addition[];
  /** Loyalty cards that were looked at, with what time and the request brought. */
  points: ReadonlyMap<string, PointCard>;
  /** What its rewards bring from other campaigns; null: nothing. */
  gifts: RewardGifts | null;
  /** Sessions that are over with it. */
  released: readonly string[];
  overrides: readonly { overrides: Overrides; made: RedeemRequest }[];
  events: readonly EventsOf<RedeemRequest>[];
  /** Friends who may have come through a referral code. */
  referred: readonly Referred<RedeemRequest>[];
  /** An order that was paid or cancelled: points may follow. */
  triggers: readonly EarningTrigger[];
  /** Customers whom it changed something for. */
  touched: readonly string[];
};

/** The state becomes what the next command of the round finds. */
export function applyRedeemPlan(state: RedeemState, plan: RedeemPlan): void {
  applyPlan(state, plan);
  for (const { id, source_id } of plan.orders) if (source_id !== null) state.orderIds.set(source_id, id);
  for (const customer of plan.customers) state.customers.accept(customer);
  for (const { subject, asker, values } of plan.additions) state.use.add(subject, asker, values);
  state.budgets.add(plan.units);
  for (const [id, card] of plan.points) state.points.set(id, card);
  if (plan.gifts) state.handouts!.accept(plan.gifts);
  for (const key of plan.released) holdInstead(state.sessions, key, []);
}

/** What the commands of a round do, one after the other, as one. */
export type RoundPlan = ReturnType<typeof mergeRedeemPlans>;
export function mergeRedeemPlans(plans: readonly RedeemPlan[]) {
  const caused = new Map<string, RedeemRequest>();
  for (const { of, points } of plans) for (const card of points.values()) noteCauses(caused, card, of);
  return {
    ...mergePlans(plans),
    /** Which request brought a transaction of a loyalty card. */
    caused,
    released: new Set(plans.flatMap(({ released }) => released)),
    overrides: plans.flatMap(({ overrides }) => overrides),
    events: plans.flatMap(({ events }) => events),
    referred: plans.flatMap(({ referred }) => referred),
    triggers: plans.flatMap(({ triggers }) => triggers),
    /** Customers, with the last request that was theirs. */
    touched: new Map(plans.flatMap(({ of, touched }) => touched.map((id) => [id, of] as const))),
  };
}

import type { Answer } from "../../core/answer.ts";
import { applyPlan, mergePlans, type Plan } from "../../core/redeem/plan.ts";
import type { CounterRow } from "../../core/rows/counter.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { CommandHead } from "../../ctx.ts";
import type { EventsOf } from "../../events/events.ts";
import { type CartSent, customerSent } from "../../steps/checkout/carts.ts";
import type { CustomersAtWork } from "../../steps/customers/customers.ts";
import type { EarningTrigger } from "../../steps/points/earning-triggers.ts";
import type { PointCard } from "../../steps/points/point-cards.ts";
import { noteCauses } from "../../steps/points/point-changes.ts";

/** A request to roll back a redemption, or a stack of them. */
export type RollBackRequest = CommandHead & {
  redemption_id: string;
  /** The operation for stacks answers with a list. */
  takes_stacks: boolean;
  sent: CartSent & { metadata?: Readonly<Record<string, unknown>> | null | undefined };
  reason: string | null;
};

/** What a round of rollbacks is decided from: rows that are locked, as each command finds them after those before it. */
export type RollBackState = {
  round: readonly RollBackRequest[];
  customers: CustomersAtWork;
  redemptions: Map<string, RedemptionRow>;
  orders: Map<string, OrderRow>;
  counters: Map<string, CounterRow>;
  vouchers: Map<string, VoucherRow>;
  lots: Map<string, LotRow>;
  /** Loyalty cards, with what has happened to them. */
  points: Map<string, PointCard>;
  /** The rewards that are there to be given back. */
  rewardIds: ReadonlySet<string>;
};

/** What one command does. */
export type RollBackPlan = Plan & {
  of: RollBackRequest;
  answer: Answer;
  /** The customer as the request describes them; null: it does not, or it is refused. */
  customer: SavedCustomer | null;
  /** Loyalty cards that points came back to. */
  points: ReadonlyMap<string, PointCard>;
  events: readonly EventsOf<RollBackRequest>[];
  /** An order that was cancelled, or had its redemption taken back: points may follow. */
  triggers: readonly EarningTrigger[];
  /** Customers whom it changed something for. */
  touched: readonly string[];
};

/** The state becomes what the next command of the round finds. */
export function applyRollBackPlan(state: RollBackState, plan: RollBackPlan): void {
  applyPlan(state, plan);
  if (plan.customer) state.customers.accept(plan.customer);
  for (const [id, card] of plan.points) state.points.set(id, card);
}

/** What the commands of a round do, one after the other, as one. */
export function mergeRollBackPlans(plans: readonly RollBackPlan[]) {
  const caused = new Map<string, RollBackRequest>();
  for (const { of, points } of plans) for (const card of points.values()) noteCauses(caused, card, of);
  return {
    ...mergePlans(plans),
    /** Which request brought a transaction of a loyalty card. */
    caused,
    events: plans.flatMap(({ events }) => events),
    triggers: plans.flatMap(({ triggers }) => triggers),
    touched: new Set(plans.flatMap(({ touched }) => touched)),
  };
}

/** The customer whom a body names; null without an id and a source id. */
export function customerNamedIn({ sent }: RollBackRequest): CartSent["customer"] {
  const customer = customerSent(sent);
  return customer?.id || customer?.source_id ? sent.customer : null;
}

import type { MemberRow, OutcomeRow, TransactionRow } from "../../rows/loyalty.ts";
import type { CardAtWork, SpentPoints } from "../card/card-at-work.ts";
import { type CampaignCause, undoneBy } from "./triggers.ts";

/** Whose request a transaction follows from, and the event that tells of it where something else names that. */
export type TransactionOrigin<O> = { of: O; event?: string };
/** An order that earned, or was returned. One that had nothing to give back was returned too: what is paid after that is paid anew. */
export type OrderDone = { id: string; cause: CampaignCause; isDone: boolean; at: string };

/**
 * What follows from one event: on codes of loyalty campaigns, or for members of programs. It is data: nothing is
 * written, and the rows that it was made from stay as they are.
 */
export type EarningPlan<C = CardAtWork, O = unknown, E = unknown, G = unknown> = {
  /** Cards as they are afterwards, with their ledger entries, lots and moves between tiers, by id. */
  readonly cards: ReadonlyMap<string, C>;
  /** Members whom a rule gave something, as they are afterwards: it is counted how often. */
  readonly members: ReadonlyMap<string, MemberRow>;
  /** What each rule decided for a member. */
  readonly outcomes: readonly OutcomeRow[];
  /** The transactions of benefits. */
  readonly transactions: readonly TransactionRow[];
  /** How many were given of benefits that are limited, by id. */
  readonly benefits: ReadonlyMap<string, number>;
  /** Codes that customers are given: by a benefit, or because they join a loyalty campaign. */
  readonly gifts: readonly G[];
  readonly orders: readonly OrderDone[];
  /** Points that were spent on rewards which nobody asked for. */
  readonly spent: readonly SpentPoints[];
  /** Where the transactions of the cards come from, by their ids. */
  readonly origins: ReadonlyMap<string, TransactionOrigin<O>>;
  /** What is told of it, beside what the cards tell. */
  readonly events: readonly { of: O; happened: readonly E[] }[];
};

/** The plan of an event that earns nothing. */
export const NOTHING_EARNED: EarningPlan<never, never, never, never> = Object.freeze({
  cards: new Map<string, never>(),
  members: new Map<string, never>(),
  outcomes: [],
  transactions: [],
  benefits: new Map<string, never>(),
  gifts: [],
  orders: [],
  spent: [],
  origins: new Map<string, never>(),
  events: [],
});

/** One plan that does what these do, one after the other. */
export function mergeEarningPlans<C, O, E, G>(plans: readonly EarningPlan<C, O, E, G>[]): EarningPlan<C, O, E, G> {
  const benefits = new Map<string, number>();
  for (const plan of plans) for (const [id, by] of plan.benefits) benefits.set(id, (benefits.get(id) ?? 0) + by);
  return {
    cards: new Map(plans.flatMap(({ cards }) => [...cards])),
    members: new Map(plans.flatMap(({ members }) => [...members])),
    outcomes: plans.flatMap(({ outcomes }) => outcomes),
    transactions: plans.flatMap(({ transactions }) => transactions),
    benefits,
    gifts: plans.flatMap(({ gifts }) => gifts),
    orders: plans.flatMap(({ orders }) => orders),
    spent: plans.flatMap(({ spent }) => spent),
    origins: new Map(plans.flatMap(({ origins }) => [...origins])),
    events: plans.flatMap(({ events }) => events),
  };
}

/** What an order has done last, as it is noted in memory. */
export const doneKey = (cause: CampaignCause, orderId: string): string => `${cause} ${orderId}`;

/** Rows that a plan may change, as far as a batch holds them in memory. */
type EarningRows<C, G> = {
  cards: Map<string, C>;
  members?: Map<string, MemberRow>;
  /** What is left of benefits that are limited. */
  stock?: Map<string, number>;
  /** What orders have done last: earned, or given back. Either makes the other possible again. */
  done?: Set<string>;
  /** What codes are given from; null: none is given. */
  handouts?: { accept(gift: G): void } | null;
};

/** The rows become what the next event of the batch finds. */
export function applyEarningPlan<C, G>(rows: EarningRows<C, G>, plan: EarningPlan<C, unknown, unknown, G>): void {
  for (const [id, card] of plan.cards) rows.cards.set(id, card);
  for (const [id, member] of plan.members) rows.members?.set(id, member);
  for (const [id, by] of plan.benefits) rows.stock?.set(id, rows.stock.get(id)! - by);
  for (const gift of plan.gifts) rows.handouts?.accept(gift);
  for (const { id, cause, isDone } of plan.orders) {
    for (const other of undoneBy(cause)) rows.done?.delete(doneKey(other, id));
    if (isDone) rows.done?.add(doneKey(cause, id));
  }
}

/** Each event is planned on what those before it left. Returns what all of them do. */
export function planInOrder<C, O, E, G, S extends EarningRows<C, G>, T>(
  state: S,
  causes: readonly T[],
  plan: (state: S, cause: T) => EarningPlan<C, O, E, G>,
): EarningPlan<C, O, E, G> {
  return mergeEarningPlans(
    causes.map((cause) => {
      const planned = plan(state, cause);
      applyEarningPlan(state, planned);
      return planned;
    }),
  );
}

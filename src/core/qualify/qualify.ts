import type { CompiledFilter } from "../filters/predicate.ts";
import { type Order, totalsOf } from "../order/order.ts";
import { rulesHold } from "../rules/evaluate.ts";
import { type StackingSettings, withinStack } from "../stacking/settings.ts";
import { skipsWithoutEffect } from "../stacking/walk.ts";
import { spend } from "../steps.ts";
import { calculationOf, type Decision, decide } from "../validate/decide.ts";
import { redeemableFacts } from "../validate/facts.ts";
import { judge } from "../validate/judge.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import type { Applied, Running, Situation } from "../validate/situation.ts";
import type { Offer, SingleOffer, StackOffer } from "./offer.ts";
import { concernsItems } from "./products.ts";
import { asksEverything, SCENARIOS, type Scenario, type ScenarioName } from "./scenario.ts";

/** For each offer that is tried, beside what its rules and its discount cost. */
const OFFER_STEPS = 10;

/** What is asked of every offer. */
export type Question = {
  scenario: Scenario;
  order: Order | null;
  settings: StackingSettings;
  situation: Situation;
  filter: CompiledFilter | null;
  /** Whether credits that sessions hold are shown, and with them the cards that have no others. */
  showsLocks?: boolean;
};

export const questionOf = (
  scenario: ScenarioName,
  given: Omit<Question, "scenario" | "situation"> & { situation: Omit<Situation, "calculation" | "asked" | "explain"> },
): Question => ({
  ...given,
  scenario: SCENARIOS[scenario],
  situation: {
    ...given.situation,
    calculation: calculationOf(given.settings),
    asked: SCENARIOS[scenario].asked,
  },
});

/** The state of a redeemable now, where the offer holds what is configured only. */
export type Current = (offer: SingleOffer) => Redeemable;

/** An offer that can be used, and what it does to the order alone. */
export type SingleMatch = { offer: SingleOffer; redeemable: Redeemable; applied: Applied };
export type StackMatch = { offer: StackOffer; decision: Decision };
export type Match = SingleMatch | StackMatch;

/** Tries an offer alone on the order; null when it cannot be used. */
export const qualifyOffer = (offer: Offer, question: Question, current: Current = configured): Match | null =>
  offer.object === "promotion_stack"
    ? qualifyStack(offer, question, current)
    : qualifySingle(offer, question, current(offer));

const configured: Current = ({ redeemable }) => redeemable;

function qualifySingle(offer: SingleOffer, question: Question, redeemable: Redeemable): SingleMatch | null {
  const { scenario, order, situation } = question;
  spend(situation.steps, OFFER_STEPS);
  const running: Running = { order, blocked: new Set(), applied: [] };
  // Most are refused by their rules, and nobody is told why.
  const facts = redeemableFacts(redeemable, running, situation);
  const options = { phase: "before", ...situation.asked } as const;
  if (!redeemable.rules.every(({ definition }) => rulesHold(definition, facts, options))) return null;
  const applied = judge(withCredits(offer, redeemable, question), running, situation);
  if ("error" in applied) return null;
  if (asksEverything(scenario) && !applied.hasEffect && skipsWithoutEffect(redeemable, question.settings)) return null;
  if (scenario.items !== null && !concernsItems(scenario.items, redeemable, { applied, order, steps: situation.steps }))
    return null;
  return { offer, redeemable, applied: withPoints(redeemable, applied) };
}

/**
 * What is spent where a validation would ask how much. A card without a reward buys nothing, but may be used. A gift card
 * without an amount to pay is offered only where the cart is not asked for, and with all its credits.
 */
function withCredits(
  { object }: SingleOffer,
  redeemable: Redeemable,
  { scenario, order, showsLocks = false }: Question,
): Redeemable {
  const { benefit } = redeemable;
  if (benefit.kind === "points" && benefit.reward === null)
    return { ...redeemable, benefit: { kind: "gift", balance: 0, locked: 0, effect: "APPLY_TO_ORDER", requested: 0 } };
  if (benefit.kind !== "gift" || benefit.balance <= 0) return redeemable;
  const available = Math.max(0, benefit.balance - benefit.locked);
  // A validation confirms what these scenarios offer. Of a campaign nothing is validated.
  const isConfirmed = asksEverything(scenario) && object !== "campaign";
  const isShown = available > 0 ? !isConfirmed && (order?.amount ?? null) === null : !isConfirmed || showsLocks;
  return isShown ? { ...redeemable, benefit: { ...benefit, requested: available } } : redeemable;
}

function withPoints({ benefit }: Redeemable, { gift, ...applied }: Applied): Applied {
  if (benefit.kind !== "points") return { ...applied, ...(gift && { gift }) };
  return {
    ...applied,
    loyalty_card: applied.loyalty_card ?? { points: benefit.received ?? benefit.balance },
  };
}

/** The tiers one after the other, in the order of the stack; every one of them has to apply. */
function qualifyStack(offer: StackOffer, question: Question, current: Current): StackMatch | null {
  const settings: StackingSettings = { ...withinStack(question.settings), redeemables_application_mode: "ALL" };
  const { order, situation } = question;
  const decision = decide(offer.tiers.map(current), order, { settings, situation });
  const isWhole =
    decision.decided.length > 0 && decision.decided.every(({ outcome }) => outcome.status === "APPLICABLE");
  return isWhole ? { offer, decision } : null;
}

/** What comes off the order: deals are compared by it. */
export function dealOf(match: Match): number {
  const order = "decision" in match ? match.decision.order : match.applied.order;
  return order ? totalsOf(order).total_applied_discount_amount : 0;
}

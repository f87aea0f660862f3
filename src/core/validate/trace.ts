import { type Caps, type Explained, moneyText } from "../discounts/explain.ts";
import { definitionOf } from "../discounts/registry.ts";
import { shownPercent } from "../money/amounts.ts";
import { type Order, totalsOf } from "../order/order.ts";
import { type Trace, traceRules } from "../rules/trace.ts";
import type { StackingSettings } from "../stacking/settings.ts";
import { type Steps, spend } from "../steps.ts";
import { lacksBundle, type TracedCheck, traceChecks } from "./checks.ts";
import { calculationOf, type Decided, type Decision } from "./decide.ts";
import { redeemableFacts } from "./facts.ts";
import { applyBenefit, EMPTY_ORDER, type Failure, heldBundle } from "./judge.ts";
import type { Redeemable, RedeemableBenefit } from "./redeemable.ts";
import type { Applied, Running, Situation } from "./situation.ts";

export type TracedRules = { id: string; passed: boolean; trace: Trace };
export type TracedAmounts = { amount: number | null; total_discount_amount: number; total_amount: number };
/** A step of the arithmetic, in words and in numbers. Amounts are in minor units, in the words in major ones. */
export type TracedStep = { kind: string; says: string } & Readonly<Record<string, unknown>>;
export type TracedCalculation = {
  before: TracedAmounts | null;
  steps: readonly TracedStep[];
  /** How many steps are not shown. */
  more?: number;
  after: TracedAmounts | null;
};
export type RedeemableTrace = {
  id: string;
  object: string;
  status: Decided["outcome"]["status"];
  /** The key of the error or of the skip; null when it applies. */
  decided_by: string | null;
  checks: readonly TracedCheck[];
  rules: readonly TracedRules[];
  bundle?: { quantity: number; limit: number; passed: boolean };
  calculation?: TracedCalculation;
};

/** For each piece of the arithmetic, and for each that is put into words. */
const PIECE_STEPS = 5;
const SHOWN_STEPS = 100;
const CHARACTERS_PER_STEP = 20;
const STEPS_MAX = 50;
const FORMULA_STEPS_MAX = 20;

export type TraceWithin = { settings: StackingSettings; situation: Omit<Situation, "calculation"> };

/** Why each redeemable of a decision came out as it did: the same questions, asked again of the same facts. */
export function traceDecision({ decided }: Decision, { settings, situation }: TraceWithin): RedeemableTrace[] {
  const within: Situation = { ...situation, calculation: calculationOf(settings) };
  return decided.map((settled) => traceDecided(settled, within));
}

function traceDecided({ candidate, outcome, before }: Decided, situation: Situation): RedeemableTrace {
  const head = {
    id: candidate.id,
    object: candidate.object,
    status: outcome.status,
    decided_by:
      outcome.status === "INAPPLICABLE"
        ? outcome.failure.error.key
        : outcome.status === "SKIPPED"
          ? outcome.reason
          : null,
  };
  // What was skipped without having been tried has nothing to tell but the reason.
  if (outcome.status === "SKIPPED" && outcome.reason !== "no_effect") return { ...head, checks: [], rules: [] };
  if ("unknown" in candidate)
    return { ...head, checks: [{ check: "exists", passed: false, seen: false, expected: true }], rules: [] };
  return { ...head, ...traceTried(candidate, before, situation) };
}

/** The walk of `judge`, told step by step. */
function traceTried(
  redeemable: Redeemable,
  running: Running,
  situation: Situation,
): Omit<RedeemableTrace, "id" | "object" | "status" | "decided_by"> {
  const checks = traceChecks(redeemable, situation);
  if (checks.some(({ passed }) => !passed)) return { checks, rules: [] };
  const rules = tracedRules(redeemable, running, situation, null);
  const found = heldBundle(redeemable, running.order ?? EMPTY_ORDER, situation);
  const bundle = found && { quantity: found.quantity, limit: found.limit, passed: !lacksBundle(found, situation) };
  const start = { checks, rules, ...(bundle && { bundle }) };
  if (rules.some(({ passed }) => !passed) || bundle?.passed === false) return start;
  // A formula is worked out for every line, and once more for what is shown: the same result is told once.
  const told = new Map<string, Explained>();
  const explain = (piece: Explained): void => {
    spend(situation.steps, PIECE_STEPS);
    const text = piece.kind === "formula" ? JSON.stringify(piece) : `${told.size}`;
    spend(situation.steps, Math.ceil(text.length / CHARACTERS_PER_STEP));
    told.set(text, piece);
  };
  const applied = applyBenefit(redeemable, running, { situation: { ...situation, explain }, bundle: found });
  const calculation = calculationFor(redeemable, running, {
    pieces: [...told.values()],
    applied,
    steps: situation.steps,
  });
  if ("error" in applied) return { ...start, calculation };
  return { ...start, rules: tracedRules(redeemable, running, situation, applied), calculation };
}

function tracedRules(
  redeemable: Redeemable,
  running: Running,
  situation: Situation,
  applied: Applied | null,
): TracedRules[] {
  const facts = redeemableFacts(redeemable, running, situation, applied ?? undefined);
  const options = { phase: applied ? "after" : "before", ...situation.asked } as const;
  return redeemable.rules.map(({ id, definition }) => {
    const trace = traceRules(definition, facts, options);
    return { id, passed: trace.passed, trace: withoutLogins(trace) };
  });
}

/** Names of people who work in the project are nobody's business in the answer to a shop. */
function withoutLogins(trace: Trace): Trace {
  if (trace.kind !== "rule") return { ...trace, terms: trace.terms.map(withoutLogins) };
  if (trace.name !== "redemption.user.login") return trace;
  return { ...trace, seen: null, conditions: trace.conditions.map((one) => ({ ...one, expected: [] })) };
}

const tracedAmounts = (order: Order | null): TracedAmounts | null => {
  if (order === null) return null;
  const { total_discount_amount, total_amount } = totalsOf(order);
  return { amount: order.amount, total_discount_amount, total_amount };
};

function calculationFor(
  { benefit }: Redeemable,
  { order }: Running,
  { pieces, applied, steps }: { pieces: readonly Explained[]; applied: Applied | Failure; steps: Steps | undefined },
): TracedCalculation {
  const done = "error" in applied ? null : applied;
  const spent = spentOf(benefit, order, done);
  const units = benefit.kind === "discount" && definitionOf(benefit.discount).kind === "goods" ? tracedUnits(done) : [];
  const more = spent.length + pieces.length + units.length - STEPS_MAX;
  // Words take longer than the arithmetic: only what is shown is put into them.
  spend(steps, SHOWN_STEPS * Math.min(STEPS_MAX, pieces.length));
  const all = [...spent, ...pieces.slice(0, STEPS_MAX).map(tracedStep), ...units];
  return {
    before: tracedAmounts(order),
    steps: all.slice(0, STEPS_MAX),
    ...(more > 0 && { more }),
    after: tracedAmounts(done?.order ?? null),
  };
}

/** The cap that cut an amount, and what is left of it. */
function cutBy(amount: number, caps: Caps): { taken: number; cut?: { by: string; to: number } } {
  let [taken, by] = [amount, null as string | null];
  for (const [name, most] of Object.entries(caps)) if (most != null && most < taken) [taken, by] = [most, name];
  taken = Math.max(0, taken);
  return by === null ? { taken } : { taken, cut: { by, to: taken } };
}
const CAP_WORDS: Readonly<Record<string, string>> = {
  line: "what is left of the line",
  order: "what is left to pay",
  amount_limit: "amount_limit of the discount",
  aggregated_amount_limit: "aggregated_amount_limit of the discount",
  units: "what the units it is for cost",
  product_amount_limit: "amount_limit of the product",
  product_aggregated_amount_limit: "aggregated_amount_limit of the product",
};
const cutWords = ({ cut }: ReturnType<typeof cutBy>): string =>
  cut ? `; ${CAP_WORDS[cut.by] ?? cut.by} leaves ${moneyText(cut.to)}` : "";

function tracedStep(piece: Explained): TracedStep {
  switch (piece.kind) {
    case "formula": {
      const { formula, value, steps } = piece;
      const says = value === null ? "the formula has no value: the fixed one holds" : `the formula gives ${value}`;
      return { kind: "formula", says, formula, value, steps: steps.slice(0, FORMULA_STEPS_MAX) };
    }
    case "order": {
      const { type, value, base, amount, caps } = piece;
      const cut = cutBy(amount, caps);
      const says = `${piece.words(piece)}${cutWords(cut)}`;
      return { kind: "order", says, type, value: shownPercent(value), base, amount, ...cut };
    }
    case "line":
      return lineStep(piece);
    case "split": {
      const { value, caps, whole, by, shares } = piece;
      const parts = shares.map(({ share }) => moneyText(share)).slice(0, STEPS_MAX);
      const says = `${moneyText(value)} off${cutWords(cutBy(value, caps))}; by ${by}: ${parts.join(", ")}`;
      return { kind: "split", says, value, whole, by, shares: shares.slice(0, STEPS_MAX) };
    }
  }
}

function lineStep(piece: Extract<Explained, { kind: "line" }>) {
  const { way, line, units, units_counted, value, base, amount, caps } = piece;
  const cut = cutBy(amount, caps);
  const limited = units_counted < units ? `, ${units_counted} of ${units} units` : "";
  const says = `items[${line}]${limited}: ${way.words(piece)}${cutWords(cut)}`;
  const shown = { value: shownPercent(value), base: Number(base), amount };
  return { kind: "line", says, type: way.name, line, units, units_counted, ...shown, ...cut };
}

/** Free units: what was added to each line, and what came off it. */
const tracedUnits = (applied: Applied | null): TracedStep[] =>
  (applied?.order?.items ?? []).flatMap((item, line) => {
    const { applied_quantity: added, applied_discount_quantity: free, applied_discount_amount: taken } = item;
    if (added === 0 && free === 0 && taken === 0) return [];
    const says = `items[${line}]: ${added < 0 ? `${-added} units taken away` : `${added} units added`}, ${moneyText(taken)} off`;
    return [{ kind: "units", says, line, added, free, taken }];
  });

/** Credits and points: what is there, what others hold, what was wanted and what was used. */
function spentOf(benefit: RedeemableBenefit, order: Order | null, applied: Applied | null): TracedStep[] {
  if (benefit.kind === "discount") return [];
  const { balance, locked, requested } = benefit;
  const isGift = benefit.kind === "gift";
  const shown = (value: number) => (isGift ? moneyText(value) : `${value} points`);
  const used = (isGift ? applied?.gift?.credits : applied?.loyalty_card?.points) ?? 0;
  const payable = order === null || order.amount === null ? null : totalsOf(order).total_amount;
  const wants = requested === null ? "as much as it takes" : shown(requested);
  const pays = payable === null ? "" : `, ${moneyText(payable)} to pay`;
  const says = `${shown(balance)} there, ${shown(locked)} held by others, ${wants} wanted${pays}: ${shown(used)} used`;
  return [{ kind: isGift ? "credits" : "points", says, balance, locked, requested, payable, used }];
}

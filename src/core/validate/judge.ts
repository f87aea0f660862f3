import { applyDiscount, discountSteps, namesProducts, withLimits } from "../discounts/apply.ts";
import { type BundleResult, bundleSteps, findBundles } from "../discounts/bundle.ts";
import { payItemsWithCredits, payStepWithPoints, payWithCredits } from "../discounts/credits.ts";
import { effectOfDiscount } from "../discounts/discount.ts";
import { limitOfCounter, type UsedUnits, unitsCounted } from "../discounts/items.ts";
import { definitionOf } from "../discounts/registry.ts";
import { mergeApplicableTo } from "../discounts/targets.ts";
import { isOf } from "../discounts/units.ts";
import { type ErrorBody, type ErrorKey, errorBody, notFound, notHolder } from "../errors.ts";
import { nextStep, type Order, payable, totalsOf } from "../order/order.ts";
import { orderFault } from "../order/resolve.ts";
import { evaluateRules, hasLateRules, rulesHold } from "../rules/evaluate.ts";
import { spend } from "../steps.ts";
import { lacksBundle, refuseAnyway } from "./checks.ts";
import { redeemableFacts } from "./facts.ts";
import { formulasFor } from "./formulas.ts";
import type { Candidate, Redeemable } from "./redeemable.ts";
import type { Applied, Running, Situation } from "./situation.ts";

/** Why a redeemable does not apply, and the bundle that is not in the cart. */
export type Failure = { error: ErrorBody; bundle?: BundleResult };

export const EMPTY_ORDER: Order = {
  id: null,
  source_id: null,
  amount: null,
  initial_amount: null,
  discount_amount: 0,
  applied_discount_amount: 0,
  items: [],
  metadata: {},
};

const JUDGE_STEPS = 30;
const CREDIT_STEPS = 15;
const WINDOW_STEPS = 400;
const HOURS_STEPS = 30;
/** Dates take long to read, and windows of time longer. */
function validitySteps({ validity }: Redeemable): number {
  const { start_date, expiration_date, validity_timeframe, validity_hours } = validity;
  const dates = start_date === null && expiration_date === null ? 0 : DATES_STEPS;
  return dates + (validity_timeframe ? WINDOW_STEPS : 0) + HOURS_STEPS * (validity_hours?.daily.length ?? 0);
}
const DATES_STEPS = 100;

/** What no cart can change: it is not there, it is off, over or used up. */
export function failsAnyway(candidate: Candidate, situation: Situation): Failure | null {
  const error =
    "unknown" in candidate ? notFound(candidate.object, candidate.id).body : refuseAnyway(candidate, situation);
  return error && { error };
}

/**
 * Decides about one redeemable on the running cart. A refusal is a value with its reason; only a request that has no steps
 * left is thrown out.
 */
export function judge(candidate: Candidate, running: Running, situation: Situation): Applied | Failure {
  if ("unknown" in candidate) return { error: notFound(candidate.object, candidate.id).body };
  spend(situation.steps, JUDGE_STEPS + validitySteps(candidate));
  const refused = refuseAnyway(candidate, situation) ?? ruleFailure(candidate, running, situation, "before");
  if (refused) return { error: refused };
  const bundle = heldBundle(candidate, running.order ?? EMPTY_ORDER, situation);
  if (bundle && lacksBundle(bundle, situation)) return { error: violated("order_rules_violated", candidate), bundle };
  const applied = applyBenefit(candidate, running, { situation, bundle });
  if ("error" in applied) return applied;
  const late = ruleFailure(candidate, running, situation, "after", applied);
  return late ? { error: late, ...(bundle && { bundle }) } : applied;
}

const MISSING: Partial<Record<ErrorKey, string>> = {
  missing_customer: "Customer is required to validate rules",
  missing_order: "Order is required to validate rules",
  missing_order_items: "Order items are required to validate rules",
  missing_amount: "Order amount is required to validate rules",
};

const violated = (
  key: ErrorKey,
  { label, rules }: Redeemable,
  ids = rules.map(({ id }) => id),
  message?: string | null,
) =>
  errorBody(key, {
    details: MISSING[key] ?? `${label} cannot be redeemed because of violated validation rules: ${ids.join(", ")}`,
    ...(message && { error: { message } }),
  });

const PHASES = { before: { phase: "before" }, after: { phase: "after" } } as const;

/** The first rule that does not hold. What only the calculation tells is asked after it. */
function ruleFailure(
  redeemable: Redeemable,
  running: Running,
  situation: Situation,
  phase: "before" | "after",
  applied?: Applied,
): ErrorBody | null {
  const asked =
    phase === "before" ? redeemable.rules : redeemable.rules.filter(({ definition }) => hasLateRules(definition));
  if (asked.length === 0) return null;
  const facts = redeemableFacts(redeemable, running, situation, applied);
  const options = situation.asked ? { ...situation.asked, phase } : PHASES[phase];
  for (const { id, definition } of asked) {
    // Almost all of them hold, and then nobody asks why.
    if (rulesHold(definition, facts, options)) continue;
    const result = evaluateRules(definition, facts, options);
    if (!result.holds) return violated(result.key, redeemable, [id], result.message);
  }
  return null;
}

/** The bundle that the rules ask for, as the cart holds it; of several, the one it holds fewest of. */
export function heldBundle({ rules }: Redeemable, order: Order, { steps }: Situation): BundleResult | undefined {
  let fewest: BundleResult | undefined;
  for (const { bundle } of rules) {
    if (bundle) spend(steps, bundleSteps(order, bundle));
    const found = bundle && findBundles(order, bundle);
    if (found && (fewest === undefined || found.quantity < fewest.quantity)) fewest = found;
  }
  return fewest;
}

/** What it does to the cart, once nothing stands against it. */
export function applyBenefit(
  redeemable: Redeemable,
  running: Running,
  { situation, bundle }: { situation: Situation; bundle: BundleResult | undefined },
): Applied | Failure {
  const { benefit } = redeemable;
  const applicableTo = mergeApplicableTo(redeemable.rules.map(({ definition }) => definition.applicable_to));
  const shared: Shared = { applicableTo, targets: [], replacements: [] };
  if (bundle) shared.bundle = bundle;
  if (benefit.kind === "gift") return applyGift(redeemable, benefit, running, { situation, shared });
  if (benefit.kind === "points") return applyPoints(redeemable, benefit, running, { situation, shared });

  const order = running.order ?? EMPTY_ORDER;
  spend(situation.steps, discountSteps(benefit.discount, order, applicableTo));
  const definition = definitionOf(benefit.discount);
  const effect = definition.effects[effectOfDiscount(benefit.discount, namesProducts(applicableTo))]!;
  const changesGoods = definition.kind === "goods";
  const gone = changesGoods ? goneUnit(effect.adds(benefit.discount), order, situation) : null;
  if (gone !== null) return { error: notFound("product", gone).body };
  if (!changesGoods && effect.on === "lines" && order.items.length === 0 && situation.asked?.only === undefined)
    return {
      error:
        running.order === null
          ? errorBody("missing_order", { details: "Order is required to apply the discount" })
          : errorBody("missing_order_items", { details: "Order items are required to apply the discount" }),
    };
  const step = applyDiscount(benefit.discount, {
    order,
    applicableTo,
    // A bundle that is not there and is not asked for counts as one.
    bundles: bundle?.quantity || 1,
    calculation: situation.calculation(redeemable.category_id),
    blocked: running.blocked,
    units: situation.units,
    usedUnits: usedBefore(redeemable, running),
    formulas: formulasFor(redeemable, order, { situation, bundle }),
    explain: situation.explain,
    steps: situation.steps,
  });
  // What is added may make the cart worth more than a number can hold.
  const fault = changesGoods ? orderFault(step.order) : null;
  if (fault !== null) return { error: errorBody("invalid_payload", { details: fault }) };
  const isUnchanged = running.order === null && step.order.items.length === 0;
  const units = unitsCounted(
    step.order,
    step.targets.filter(({ amount }) => amount > 0 || changesGoods),
  );
  // Written out, for every code of every cart comes through here: `...` in the middle makes it slow.
  const applied: Applied = {
    applicableTo,
    targets: step.targets,
    replacements: step.replacements,
    order: isUnchanged ? null : step.order,
    discount: step.discount,
    hasEffect:
      totalsOf(step.order).total_applied_discount_amount > 0 || step.order.items.some((i) => i.applied_quantity !== 0),
  };
  if (bundle) applied.bundle = bundle;
  if (units.size > 0) applied.units = units;
  return applied;
}

/** Units that were discounted before. Codes and tiers of one campaign share its limits, in one request too. */
function usedBefore({ used_units, campaign_id }: Redeemable, { applied }: Running): UsedUnits {
  if (campaign_id === null) return used_units;
  const same = applied.filter((one) => one.units && one.campaign_id === campaign_id);
  if (same.length === 0) return used_units;
  const all = new Map(used_units);
  for (const { units } of same)
    for (const [key, count] of units!)
      if (limitOfCounter(key).includes("_campaign_")) all.set(key, (all.get(key) ?? 0) + count);
  return all;
}

/** The first of the goods that is neither in the catalogue nor in the cart any more. */
const goneUnit = (goods: readonly string[], { items }: Order, { units }: Situation): string | null =>
  goods.find((id) => !units.has(id) && !items.some((item) => isOf(item, id))) ?? null;

type Shared = Pick<Applied, "applicableTo" | "targets" | "replacements" | "bundle">;

function applyGift(
  redeemable: Redeemable,
  { balance, locked, effect, requested }: Extract<Redeemable["benefit"], { kind: "gift" }>,
  running: Running,
  { situation, shared }: { situation: Situation; shared: Shared },
): Applied | Failure {
  const { order } = running;
  const { asked, steps } = situation;
  spend(steps, CREDIT_STEPS * (order?.items.length ?? 0) + shared.applicableTo.included.length);
  const available = Math.max(0, balance - locked);
  if (requested === null ? available <= 0 : requested > available)
    return { error: errorBody("gift_amount_exceeded", { details: redeemable.id }) };
  if (requested === null && (order === null || order.amount === null))
    return { error: errorBody("missing_amount", { details: "Amount is required when redeeming a GIFT_VOUCHER" }) };
  const wanted = requested ?? available;
  // Without an order nothing is paid for: the credits are spent as they are asked for.
  if (order === null || order.amount === null)
    return {
      ...shared,
      order: order && nextStep(order),
      gift: { credits: wanted, balance: available - wanted },
      hasEffect: wanted > 0,
    };
  const paid =
    effect === "APPLY_TO_ITEMS"
      ? payItemsWithCredits(order, wanted, {
          applicableTo: withLimits(
            shared.applicableTo,
            formulasFor(redeemable, order, { situation, bundle: shared.bundle }),
          ),
          usedUnits: usedBefore(redeemable, running),
        })
      : payWithCredits(order, wanted);
  const isForNothing =
    effect === "APPLY_TO_ITEMS" && !paid.targets.some(({ index }) => order.items[index]!.amount !== null);
  if (isForNothing && asked?.only === undefined)
    return {
      error: errorBody("missing_order_items_amount", {
        details: "At least one applicable order item with amount is required to redeem this GIFT_VOUCHER",
      }),
    };
  const gift = { credits: paid.credits, balance: available - paid.credits };
  const applied: Applied = { ...shared, order: paid.order, gift, targets: paid.targets, hasEffect: paid.credits > 0 };
  const units = unitsCounted(
    paid.order,
    paid.targets.filter(({ amount }) => amount > 0),
  );
  if (units.size > 0) applied.units = units;
  return applied;
}

function applyPoints(
  { id, holder_ids }: Redeemable,
  { balance, locked, reward, requested }: Extract<Redeemable["benefit"], { kind: "points" }>,
  { order }: Running,
  { situation: { customer }, shared }: { situation: Situation; shared: Shared },
): Applied | Failure {
  if (reward === null)
    return { error: errorBody("missing_reward", { details: "A reward is required when redeeming a LOYALTY_CARD" }) };
  if (customer && holder_ids !== null && !holder_ids.includes(customer.id ?? "")) return { error: notHolder(id).body };
  const { price } = reward;
  if (!price) return { error: notFound("reward", reward.id).body };
  if (reward.is_gone)
    return {
      error: errorBody("no_voucher_suitable_for_publication", { details: "The campaign of the reward is gone" }),
    };
  if (reward.is_out) return { error: errorBody("reward_out_of_stock", { details: reward.id }) };
  const available = Math.max(0, balance - locked);
  const exceeded = () => ({ error: errorBody("loyalty_card_points_exceeded", { details: id }) });
  if ("points" in price) {
    const { points } = price;
    if (points > available) return exceeded();
    return { ...shared, order: order && nextStep(order), loyalty_card: { points }, hasEffect: true };
  }
  if (requested === null ? available === 0 : requested > available) return exceeded();
  if (order === null)
    return { error: errorBody("missing_order", { details: "Order is required when paying with points" }) };
  if (order.amount === null)
    return { error: errorBody("missing_amount", { details: "Amount is required when paying with points" }) };
  const paid = payStepWithPoints(order, requested ?? available, price.exchange);
  // Contract is silent: points that pay for nothing are not spent. What a stack has covered before is no fault of them.
  const isCovered = order.amount > 0 && payable(order) === 0;
  if (requested === 0 || (paid.order.applied_discount_amount === 0 && !isCovered))
    return { error: errorBody("invalid_amount", { details: "There is nothing to redeem" }) };
  return { ...shared, order: paid.order, loyalty_card: { points: paid.points }, hasEffect: paid.points > 0 };
}

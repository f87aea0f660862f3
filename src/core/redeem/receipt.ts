import type { Discount } from "../discounts/discount.ts";
import { type DiscountSent, formulasIn } from "../discounts/schema.ts";
import type { CatalogueUnit } from "../discounts/units.ts";
import { type Order, totalsOf } from "../order/order.ts";
import { describedBundle, type RuleDefinition } from "../rules/definition.ts";
import { type CustomerFacts, NO_COUNTERS, NO_COUNTS, type RuleFacts } from "../rules/facts.ts";
import { anyLoads } from "../rules/loads.ts";
import type { StackingSettings } from "../stacking/settings.ts";
import type { ValidityFields } from "../time/validity.ts";
import { type Decided, type Decision, decide } from "../validate/decide.ts";
import { isSamePromise, type PromisedPrice, promiseOf } from "../validate/promise.ts";
import type { Candidate, Redeemable, RedeemableBenefit } from "../validate/redeemable.ts";
import type { Situation } from "../validate/situation.ts";

/** Everything that a decision follows from. */
export type Inputs = {
  candidates: readonly Candidate[];
  order: Order | null;
  settings: StackingSettings;
  situation: Omit<Situation, "calculation">;
  /** What the validation that the request names promised. */
  promised: { valid: boolean; promise: PromisedPrice } | null;
};

type Hash = string;
/** A redeemable as it was: facts as they are, configuration by its hash. What nothing asks for is left out. */
type RedeemableFacts = Pick<
  Redeemable,
  | "object"
  | "id"
  | "ref"
  | "label"
  | "campaign_id"
  | "category_id"
  | "hierarchy"
  | "is_active"
  | "quantity"
  | "redeemed"
  | "locked"
  | "is_unshared"
> & {
  rules: readonly Hash[];
  benefit: Exclude<RedeemableBenefit, { kind: "discount" }> | { kind: "discount"; discount: Hash };
  validity?: ValidityFields;
  published?: number;
  metadata?: Redeemable["metadata"];
  counts?: RuleFacts["counts"];
  used_units?: readonly (readonly [string, number])[];
  /** Whether the customer is one of those to whom it was published; left out when it was published to nobody. */
  is_holder?: boolean;
  /** Whether the customer is the referrer; left out when there is none. */
  is_referrer?: boolean;
};
type UnknownFacts = { object: string; id: string; unknown: true };
type CustomerKept = { id: string | null } & Partial<
  Pick<CustomerFacts, "source_id" | "metadata" | "birthdate"> & { segments: string[]; loyalty_tiers: string[] }
>;

/** What is kept of a decision, as JSON. Who asked stands in it by id; a rule that looks at more adds what it may see. */
export type Receipt = {
  request: {
    redeemables: readonly Readonly<Record<string, unknown>>[];
    customer: { id: string } | null;
    /** The cart as it was decided about. */
    order: Order | null;
    metadata: Readonly<Record<string, unknown>>;
  };
  facts: {
    now: string;
    zone: string;
    api_key_id: string | null;
    customer: CustomerKept | null;
    redeemables: readonly (RedeemableFacts | UnknownFacts)[];
    promised?: { valid: boolean; promise: PromisedPrice };
  };
  /** What stands elsewhere, by its hash. */
  configuration: { stacking_rules: Hash; units?: Readonly<Record<string, Hash>> };
  result: Result;
};

/** Keeps a piece of configuration and returns the hash of its text. The same object is the same piece. */
export type Keep = (body: object) => Hash;

const hasFormula = (discount: Discount): boolean => formulasIn(discount as DiscountSent).length > 0;

/** Whether anything looks at more than the redeemable itself: only rules and formulas do. */
const asks = (candidate: Candidate): boolean =>
  !("unknown" in candidate) &&
  (candidate.rules.length > 0 || (candidate.benefit.kind === "discount" && hasFormula(candidate.benefit.discount)));

const VALIDITY = [
  "start_date",
  "expiration_date",
  "validity_timeframe",
  "validity_day_of_week",
  "validity_hours",
] as const;
const ALWAYS: ValidityFields = Object.freeze({
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
});

/** The receipt of a decision. Nothing of a request but `redeemables` is taken that the decision did not see. */
export function receiptOf(
  inputs: Inputs,
  decision: Decision,
  { redeemables, keep }: { redeemables: Receipt["request"]["redeemables"]; keep: Keep },
): Receipt {
  const { candidates, order, settings, situation, promised } = inputs;
  const { now, zone, customer, redemption, units } = situation;
  const customerId = customer?.id ?? null;
  return {
    request: {
      redeemables,
      customer: customerId === null ? null : { id: customerId },
      order,
      metadata: redemption.metadata,
    },
    facts: {
      now,
      zone,
      api_key_id: redemption.api_key_id,
      customer: customer && customerKept(customer, candidates.some(asks)),
      redeemables: candidates.map((one) => candidateFacts(one, customerId, keep)),
      ...(promised && { promised }),
    },
    configuration: {
      stacking_rules: keep(settings),
      ...(units.size > 0 && { units: Object.fromEntries([...units].map(([id, unit]) => [id, keep(unit)])) }),
    },
    result: resultOf(decision, promised),
  };
}

const customerKept = (
  { id, source_id, metadata, birthdate, segments, loyalty_tiers }: CustomerFacts,
  isAsked: boolean,
): CustomerKept =>
  isAsked
    ? { id, source_id, metadata, birthdate, segments: [...segments].sort(), loyalty_tiers: [...loyalty_tiers].sort() }
    : { id };

/** What a card holds decides nothing where no reward is asked for, so it is not told. */
function benefitKept(benefit: RedeemableBenefit, keep: Keep): RedeemableFacts["benefit"] {
  if (benefit.kind === "discount") return { kind: "discount", discount: keep(benefit.discount) };
  return benefit.kind === "points" && benefit.reward === null ? { ...benefit, balance: 0, received: 0 } : benefit;
}

/** How often a customer redeemed something is not counted where no rule asks for it, so it is not told either. */
const countsKept = (rules: Redeemable["rules"], counts: RuleFacts["counts"]): RuleFacts["counts"] =>
  anyLoads(rules, "customer_counts")
    ? counts
    : { ...counts, campaign_customer: NO_COUNTS, incentive_customer: NO_COUNTS };

function candidateFacts(candidate: Candidate, customerId: string | null, keep: Keep): RedeemableFacts | UnknownFacts {
  const { object, id } = candidate;
  if ("unknown" in candidate) return { object, id, unknown: true };
  const { ref, label, campaign_id, category_id, hierarchy, is_active, quantity, redeemed, locked } = candidate;
  const { rules, benefit, validity, holder_ids, referrer_id, published, metadata, counts, used_units } = candidate;
  const { is_unshared } = candidate;
  return {
    object: candidate.object,
    id,
    ref,
    label,
    campaign_id,
    category_id,
    hierarchy,
    is_active,
    quantity,
    redeemed,
    locked,
    rules: rules.map((rule) => keep(rule)),
    benefit: benefitKept(benefit, keep),
    ...(VALIDITY.some((field) => validity[field] !== null) && {
      validity: Object.fromEntries(VALIDITY.map((field) => [field, validity[field]])) as ValidityFields,
    }),
    ...(asks(candidate) && { published, metadata, counts: countsKept(rules, counts) }),
    ...(used_units.size > 0 && { used_units: [...used_units] }),
    ...(holder_ids !== null && { is_holder: customerId !== null && holder_ids.includes(customerId) }),
    ...(referrer_id !== null && { is_referrer: referrer_id === customerId }),
    ...(is_unshared && { is_unshared }),
  };
}

/** What a decision came to. */
export type Result = {
  valid: boolean;
  /** Whether the price is the one that was promised; left out when none was. */
  promise_kept?: boolean;
  redeemables: readonly Readonly<Record<string, unknown>>[];
  order: Readonly<Record<string, unknown>> | null;
};

function resultOf(decision: Decision, promised: Inputs["promised"]): Result {
  const { valid, decided, order } = decision;
  return {
    valid,
    ...(promised && { promise_kept: promised.valid && isSamePromise(promised.promise, promiseOf([decision])) }),
    redeemables: decided.map(decidedResult),
    order: order && {
      ...receiptAmounts(order),
      items: resultLines(order),
    },
  };
}

/** What a decision came to on each line. */
export const resultLines = ({ items }: Order) =>
  items.map(({ quantity, amount, discount_amount, discount_quantity }) => ({
    quantity,
    amount,
    discount_amount,
    discount_quantity,
  }));

export const receiptAmounts = (order: Order) => {
  const { total_discount_amount, total_amount } = totalsOf(order);
  return { amount: order.amount, discount_amount: order.discount_amount, total_discount_amount, total_amount };
};

function decidedResult({ candidate, outcome }: Decided): Result["redeemables"][number] {
  const head = { object: candidate.object, id: candidate.id, status: outcome.status };
  if (outcome.status === "SKIPPED") return { ...head, reason: outcome.reason };
  if (outcome.status === "INAPPLICABLE") return { ...head, error: outcome.failure.error };
  const { discount, gift, loyalty_card, bundle, order, targets, units } = outcome.result;
  return {
    ...head,
    ...(discount && { discount }),
    ...(gift && { gift }),
    ...(loyalty_card && { loyalty_card }),
    ...(bundle && { bundles: bundle.quantity }),
    ...(order && { order: receiptAmounts(order) }),
    ...(targets.length > 0 && { items: targets.map(({ index, amount, target }) => [index, target.count, amount]) }),
    ...(units && { units: [...units] }),
  };
}

/** Every hash that a receipt names, once. */
export const hashesIn = ({ facts, configuration: { stacking_rules, units } }: Receipt): Hash[] => [
  ...new Set([
    stacking_rules,
    ...Object.values(units ?? {}),
    ...facts.redeemables.flatMap((one) =>
      "unknown" in one ? [] : [...one.rules, ...(one.benefit.kind === "discount" ? [one.benefit.discount] : [])],
    ),
  ]),
];

/** Stands for a customer who is not the one that asks. */
const SOMEBODY = "somebody else";

/** What the decision of a receipt followed from. `find` gives the configuration of a hash. */
export function inputsOf(
  { request, facts, configuration }: Receipt,
  { find, formula }: { find(hash: Hash): unknown; formula: Situation["formula"] },
): Inputs {
  const { now, zone, api_key_id, customer, promised } = facts;
  const units = Object.entries(configuration.units ?? {}).map(
    ([id, hash]) => [id, find(hash) as CatalogueUnit] as const,
  );
  return {
    candidates: facts.redeemables.map((one) => candidateOf(one, customer?.id ?? null, find)),
    order: request.order,
    settings: find(configuration.stacking_rules) as StackingSettings,
    situation: {
      now,
      zone,
      customer: customer && {
        id: customer.id,
        source_id: customer.source_id ?? null,
        metadata: customer.metadata ?? {},
        birthdate: customer.birthdate ?? null,
        segments: new Set(customer.segments),
        loyalty_tiers: new Set(customer.loyalty_tiers),
      },
      redemption: { metadata: request.metadata, api_key_id, user_login: null },
      units: new Map(units),
      formula,
    },
    promised: promised ?? null,
  };
}

function candidateOf(
  kept: RedeemableFacts | UnknownFacts,
  customerId: string | null,
  find: (hash: Hash) => unknown,
): Candidate {
  if ("unknown" in kept) return { ...kept, category_id: null, hierarchy: null };
  const { rules, benefit, validity, published, metadata, counts, used_units, is_holder, is_referrer, ...own } = kept;
  return {
    ...own,
    rules: rules.map((hash) => {
      const { id, definition } = find(hash) as { id: string; definition: RuleDefinition };
      return { id, definition, bundle: describedBundle(definition.bundle_rules) };
    }),
    benefit: benefit.kind === "discount" ? { kind: "discount", discount: find(benefit.discount) as Discount } : benefit,
    validity: validity ?? ALWAYS,
    published: published ?? 0,
    metadata: metadata ?? {},
    counts: counts ?? NO_COUNTERS,
    used_units: new Map(used_units),
    holder_ids: is_holder === undefined ? null : is_holder && customerId !== null ? [customerId] : [],
    referrer_id: is_referrer === undefined ? null : is_referrer ? customerId : SOMEBODY,
  };
}

export type Replayed = { same: boolean; result: Result; recomputed?: Result };

/** Decides again. `same`: to the byte. */
export function replay({ result }: Receipt, { candidates, order, settings, situation, promised }: Inputs): Replayed {
  const recomputed = resultOf(decide(candidates, order, { settings, situation }), promised);
  const same = JSON.stringify(recomputed) === JSON.stringify(result);
  return { same, result, ...(!same && { recomputed }) };
}

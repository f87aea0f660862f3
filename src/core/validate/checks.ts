import type { BundleResult } from "../discounts/bundle.ts";
import { type ErrorBody, type ErrorKey, errorBody } from "../errors.ts";
import { type ValidityFault, validityFault } from "../time/validity.ts";
import type { Redeemable } from "./redeemable.ts";
import type { Situation } from "./situation.ts";

/** A redeemable at the moment of a request. */
type Question = {
  redeemable: Redeemable;
  situation: Situation;
  /** Why it is not valid now: dates take long to read, so it is worked out once, when a check asks. */
  fault: ValidityFault | null | undefined;
};

/** One thing that has to hold whatever is in the cart. Whoever judges and whoever traces reads it from here. */
export type Check = {
  /** Its name in a trace. */
  key: string;
  /** What a redeemable needs to have for the check to be asked about it. */
  needs(redeemable: Redeemable): boolean;
  holds(question: Question): boolean;
  /** The answer when it does not hold. */
  refuse(redeemable: Redeemable): ErrorBody;
  /** What a trace says was seen, and what was expected. */
  seen(question: Question): unknown;
  expected(redeemable: Redeemable): unknown;
};

const always = () => true;
const isTier = ({ object }: Redeemable): boolean => object === "promotion_tier";
const isReferral = ({ referrer_id }: Redeemable): boolean => referrer_id !== null;
const windowsOf = ({ validity: { validity_timeframe, validity_day_of_week, validity_hours } }: Redeemable) => ({
  validity_timeframe,
  validity_day_of_week,
  validity_hours,
});

/** A check of when something is valid; tiers are refused with one key for all of them. */
const validAt = (
  key: string,
  { fault, refused, needs, expected }: Pick<Check, "needs" | "expected"> & { fault: ValidityFault; refused: ErrorKey },
): Check => ({
  key,
  needs,
  holds: (question) => {
    if (question.fault === undefined) question.fault = validityFault(question.redeemable.validity, question.situation);
    return question.fault !== fault;
  },
  refuse: (redeemable) =>
    errorBody(isTier(redeemable) ? "promotion_not_active_now" : refused, { details: redeemable.id }),
  seen: ({ situation }) => situation.now,
  expected,
});

/** Whether it is on, whether it is time, whether anything is left: in the order in which they are asked. */
export const CHECKS: readonly Check[] = [
  {
    key: "active",
    needs: always,
    holds: ({ redeemable }) => redeemable.is_active,
    refuse: (redeemable) =>
      isTier(redeemable)
        ? errorBody("promotion_inactive", { details: `Promotion Tier with id: ${redeemable.id} is disabled.` })
        : errorBody("voucher_disabled", { details: redeemable.id }),
    seen: ({ redeemable }) => redeemable.is_active,
    expected: always,
  },
  validAt("start_date", {
    fault: "not_started",
    refused: "voucher_not_active",
    needs: ({ validity }) => validity.start_date !== null,
    expected: ({ validity }) => validity.start_date,
  }),
  validAt("expiration_date", {
    fault: "expired",
    refused: "voucher_expired",
    needs: ({ validity }) => validity.expiration_date !== null,
    expected: ({ validity }) => validity.expiration_date,
  }),
  validAt("window", {
    fault: "outside_window",
    refused: "voucher_not_active_now",
    needs: ({ validity: { validity_timeframe, validity_day_of_week, validity_hours } }) =>
      validity_timeframe !== null || validity_day_of_week !== null || validity_hours !== null,
    expected: windowsOf,
  }),
  {
    key: "quantity",
    needs: ({ quantity }) => quantity !== null,
    holds: ({ redeemable: { redeemed, locked, quantity } }) => redeemed + locked < quantity!,
    refuse: ({ id }) => errorBody("quantity_exceeded", { details: id }),
    seen: ({ redeemable: { redeemed, locked } }) => ({ redeemed, locked }),
    expected: ({ quantity }) => quantity,
  },
  {
    key: "published",
    needs: ({ referrer_id, is_unshared }) => referrer_id !== null || is_unshared === true,
    holds: ({ redeemable }) => !redeemable.is_unshared,
    refuse: ({ id }) =>
      errorBody("not_published", { details: `Referral code ${id} must be published to a referrer first` }),
    seen: ({ redeemable }) => !redeemable.is_unshared,
    expected: always,
  },
  // Contract is silent: also where something else than the redemption counts. A guest may be the referrer.
  {
    key: "customer",
    needs: isReferral,
    holds: ({ situation }) => situation.customer !== null,
    refuse: () => errorBody("missing_customer", { details: "Customer is required to redeem a referral code" }),
    seen: ({ situation }) => situation.customer !== null,
    expected: always,
  },
  // Only that somebody is the referrer is told, not who.
  {
    key: "not_the_referrer",
    needs: isReferral,
    holds: isAnother,
    refuse: ({ id }) => errorBody("referrer_not_permitted_to_redeem", { details: id }),
    seen: isAnother,
    expected: always,
  },
];

function isAnother({ redeemable: { is_referrer, referrer_id }, situation: { customer } }: Question): boolean {
  return !is_referrer && customer?.id !== referrer_id;
}

const questionOf = (redeemable: Redeemable, situation: Situation): Question => ({
  redeemable,
  situation,
  fault: undefined,
});

/** Why the first check that does not hold refuses; null: all hold. */
export function refuseAnyway(redeemable: Redeemable, situation: Situation): ErrorBody | null {
  const question = questionOf(redeemable, situation);
  for (const check of CHECKS) if (check.needs(redeemable) && !check.holds(question)) return check.refuse(redeemable);
  return null;
}

export type TracedCheck = { check: string; passed: boolean; seen: unknown; expected: unknown };

/** The same checks as they were asked: up to the first that does not hold. */
export function traceChecks(redeemable: Redeemable, situation: Situation): TracedCheck[] {
  const question = questionOf(redeemable, situation);
  const traced: TracedCheck[] = [];
  for (const check of CHECKS) {
    if (!check.needs(redeemable)) continue;
    const passed = check.holds(question);
    traced.push({ check: check.key, passed, seen: check.seen(question), expected: check.expected(redeemable) });
    if (!passed) break;
  }
  return traced;
}

/** Whether the bundle that the rules ask for is not in the cart. A qualification may show what it would bring. */
export const lacksBundle = (bundle: BundleResult | undefined, { asked }: Situation): boolean =>
  bundle?.quantity === 0 && asked?.bundles !== "optional";

import assert from "node:assert/strict";
import { type ErrorBody, errorBody } from "../errors.ts";
import { NO_EFFECT, type RedemptionEffect, type RedemptionRow } from "../rows/redemption.ts";
import type { Promised } from "../rows/validation.ts";
import { SKIPS } from "../stacking/walk.ts";
import type { Decided, Decision } from "../validate/decide.ts";
import { differenceIn, promiseOf } from "../validate/promise.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import { namesOfRedeemable, type RequestKept, redemptionRow } from "./redemption-row.ts";

/** Why nothing is redeemed, and the code or tier that it is about, if it is about one. */
export type RedeemRefusal = {
  error: ErrorBody;
  concerns: Decided["candidate"] | null;
  /** Redeemables that get a record of their own, each with its own reason. */
  each?: readonly Decided[];
};

/** The reason of the first that is refused now though it was promised, however the others of the request are taken. */
export function refuseLapsed({ decided }: Decision, { valid, promise }: Promised): RedeemRefusal | null {
  if (!valid) return null;
  const wasPromised = ({ candidate: { object, id } }: Decided) =>
    promise.redeemables.some((one) => one.object === object && one.id === id && one.status === "APPLICABLE");
  for (const one of decided)
    if (one.outcome.status === "INAPPLICABLE" && wasPromised(one))
      return { error: one.outcome.failure.error, concerns: one.candidate };
  return null;
}

export function refuseInvalid(
  { valid, decided }: Decision,
  { isPartial }: { isPartial: boolean },
): RedeemRefusal | null {
  if (valid) return null;
  const failedOne = decided.find(({ outcome }) => outcome.status === "INAPPLICABLE");
  if (!isPartial && failedOne?.outcome.status === "INAPPLICABLE")
    return { error: failedOne.outcome.failure.error, concerns: failedOne.candidate };
  const error = errorBody("no_applicable_redeemables", { details: reasonText(reasonOf(failedOne ?? decided[0]!)) });
  return { error, concerns: null, ...(isPartial && { each: decided }) };
}

type Reason = { key: string; message: string; details?: string };

/** The details of some reasons are a code alone, which says nothing: "voucher expired: LASTYEAR". */
const reasonText = ({ message, details }: Reason): string => {
  if (details === undefined) return message;
  return details.includes(" ") ? details : `${message}: ${details}`;
};

/** Why one that does not apply does not. */
function reasonOf({ outcome }: Decided): Reason {
  assert(outcome.status !== "APPLICABLE");
  if (outcome.status === "INAPPLICABLE") return outcome.failure.error;
  return { key: outcome.reason, message: SKIPS[outcome.reason] };
}

/** A price that was promised and would be another now refuses the redemption, instead of charging something else. */
export function refuseOtherPrice(decision: Decision, { id, valid, promise }: Promised): RedeemRefusal | null {
  const difference = valid
    ? differenceIn(promise, promiseOf([decision]))
    : { says: `Validation ${id} was not valid: it promised no price`, index: null };
  if (!difference) return null;
  const { decided } = decision;
  const about = decided[difference.index ?? (decided.length === 1 ? 0 : -1)];
  return {
    error: errorBody("promised_price_changed", { details: difference.says }),
    concerns: about?.candidate ?? null,
  };
}

/** A counter of this one would pass what can be read again. */
export function refuseUncountable(redeemable: Redeemable): RedeemRefusal {
  const { label, id } = redeemable;
  const details = `The order is too large: with it the redemptions of ${label} ${id} or of its campaign would sum up to more than ${Number.MAX_SAFE_INTEGER}`;
  return { error: errorBody("invalid_payload", { details }), concerns: redeemable };
}

/** What is not there is known by the words it was asked for with. */
const askedFor = ({ object, id }: { object: string; id: string }): RedemptionEffect["asked"] =>
  object === "voucher" || object === "promotion_tier" ? { object, id } : undefined;

/** What the rows of failures are made from. A customer who would only be made by the redemption is not in `request`. */
export type Refusing = {
  request: RequestKept;
  newId(prefix: "rf"): string;
  campaignNameOf(id: string): string | null;
  shownOf(redeemable: Redeemable): Record<string, unknown>;
};

/** Nothing changes but that it is known: a row for what failed, the last of them, listed with the successes. */
export function failureRows(refusing: Refusing, { error, concerns, each = [] }: RedeemRefusal): RedemptionRow[] {
  const { newId } = refusing;
  const id = newId("rf");
  return [
    ...each.map((one) => ({
      ...failureRow(refusing, newId("rf"), { concerns: one.candidate, reason: reasonOf(one) }),
      parent_id: id,
    })),
    failureRow(refusing, id, { concerns, reason: error }),
  ];
}

function failureRow(
  { request, campaignNameOf, shownOf }: Refusing,
  id: string,
  { concerns: about, reason }: { concerns: RedeemRefusal["concerns"]; reason: Reason },
): RedemptionRow {
  const concerns = about && !("unknown" in about) ? about : null;
  return {
    ...redemptionRow(request, id),
    // A code that is not there is found again by the words it was asked for with.
    related_object_id: (about && askedFor(about)?.id) ?? null,
    ...(concerns && namesOfRedeemable(concerns, campaignNameOf)),
    result: "FAILURE",
    status: "FAILED",
    failure_code: reason.key,
    failure_message: reason.message,
    effect: about && {
      ...NO_EFFECT,
      api_key_id: request.api_key_id,
      ...(concerns ? { shown: shownOf(concerns) } : { asked: askedFor(about) }),
    },
  };
}

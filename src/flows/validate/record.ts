import type { SessionLock, ValidationRow, ValidationTally } from "../../core/rows/validation.ts";
import { periodStart } from "../../core/time/period.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Decision } from "../../core/validate/decide.ts";
import { promiseOf } from "../../core/validate/promise.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import { sessionEnd } from "../../core/validate/session.ts";
import type { Validated } from "../../steps/checkout/validation-view.ts";
import type { ValidateCommand } from "./state.ts";

/** How many redeemables of a campaign applied, and how many did not. */
type Outcomes = { succeeded: number; failed: number };

/**
 * What became of the redeemables of each campaign. Those that were skipped were not looked at, and one that would apply
 * neither succeeded nor failed when another makes the whole validation fail.
 */
export function countOutcomes({ valid, decided }: Decision): Map<string, Outcomes> {
  const campaigns = new Map<string, Outcomes>();
  for (const { candidate, outcome } of decided) {
    const id = "campaign_id" in candidate ? candidate.campaign_id : null;
    const isGood = outcome.status === "APPLICABLE";
    if (id === null || outcome.status === "SKIPPED" || (isGood && !valid)) continue;
    const { succeeded, failed } = campaigns.get(id) ?? { succeeded: 0, failed: 0 };
    campaigns.set(id, { succeeded: succeeded + (isGood ? 1 : 0), failed: failed + (isGood ? 0 : 1) });
  }
  return campaigns;
}

/** What a validation adds to the tallies of campaigns. */
export function tallyCampaigns(
  { id, project, now }: ValidateCommand,
  campaigns: ReadonlyMap<string, Outcomes>,
): ValidationTally[] {
  const day = periodStart("day", now, zoneOf(project));
  return [...campaigns].map(([campaign_id, outcomes]) => ({ validation_id: id, campaign_id, day, ...outcomes }));
}

/** What a session holds from now on: of each code that applies one redemption, and the credits or points of it. */
export function locksOfSession({ session, now }: ValidateCommand, { valid, decided }: Decision): SessionLock[] | null {
  if (!valid) return null;
  return decided.flatMap(({ candidate, outcome }) => {
    if (outcome.status !== "APPLICABLE" || candidate.object !== "voucher") return [];
    return [
      {
        redeemable_id: (candidate as Redeemable).ref,
        session_key: session!.key,
        quantity: 1,
        credits: outcome.result.gift?.credits ?? 0,
        points: outcome.result.loyalty_card?.points ?? 0,
        expires_at: sessionEnd(now, session!)!,
      },
    ];
  });
}

/** What is kept of a validation: what a redemption that names it has to give, and what its customer is told of. */
export function keepValidation(
  { id, now, request_id }: ValidateCommand,
  { cart, decisions }: Validated,
  campaigns: ReadonlyMap<string, Outcomes> | null,
): ValidationRow {
  return {
    id,
    customer_id: cart.customer?.id ?? null,
    // Contract is silent: who is only described in the request, and not tracked, is not remembered.
    tracking_id: cart.customer === null ? cart.tracking_id : null,
    valid: decisions.some(({ valid }) => valid),
    promise: promiseOf(decisions),
    group_id: campaigns === null ? null : request_id,
    campaign_id: campaigns?.size === 1 ? [...campaigns.keys()][0]! : null,
    created_at: now,
  };
}

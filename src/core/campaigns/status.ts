import { type At, type ValidityFields, validityFault } from "../time/validity.ts";
import { type CampaignTotals, isUsedUp } from "./limits.ts";

export const LIVE_STATUSES = ["ARCHIVED", "DRAFT", "DISABLED", "SCHEDULED", "EXPIRED", "USED_UP", "ACTIVE"] as const;
/** What marketers call the state of a campaign or a tier. */
export type LiveStatus = (typeof LIVE_STATUSES)[number];

export type Standing = {
  /** Its campaign was put away. */
  isArchived: boolean;
  /** There is nothing in it yet that could be redeemed. */
  isDraft: boolean;
  isActive: boolean;
  validity: ValidityFields;
  rules: Parameters<typeof isUsedUp>[0];
  totals: CampaignTotals;
  /** Whether every code was redeemed as often as it may be. */
  areCodesUsed: boolean;
};

/**
 * In the order in which a validation asks (`CHECKS`), so that the status says why nothing of it applies. A campaign that is not active at this
 * hour of the day is active: it need not be looked after.
 */
export function liveStatus(standing: Standing, at: At): LiveStatus {
  if (standing.isArchived) return "ARCHIVED";
  if (standing.isDraft) return "DRAFT";
  if (!standing.isActive) return "DISABLED";
  const fault = validityFault(standing.validity, at);
  if (fault === "not_started") return "SCHEDULED";
  if (fault === "expired") return "EXPIRED";
  return standing.areCodesUsed || isUsedUp(standing.rules, standing.totals) ? "USED_UP" : "ACTIVE";
}

import type { CampaignType, CodesType } from "../campaigns/kind.ts";
import { type ErrorBody, errorBody } from "../errors.ts";
import { addDuration, parseDuration } from "../time/duration.ts";
import type { VoucherSettings } from "../vouchers/settings.ts";

/** The most codes of one publication. */
export const COUNT_MAX = 50;

/** What of a campaign decides about publishing its codes. */
export type PublishingCampaign = {
  campaign_type: CampaignType;
  type: CodesType;
  active: boolean;
  join_once: boolean;
  activity_duration_after_publishing: string | null;
};
/** What of a code decides whether it can be given to somebody. */
export type PublishedCode = { id: string; code: string; active: boolean; published_count: number };

/** Whether a customer gets one code of the campaign at most. A call may ask otherwise, but not of a loyalty program. */
export const joinsOnce = (
  campaign: Pick<PublishingCampaign, "campaign_type" | "join_once"> | null,
  asked: boolean | null,
): boolean => campaign !== null && (campaign.campaign_type === "LOYALTY_PROGRAM" || (asked ?? campaign.join_once));

/** How many codes one publication may ask for. With a name of its own it is about one. */
export const countMax = ({ isNamed, isOnce }: { isNamed: boolean; isOnce: boolean }): number =>
  isNamed || isOnce ? 1 : COUNT_MAX;

// Contract is silent: the one code of a campaign that has one code for all is for all, as one without a campaign is.
/** Whether a code may be given to many. Any other code of a campaign is one customer's. */
export const isShared = (campaign: Pick<PublishingCampaign, "type"> | null): boolean =>
  campaign === null || campaign.type === "STANDALONE";

const isOver = (moment: string | null, now: string): boolean =>
  moment !== null && Temporal.Instant.compare(Temporal.Instant.from(moment), Temporal.Instant.from(now)) <= 0;

export const isExpired = ({ expiration_date }: Pick<VoucherSettings, "expiration_date">, now: string): boolean =>
  isOver(expiration_date, now);

// Contract is silent: a code whose start is ahead can be given to somebody; one that was redeemed too, when it is named.
/** Why a code cannot be published, or null. */
export function publishFault(
  { id, code, active, published_count }: PublishedCode,
  campaign: PublishingCampaign | null,
  { settings, now }: { settings: Pick<VoucherSettings, "expiration_date">; now: string },
): ErrorBody | null {
  if (published_count > 0 && !isShared(campaign))
    return errorBody("voucher_already_published", { details: `Voucher '${id}' has already been published` });
  if (!active || campaign?.active === false) return errorBody("voucher_disabled", { details: code });
  return isExpired(settings, now) ? errorBody("voucher_expired", { details: code }) : null;
}

// Contract is silent: a code that begins later is active for its time from then on.
/**
 * The settings that a code has from its publication on; null: those that it had. A code that is one customer's may be
 * active for a time of its own: from now, or from its start when that is ahead.
 */
export function settingsPublished(
  settings: VoucherSettings,
  campaign: PublishingCampaign | null,
  { now, zone }: { now: string; zone: string },
): VoucherSettings | null {
  const text = campaign?.activity_duration_after_publishing ?? null;
  const duration = text === null || isShared(campaign) ? null : parseDuration(text);
  if (duration === null) return null;
  const { start_date } = settings;
  const start = start_date === null || isOver(start_date, now) ? now : start_date;
  return { ...settings, start_date: start, expiration_date: addDuration(start, duration, zone) };
}

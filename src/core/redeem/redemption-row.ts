import type { RedemptionRow } from "../rows/redemption.ts";
import type { Redeemable } from "../validate/redeemable.ts";

/** What every redemption of a request keeps of it. */
export type RequestKept = {
  project_id: string;
  api_key_id: string;
  /** What the SDK calls itself. */
  channel?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  customer_id: string | null;
  tracking_id: string | null;
  now: string;
};

/** A redemption that is about nothing yet. */
export const redemptionRow = (request: RequestKept, id: string): RedemptionRow => ({
  project_id: request.project_id,
  id,
  object: "redemption",
  result: "SUCCESS",
  status: "SUCCEEDED",
  parent_id: null,
  redemption_id: null,
  related_object_type: null,
  related_object_id: null,
  campaign_id: null,
  campaign_name: null,
  voucher_code: null,
  customer_id: request.customer_id,
  tracking_id: request.tracking_id,
  order_id: null,
  amount: null,
  failure_code: null,
  failure_message: null,
  reason: null,
  metadata: { ...request.metadata },
  channel: { channel_id: request.api_key_id, channel_type: request.channel ?? "API" },
  order_shown: null,
  effect: null,
  receipt: null,
  created_at: request.now,
});

/** What a redemption says of the code or the tier that it is about. */
export const namesOfRedeemable = (
  { object, id, ref, campaign_id }: Redeemable,
  campaignNameOf: (id: string) => string | null,
) => ({
  related_object_type: object,
  related_object_id: ref,
  campaign_id,
  campaign_name: campaign_id === null ? null : campaignNameOf(campaign_id),
  voucher_code: object === "voucher" ? id : null,
});

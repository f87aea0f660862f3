import type { PromisedPrice } from "../validate/promise.ts";

/** What a validation promised: what the cart costs, and what each redeemable takes off it. */
export type ValidationRow = {
  id: string;
  customer_id: string | null;
  /** Of somebody who is no customer yet. */
  tracking_id: string | null;
  valid: boolean;
  promise: PromisedPrice;
  /** The request that its customer's activity names; null where it does not tell of it. */
  group_id: string | null;
  /** If it was about one. */
  campaign_id: string | null;
  created_at: string;
};
export type Promised = Pick<ValidationRow, "id" | "valid" | "promise">;

/** How often the redeemables of a campaign were accepted and refused by a validation, on a day of the project. */
export type ValidationTally = {
  validation_id: string;
  campaign_id: string;
  day: string;
  succeeded: number;
  failed: number;
};

/** What a session holds back of a code. */
export type SessionLock = {
  redeemable_id: string;
  session_key: string;
  quantity: number;
  credits: number;
  points: number;
  expires_at: string;
};

import type { SingleOffer, StackOffer } from "../../src/core/qualify/offer.ts";
import type { Redeemable } from "../../src/core/validate/redeemable.ts";

const SHOWN = {
  created_at: "2026-01-01T00:00:00.000Z",
  name: null,
  banner: null,
  campaign_id: null,
  campaign_name: null,
  campaign_type: null,
  voucher_type: null,
  category: null,
  assignments: [],
};

/** An offer of a test: what matters of it, the rest is filled in. */
export const offer = (redeemable: Redeemable, given: Partial<SingleOffer> = {}): SingleOffer => ({
  ...SHOWN,
  id: redeemable.id,
  object: redeemable.object,
  campaign_id: redeemable.campaign_id,
  category_id: redeemable.category_id,
  holder_roles: [],
  redeemable,
  ...given,
});

export const stack = (id: string, tiers: readonly SingleOffer[], given: Partial<StackOffer> = {}): StackOffer => ({
  ...SHOWN,
  id,
  object: "promotion_stack",
  category_id: null,
  tiers,
  ...given,
});

/** The n-th moment of a test, in microseconds. */
export const moment = (n: number): string =>
  `2026-01-01T00:00:${String(Math.floor(n / 1e6)).padStart(2, "0")}.${String(n % 1e6).padStart(6, "0")}Z`;

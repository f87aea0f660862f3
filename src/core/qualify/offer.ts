import type { Redeemable } from "../validate/redeemable.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a customer may be offered, with what an answer shows of it beside the decision. */
type Shown = {
  /** The id in answers: the code of a voucher, the id of everything else. */
  id: string;
  /** In milliseconds or microseconds; no two of a project are equal. */
  created_at: string;
  name: string | null;
  banner: string | null;
  /** The campaign it belongs to; of a campaign the campaign itself. */
  campaign_id: string | null;
  campaign_name: string | null;
  campaign_type: string | null;
  voucher_type: string | null;
  category_id: string | null;
  /** The category as answers show it; null when there is none, or it is gone. */
  category: Fields | null;
  /** Assignments of its rules as they are shown, in the order in which the rules are asked. */
  assignments: readonly (Fields & { readonly rule_id: string })[];
};

/** A code, a tier, or a campaign: then the redeemable is a code of it that nobody holds, of its newest template. */
export type SingleOffer = Shown & {
  object: "voucher" | "promotion_tier" | "campaign";
  redeemable: Redeemable;
  /** The roles in which the customer holds the code. */
  holder_roles: readonly string[];
};
/** Tiers that are taken together, in this order. */
export type StackOffer = Shown & { object: "promotion_stack"; tiers: readonly SingleOffer[] };
export type Offer = SingleOffer | StackOffer;

/** The stored id; with `object` it names one offer. */
export const refOf = (offer: Offer): string =>
  offer.object === "promotion_stack" ? offer.id : offer.object === "campaign" ? offer.id : offer.redeemable.ref;

import { type Static, Type } from "typebox";
import { CAMPAIGN_TYPES } from "../../../core/campaigns/kind.ts";
import type { HolderRole } from "../../../core/rows/publication.ts";
import { Choice, DateTime, Filters, Metadata, Nullable } from "../../../http/schemas.ts";

const HOLDER_ROLES = ["OWNER", "REFERRER", "REFEREE"] as const satisfies readonly HolderRole[];

export const RedeemableHolder = Type.Object(
  {
    id: Type.String(),
    created_at: DateTime,
    redeemable_id: Type.String(),
    redeemable_object: Type.Literal("voucher"),
    customer_id: Type.String(),
    holder_role: Choice(HOLDER_ROLES),
    campaign_id: Nullable(Type.String()),
    campaign_type: Nullable(Choice(CAMPAIGN_TYPES)),
    voucher_type: Choice(["DISCOUNT_VOUCHER", "GIFT_VOUCHER", "LOYALTY_CARD"]),
    metadata: Metadata,
    object: Type.Literal("redeemable_holder"),
  },
  { title: "RedeemableHolder" },
);
export type RedeemableHolder = Static<typeof RedeemableHolder>;

export const HolderQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  order: Type.Optional(Choice(["id", "-id"], { description: "A leading dash means descending." })),
  starting_after_id: Type.Optional(Type.String({ description: "The id of the last entry of the page before." })),
  filters: Type.Optional(Filters),
});
export type HolderQuery = Static<typeof HolderQuery>;

import { type Static, Type } from "typebox";
import { PointsExpiration, PointsExpirationBody } from "../../../core/loyalty/card/wallet.ts";
import { OwnDowngrade, TierQualification, TierQualificationBody } from "../../../core/loyalty/tiers/structure.ts";
import { CursorQuery, cursorListOf, DateTime, Metadata, Nullable, optional, strict } from "../../../http/schemas.ts";

const required = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  qualification_rules: TierQualificationBody,
};
const settings = optional({
  downgrade: Nullable(OwnDowngrade),
  points_expiration: Nullable(PointsExpirationBody),
  metadata: Nullable(Metadata),
});

export const LoyaltyTier = Type.Object(
  {
    id: Type.String(),
    tier_structure_id: Type.String(),
    name: required.name,
    qualification_rules: TierQualification,
    downgrade: OwnDowngrade,
    points_expiration: Nullable(PointsExpiration),
    metadata: Metadata,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("tier"),
  },
  { title: "LoyaltyTier" },
);
export type LoyaltyTier = Static<typeof LoyaltyTier>;

export const LoyaltyTierCreate = strict({ ...required, ...settings });
export type LoyaltyTierCreate = Static<typeof LoyaltyTierCreate>;
export const LoyaltyTierUpdate = strict({ ...optional(required), ...settings });
export type LoyaltyTierUpdate = Static<typeof LoyaltyTierUpdate>;

export const TIER_ORDERS = ["created_at", "name"] as const;
export const LoyaltyTierQuery = CursorQuery(TIER_ORDERS);
export const LoyaltyTierList = cursorListOf(LoyaltyTier);
export const TiersOfStructure = Type.Object({ tierStructureId: Type.String() });
export const ByTier = Type.Object({ tierStructureId: Type.String(), tierId: Type.String() });

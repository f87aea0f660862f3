import { type Static, Type } from "typebox";
import {
  PointEarned,
  STRUCTURE_TYPES,
  TierDowngrade,
  TierDowngradeBody,
  TierExpiration,
  TierExpirationBody,
} from "../../../core/loyalty/tiers/structure.ts";
import {
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Id,
  Metadata,
  Nullable,
  optional,
  strict,
} from "../../../http/schemas.ts";

const Name = Type.String({ minLength: 1, maxLength: 200 });
const required = {
  name: Name,
  type: Choice(STRUCTURE_TYPES),
  card_definition_id: Id,
};
const settings = optional({
  point_earned: Nullable(PointEarned),
  expiration: Nullable(TierExpirationBody),
  downgrade: Nullable(TierDowngradeBody),
  metadata: Nullable(Metadata),
});

export const LoyaltyTierStructure = Type.Object(
  {
    id: Type.String(),
    name: Name,
    type: Choice(STRUCTURE_TYPES),
    card_definition_id: Type.String(),
    point_earned: Nullable(PointEarned),
    expiration: Nullable(TierExpiration),
    downgrade: Nullable(TierDowngrade),
    metadata: Metadata,
    status: Choice(["DRAFT", "ACTIVE", "INACTIVE", "DELETED"]),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("tier_structure"),
  },
  { title: "LoyaltyTierStructure" },
);
export type LoyaltyTierStructure = Static<typeof LoyaltyTierStructure>;

export const LoyaltyTierStructureCreate = strict({
  ...required,
  ...settings,
  status: Type.Optional(Nullable(Choice(["DRAFT", "ACTIVE"]))),
});
export type LoyaltyTierStructureCreate = Static<typeof LoyaltyTierStructureCreate>;
export const LoyaltyTierStructureUpdate = strict({ ...optional(required), ...settings });
export type LoyaltyTierStructureUpdate = Static<typeof LoyaltyTierStructureUpdate>;

export const TIER_STRUCTURE_ORDERS = ["created_at", "name", "type", "status"] as const;
export const LoyaltyTierStructureQuery = CursorQuery(TIER_STRUCTURE_ORDERS, { filters: Type.Optional(Filters) });
export const LoyaltyTierStructureList = cursorListOf(LoyaltyTierStructure);
export const ByTierStructure = Type.Object({ tierStructureId: Type.String() });

import type { TierStructure } from "../../../core/loyalty/tiers/structure.ts";
import { statusStore } from "../../../db/status-store.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { LoyaltyTierStructure, TIER_STRUCTURE_ORDERS } from "./schema.ts";

export type TierStructureRow = TierStructure & { project_id: string };

export const tierStructures = statusStore<TierStructureRow>({
  table: "loyalty_tier_structures",
  object: "tier_structure",
  columns: columnsOf(LoyaltyTierStructure),
  cursor: "lcrsts",
  sortable: TIER_STRUCTURE_ORDERS,
  fields: { id: "id", name: "string", type: "enum", status: "enum", created_at: "date" },
});

export const viewTierStructure = ({ project_id: _, ...row }: TierStructureRow): LoyaltyTierStructure => ({
  ...row,
  object: "tier_structure",
});

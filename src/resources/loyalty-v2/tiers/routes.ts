import { createLoyaltyTier, removeLoyaltyTier, updateLoyaltyTier } from "../../../flows/loyalty-v2/save-tier.ts";
import { cursorList, read, write } from "../../../http/route.ts";
import { requireKnown } from "../../../steps/programs/loyalty-uses.ts";
import {
  ByTier,
  LoyaltyTier,
  LoyaltyTierCreate,
  LoyaltyTierList,
  LoyaltyTierQuery,
  LoyaltyTierUpdate,
  TiersOfStructure,
} from "./schema.ts";
import { listLoyaltyTiers, viewTier as view } from "./store.ts";

export const loyaltyTierRoutes = [
  read(
    "GET /v2/loyalties/tier-structures/{tierStructureId}/tiers",
    {
      id: "listTiers",
      summary: "List the tiers of a tier structure",
      params: TiersOfStructure,
      query: LoyaltyTierQuery,
      ok: LoyaltyTierList,
    },
    async (c) => {
      const { tier_structures } = await c.catalog();
      const { id } = requireKnown(tier_structures, "tier_structure", c.params.tierStructureId);
      return cursorList(await listLoyaltyTiers(c.db, { ...c, tierStructureId: id }, c.query), view);
    },
  ),
  write(
    "POST /v2/loyalties/tier-structures/{tierStructureId}/tiers",
    { id: "createTier", summary: "Create a tier", params: TiersOfStructure, body: LoyaltyTierCreate, ok: LoyaltyTier },
    async (c) => view(await createLoyaltyTier(c, c.params.tierStructureId, c.body)),
  ),
  write(
    "PUT /v2/loyalties/tier-structures/{tierStructureId}/tiers/{tierId}",
    { id: "updateTier", summary: "Update a tier", params: ByTier, body: LoyaltyTierUpdate, ok: LoyaltyTier },
    async (c) => view(await updateLoyaltyTier(c, c.params, c.body)),
  ),
  write(
    "DELETE /v2/loyalties/tier-structures/{tierStructureId}/tiers/{tierId}",
    { id: "deleteTier", summary: "Delete a tier", params: ByTier, ok: LoyaltyTier },
    async (c) => view(await removeLoyaltyTier(c, c.params)),
  ),
];

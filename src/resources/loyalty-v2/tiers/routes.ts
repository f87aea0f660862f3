import { createTier, removeTier, updateTier } from "../../../flows/loyalty-v2/save-tier.ts";
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
import { listTiers, viewTier as view } from "./store.ts";

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
      return cursorList(await listTiers(c.db, { ...c, tierStructureId: id }, c.query), view);
    },
  ),
  write(
    "POST /v2/loyalties/tier-structures/{tierStructureId}/tiers",
    { id: "createTier", summary: "Create a tier", params: TiersOfStructure, body: LoyaltyTierCreate, ok: LoyaltyTier },
    async (c) => view(await createTier(c, c.params.tierStructureId, c.body)),
  ),
  write(
    "PUT /v2/loyalties/tier-structures/{tierStructureId}/tiers/{tierId}",
    { id: "updateTier", summary: "Update a tier", params: ByTier, body: LoyaltyTierUpdate, ok: LoyaltyTier },
    async (c) => view(await updateTier(c, c.params, c.body)),
  ),
  write(
    "DELETE /v2/loyalties/tier-structures/{tierStructureId}/tiers/{tierId}",
    { id: "deleteTier", summary: "Delete a tier", params: ByTier, ok: LoyaltyTier },
    async (c) => view(await removeTier(c, c.params)),
  ),
];

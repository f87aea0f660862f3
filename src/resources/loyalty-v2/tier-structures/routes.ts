import {
  createTierStructure,
  moveTierStructure,
  removeTierStructure,
  updateTierStructure,
} from "../../../flows/loyalty-v2/save-tier-structure.ts";
import { statusRoutes } from "../../../http/status-routes.ts";
import {
  ByTierStructure,
  LoyaltyTierStructure,
  LoyaltyTierStructureCreate,
  LoyaltyTierStructureList,
  LoyaltyTierStructureQuery,
  LoyaltyTierStructureUpdate,
} from "./schema.ts";
import { tierStructures as store, viewTierStructure as view } from "./store.ts";

export const loyaltyTierStructureRoutes = statusRoutes({
  resource: "tier_structure",
  words: "a tier structure",
  store,
  view,
  params: ByTierStructure,
  query: LoyaltyTierStructureQuery,
  ok: { one: LoyaltyTierStructure, list: LoyaltyTierStructureList },
  body: { create: LoyaltyTierStructureCreate, update: LoyaltyTierStructureUpdate },
  flow: {
    create: createTierStructure,
    update: updateTierStructure,
    remove: removeTierStructure,
    move: moveTierStructure,
  },
  activities: { id: "lats", cursor: "lcrsats" },
  specs: {
    update: {
      description: "When the status is not `DRAFT`, only `name` and `metadata` can be updated.",
      bodyRequired: true,
    },
    delete: { summary: "Delete a tier structure that no program uses, with its tiers" },
    activities: { summary: "List what happened to a tier structure and its tiers" },
  },
});

import { listActivities } from "../../../events/activities.ts";
import {
  createTierStructure,
  moveTierStructure,
  removeTierStructure,
  updateTierStructure,
} from "../../../flows/loyalty-v2/save-tier-structure.ts";
import { cursorList, read, write } from "../../../http/route.ts";
import { ActivityQuery, activityListOf } from "../../../http/schemas.ts";
import {
  ByTierStructure,
  LoyaltyTierStructure,
  LoyaltyTierStructureCreate,
  LoyaltyTierStructureList,
  LoyaltyTierStructureQuery,
  LoyaltyTierStructureUpdate,
} from "./schema.ts";
import { tierStructures as store, viewTierStructure as view } from "./store.ts";

const ACTIVITIES = { id: "lats", cursor: "lcrsats", field: "tier_structure_id" } as const;

export const loyaltyTierStructureRoutes = [
  read(
    "GET /v2/loyalties/tier-structures",
    {
      id: "listTierStructures",
      summary: "List tier structures",
      query: LoyaltyTierStructureQuery,
      ok: LoyaltyTierStructureList,
    },
    async (c) => cursorList(await store.list(c.db, c, c.query), view),
  ),
  write(
    "POST /v2/loyalties/tier-structures",
    {
      id: "createTierStructure",
      summary: "Create a tier structure",
      body: LoyaltyTierStructureCreate,
      ok: LoyaltyTierStructure,
    },
    async (c) => view(await createTierStructure(c, c.body)),
  ),
  read(
    "GET /v2/loyalties/tier-structures/{tierStructureId}",
    { id: "getTierStructure", summary: "Read a tier structure", params: ByTierStructure, ok: LoyaltyTierStructure },
    async (c) => view(await store.get(c.db, c.project.id, c.params.tierStructureId)),
  ),
  write(
    "PUT /v2/loyalties/tier-structures/{tierStructureId}",
    {
      id: "updateTierStructure",
      summary: "Update a tier structure",
      description: "When the status is not `DRAFT`, only `name` and `metadata` can be updated.",
      params: ByTierStructure,
      body: LoyaltyTierStructureUpdate,
      bodyRequired: true,
      ok: LoyaltyTierStructure,
    },
    async (c) => view(await updateTierStructure(c, c.params.tierStructureId, c.body)),
  ),
  write(
    "DELETE /v2/loyalties/tier-structures/{tierStructureId}",
    {
      id: "deleteTierStructure",
      summary: "Delete a tier structure that no program uses, with its tiers",
      params: ByTierStructure,
      ok: LoyaltyTierStructure,
    },
    async (c) => view(await removeTierStructure(c, c.params.tierStructureId)),
  ),
  write(
    "POST /v2/loyalties/tier-structures/{tierStructureId}/activate",
    {
      id: "activateTierStructure",
      summary: "Activate a tier structure",
      params: ByTierStructure,
      ok: LoyaltyTierStructure,
    },
    async (c) => view(await moveTierStructure(c, c.params.tierStructureId, "activate")),
  ),
  write(
    "POST /v2/loyalties/tier-structures/{tierStructureId}/deactivate",
    {
      id: "deactivateTierStructure",
      summary: "Deactivate a tier structure",
      params: ByTierStructure,
      ok: LoyaltyTierStructure,
    },
    async (c) => view(await moveTierStructure(c, c.params.tierStructureId, "deactivate")),
  ),
  write(
    "POST /v2/loyalties/tier-structures/{tierStructureId}/draft",
    {
      id: "draftTierStructure",
      summary: "Make a tier structure a draft again",
      params: ByTierStructure,
      ok: LoyaltyTierStructure,
    },
    async (c) => view(await moveTierStructure(c, c.params.tierStructureId, "draft")),
  ),
  read(
    "GET /v2/loyalties/tier-structures/{tierStructureId}/activities",
    {
      id: "listTierStructureActivities",
      summary: "List what happened to a tier structure and its tiers",
      params: ByTierStructure,
      query: ActivityQuery,
      ok: activityListOf("tier_structure_id"),
    },
    async (c) => {
      const { id } = await store.get(c.db, c.project.id, c.params.tierStructureId);
      return cursorList(await listActivities(c, { list: ACTIVITIES, of: id }, c.query), (activity) => activity);
    },
  ),
];

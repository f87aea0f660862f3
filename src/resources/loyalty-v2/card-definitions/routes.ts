import { listActivities } from "../../../events/activities.ts";
import {
  createCardDefinition,
  moveCardDefinition,
  removeCardDefinition,
  updateCardDefinition,
} from "../../../flows/loyalty-v2/save-card-definition.ts";
import { cursorList, read, write } from "../../../http/route.ts";
import { ActivityQuery, activityListOf } from "../../../http/schemas.ts";
import {
  AnyQuery,
  ByCardDefinition,
  LoyaltyCardDefinition,
  LoyaltyCardDefinitionCreate,
  LoyaltyCardDefinitionList,
  LoyaltyCardDefinitionQuery,
  LoyaltyCardDefinitionUpdate,
} from "./schema.ts";
import { cardDefinitions as store, viewCardDefinition as view } from "./store.ts";

const ACTIVITIES = { id: "lacd", cursor: "lcrsacd", field: "card_definition_id" } as const;

export const loyaltyCardDefinitionRoutes = [
  read(
    "GET /v2/loyalties/card-definitions",
    {
      id: "listCardDefinitions",
      summary: "List card definitions",
      query: LoyaltyCardDefinitionQuery,
      ok: LoyaltyCardDefinitionList,
    },
    async (c) => cursorList(await store.list(c.db, c, c.query), view),
  ),
  write(
    "POST /v2/loyalties/card-definitions",
    {
      id: "createCardDefinition",
      summary: "Create a card definition",
      body: LoyaltyCardDefinitionCreate,
      ok: LoyaltyCardDefinition,
    },
    async (c) => view(await createCardDefinition(c, c.body)),
  ),
  read(
    "GET /v2/loyalties/card-definitions/{cardDefinitionId}",
    {
      id: "getCardDefinition",
      summary: "Read a card definition",
      params: ByCardDefinition,
      query: AnyQuery,
      ok: LoyaltyCardDefinition,
    },
    async (c) => view(await store.get(c.db, c.project.id, c.params.cardDefinitionId)),
  ),
  write(
    "PUT /v2/loyalties/card-definitions/{cardDefinitionId}",
    {
      id: "updateCardDefinition",
      summary: "Update a card definition",
      params: ByCardDefinition,
      body: LoyaltyCardDefinitionUpdate,
      ok: LoyaltyCardDefinition,
    },
    async (c) => view(await updateCardDefinition(c, c.params.cardDefinitionId, c.body)),
  ),
  write(
    "DELETE /v2/loyalties/card-definitions/{cardDefinitionId}",
    {
      id: "deleteCardDefinition",
      summary: "Delete a card definition that nothing uses",
      params: ByCardDefinition,
      ok: LoyaltyCardDefinition,
    },
    async (c) => view(await removeCardDefinition(c, c.params.cardDefinitionId)),
  ),
  write(
    "POST /v2/loyalties/card-definitions/{cardDefinitionId}/activate",
    {
      id: "activateCardDefinition",
      summary: "Activate a card definition",
      params: ByCardDefinition,
      ok: LoyaltyCardDefinition,
    },
    async (c) => view(await moveCardDefinition(c, c.params.cardDefinitionId, "activate")),
  ),
  write(
    "POST /v2/loyalties/card-definitions/{cardDefinitionId}/draft",
    {
      id: "draftCardDefinition",
      summary: "Make a card definition a draft again",
      params: ByCardDefinition,
      ok: LoyaltyCardDefinition,
    },
    async (c) => view(await moveCardDefinition(c, c.params.cardDefinitionId, "draft")),
  ),
  read(
    "GET /v2/loyalties/card-definitions/{cardDefinitionId}/activities",
    {
      id: "listCardDefinitionActivities",
      summary: "List what happened to a card definition",
      params: ByCardDefinition,
      query: ActivityQuery,
      ok: activityListOf("card_definition_id"),
    },
    async (c) => {
      const { id } = await store.get(c.db, c.project.id, c.params.cardDefinitionId);
      return cursorList(await listActivities(c, { list: ACTIVITIES, of: id }, c.query), (activity) => activity);
    },
  ),
];

import {
  createCardDefinition,
  moveCardDefinition,
  removeCardDefinition,
  updateCardDefinition,
} from "../../../flows/loyalty-v2/save-card-definition.ts";
import { statusRoutes } from "../../../http/status-routes.ts";
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

export const loyaltyCardDefinitionRoutes = statusRoutes({
  resource: "card_definition",
  words: "a card definition",
  store,
  view,
  params: ByCardDefinition,
  query: LoyaltyCardDefinitionQuery,
  ok: { one: LoyaltyCardDefinition, list: LoyaltyCardDefinitionList },
  body: { create: LoyaltyCardDefinitionCreate, update: LoyaltyCardDefinitionUpdate },
  flow: {
    create: createCardDefinition,
    update: updateCardDefinition,
    remove: removeCardDefinition,
    move: moveCardDefinition,
  },
  activities: { id: "lacd", cursor: "lcrsacd" },
  specs: {
    get: { query: AnyQuery },
    delete: { summary: "Delete a card definition that nothing uses" },
  },
});

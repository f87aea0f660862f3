import type { CardDefinition } from "../../../core/loyalty/card/wallet.ts";
import { statusStore } from "../../../db/status-store.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { CARD_DEFINITION_ORDERS, LoyaltyCardDefinition } from "./schema.ts";

export type CardDefinitionRow = CardDefinition & { project_id: string };

export const cardDefinitions = statusStore<CardDefinitionRow>({
  table: "loyalty_card_definitions",
  object: "card_definition",
  columns: columnsOf(LoyaltyCardDefinition),
  cursor: "lcrscdef",
  sortable: CARD_DEFINITION_ORDERS,
  fields: { id: "id", name: "string", type: "enum", status: "enum", created_at: "date", updated_at: "date" },
});

export const viewCardDefinition = ({ project_id: _, ...row }: CardDefinitionRow): LoyaltyCardDefinition => ({
  ...row,
  object: "card_definition",
});

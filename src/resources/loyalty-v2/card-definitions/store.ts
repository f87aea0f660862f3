import type { CardDefinition } from "../../../core/loyalty/card/wallet.ts";
import type { Tx } from "../../../db/db.ts";
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

/** Those of the card definitions that exist, so that none of them changes or goes meanwhile. */
export const lockCardDefinitions = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx<CardDefinitionRow[]>`
    select * from loyalty_card_definitions
    where project_id = ${projectId} and id = any(${ids}) and status <> 'DELETED' order by id for no key update`;

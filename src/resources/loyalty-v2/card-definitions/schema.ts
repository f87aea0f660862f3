import { type Static, Type } from "typebox";
import { walletBody, walletFields } from "../../../core/loyalty/card/wallet.ts";
import {
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Metadata,
  Nullable,
  strict,
} from "../../../http/schemas.ts";

const Name = Type.String({ minLength: 1, maxLength: 200 });

export const LoyaltyCardDefinition = Type.Object(
  {
    id: Type.String(),
    name: Name,
    type: Choice(["INDIVIDUAL"]),
    status: Choice(["DRAFT", "ACTIVE", "INACTIVE", "DELETED"]),
    ...walletFields,
    metadata: Metadata,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("card_definition"),
  },
  { title: "LoyaltyCardDefinition" },
);
export type LoyaltyCardDefinition = Static<typeof LoyaltyCardDefinition>;

export const LoyaltyCardDefinitionCreate = strict({
  name: Name,
  type: Choice(["INDIVIDUAL"]),
  status: Type.Optional(Nullable(Choice(["DRAFT", "ACTIVE"]))),
  ...walletBody,
  metadata: Type.Optional(Nullable(Metadata)),
});
export type LoyaltyCardDefinitionCreate = Static<typeof LoyaltyCardDefinitionCreate>;
export const LoyaltyCardDefinitionUpdate = strict(
  { name: Type.Optional(Name), ...walletBody, metadata: Type.Optional(Nullable(Metadata)) },
  { minProperties: 1 },
);
export type LoyaltyCardDefinitionUpdate = Static<typeof LoyaltyCardDefinitionUpdate>;

export const CARD_DEFINITION_ORDERS = ["name", "type", "status", "created_at"] as const;
export const LoyaltyCardDefinitionQuery = CursorQuery(CARD_DEFINITION_ORDERS, { filters: Type.Optional(Filters) });
export const LoyaltyCardDefinitionList = cursorListOf(LoyaltyCardDefinition);
export const ByCardDefinition = Type.Object({ cardDefinitionId: Type.String() });
/** Reading one takes no parameters, and does not mind any. */
export const AnyQuery = Type.Object({}, { additionalProperties: true });

import { type Static, Type } from "typebox";
import { Choice, DateTime, Filters, Nullable } from "../../../http/schemas.ts";

/** What can lie in the bin. */
export const BIN_KINDS = ["campaign", "product", "sku", "voucher"] as const;
export type BinKind = (typeof BIN_KINDS)[number];

export const BinEntry = Type.Object(
  {
    id: Type.String(),
    created_at: DateTime,
    deleted_by_user_id: Nullable(Type.String({ description: "Null: it was deleted through the API." })),
    resource_id: Type.String(),
    resource_type: Choice(BIN_KINDS),
    resource_name: Type.String(),
    resource_parent_id: Nullable(Type.String({ description: "The product of a SKU, the campaign of a code." })),
    object: Choice(BIN_KINDS, { description: "The same as `resource_type`." }),
  },
  { title: "BinEntry" },
);
export type BinEntry = Static<typeof BinEntry>;

export const BinList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(BinEntry),
  total: Type.Integer({ minimum: 0, description: "How many there are on this page." }),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next page." })),
});
export type BinList = Static<typeof BinList>;
export const BinQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  order: Type.Optional(Choice(["id", "-id"], { description: "A leading dash means descending." })),
  starting_after_id: Type.Optional(Type.String({ description: "The id of the last entry of the page before." })),
  filters: Type.Optional(Filters),
});
export type BinQuery = Static<typeof BinQuery>;
export const ByBinEntry = Type.Object({ binEntryId: Type.String() });

import { type Static, Type } from "typebox";
import {
  Choice,
  DateRange,
  DateTime,
  Filters,
  Id,
  listOf,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const STACK_TIERS_MAX = 30;

const name = Type.String({ minLength: 1, maxLength: 200 });
const mode = Choice(["MANUAL"]);
const tiers = open({
  ids: Type.Array(Id, {
    minItems: 1,
    maxItems: STACK_TIERS_MAX,
    uniqueItems: true,
    description: "Tiers of the campaign, in the order in which they apply.",
  }),
  hierarchy_mode: Type.Optional(mode),
});
const category_id = Nullable(Id);

export const PromotionStackCreate = open({ name, tiers, category_id: Type.Optional(category_id) });
export type PromotionStackCreate = Static<typeof PromotionStackCreate>;
export const PromotionStackUpdate = open(optional({ name, tiers, category_id }));
export type PromotionStackUpdate = Static<typeof PromotionStackUpdate>;

export const PromotionStack = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    tiers: Type.Object({ ids: Type.Array(Type.String()), hierarchy_mode: mode }),
    campaign_id: Type.String(),
    category_id: Nullable(Type.String()),
    categories: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        hierarchy: Type.Integer(),
        created_at: DateTime,
        updated_at: Nullable(DateTime),
        object: Type.Literal("category"),
      }),
    ),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("promotion_stack"),
  },
  { title: "PromotionStack" },
);
export type PromotionStack = Static<typeof PromotionStack>;

export const PromotionStackList = listOf(PromotionStack);
export const PromotionStackQuery = PageQuery(["created_at", "updated_at", "name"], {
  created_at: Type.Optional(DateRange),
  updated_at: Type.Optional(DateRange),
  filters: Type.Optional(Filters),
});
export const StacksOfCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });
export const ByPromotionStack = Type.Object({
  campaignId: Type.String({ description: "Its id or its name." }),
  stackId: Type.String(),
});

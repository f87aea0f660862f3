import { createStack, removeStack, stackView, updateStack } from "../../../flows/promotions/save-promotion-stack.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { promotionNamed } from "../../../steps/promotions/promotion-tiers.ts";
import {
  ByPromotionStack,
  PromotionStack,
  PromotionStackCreate,
  PromotionStackList,
  PromotionStackQuery,
  PromotionStackUpdate,
  StacksOfCampaign,
} from "./schema.ts";
import { getStack, listStacks, type PromotionStackRow } from "./store.ts";

const PAGE_LIMIT = 10;

export const promotionStackRoutes = [
  read(
    "GET /v1/promotions/stacks",
    {
      id: "listPromotionStacks",
      summary: "List all promotion stacks",
      query: PromotionStackQuery,
      ok: PromotionStackList,
    },
    async (c) => {
      const catalog = await c.catalog();
      const page = await listStacks(c.db, c.project.id, { limit: PAGE_LIMIT, ...c.query, now: c.now });
      return list(page, (row: PromotionStackRow) => stackView(catalog, row));
    },
  ),
  read(
    "GET /v1/promotions/{campaignId}/stacks",
    {
      id: "listPromotionStacksOfCampaign",
      summary: "List the promotion stacks of a campaign",
      params: StacksOfCampaign,
      ok: PromotionStackList,
    },
    async (c) => {
      const catalog = await c.catalog();
      const { id } = promotionNamed(catalog, c.params.campaignId);
      const page = await listStacks(c.db, c.project.id, { campaign_id: id, now: c.now });
      return list(page, (row: PromotionStackRow) => stackView(catalog, row));
    },
  ),
  write(
    "POST /v1/promotions/{campaignId}/stacks",
    {
      id: "createPromotionStack",
      summary: "Add a promotion stack to a campaign",
      params: StacksOfCampaign,
      body: PromotionStackCreate,
      ok: PromotionStack,
    },
    async (c) => createStack(c, c.params.campaignId, c.body),
  ),
  read(
    "GET /v1/promotions/{campaignId}/stacks/{stackId}",
    { id: "getPromotionStack", summary: "Read a promotion stack", params: ByPromotionStack, ok: PromotionStack },
    async (c) => {
      const catalog = await c.catalog();
      const { id } = promotionNamed(catalog, c.params.campaignId);
      return stackView(catalog, await getStack(c.db, c.project.id, id, c.params.stackId));
    },
  ),
  write(
    "PUT /v1/promotions/{campaignId}/stacks/{stackId}",
    {
      id: "updatePromotionStack",
      summary: "Update a promotion stack",
      params: ByPromotionStack,
      body: PromotionStackUpdate,
      ok: PromotionStack,
    },
    async (c) => updateStack(c, [c.params.campaignId, c.params.stackId], c.body),
  ),
  write(
    "DELETE /v1/promotions/{campaignId}/stacks/{stackId}",
    { id: "deletePromotionStack", summary: "Delete a promotion stack", params: ByPromotionStack, ok: Empty },
    async (c) => removeStack(c, [c.params.campaignId, c.params.stackId]),
  ),
];

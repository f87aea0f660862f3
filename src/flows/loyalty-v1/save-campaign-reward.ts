import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { inUse } from "../../core/in-use.ts";
import {
  parseCoin,
  parseRewardCampaign,
  type RewardParameters,
  type RewardParametersSent,
  requireOtherCampaign,
  rewardType,
} from "../../core/loyalty/campaign/reward.ts";
import { wholeOf } from "../../core/loyalty/campaign/shapes.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import type { CampaignRewardRow } from "../../core/rows/campaign.ts";
import type { WriteCtx } from "../../ctx.ts";
import { assignmentIdsOf, removeBinnedAssignments } from "../../resources/loyalty-v1/reward-assignments/store.ts";
import type {
  CampaignReward,
  CampaignRewardCreate,
  CampaignRewardUpdate,
} from "../../resources/loyalty-v1/rewards/schema.ts";
import { campaignRewards, view } from "../../resources/loyalty-v1/rewards/store.ts";
import { loadGoods } from "../../steps/goods/goods.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { requireKnown } from "../../steps/programs/loyalty-uses.ts";

export async function createCampaignReward(c: WriteCtx, sent: CampaignRewardCreate): Promise<CampaignReward> {
  const catalog = await lockConfiguration(c);
  const id = c.newId("rew");
  const metadata = sent.metadata ?? {};
  const type = rewardType(sent.parameters);
  if ((sent.type ?? type) !== type) throw invalid(`Property .type must be ${type}, as the parameters say`);
  requireMetadata(catalog, "reward", { metadata, on: "create" });
  const row = await campaignRewards.insert(c.db, {
    project_id: c.project.id,
    id,
    // Contract is silent: a reward without a name is called by its id.
    name: sent.name ?? id,
    type,
    parameters: await rewardParameters(c, catalog, sent.parameters),
    stock: stockOf(sent.stock),
    attributes: attributesOf({}, sent.attributes),
    metadata,
    created_at: c.now,
    updated_at: null,
  });
  c.changed("campaign_reward", id);
  return view(row);
}

/** What is not sent keeps its value; attributes and metadata are merged, and null takes them away. */
export async function updateCampaignReward(
  c: WriteCtx,
  id: string,
  sent: CampaignRewardUpdate,
): Promise<CampaignReward> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.campaign_rewards, "reward", id);
  if (sent.parameters && rewardType(sent.parameters) !== before.type)
    throw invalid(`Property .parameters must be those of a ${before.type} reward: the type of a reward cannot change`);
  const parameters = sent.parameters ? await rewardParameters(c, catalog, sent.parameters) : undefined;
  if (parameters) {
    for (const { reward_id, campaign_id } of catalog.reward_assignments.values())
      if (reward_id === id) requireOtherCampaign(parameters, campaign_id);
  }
  if (sent.metadata === null) requireMetadata(catalog, "reward", { metadata: {}, on: "create" });
  else requireMetadata(catalog, "reward", { metadata: sent.metadata ?? {}, on: "update" });
  const row = await campaignRewards.update(c.db, c.project.id, id, {
    name: sent.name ?? undefined,
    parameters,
    stock: sent.stock === undefined ? undefined : stockOf(sent.stock),
    attributes: attributesOf(before.attributes, sent.attributes),
    metadata: sent.metadata === null ? {} : mergeMetadata(before.metadata, sent.metadata),
    updated_at: c.now,
  });
  c.changed("campaign_reward", id);
  return view(row);
}

/** Deletes a reward that no campaign has. */
export async function removeCampaignReward(c: WriteCtx, id: string): Promise<null> {
  const catalog = await lockConfiguration(c);
  requireKnown(catalog.campaign_rewards, "reward", id);
  // Nobody sees the campaigns in the bin, so they do not keep it.
  for (const gone of await removeBinnedAssignments(c.db, c.project.id, id)) c.changed("reward_assignment", gone);
  const ids = await assignmentIdsOf(c.db, c.project.id, id);
  if (ids.length > 0) throw inUse({ type: "reward", id }, { type: "reward_assignment", ids });
  await campaignRewards.remove(c.db, c.project.id, id);
  c.changed("campaign_reward", id);
  return null;
}

const stockOf = (sent: CampaignRewardCreate["stock"]): number | null => (sent == null ? null : wholeOf(sent, ".stock"));

function attributesOf(
  before: CampaignRewardRow["attributes"],
  sent: CampaignRewardCreate["attributes"],
): CampaignRewardRow["attributes"] {
  if (sent === null) return {};
  const { image_url, description } = { ...before, ...sent };
  return { ...(image_url && { image_url }), ...(description && { description }) };
}

/** The parameters as they are stored. 404 for a campaign or goods that are not there. */
async function rewardParameters(c: WriteCtx, catalog: Catalog, sent: RewardParametersSent): Promise<RewardParameters> {
  if (sent.coin) return parseCoin(sent.coin);
  if (sent.campaign) {
    const campaign = requireKnown(catalog.campaigns, "campaign", sent.campaign.id);
    return parseRewardCampaign(sent.campaign, campaign);
  }
  const { id, sku_id } = sent.product!;
  const goods = await loadGoods(c.db, c.project.id, { products: [id], skus: sku_id ? [sku_id] : [] });
  const product = goods.products.get(id);
  if (!product) throw notFound("product", id);
  if (!sku_id) return { product: { id: product.id, sku_id: null } };
  const sku = goods.skus.get(sku_id);
  if (sku?.product_id !== product.id) throw notFound("sku", sku_id);
  return { product: { id: product.id, sku_id: sku.id } };
}

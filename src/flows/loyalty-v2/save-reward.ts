import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import { parseWindow } from "../../core/loyalty/card/window.ts";
import { parseUseLimits } from "../../core/loyalty/earning/use-limits.ts";
import {
  type CostsSent,
  parseCosts,
  parseRewardConfig,
  type Reward,
  walletsOfReward,
} from "../../core/loyalty/program/reward.ts";
import type { LoyaltyMove } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { RewardCreate, RewardShown, RewardUpdate } from "../../resources/loyalty-v2/rewards/schema.ts";
import { rewards, view } from "../../resources/loyalty-v2/rewards/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import {
  requireCampaign,
  requireComponents,
  requireMaterial,
  requireTiers,
} from "../../steps/programs/loyalty-references.ts";
import { firstUse, programsUsing, requireKnown } from "../../steps/programs/loyalty-uses.ts";
import { componentSaver } from "../../steps/programs/save-component.ts";

const saver = componentSaver({ resource: "reward", store: rewards, view, heldIn: (catalog) => catalog.rewards });

export async function createReward(c: WriteCtx, sent: RewardCreate): Promise<RewardShown> {
  const catalog = await lockConfiguration(c);
  const row = {
    project_id: c.project.id,
    id: c.newId("lrew"),
    name: sent.name,
    type: sent.type,
    status: sent.status ?? ("DRAFT" as const),
    ...parseRewardConfig(sent.type, sent),
    refunds: sent.refunds ?? NOT_REFUNDED,
    costs: requireCosts([], sent.costs, c),
    purchase_limits: parseUseLimits(sent.purchase_limits, ".purchase_limits"),
    ...parseWindow(sent),
    metadata: sent.metadata ?? {},
    created_at: c.now,
    updated_at: null,
  };
  requireMetadata(catalog, "vl_reward", { metadata: row.metadata, on: "create" });
  await requireReferences(c, catalog, row);
  return saver.insert(c, row);
}

const NOT_REFUNDED = { type: "NONE" } as const;
/** What it is and what it gives: only of a draft. */
const FIXED = ["type", "material", "digital"] as const;

/** What is not sent keeps its value, and null is what a new reward has. */
export async function updateReward(c: WriteCtx, id: string, sent: RewardUpdate): Promise<RewardShown> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.rewards, "reward", id);
  const fixed = FIXED.find((field) => sent[field] !== undefined);
  if (before.status !== "DRAFT" && fixed)
    throw invalid(`Payload must NOT have additional property '${fixed}' when the status is ${before.status}`);
  const type = sent.type ?? before.type;
  const kept = type === before.type ? { material: before.material, digital: before.digital } : {};
  const config = fixed ? parseRewardConfig(type, { ...kept, ...sent }) : {};
  const patch = {
    name: sent.name,
    type: sent.type,
    ...config,
    refunds: sent.refunds === null ? NOT_REFUNDED : sent.refunds,
    costs: sent.costs && requireCosts(before.costs, sent.costs, c),
    purchase_limits:
      sent.purchase_limits === undefined ? undefined : parseUseLimits(sent.purchase_limits, ".purchase_limits"),
    ...parseWindow(sent, before),
    metadata: sent.metadata === null ? {} : sent.metadata,
  };
  if (patch.metadata) requireMetadata(catalog, "vl_reward", { metadata: patch.metadata, on: "create" });
  // Only what is new: what was there before may be gone by now, and is no fault of this update.
  await requireReferences(c, catalog, { material: null, digital: null, ...config, costs: patch.costs ?? [] });
  return saver.update(c, id, patch);
}

export const moveReward = (c: WriteCtx, id: string, move: LoyaltyMove): Promise<RewardShown> =>
  saver.move(c, { id, move }, (catalog) => {
    const use = move === "draft" ? programsWith(catalog, id) : null;
    if (use)
      throw new ApiError("resource_locked", {
        details: `The reward ${id} is assigned to programs`,
        resource_id: id,
        resource_type: "reward",
        related_object_ids: use.ids,
        related_object_type: use.type,
      });
  });

/** Deletes a reward that no program has. */
export const removeReward = (c: WriteCtx, id: string): Promise<RewardShown> =>
  saver.remove(c, id, (catalog) => programsWith(catalog, id));

const programsWith = (catalog: Catalog, id: string) =>
  firstUse(new Map([["program", programsUsing(catalog, id)]]), () => true);

/** The costs as they are stored. 404 for one that the reward does not have, 400 for one that is sent twice. */
function requireCosts(before: Reward["costs"], sent: CostsSent, c: Pick<WriteCtx, "newId">): Reward["costs"] {
  const costs = parseCosts(sent, c.newId);
  const all = (rows: readonly { id?: string; spending: readonly { id?: string }[] }[]) =>
    rows.flatMap(({ id, spending }) => [id, ...spending.map((one) => one.id)]).filter((id) => id !== undefined);
  const known = new Set(all(before));
  const unknown = all(sent).find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound("reward_cost", unknown);
  const ids = all(costs);
  if (new Set(ids).size < ids.length) throw invalid("Property .costs must NOT have duplicate items");
  return costs;
}

async function requireReferences(
  c: WriteCtx,
  catalog: Catalog,
  reward: Pick<Reward, "material" | "digital" | "costs">,
): Promise<void> {
  requireComponents(catalog, { wallets: walletsOfReward(reward) });
  requireTiers(
    catalog,
    reward.costs.map(({ tier_rules }) => tier_rules),
  );
  if (reward.material) await requireMaterial(c, reward.material);
  if (reward.digital) requireCampaign(catalog, reward.digital);
}

import { requireMetadata } from "../../catalog/metadata.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { inUse } from "../../core/in-use.ts";
import {
  type Mapping,
  type MappingSent,
  parseMapping,
  type RewardMapping,
} from "../../core/loyalty/campaign/shapes.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import type { CampaignTierRow } from "../../core/rows/campaign.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import { rulesNamingTier, rulesOfCampaign } from "../../resources/loyalty-v1/earning-rules/store.ts";
import { loadRewardAssignments } from "../../resources/loyalty-v1/reward-assignments/store.ts";
import {
  CAMPAIGN_TIERS_MAX,
  type CampaignTier,
  type CampaignTierCreate,
  type CampaignTierUpdate,
} from "../../resources/loyalty-v1/tiers/schema.ts";
import { campaignTiers, loyaltyTiersOfCampaigns, view } from "../../resources/loyalty-v1/tiers/store.ts";
import { reviewPrograms } from "../../resources/loyalty-v2/cards/reviews-store.ts";
import type { CampaignRow } from "../../resources/promotions/campaigns/store.ts";
import { takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { lockLoyaltyCampaign } from "../../steps/points/loyalty-campaigns.ts";

type Named = readonly [campaign: string, tier: string];
/** Creates tiers of a campaign: all of them, or none. */
export async function createCampaignTiers(
  c: WriteCtx,
  reference: string,
  sent: readonly CampaignTierCreate[],
): Promise<CampaignTier[]> {
  const campaign = await lockLoyaltyCampaign(c.db, c.project.id, reference);
  const catalog = await c.catalog();
  const before = await loyaltyTiersOfCampaigns(c.db, c.project.id, [campaign.id]);
  // Contract is silent: how many tiers a campaign has.
  if (before.length + sent.length > CAMPAIGN_TIERS_MAX)
    throw invalid(`A campaign has at most ${CAMPAIGN_TIERS_MAX} tiers, and has ${before.length}`);
  const ranges: Range[] = [...before];
  for (const [n, { points, metadata }] of sent.entries()) {
    requireMetadata(catalog, "loyalty_tier", { metadata: metadata ?? {}, on: "create" });
    ranges.push(requireRange({ ...rangeOf(points), name: sent[n]!.name }, ranges, `[${n}]`));
  }
  const mapped = await mappingsOf(c, campaign, sent);
  const first = await takeStamps(c.db, c.project.id, { now: c.now, count: sent.length });
  const rows: CampaignTierRow[] = [];
  for (const [n, { name, points, metadata }] of sent.entries()) {
    const id = c.newId("ltr");
    const created_at = Temporal.Instant.from(first).add({ microseconds: n }).toString();
    const made = { project_id: c.project.id, id, campaign_id: campaign.id, created_at };
    const row = { ...made, name, ...rangeOf(points), ...mapped[n], metadata: metadata ?? {} };
    rows.push(await campaignTiers.insert(c.db, row));
    c.changed("campaign_tier", id);
  }
  await reviewPrograms(c, [campaign.id]);
  await record(
    c,
    rows.map((row) => tierEvent("campaign.loyalty_tier.created", campaign, row)),
  );
  return rows.map(view);
}

/** What is not sent keeps its value; metadata is merged, a map of mappings is replaced. */
export async function updateCampaignTier(c: WriteCtx, named: Named, sent: CampaignTierUpdate): Promise<CampaignTier> {
  const { campaign, row, others } = await lockTier(c, named);
  const { name, points, metadata } = sent;
  requireMetadata(await c.catalog(), "loyalty_tier", { metadata: metadata ?? {}, on: "update" });
  if (points) requireRange({ ...rangeOf(points), name: name ?? row.name }, others, "");
  const [mapped] = await mappingsOf(c, campaign, [sent], () => "");
  const saved = await campaignTiers.update(c.db, c.project.id, row.id, {
    ...{ name, ...(points && rangeOf(points)), ...mapped },
    metadata: mergeMetadata(row.metadata, metadata),
    updated_at: c.now,
  });
  if (points) await reviewPrograms(c, [campaign.id]);
  return saveTier(c, campaign, saved, "campaign.loyalty_tier.updated");
}

// Contract is silent: a tier that an earning rule asks for. Without it the rule would never give points again.
/** Deletes a tier. While an earning rule names it, it is kept. */
export async function removeCampaignTier(c: WriteCtx, named: Named): Promise<null> {
  const { campaign, row } = await lockTier(c, named);
  const rules = await rulesNamingTier(c.db, c.project.id, row.id);
  if (rules.length > 0) throw inUse({ type: "loyalty_tier", id: row.id }, { type: "earning_rule", ids: rules });
  await campaignTiers.remove(c.db, c.project.id, row.id);
  await reviewPrograms(c, [campaign.id]);
  await saveTier(c, campaign, row, "campaign.loyalty_tier.deleted");
  return null;
}

/** A tier, the other tiers of its campaign, and the campaign, which is locked. */
async function lockTier(c: WriteCtx, [reference, id]: Named) {
  const campaign = await lockLoyaltyCampaign(c.db, c.project.id, reference);
  const rows = await loyaltyTiersOfCampaigns(c.db, c.project.id, [campaign.id]);
  const row = rows.find((one) => one.id === id);
  if (!row) throw notFound("loyalty_tier", id);
  return { campaign, row, others: rows.filter((one) => one !== row) };
}

async function saveTier(
  c: WriteCtx,
  campaign: CampaignRow,
  row: CampaignTierRow,
  kind: EventKind,
): Promise<CampaignTier> {
  c.changed("campaign_tier", row.id);
  await record(c, [tierEvent(kind, campaign, row)]);
  return view(row);
}

const tierEvent = (kind: EventKind, { id, name, campaign_type }: CampaignRow, row: CampaignTierRow) => ({
  kind,
  campaign_id: id,
  payload: { campaign: { id, name, campaign_type, object: "campaign" }, loyalty_tier: view(row) },
});

type Range = Pick<CampaignTierRow, "points_from" | "points_to" | "name">;

const rangeOf = ({ from, to = null }: CampaignTierCreate["points"]) => ({ points_from: from, points_to: to });

/** Both ends belong to a tier, so that no number of points may be in two. */
function requireRange(range: Range, others: readonly Range[], path: string): Range {
  const endOf = ({ points_to }: Range) => points_to ?? Number.POSITIVE_INFINITY;
  if (endOf(range) < range.points_from)
    throw invalid(`Property ${path}.points.to must be >= ${range.points_from}, which is points.from`);
  const other = others.find((one) => one.points_from <= endOf(range) && range.points_from <= endOf(one));
  if (!other) return range;
  const [from, to] = [other.points_from, other.points_to ?? "no end"];
  throw invalid(`Property ${path}.points overlaps the range of the tier ${other.name}, from ${from} to ${to}`);
}

type Mapped = Pick<CampaignTierUpdate, "earning_rules" | "rewards">;

/**
 * What tiers change, as it is stored; undefined where nothing is sent. 404 for a rule or an assignment that is not one of
 * the campaign's.
 */
async function mappingsOf(
  c: WriteCtx,
  campaign: CampaignRow,
  sent: readonly Mapped[],
  pathOf = (n: number) => `[${n}]`,
): Promise<{ earning_rules?: Record<string, Mapping>; rewards?: Record<string, RewardMapping> }[]> {
  const idsIn = (field: keyof Mapped) => [...new Set(sent.flatMap((one) => Object.keys(one[field] ?? {})))];
  const [ruleIds, assignmentIds] = [idsIn("earning_rules"), idsIn("rewards")];
  const rules = ruleIds.length > 0 ? await rulesOfCampaign(c.db, c.project.id, campaign.id) : [];
  const assigned = assignmentIds.length > 0 ? await loadRewardAssignments(c.db, c.project.id, assignmentIds) : [];
  const own = assigned.filter(({ campaign_id }) => campaign_id === campaign.id);
  requireFoundRows("earning_rule", ruleIds, rules);
  requireFoundRows("reward_assignment", assignmentIds, own);
  const { campaign_rewards } = await c.catalog();
  const isCoin = ({ reward_id }: { reward_id: string }) => campaign_rewards.get(reward_id)?.type === "COIN";
  const coins = new Set(own.filter(isCoin).map(({ id }) => id));
  return sent.map(({ earning_rules, rewards }, n) => {
    const path = pathOf(n);
    const coin = Object.entries(rewards ?? {}).find(([id, { type }]) => type === "CUSTOM" && coins.has(id));
    if (coin)
      throw invalid(`Property ${path}.rewards.${coin[0]}.type cannot be CUSTOM: the reward is to pay with points`);
    return {
      ...(earning_rules !== undefined && { earning_rules: stored<Mapping>(earning_rules, `${path}.earning_rules`) }),
      ...(rewards !== undefined && { rewards: stored<RewardMapping>(rewards, `${path}.rewards`) }),
    };
  });
}

const stored = <T extends RewardMapping>(sent: Record<string, MappingSent> | null, path: string): Record<string, T> =>
  Object.fromEntries(Object.entries(sent ?? {}).map(([id, one]) => [id, parseMapping<T>(one, `${path}.${id}`)]));

function requireFoundRows(object: string, ids: readonly string[], rows: readonly { id: string }[]): void {
  const known = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound(object, missing);
}

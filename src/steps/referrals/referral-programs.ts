import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../catalog/catalog.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { inUse } from "../../core/in-use.ts";
import { isShared } from "../../core/publish/publish.ts";
import {
  REWARD_CARDS,
  type ReferralProgram,
  type ReferralProgramSent,
  type ReferralTier,
} from "../../core/referrals/program.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { NewEvent } from "../../events/events.ts";
import { lockCustomEventSchema } from "../../resources/customers/custom-event-schemas/store.ts";
import { lockRewardAssignment } from "../../resources/loyalty-v1/reward-assignments/store.ts";
import { type Campaign, lockCampaign, programsNaming } from "../../resources/promotions/campaigns/store.ts";
import { referralsIn } from "./referrals.ts";

const invalidProgram = (details: string) => invalid(`Property .referral_program${details}`);
type Named = { id?: string | null; name?: string | null };

/**
 * A referral program as it is stored: what it names exists and fits. What is not sent stays, null takes it away; tiers
 * that are sent with their ids stay the same ones.
 */
export async function requireReferralProgram(
  c: WriteCtx,
  catalog: Catalog,
  sent: ReferralProgramSent | null | undefined,
  before: ReferralProgram | null,
): Promise<ReferralProgram | null | undefined> {
  if (!sent) return sent;
  const { conversion_event_type = before?.conversion_event_type ?? "redemption" } = sent;
  const isEvent = conversion_event_type === "custom_event";
  if (!isEvent && sent.custom_event)
    throw invalidProgram(".custom_event is for the conversion_event_type custom_event");
  // The event goes with what it was for.
  const custom_event = kept(sent.custom_event, isEvent ? before?.custom_event : undefined, (one) =>
    eventNamed(catalog, one),
  );
  if (isEvent && !custom_event) throw invalidProgram(" must have required property 'custom_event'");
  const referee_reward = kept(sent.referee_reward, before?.referee_reward, (one) => rewardOf(catalog, one));
  const tiers = kept(sent.tiers, before?.tiers, (all) =>
    referralTiers(c, catalog, { all, before: before?.tiers ?? [] }),
  );
  await lockNamed(c, catalog, {
    custom_event: sent.custom_event && custom_event,
    referee_reward: sent.referee_reward && referee_reward,
    tiers: sent.tiers && tiers,
  });
  return {
    conversion_event_type,
    ...(custom_event && { custom_event }),
    ...(referee_reward && { referee_reward }),
    ...(tiers && { tiers }),
  };
}

/** What is not sent stays as it is, and null takes it away. */
const kept = <S, T>(sent: S | null | undefined, before: T | undefined, stored: (sent: S) => T): T | undefined =>
  sent === undefined ? before : sent === null ? undefined : stored(sent);

type Naming = { [K in "custom_event" | "referee_reward" | "tiers"]: ReferralProgram[K] | null };

/** What a program names from now on is still there, and nobody deletes it before the program is saved. */
async function lockNamed(c: WriteCtx, catalog: Catalog, named: Naming): Promise<void> {
  const assignments = [...new Set((named.tiers ?? []).map(({ reward }) => reward.assignment_id))].sort();
  const campaigns = new Set(assignments.flatMap((id) => catalog.reward_assignments.get(id)?.campaign_id ?? []));
  if (named.referee_reward) campaigns.add(named.referee_reward.related_object_parent.id);
  for (const id of [...campaigns].sort()) await lockCampaign(c.db, c.project.id, id);
  for (const id of assignments)
    if (!(await lockRewardAssignment(c.db, c.project.id, id))) throw notFound("reward_assignment", id);
  if (named.custom_event) await lockCustomEventSchema(c.db, c.project.id, named.custom_event.id);
}

/**
 * Refuses to delete what a referral program names, which would do nothing from then on. `ids` are those that would be
 * gone; what is deleted was locked, so that no program comes to name it meanwhile.
 */
export async function requireNoProgram(
  c: WriteCtx,
  { type, id }: { type: "campaign" | "reward_assignment" | "custom_event_schema"; id: string },
  ids: readonly string[] = [id],
): Promise<void> {
  const programs = await programsNaming(c.db, c.project.id, ids);
  if (programs.length > 0) throw inUse({ type, id }, { type: "campaign", ids: programs });
}

function eventNamed({ custom_event_schemas }: Catalog, { id, name }: Named) {
  const found = id ? custom_event_schemas.values().find((one) => one.id === id) : custom_event_schemas.get(name ?? "");
  if (!id && !name) throw invalidProgram(".custom_event must have an id or a name");
  if (!found) throw notFound("custom_event_schema", (id ?? name)!);
  return { id: found.id, name: found.name };
}

function rewardOf(
  { campaigns }: Catalog,
  { related_object_parent: parent, type, amount }: NonNullable<ReferralProgramSent["referee_reward"]>,
) {
  const reference = parent.id || parent.name;
  if (!reference) throw invalidProgram(".referee_reward.related_object_parent must have an id or a name");
  const found: Campaign | undefined =
    campaigns.get(reference) ?? (parent.id ? undefined : campaigns.values().find(({ name }) => name === reference));
  if (!found) throw notFound("campaign", reference);
  if (found.campaign_type !== REWARD_CARDS[type] || isShared(found))
    throw invalidProgram(
      `.referee_reward.related_object_parent must be a campaign of type ${REWARD_CARDS[type]} with a card for each customer`,
    );
  return { related_object_parent: { id: found.id, name: found.name, object: "CAMPAIGN" as const }, type, amount };
}

type TierSent = NonNullable<ReferralProgramSent["tiers"]>[number];

function referralTiers(
  c: WriteCtx,
  catalog: Catalog,
  { all, before }: { all: readonly TierSent[]; before: readonly ReferralTier[] },
): ReferralTier[] {
  const twice = all.findIndex(({ id }, n) => id && all.findIndex((one) => one.id === id) !== n);
  if (twice !== -1) throw invalidProgram(`.tiers[${twice}].id is that of another tier: ${all[twice]!.id}`);
  return all.map((tier, n) => tierOf(c, catalog, { tier, n, before }));
}

function tierOf(
  c: WriteCtx,
  catalog: Catalog,
  { tier, n, before }: { tier: TierSent; n: number; before: readonly ReferralTier[] },
): ReferralTier {
  const { id, banner, parameters, reward } = tier;
  const { type, min, segment_id } = parameters;
  const path = `.tiers[${n}]`;
  if (type === "MINIMUM" && min == null) throw invalidProgram(`${path}.parameters must have required property 'min'`);
  if (segment_id && !catalog.segments.has(segment_id)) throw notFound("segment", segment_id);
  const found = referralsIn(catalog).rewards.get(reward.assignment_id);
  if (!found) throw notFound("reward_assignment", reward.assignment_id);
  if (found.type === "COIN") throw invalidProgram(`${path}.reward must not be one that is paid with points`);
  const known = before.some((one) => one.id === id);
  return {
    id: known ? id! : c.newId("reft"),
    banner: banner ?? null,
    parameters: { type, ...(type === "MINIMUM" && { min: min! }), ...(segment_id && { segment_id }) },
    reward: { assignment_id: reward.assignment_id },
  };
}

/** What is told of tiers that are new, other or gone. */
export function referralTierEvents(
  campaignId: string,
  before: ReferralProgram | null,
  after: ReferralProgram | null,
): NewEvent<`campaign.referral_tier.${"created" | "updated" | "deleted"}`>[] {
  const [was, is] = [before, after].map((one) => new Map((one?.tiers ?? []).map((tier) => [tier.id, tier])));
  const tell = (what: "created" | "updated" | "deleted", tier: ReferralTier) => ({
    kind: `campaign.referral_tier.${what}` as const,
    campaign_id: campaignId,
    payload: { referral_tier: { ...tier, campaign_id: campaignId } },
  });
  return [
    ...[...is!.values()].flatMap((tier) => {
      const old = was!.get(tier.id);
      return old ? (isDeepStrictEqual(old, tier) ? [] : [tell("updated", tier)]) : [tell("created", tier)];
    }),
    ...[...was!.values()].filter(({ id }) => !is!.has(id)).map((tier) => tell("deleted", tier)),
  ];
}

import { isDeepStrictEqual } from "node:util";
import { ApiError, notFound } from "../core/errors.ts";
import { isShared } from "../core/publish/publish.ts";
import {
  REWARD_CARDS,
  type ReferralProgram,
  type ReferralProgramSent,
  type ReferralTier,
} from "../core/referrals/program.ts";
import type { WriteCtx } from "../ctx.ts";
import type { Campaign } from "../resources/campaigns/store.ts";
import type { Catalog } from "./catalog.ts";
import type { Telling } from "./happened.ts";
import { referralsIn } from "./referrals.ts";

const invalid = (details: string) =>
  new ApiError("invalid_payload", { details: `Property .referral_program${details}` });
type Named = { id?: string | null; name?: string | null };

/**
 * A referral program as it is stored: what it names exists and fits. What is sent replaces what was there; tiers that
 * are sent with their ids stay the same ones. Null takes it away, undefined leaves it.
 */
export function requireReferralProgram(
  c: WriteCtx,
  catalog: Catalog,
  sent: ReferralProgramSent | null | undefined,
  before: ReferralProgram | null,
): ReferralProgram | null | undefined {
  if (!sent) return sent;
  const { conversion_event_type = "redemption", custom_event, referee_reward, tiers } = sent;
  const isEvent = conversion_event_type === "custom_event";
  if (isEvent && !custom_event) throw invalid(" must have required property 'custom_event'");
  if (!isEvent && custom_event) throw invalid(".custom_event is for the conversion_event_type custom_event");
  return {
    conversion_event_type,
    ...(custom_event && { custom_event: eventNamed(catalog, custom_event) }),
    ...(referee_reward && { referee_reward: rewardOf(catalog, referee_reward) }),
    ...(tiers && { tiers: tiers.map((tier, n) => tierOf(c, catalog, { tier, n, before: before?.tiers ?? [] })) }),
  };
}

function eventNamed({ custom_event_schemas }: Catalog, { id, name }: Named) {
  const found = id ? custom_event_schemas.values().find((one) => one.id === id) : custom_event_schemas.get(name ?? "");
  if (!id && !name) throw invalid(".custom_event must have an id or a name");
  if (!found) throw notFound("custom_event_schema", (id ?? name)!);
  return { id: found.id, name: found.name };
}

function rewardOf(
  { campaigns }: Catalog,
  { related_object_parent: parent, type, amount }: NonNullable<ReferralProgramSent["referee_reward"]>,
) {
  const reference = parent.id || parent.name;
  if (!reference) throw invalid(".referee_reward.related_object_parent must have an id or a name");
  const found: Campaign | undefined =
    campaigns.get(reference) ?? (parent.id ? undefined : campaigns.values().find(({ name }) => name === reference));
  if (!found) throw notFound("campaign", reference);
  if (found.campaign_type !== REWARD_CARDS[type] || isShared(found))
    throw invalid(
      `.referee_reward.related_object_parent must be a campaign of type ${REWARD_CARDS[type]} with a card for each customer`,
    );
  return { related_object_parent: { id: found.id, name: found.name, object: "CAMPAIGN" as const }, type, amount };
}

type TierSent = NonNullable<ReferralProgramSent["tiers"]>[number];

function tierOf(
  c: WriteCtx,
  catalog: Catalog,
  { tier, n, before }: { tier: TierSent; n: number; before: readonly ReferralTier[] },
): ReferralTier {
  const { id, banner, parameters, reward } = tier;
  const { type, min, segment_id } = parameters;
  const path = `.tiers[${n}]`;
  if (type === "MINIMUM" && min == null) throw invalid(`${path}.parameters must have required property 'min'`);
  if (segment_id && !catalog.segments.has(segment_id)) throw notFound("segment", segment_id);
  const found = referralsIn(catalog).rewards.get(reward.assignment_id);
  if (!found) throw notFound("reward_assignment", reward.assignment_id);
  if (found.type === "COIN") throw invalid(`${path}.reward must not be one that is paid with points`);
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
): Telling<`campaign.referral_tier.${"created" | "updated" | "deleted"}`>[] {
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

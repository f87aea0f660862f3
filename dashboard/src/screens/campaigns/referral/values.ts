import type { BodyOf } from "../../../api/op.ts";
import type { Campaign, createCampaignReward, Reward, updateCampaign } from "../../../api/operations.gen.ts";
import type { Option } from "../../../kit/pick/record-select.tsx";
import type { Gift as GiftSaid } from "../../../registry/campaign-sentence.ts";
import type { Text } from "../../../text/text.ts";

/** The kinds of campaigns that a gift is of: points, credits or a code. A product is given with the interface only. */
export type GiftKind = GiftSaid["kind"];
/** `amount`: points, or money in 1/100. */
export type Gift = { kind: GiftKind; campaign: Option | null; amount: number | null };
type Program = NonNullable<Campaign["referral_program"]>;
type Tier = NonNullable<Program["tiers"]>[number];
/** `tier`: as it is stored; null: it is new. `min`: which friend it is for; null where it is for each of them. */
export type ReferrerReward = Gift & { key: number; tier: Tier | null; isOnce: boolean; min: number | null };
/** What a referral campaign gives beside its code, and for what. */
export type Referral = {
  counts: NonNullable<Program["conversion_event_type"]>;
  event: Option | null;
  friend: Gift | null;
  referrer: ReferrerReward[];
};

export const NO_REFERRAL: Referral = { counts: "redemption", event: null, friend: null, referrer: [] };

export const COUNTS = ["redemption", "order.paid", "custom_event"] as const;
const FRIEND_TYPES = { LOYALTY_PROGRAM: "LOYALTY_CARD", GIFT_VOUCHERS: "GIFT_VOUCHER" } as const;
export type FriendKind = keyof typeof FRIEND_TYPES;

/** Rewards by the ids of their assignments. */
export type Rewards = ReadonlyMap<string, Reward>;

/** What a reward gives. One that nobody may read is called what shops call it. */
function giftOf({ reward: { assignment_id }, banner }: Tier, rewards: Rewards): Gift {
  const reward = rewards.get(assignment_id);
  const { campaign } = reward?.parameters ?? {};
  const named = { value: campaign?.id ?? assignment_id, label: reward?.name ?? banner ?? "…" };
  return { kind: campaign?.type ?? "PRODUCT", campaign: named, amount: campaign?.balance ?? null };
}

/** The program of a saved campaign as the form holds it. */
export function referralOf({ referral_program: program }: Campaign, rewards: Rewards): Referral {
  if (!program) return NO_REFERRAL;
  const { conversion_event_type = "redemption", custom_event, referee_reward, tiers } = program;
  const parent = referee_reward?.related_object_parent;
  return {
    counts: conversion_event_type,
    event: custom_event?.id ? { value: custom_event.id, label: custom_event.name ?? custom_event.id } : null,
    friend: referee_reward
      ? {
          kind: referee_reward.type === "LOYALTY_CARD" ? "LOYALTY_PROGRAM" : "GIFT_VOUCHERS",
          campaign: parent?.id ? { value: parent.id, label: parent.name ?? parent.id } : null,
          amount: referee_reward.amount,
        }
      : null,
    referrer: (tiers ?? []).map((tier, key) => ({
      ...{ key, tier, ...giftOf(tier, rewards) },
      ...{ isOnce: tier.parameters.type === "MINIMUM", min: tier.parameters.min ?? null },
    })),
  };
}

const lacks = ({ kind, campaign, amount }: Gift): boolean =>
  campaign === null || (kind !== "DISCOUNT_COUPONS" && !amount);

/** What is missing. The server decides the rest. */
export function referralFault({ counts, event, friend, referrer }: Referral, t: Text): string | null {
  if (counts === "custom_event" && event === null) return t("referrals.badEvent");
  if (referrer.some(({ isOnce, min }) => isOnce && !min)) return t("referrals.badFriend");
  const fresh = referrer.filter(({ tier }) => tier === null);
  return (friend !== null && lacks(friend)) || fresh.some(lacks) ? t("referrals.badGift") : null;
}

/** What is sent to make the reward that a referrer gets. */
export const rewardOf = ({ kind, campaign, amount }: Gift): BodyOf<typeof createCampaignReward> => ({
  name: campaign!.label,
  parameters: { campaign: { id: campaign!.value, ...(kind !== "DISCOUNT_COUPONS" && { balance: amount }) } },
});

/** The program as it is sent. `assigned`: the assignments of rewards that were made for it, by their keys. */
export function programOf(
  { counts, event, friend, referrer }: Referral,
  assigned: ReadonlyMap<number, string>,
): NonNullable<BodyOf<typeof updateCampaign>["referral_program"]> {
  return {
    conversion_event_type: counts,
    custom_event: counts === "custom_event" && event ? { id: event.value } : null,
    referee_reward: friend && {
      related_object_parent: { id: friend.campaign!.value },
      type: FRIEND_TYPES[friend.kind as FriendKind],
      amount: friend.amount!,
    },
    tiers:
      referrer.length === 0
        ? null
        : referrer.map(({ key, tier, isOnce, min }) => {
            const { segment_id } = tier?.parameters ?? {};
            const parameters = isOnce ? { type: "MINIMUM" as const, min } : { type: "EACH" as const };
            const reward = tier?.reward ?? { assignment_id: assigned.get(key)! };
            return { ...tier, reward, parameters: { ...parameters, ...(segment_id && { segment_id }) } };
          }),
  };
}

const said = ({ kind, campaign, amount }: Gift): GiftSaid => ({ kind, amount, name: campaign?.label ?? null });

/** For the sentence of a campaign: what is known of it so far. */
export const referralIn = ({ friend, referrer }: Referral) => ({
  friend: friend && !lacks(friend) ? said(friend) : null,
  referrer: referrer
    .filter((one) => one.tier !== null || !lacks(one))
    .map((one) => ({ ...said(one), min: one.isOnce ? (one.min ?? 1) : null })),
});

import type { Campaign } from "../../../api/operations.gen.ts";
import type { TextKey } from "../../../text/text.ts";

/** What is known of a campaign. What was not asked, or may not be, is null. */
export type Counted = { codes: number; redemptions: number; rules: number | null; rewards: number | null };
/** `needs`: the operation without which nobody can do it. */
export type NextStep = { text: TextKey; to: string; needs: string };

export const areMade = ({ vouchers_generation_status }: Pick<Campaign, "vouchers_generation_status">): boolean =>
  vouchers_generation_status === "IN_PROGRESS";

const NEEDS = {
  rule: "createCampaignEarningRules",
  reward: "assignRewards",
  member: "createPublication",
  referrer: "updateCampaign",
  share: "createPublication",
  cards: "addVouchersToCampaign",
  print: "listVouchers",
  give: "createPublication",
} as const;

type Of = Pick<Campaign, "id" | "campaign_type" | "type" | "referral_program" | "vouchers_generation_status">;

/** What somebody has to do so that a campaign does something: in this order, and without what is done. */
export function nextStepsOf(campaign: Of, { codes, redemptions, rules, rewards }: Counted): NextStep[] {
  const { id, campaign_type: kind, type, referral_program } = campaign;
  if (redemptions > 0) return [];
  const page = `/campaigns/${id}`;
  const isEmpty = codes === 0 && !areMade(campaign);
  const step = (isMissing: boolean, text: keyof typeof NEEDS, to: string): NextStep[] =>
    isMissing ? [{ text: `campaigns.nextSteps.${text}`, to, needs: NEEDS[text] }] : [];
  if (kind === "LOYALTY_PROGRAM")
    return [
      ...step(rules === 0, "rule", `${page}?tab=program`),
      ...step(rewards === 0, "reward", `${page}?tab=program`),
      ...step(isEmpty, "member", "/customers"),
    ];
  if (kind === "REFERRAL_PROGRAM")
    return [
      ...step((referral_program?.tiers ?? []).length === 0, "referrer", `${page}/edit?step=offer`),
      ...step(isEmpty, "share", "/customers"),
    ];
  if (kind === "GIFT_VOUCHERS")
    return isEmpty
      ? step(true, "cards", `/codes/new?campaign_id=${id}`)
      : step(codes > 0, "print", `/codes/print?campaign_id=${id}`);
  return step(isEmpty && kind === "DISCOUNT_COUPONS" && type !== "STANDALONE", "give", "/customers");
}

import { type Static, Type } from "typebox";
import type { CampaignType } from "../../campaigns/kind.ts";
import { ApiError, invalid } from "../../errors.ts";
import { Cents, Nullable, open, optional } from "../../shapes.ts";
import { WholeSent, wholeOf } from "./shapes.ts";

export const REWARD_TYPES = ["CAMPAIGN", "COIN", "MATERIAL"] as const;
export type CampaignRewardType = (typeof REWARD_TYPES)[number];
export const REWARD_CAMPAIGN_TYPES = [
  "DISCOUNT_COUPONS",
  "GIFT_VOUCHERS",
  "LOYALTY_PROGRAM",
] as const satisfies CampaignType[];

/** What is given: a code or a balance of another campaign, money for points, or a product. */
export type RewardParameters =
  /** The balance is there but for DISCOUNT_COUPONS. */
  | { campaign: { id: string; balance?: number; type: (typeof REWARD_CAMPAIGN_TYPES)[number] } }
  /** `points_ratio` points are worth `exchange_ratio` major units of the currency. */
  | { coin: { exchange_ratio: number; points_ratio: number } }
  | { product: { id: string; sku_id: string | null } };

const SAFE = Number.MAX_SAFE_INTEGER;
const EXCHANGE_RATIO_MAX = 1_000_000_000;
const Reference = Type.String({ minLength: 1, maxLength: 200 });

/** As they are sent: exactly one of them, which says what type the reward is. */
export const RewardParametersSent = open(
  optional({
    campaign: Nullable(
      open({
        id: Reference,
        balance: Type.Optional(
          Nullable(
            Cents({
              minimum: -SAFE,
              format: "cents-or-points",
              description:
                "Credits or points for the customer's card, in campaigns of GIFT_VOUCHERS and LOYALTY_PROGRAM.",
            }),
          ),
        ),
      }),
    ),
    coin: Nullable(
      open({
        exchange_ratio: Type.Unsafe<number | string>({
          type: ["number", "string"],
          exclusiveMinimum: 0,
          maximum: EXCHANGE_RATIO_MAX,
          pattern: "^[0-9]{1,10}(\\.[0-9]{1,10})?$",
          description: "Major units of the currency for `points_ratio` points.",
        }),
        points_ratio: Type.Optional(Nullable(WholeSent(1))),
      }),
    ),
    product: Nullable(open({ id: Reference, sku_id: Type.Optional(Nullable(Reference)) })),
  }),
);
export type RewardParametersSent = Static<typeof RewardParametersSent>;

const TYPES = { campaign: "CAMPAIGN", coin: "COIN", product: "MATERIAL" } as const;
const KINDS = Object.keys(TYPES) as (keyof typeof TYPES)[];

/** The type of the reward that these parameters are of. */
export function rewardType(sent: RewardParametersSent): CampaignRewardType {
  const [kind, other] = KINDS.filter((one) => sent[one] != null);
  if (!kind || other) throw invalid(`Property .parameters must have exactly one of: ${KINDS.join(", ")}`);
  return TYPES[kind];
}

export function parseCoin({ exchange_ratio, points_ratio }: NonNullable<RewardParametersSent["coin"]>) {
  const ratio = Number(exchange_ratio);
  const path = ".parameters.coin";
  if (ratio <= 0) throw invalid(`Property ${path}.exchange_ratio must be > 0`);
  if (ratio > EXCHANGE_RATIO_MAX) throw invalid(`Property ${path}.exchange_ratio must be <= ${EXCHANGE_RATIO_MAX}`);
  return { coin: { exchange_ratio: ratio, points_ratio: wholeOf(points_ratio ?? 1, `${path}.points_ratio`, 1) } };
}

/** The campaign that codes or a balance are of, with its type as it is now. */
export function parseRewardCampaign(
  { balance }: NonNullable<RewardParametersSent["campaign"]>,
  { id, campaign_type }: { id: string; campaign_type: CampaignType },
) {
  const type = REWARD_CAMPAIGN_TYPES.find((one) => one === campaign_type);
  if (!type)
    throw invalid(`Property .parameters.campaign.id must be a campaign of type ${REWARD_CAMPAIGN_TYPES.join(", ")}`);
  if (type === "DISCOUNT_COUPONS") return { campaign: { id, type } };
  if (!balance || balance <= 0)
    throw new ApiError("invalid_balance", {
      details: `Property 'parameters.campaign.balance' must be greater than zero for campaign type: ${type}`,
    });
  return { campaign: { id, balance, type } };
}

/** What a reward costs in a campaign, as it is sent. */
export const AssignmentParametersSent = open(
  optional({
    loyalty: Nullable(
      open(
        optional({
          points: Nullable(WholeSent(1)),
          auto_redeem: Nullable(
            Type.Boolean({ description: "Redeem it as soon as a card has the points. One reward of a campaign can." }),
          ),
        }),
      ),
    ),
  }),
);
export type AssignmentParametersSent = Static<typeof AssignmentParametersSent>;
export type AssignmentParameters = { loyalty: { points: number; auto_redeem?: boolean } };

const missing = (name: string) => new ApiError("missing_param", { details: `Parameter '${name}' is required` });

/** Null for points that are paid with: the customer says how many. What is left out keeps its value. */
export function parseAssignment(
  type: CampaignRewardType,
  sent: AssignmentParametersSent | null | undefined,
  before: AssignmentParameters | null = null,
): AssignmentParameters | null {
  if (type === "COIN") return null;
  if (!sent?.loyalty && !before) throw missing("parameters.loyalty");
  const points = sent?.loyalty?.points ?? before?.loyalty.points;
  if (points === undefined) throw missing("parameters.loyalty.points");
  const auto_redeem = sent?.loyalty?.auto_redeem ?? before?.loyalty.auto_redeem;
  return {
    loyalty: {
      points: wholeOf(points, ".parameters.loyalty.points", 1),
      ...(auto_redeem !== undefined && { auto_redeem }),
    },
  };
}

/** Points of a campaign are not given for points of the same campaign. */
export function requireOtherCampaign(parameters: RewardParameters, campaignId: string): void {
  if (!("campaign" in parameters) || parameters.campaign.id !== campaignId) return;
  throw invalid(`Campaign ${campaignId} cannot have a reward of its own points`);
}

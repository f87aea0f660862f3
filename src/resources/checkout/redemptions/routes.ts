import { DEFAULT_TTL } from "../../../core/validate/session.ts";
import { commandOf, type HotCtx } from "../../../ctx.ts";
import { redeem } from "../../../flows/redeem/redeem.ts";
import { cartFromClient } from "../../../http/client-side.ts";
import { hot } from "../../../http/route.ts";
import {
  type RedeemableSent,
  type RedeemRequest,
  type RequestSent,
  redeemableObject,
} from "../../../steps/checkout/requests.ts";
import { ClientRedeemed, ClientSingleRedemption } from "./client-schema.ts";
import {
  ByCode,
  ByMember,
  ByMemberOfCampaign,
  ByTier,
  CodeQuery,
  MemberRedemptionBody,
  Redeemed,
  RedemptionBody,
  TierRedemptionBody,
  TrackingQuery,
  VoucherRedemptionBody,
} from "./schema.ts";
import { SingleRedemption } from "./single-schema.ts";

type RedemptionRequest = RequestSent & { session?: { key?: string | null | undefined } | null | undefined };
type More = Partial<Pick<RedeemRequest, "validation_id" | "expand" | "isSingle" | "isClient" | "member">>;

async function askRedemption(c: HotCtx, { session, ...sent }: RedemptionRequest, more: More) {
  return c.submit(redeem, c.project.id, {
    ...(await commandOf(c)),
    steps: c.steps,
    sent,
    session: session?.key ? { type: "LOCK", key: session.key, ...DEFAULT_TTL } : null,
    validation_id: null,
    expand: new Set<string>(),
    ...more,
  });
}

const asked = (options: RedemptionBody["options"]) => ({
  validation_id: options?.validation_id || null,
  expand: new Set(options?.expand ?? []),
});

const member = (id: string, reward: RedeemableSent["reward"]): RedeemableSent[] => [{ object: "voucher", id, reward }];

export const redemptionRoutes = [
  hot(
    "POST /v1/redemptions",
    {
      id: "redeemStackedDiscounts",
      summary: "Redeem redeemables",
      description:
        "Redeems up to 30 redeemables at once: all of it happens, in one transaction, or nothing. A refusal is kept as a failed redemption.",
      body: RedemptionBody,
      ok: Redeemed,
    },
    (c) => {
      const { redeemables, options, ...sent } = c.body;
      const named = redeemables.map((one) => ({ ...one, object: redeemableObject(one.object) }));
      return askRedemption(c, { ...sent, redeemables: named }, asked(options));
    },
  ),
  hot(
    "POST /client/v1/redemptions",
    {
      id: "redeemStackedDiscountsClientSide",
      summary: "Redeem redeemables from a client application",
      description:
        "As `POST /v1/redemptions`. With client_create_customer_enabled off, a customer who is named must be there, and is not changed. The catalogue of products is never changed.",
      body: RedemptionBody,
      ok: ClientRedeemed,
      setting: "client_redeem_enabled",
      findsCodes: true,
    },
    (c) => {
      const { redeemables, options, ...sent } = cartFromClient(c.project, c.body);
      const named = redeemables.map((one) => ({ ...one, object: redeemableObject(one.object) }));
      return askRedemption(c, { ...sent, redeemables: named }, { ...asked(options), isClient: true });
    },
  ),
  hot(
    "POST /client/v1/redeem",
    {
      id: "redeemVoucherClientSide",
      summary: "Redeem one code from a client application",
      description: "The older form of `POST /client/v1/redemptions`.",
      query: CodeQuery,
      body: VoucherRedemptionBody,
      ok: ClientSingleRedemption,
      setting: "client_redeem_enabled",
      findsCodes: true,
    },
    (c) => {
      const { gift, reward, options, ...sent } = cartFromClient(c.project, c.body);
      const { code, tracking_id } = c.query;
      const redeemables: RedeemableSent[] = [{ object: "voucher", id: code, gift, reward }];
      const more = { ...asked(options), isSingle: true as const, isClient: true };
      return askRedemption(c, { tracking_id, ...sent, redeemables }, more);
    },
  ),
  hot(
    "POST /v1/vouchers/{code}/redemption",
    {
      id: "redeemVoucher",
      summary: "Redeem one code",
      description: "The older form of `POST /v1/redemptions`.",
      params: ByCode,
      query: TrackingQuery,
      body: VoucherRedemptionBody,
      ok: SingleRedemption,
    },
    (c) => {
      const { gift, reward, options, ...sent } = c.body;
      const redeemables: RedeemableSent[] = [{ object: "voucher", id: c.params.code, gift, reward }];
      return askRedemption(
        c,
        { tracking_id: c.query.tracking_id, ...sent, redeemables },
        { ...asked(options), isSingle: true },
      );
    },
  ),
  hot(
    "POST /v1/promotions/tiers/{promotionTierId}/redemption",
    {
      id: "redeemPromotion",
      summary: "Redeem one promotion tier",
      description: "The older form of `POST /v1/redemptions`.",
      params: ByTier,
      body: TierRedemptionBody,
      ok: SingleRedemption,
    },
    (c) => {
      const redeemables: RedeemableSent[] = [{ object: "promotion_tier", id: c.params.promotionTierId }];
      const { options, ...sent } = c.body;
      return askRedemption(c, { ...sent, redeemables }, { ...asked(options), isSingle: true });
    },
  ),
  hot(
    "POST /v1/loyalties/members/{memberId}/redemption",
    {
      id: "redeemReward",
      summary: "Redeem a loyalty card for a reward",
      description: "The older form of `POST /v1/redemptions`. The holder of the card is who redeems.",
      params: ByMember,
      body: MemberRedemptionBody,
      ok: SingleRedemption,
    },
    (c) => {
      const { reward, ...sent } = c.body;
      const redeemables = member(c.params.memberId, reward);
      return askRedemption(c, { ...sent, redeemables }, { isSingle: true, member: { campaign: null } });
    },
  ),
  hot(
    "POST /v1/loyalties/{campaignId}/members/{memberId}/redemption",
    {
      id: "redeemRewardOfCampaign",
      summary: "Redeem a loyalty card of a campaign for a reward",
      description: "The older form of `POST /v1/redemptions`. The holder of the card is who redeems.",
      params: ByMemberOfCampaign,
      body: MemberRedemptionBody,
      ok: SingleRedemption,
    },
    (c) => {
      const { reward, ...sent } = c.body;
      const redeemables = member(c.params.memberId, reward);
      return askRedemption(c, { ...sent, redeemables }, { isSingle: true, member: { campaign: c.params.campaignId } });
    },
  ),
];

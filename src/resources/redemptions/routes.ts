import type { Catalogs } from "../../catalog/catalog.ts";
import type { RedeemableSent, RequestSent } from "../../catalog/deciding.ts";
import { DEFAULT_TTL } from "../../core/validate/session.ts";
import type { HotCtx } from "../../ctx.ts";
import { type RedeemCommand, redeem } from "../../flows/redeem.ts";
import { hot } from "../../http/route.ts";
import {
  ByCode,
  ByTier,
  Redeemed,
  Redemption,
  RedemptionBody,
  TierRedemptionBody,
  TrackingQuery,
  VoucherRedemptionBody,
} from "./schema.ts";

type Asking = HotCtx & { catalogs: Catalogs; claim: RedeemCommand["claim"] };
type Sent = RequestSent & { session?: { key?: string | null | undefined } | null | undefined };
type More = Partial<Pick<RedeemCommand, "validation_id" | "expand" | "isSingle">>;

async function ask(c: Asking, { session, ...sent }: Sent, more: More) {
  const catalog = await c.catalogs.catalogOf(c.project);
  const { project, now, request_id, newId, newSecret, caller, claim, channel } = c;
  return c.submit(redeem, project.id, {
    project,
    catalog,
    now,
    request_id,
    newId,
    newSecret,
    api_key_id: caller.key_id,
    channel,
    sent,
    session: session?.key ? { type: "LOCK", key: session.key, ...DEFAULT_TTL } : null,
    validation_id: null,
    expand: new Set<string>(),
    claim,
    ...more,
  });
}

const asked = (options: RedemptionBody["options"]) => ({
  validation_id: options?.validation_id || null,
  expand: new Set(options?.expand ?? []),
});

/** A gift card and a loyalty card are vouchers, whatever a client calls them. */
const objectOf = (object: string): RedeemableSent["object"] =>
  object === "gift_card" || object === "loyalty_card" ? "voucher" : (object as RedeemableSent["object"]);

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
      const named = redeemables.map((one) => ({ ...one, object: objectOf(one.object) }));
      return ask(c, { ...sent, redeemables: named }, asked(options));
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
      ok: Redemption,
    },
    (c) => {
      const { gift, reward, options, ...sent } = c.body;
      const redeemables: RedeemableSent[] = [{ object: "voucher", id: c.params.code, gift, reward }];
      return ask(c, { tracking_id: c.query.tracking_id, ...sent, redeemables }, { ...asked(options), isSingle: true });
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
      ok: Redemption,
    },
    (c) => {
      const redeemables: RedeemableSent[] = [{ object: "promotion_tier", id: c.params.promotionTierId }];
      const { options, ...sent } = c.body;
      return ask(c, { ...sent, redeemables }, { ...asked(options), isSingle: true });
    },
  ),
];

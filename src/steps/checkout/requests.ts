import type { Catalog } from "../../catalog/catalog.ts";
import { trimCode } from "../../core/codes/code.ts";
import { type ErrorBody, errorBody } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { DEFAULT_STACKING, type StackingSettings, withinStack } from "../../core/stacking/settings.ts";
import type { Steps } from "../../core/steps.ts";
import { type Session, sessionEnd, TTL_DAYS_MAX } from "../../core/validate/session.ts";
import type { CommandHead } from "../../ctx.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import type { CartSent } from "./carts.ts";

export type RedeemableSent = {
  object: "voucher" | "promotion_tier" | "promotion_stack";
  id: string;
  gift?: { credits?: number | null } | null | undefined;
  reward?: { id?: string | null; points?: number | null } | null | undefined;
};
/** A gift card and a loyalty card are vouchers, whatever a client calls them. */
export const redeemableObject = (object: string): RedeemableSent["object"] =>
  object === "gift_card" || object === "loyalty_card" ? "voucher" : (object as RedeemableSent["object"]);
export type RequestSent = CartSent & {
  redeemables: readonly RedeemableSent[];
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

/** A request about redeemables, to be validated or redeemed. */
export type Request = CommandHead & {
  sent: RequestSent;
  session: Session | null;
  /** Counts what the request costs. */
  steps?: Steps | undefined;
  /** Sent by a client application, which is shown less. */
  isClient?: boolean;
};

/** A request to redeem, with all that it makes: a batch gives the same as one after the other. */
export type RedeemRequest = Request & {
  /** A validation whose price was promised. */
  validation_id: string | null;
  /** The validation was looked for long enough. */
  isLate?: true;
  expand: ReadonlySet<string>;
  /** An older operation answers with the one redemption. */
  isSingle?: true;
  /** The request is about a loyalty card, of this campaign when one is named. */
  member?: { campaign: string | null };
};

export const settingsFor = ({ stacking_rules }: Catalog): StackingSettings => stacking_rules?.rules ?? DEFAULT_STACKING;

/** The settings by which the redeemables of a request are taken together. */
export const settingsBetween = ({ catalog, sent: { redeemables } }: Pick<Request, "catalog" | "sent">) =>
  redeemables.some(({ object }) => object === "promotion_stack")
    ? withinStack(settingsFor(catalog))
    : settingsFor(catalog);

/** The codes that requests name, each once. */
export const codesIn = (requests: readonly Request[]): string[] => [
  ...new Set(
    requests.flatMap(({ sent }) =>
      sent.redeemables.flatMap(({ object, id }) => (object === "voucher" ? trimCode(id) : [])),
    ),
  ),
];

/** The rewards that requests name and that are there, each once. */
export const rewardsIn = (requests: readonly Request[]): string[] => [
  ...new Set(
    requests.flatMap(({ sent, catalog }) =>
      sent.redeemables.flatMap(({ reward }) =>
        reward?.id && catalog.campaign_rewards.has(reward.id) ? reward.id : [],
      ),
    ),
  ),
];

/** The tiers that a redeemable of a request stands for. */
export function redeemableTiers(
  { promotion_tiers, promotion_stacks }: Catalog,
  { object, id }: RedeemableSent,
): PromotionTierRow[] {
  if (object === "promotion_tier") return [promotion_tiers.get(id) ?? []].flat();
  if (object !== "promotion_stack") return [];
  return (promotion_stacks.get(id)?.tiers.ids ?? []).flatMap((tier) => promotion_tiers.get(tier) ?? []);
}

export const tiersAsked = (requests: readonly Request[]): PromotionTierRow[] =>
  requests.flatMap(({ catalog, sent }) => sent.redeemables.flatMap((one) => redeemableTiers(catalog, one)));

/** What is wrong with a request whatever the redeemables are. */
export function requestFault(
  { catalog, sent: { redeemables, metadata: given }, session, now }: Request,
  settings: StackingSettings,
  /** None: nothing is kept of the request, so nothing can be missing. */
  metadata: RequestSent["metadata"] = given,
): ErrorBody | null {
  const { redeemables_limit } = settings;
  if (redeemables.length > redeemables_limit)
    return errorBody("invalid_payload", {
      details: `Property .redeemables must have at most ${redeemables_limit} items: the stacking rules of the project say so`,
    });
  if (session && sessionEnd(now, session) === null)
    return errorBody("invalid_payload", { details: `Property .session.ttl must be at most ${TTL_DAYS_MAX} days` });
  const details = metadata ? metadataFault(catalog.metadata_schemas, "redemption", { metadata, on: "create" }) : null;
  return details === null ? null : errorBody("metadata_validation_failed", { details });
}

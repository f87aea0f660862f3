import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { campaignKind, VALUE_FIELDS } from "../../core/campaigns/kind.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { parseDuration } from "../../core/time/duration.ts";
import type { ValidityFields } from "../../core/time/validity.ts";
import { NO_SETTINGS, type VoucherSettings } from "../../core/vouchers/settings.ts";
import { mergeSettings } from "../../core/vouchers/worth.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { CampaignBody, CampaignUpdate } from "../../resources/promotions/campaigns/schema.ts";
import type { CampaignRow } from "../../resources/promotions/campaigns/store.ts";
import { given } from "./promotion-tiers.ts";
import { requireDiscount, requireLoyaltyCard, requireValidity } from "./settings.ts";

/** What kind of campaign it is, and of codes. */
export type StoredCampaignKind = Pick<CampaignRow, "campaign_type" | "type" | "voucher_type">;
/** What is sent of the settings of codes. */
type SettingsSent = Pick<CampaignUpdate, "metadata" | keyof ValidityFields> & {
  [F in "discount" | "gift" | "loyalty_card"]?: CampaignUpdate[F] | null;
} & { quantity?: number | null | undefined };

/** The settings of codes: those of before with what is sent. Of the values only the one of this kind counts. */
export function mergeCampaignSettings(
  c: Pick<WriteCtx, "project">,
  before: VoucherSettings,
  { kind, sent, path = "" }: { kind: StoredCampaignKind; sent: SettingsSent; path?: string },
): VoucherSettings {
  const { metadata, quantity, discount, gift, loyalty_card } = sent;
  const field = kind.voucher_type && VALUE_FIELDS[kind.voucher_type];
  const merged = mergeSettings(before, {
    ...given(sent),
    metadata,
    discount: field === "discount" && discount ? requireDiscount(discount, `${path}.discount`) : undefined,
    gift: field === "gift" && gift ? pick(gift, ["amount", "effect"]) : undefined,
    loyalty_card:
      field === "loyalty_card" && loyalty_card ? requireLoyaltyCard(loyalty_card, `${path}.loyalty_card`) : undefined,
    quantity: field === null ? undefined : quantity,
  });
  return { ...merged, ...requireValidity(merged, c.project) };
}

// Contract is silent: what looks like an id would be found as that id, and is the name of a campaign that is erased.
const LOOKS_LIKE_ID = /^camp_[0-9a-f]{24}$/;

/** What a new campaign is and what its codes are worth; 400 when what is sent does not fit together. */
export function requireNewCampaign(
  c: Pick<WriteCtx, "project">,
  catalog: Pick<Catalog, "metadata_schemas">,
  sent: CampaignBody & { promotion?: object | null },
) {
  requireReferralDiscount(sent);
  const kind = campaignKind(sent);
  if ("fault" in kind) throw invalid(kind.fault);
  if (LOOKS_LIKE_ID.test(sent.name)) throw invalid("Property .name must not look like the id of a campaign");
  const { voucher, use_voucher_metadata_schema = kind.voucher_type !== null } = sent;
  const values = { ...sent, ...voucher, discount: voucher?.discount, quantity: voucher?.redemption?.quantity };
  const settings = mergeCampaignSettings(c, NO_SETTINGS, { kind, sent: values, path: ".voucher" });
  const schema = use_voucher_metadata_schema ? "voucher" : "campaign";
  requireMetadata(catalog, schema, { metadata: settings.metadata, on: "create" });
  const about = {
    ...{ name: sent.name, description: sent.description ?? null, auto_join: sent.auto_join ?? false },
    ...{ join_once: joinsOnlyOnce(kind, sent.join_once ?? false), use_voucher_metadata_schema },
    activity_duration_after_publishing: requireActivityDuration(sent) ?? null,
  };
  return { kind, settings, about };
}

function requireReferralDiscount({ campaign_type, referral_program, voucher }: CampaignBody): void {
  const isReferral = (campaign_type ?? (referral_program ? "REFERRAL_PROGRAM" : null)) === "REFERRAL_PROGRAM";
  const { discount, gift, loyalty_card } = voucher ?? {};
  if (isReferral && voucher && !discount && !gift && !loyalty_card)
    throw new ApiError("invalid_campaign", {
      details: "Property 'discount' is required for REFERRAL_PROGRAM campaign",
    });
}

const pick = <T extends object, K extends keyof T>(values: T, keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, values[key]])) as Pick<T, K>;

/** A customer has one card of a loyalty program; a code for everybody is nobody's. */
export const joinsOnlyOnce = ({ campaign_type, type }: StoredCampaignKind, wanted: boolean): boolean =>
  campaign_type === "LOYALTY_PROGRAM" || (type !== "STANDALONE" && wanted);

/** The type after an update; 400 where it cannot change so. */
export function requireType(
  { type, campaign_type }: StoredCampaignKind,
  sent: CampaignUpdate,
): StoredCampaignKind["type"] {
  if (sent.type === undefined || campaign_type === "PROMOTION") return type;
  if ((sent.type === "STANDALONE") !== (type === "STANDALONE"))
    throw invalid("Property .type cannot change to or from STANDALONE");
  return sent.type;
}

/** For how long codes are active once they are published; 400 when it is no duration. */
export function requireActivityDuration({
  activity_duration_after_publishing: text,
}: CampaignUpdate): string | null | undefined {
  if (text && !parseDuration(text))
    throw invalid("Property .activity_duration_after_publishing must be an ISO 8601 duration, such as P24D");
  return text;
}

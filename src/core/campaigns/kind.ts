import type { VoucherType } from "../vouchers/settings.ts";

/** Each type of campaign with the type of its codes; a promotion has none. */
export const VOUCHER_TYPES = {
  DISCOUNT_COUPONS: "DISCOUNT_VOUCHER",
  GIFT_VOUCHERS: "GIFT_VOUCHER",
  LOYALTY_PROGRAM: "LOYALTY_CARD",
  PROMOTION: null,
  REFERRAL_PROGRAM: "DISCOUNT_VOUCHER",
} as const satisfies Record<string, VoucherType | null>;
export type CampaignType = keyof typeof VOUCHER_TYPES;
export const CAMPAIGN_TYPES = Object.keys(VOUCHER_TYPES) as CampaignType[];

export const CODES_TYPES = ["AUTO_UPDATE", "STATIC", "STANDALONE"] as const;
export type CodesType = (typeof CODES_TYPES)[number];

/** Where the value of a code stands. */
export const VALUE_FIELDS = {
  DISCOUNT_VOUCHER: "discount",
  GIFT_VOUCHER: "gift",
  LOYALTY_CARD: "loyalty_card",
} as const satisfies Record<VoucherType, string>;
const FIELDS = Object.values(VALUE_FIELDS);

type SentVoucher = {
  type?: VoucherType;
  discount?: unknown;
  gift?: unknown;
  loyalty_card?: unknown;
  code?: string | null;
  is_referral_code?: boolean | null;
};
type CampaignSent = {
  campaign_type?: CampaignType;
  type?: CodesType;
  vouchers_count?: number | null;
  voucher?: SentVoucher | null;
  promotion?: object | null;
  referral_program?: object | null;
};

export type CampaignKind = { campaign_type: CampaignType; type: CodesType; voucher_type: VoucherType | null };

const missingField = (field: string, path = "") =>
  `${path ? `Property ${path}` : "Payload"} must have required property '${field}'`;

/** What kind of campaign is asked for, or what is wrong with the parts that say so. */
export function campaignKind(sent: CampaignSent): CampaignKind | { fault: string } {
  const campaign_type = sent.campaign_type ?? inferred(sent);
  if (!campaign_type) return { fault: missingField("campaign_type") };
  const voucher_type = VOUCHER_TYPES[campaign_type];
  const fault =
    voucher_type === null
      ? promotionFault(sent)
      : (voucherFault(sent, campaign_type, voucher_type) ?? standaloneFault(sent, campaign_type));
  if (fault !== null) return { fault };
  return { campaign_type, type: voucher_type === null ? "STATIC" : (sent.type ?? "AUTO_UPDATE"), voucher_type };
}

function inferred({ voucher, promotion, referral_program }: CampaignSent): CampaignType | undefined {
  if (promotion) return "PROMOTION";
  if (!voucher) return undefined;
  if (referral_program || voucher.is_referral_code) return "REFERRAL_PROGRAM";
  return CAMPAIGN_TYPES.find((one) => {
    const type = VOUCHER_TYPES[one];
    return type !== null && (voucher.type === undefined ? voucher[VALUE_FIELDS[type]] != null : voucher.type === type);
  });
}

function promotionFault({ voucher, type }: CampaignSent): string | null {
  if (voucher) return "Property .voucher is not for a campaign of the type PROMOTION, which has no codes";
  return type === "STANDALONE" ? STANDALONE_SAYS : null;
}

function voucherFault(
  { voucher, promotion }: CampaignSent,
  campaignType: CampaignType,
  type: VoucherType,
): string | null {
  if (promotion) return `Property .promotion is not for a campaign of the type ${campaignType}`;
  if (!voucher) return missingField("voucher");
  if (voucher.type !== undefined && voucher.type !== type)
    return `Property .voucher.type must be equal to one of the allowed values [ ${type} ]`;
  const field = VALUE_FIELDS[type];
  if (voucher[field] == null) return missingField(field, ".voucher");
  const other = FIELDS.find((one) => one !== field && voucher[one] != null);
  return other === undefined ? null : `Property .voucher.${other} is not for a code of the type ${type}`;
}

const STANDALONE_SAYS = "Property .type may be STANDALONE for DISCOUNT_COUPONS and GIFT_VOUCHERS only";

// Contract is silent: a STANDALONE campaign with a number of codes, and a code that is chosen for another campaign.
function standaloneFault({ type, voucher, vouchers_count }: CampaignSent, campaignType: CampaignType): string | null {
  if (type !== "STANDALONE")
    return voucher?.code ? "Property .voucher.code is for a campaign of the type STANDALONE" : null;
  if (campaignType !== "DISCOUNT_COUPONS" && campaignType !== "GIFT_VOUCHERS") return STANDALONE_SAYS;
  return (vouchers_count ?? 1) > 1 ? "Property .vouchers_count of a STANDALONE campaign must be 1" : null;
}

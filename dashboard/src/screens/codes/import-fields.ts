import type { TextKey } from "../../text/text.ts";

/** What a file may say of a code: the name of the column as the server knows it, and what people call it. */
export const FIELDS = {
  Code: "codes.code",
  "Voucher Type": "codes.columns.type",
  Value: "codes.columns.value",
  "Discount Type": "codes.columns.discountType",
  "Gift Amount": "codes.columns.giftAmount",
  "Loyalty Points": "codes.columns.points",
  Category: "codes.columns.category",
  "Start Date": "codes.columns.start",
  "Expiration Date": "codes.columns.end",
  "Redemption Limit": "codes.columns.limit",
  "Redeemed Quantity": "codes.columns.redeemed",
  "Redeemed Amount": "codes.columns.spent",
  Active: "codes.columns.active",
  "Additional Info": "codes.columns.info",
} as const satisfies Record<string, TextKey>;
export type Field = keyof typeof FIELDS;
const ALL = Object.keys(FIELDS) as Field[];

const OF_CAMPAIGNS: readonly Field[] = ["Gift Amount", "Loyalty Points"];
const OF_THEIR_OWN: readonly Field[] = ["Voucher Type", "Value", "Discount Type", "Redemption Limit"];

/** What codes without a campaign give: told once for all rows, or by columns of the file. */
export const GIVES = {
  percent: { "Voucher Type": "DISCOUNT_VOUCHER", "Discount Type": "PERCENT" },
  amount: { "Voucher Type": "DISCOUNT_VOUCHER", "Discount Type": "AMOUNT" },
  gift: { "Voucher Type": "GIFT_VOUCHER" },
  file: {},
} as const satisfies Record<string, Partial<Record<Field, string>>>;
export type Gives = keyof typeof GIVES;

/** The fields that a file may fill: those of the codes of a campaign, or of codes that give the same or each their own. */
export function fieldsOf(isOfCampaign: boolean, gives: Gives | null): Field[] {
  if (isOfCampaign) return ALL.filter((field) => !OF_THEIR_OWN.includes(field));
  const told = gives === null || gives === "file" ? [] : ["Voucher Type", "Discount Type"];
  return ALL.filter((field) => !OF_CAMPAIGNS.includes(field) && !told.includes(field));
}

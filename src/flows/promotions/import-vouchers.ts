import { booleanCell, choiceCell, countCell, momentCell, moneyCell, textCell } from "../../core/bulk/cells.ts";
import type { Column, Columns, RowFault, RowValue } from "../../core/bulk/columns.ts";
import { DISCOUNT_TYPES, discountCell } from "../../core/bulk/discount-cell.ts";
import type { MetadataSchema } from "../../core/metadata/definition.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { VoucherImport } from "../../resources/promotions/vouchers/schema.ts";
import type { ImportKind } from "../../steps/bulk/imports.ts";
import { saveImportedVouchers } from "../../steps/promotions/voucher-imports.ts";
import { campaignForCodes, metadataOf, requireGenerating } from "../../steps/promotions/vouchers.ts";

const CODE: Column = { field: "code", parse: textCell(1000), isRequired: "file" };
const COMMON: Columns = {
  code: CODE,
  category: { field: "category", parse: textCell(200) },
  active: { field: "active", parse: booleanCell },
  start_date: { field: "start_date", parse: momentCell },
  expiration_date: { field: "expiration_date", parse: momentCell },
  redeemed_quantity: { field: "redeemed_quantity", parse: countCell },
  redeemed_amount: { field: "redeemed_amount", parse: moneyCell },
  additional_info: { field: "additional_info", parse: textCell(10_000) },
};

type Body = { value: VoucherImport } | { fault: RowFault };
const wrong = (column: string, reason: string): Body => ({ fault: { column, reason } });

/** What all rows of codes say alike. */
function commonOf({ fields, metadata }: RowValue): VoucherImport {
  const { redemption_limit, redeemed_quantity, redeemed_amount } = fields;
  const redemption = {
    redeemed_quantity,
    redeemed_amount,
    ...(redemption_limit !== undefined && { quantity: redemption_limit }),
  };
  const { code, category, active, start_date, expiration_date, additional_info } = fields;
  const own = { code, category, active, start_date, expiration_date, additional_info };
  return { ...own, redemption, metadata } as VoucherImport;
}

/** A code on its own: its type and its value are in the row. One that is there keeps what the row says nothing of. */
function standaloneOf(row: RowValue): Body {
  const { type, value, discount_type } = row.fields as Record<string, string | undefined>;
  const common = { ...commonOf(row), type } as VoucherImport;
  if (value === undefined && discount_type === undefined) return { value: common };
  if (type === "GIFT_VOUCHER") {
    const amount = moneyCell(value ?? "");
    return "fault" in amount
      ? wrong("Value", amount.fault)
      : { value: { ...common, gift: { amount: amount.value as number } } };
  }
  if (discount_type === undefined) return wrong("Discount Type", "must not be empty");
  const discount = discountCell(discount_type, value ?? "");
  return "fault" in discount
    ? wrong("Value", discount.fault)
    : { value: { ...common, discount: discount.value as VoucherImport["discount"] } };
}

/** Codes that belong to no campaign. */
export const VOUCHER_IMPORT: ImportKind<VoucherImport> = {
  noun: "voucher",
  key: "code",
  isPersonal: false,
  columns: {
    ...COMMON,
    voucher_type: { field: "type", parse: choiceCell(["DISCOUNT_VOUCHER", "GIFT_VOUCHER"]), isRequired: "row" },
    value: { field: "value", parse: textCell(30) },
    discount_type: { field: "discount_type", parse: choiceCell(DISCOUNT_TYPES) },
    redemption_limit: { field: "redemption_limit", parse: countCell },
  },
  schemaOf: ({ catalog }) => catalog.metadata_schemas.get("voucher"),
  bodyOf: standaloneOf,
  save: saveImportedVouchers,
};

/** Codes of a campaign, which says what they are worth. Columns of codes that belong to none say nothing here. */
export const CAMPAIGN_VOUCHER_IMPORT: ImportKind<VoucherImport> = {
  ...VOUCHER_IMPORT,
  columns: {
    ...COMMON,
    gift_amount: { field: "gift_amount", parse: moneyCell },
    loyalty_points: { field: "loyalty_points", parse: countCell },
    voucher_type: null,
    value: null,
    discount_type: null,
    redemption_limit: null,
  },
  schemaOf: ({ catalog }, { campaign_id }): MetadataSchema | undefined =>
    catalog.metadata_schemas.get(metadataOf(catalog.campaigns.get(campaign_id!) ?? null)),
  bodyOf: (row) => {
    const { gift_amount, loyalty_points } = row.fields as Record<string, number | undefined>;
    const worth = {
      ...(gift_amount !== undefined && { gift: { amount: gift_amount } }),
      ...(loyalty_points !== undefined && { loyalty_card: { points: loyalty_points } }),
    };
    return { value: { ...commonOf(row), ...worth } };
  },
};

/** The campaign that is to get codes; 404 without it, 400 when it has none, or one for all. */
export async function campaignToImport(c: WriteCtx, reference: string): Promise<{ campaign_id: string }> {
  const campaign = await campaignForCodes(c, reference);
  requireGenerating(campaign);
  return { campaign_id: campaign.id };
}

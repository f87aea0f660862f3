import { type ImportOptions, importOptions, type Upload } from "../../../core/bulk/upload.ts";
import type { WriteCtx } from "../../../ctx.ts";
import { PRODUCT_FILE, SKU_FILE } from "../../../flows/catalogue/import-goods.ts";
import { CUSTOMER_FILE } from "../../../flows/customers/update-customers.ts";
import {
  CAMPAIGN_VOUCHER_IMPORT,
  campaignToImport,
  VOUCHER_IMPORT,
} from "../../../flows/promotions/import-vouchers.ts";
import { checkedEntries } from "../../../http/bulk/entries.ts";
import { write } from "../../../http/route.ts";
import { enqueueFile, enqueueList, type ImportKind } from "../../../steps/bulk/imports.ts";
import { OrderCreate } from "../../orders/orders/schema.ts";
import { OfCampaign, VoucherImport, VoucherImports } from "../../promotions/vouchers/schema.ts";
import { BULK_BYTES_MAX, Enqueued } from "../async-actions/schema.ts";
import { CsvUpload, ImportQuery, OrderImports, VoucherCsvUpload } from "./schema.ts";

const AFTERWARDS =
  "Done by an async action: its result tells which rows failed, and has the address of a CSV of them, which can be corrected and uploaded again.";

/** What the operations that take a file have in common. */
const ofFile = ({ isPersonal }: Pick<ImportKind<never>, "isPersonal">, description: string) => ({
  description: `${description} ${AFTERWARDS}`,
  query: ImportQuery,
  upload: { isPersonal },
  ok: Enqueued,
});

/** Has a file imported. `more`: what the path says of it. */
const importFile = (
  { body: upload, ...c }: WriteCtx & { body: Upload; query: { dry_run?: boolean } },
  type: Parameters<typeof enqueueFile>[1],
  { columns }: Pick<ImportKind<never>, "columns">,
  more: ImportOptions = {},
) => enqueueFile(c, type, { upload, columns, options: { ...importOptions(c.query, upload), ...more } });

/** What the operations that take a list have in common. */
const ofList = { query: ImportQuery, bodyLimitBytes: BULK_BYTES_MAX, ok: Enqueued };

export const importRoutes = [
  write(
    "POST /v1/vouchers/importCSV",
    {
      id: "importVouchersCsv",
      summary: "Import codes from a CSV file",
      ...ofFile(VOUCHER_IMPORT, "Codes that are there already are updated."),
      body: VoucherCsvUpload,
      status: 202,
    },
    (c) => importFile(c, "VOUCHERS.IMPORT_CSV", VOUCHER_IMPORT),
  ),
  write(
    "POST /v1/vouchers/import",
    {
      id: "importVouchers",
      summary: "Import codes",
      description: "Codes that are there already are refused. Fields that are not known are ignored.",
      ...ofList,
      body: VoucherImports,
      status: 202,
    },
    (c) =>
      enqueueList(c, "VOUCHERS.IMPORT", { entries: checkedEntries(VoucherImport, c.body, "code"), options: c.query }),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/importCSV",
    {
      id: "importCampaignVouchersCsv",
      summary: "Import codes of a campaign from a CSV file",
      ...ofFile(
        CAMPAIGN_VOUCHER_IMPORT,
        "What they are worth is the campaign's. Codes that it has already are updated.",
      ),
      params: OfCampaign,
      body: VoucherCsvUpload,
    },
    async (c) =>
      importFile(
        c,
        "CAMPAIGN.VOUCHERS_IMPORT_CSV",
        CAMPAIGN_VOUCHER_IMPORT,
        await campaignToImport(c, c.params.campaignId),
      ),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/import",
    {
      id: "importCampaignVouchers",
      summary: "Import codes of a campaign",
      description: "Codes that are there already are refused. What is not sent is the campaign's.",
      ...ofList,
      params: OfCampaign,
      body: VoucherImports,
      status: 202,
    },
    async (c) =>
      enqueueList(c, "CAMPAIGN.VOUCHERS_IMPORT", {
        entries: checkedEntries(VoucherImport, c.body, "code"),
        options: { ...c.query, ...(await campaignToImport(c, c.params.campaignId)) },
      }),
  ),
  write(
    "POST /v1/customers/importCSV",
    {
      id: "importCustomersCsv",
      summary: "Import customers from a CSV file",
      ...ofFile(CUSTOMER_FILE, "A row with the `source_id` of somebody takes the place of all that was known of them."),
      body: CsvUpload,
      status: 202,
    },
    (c) => importFile(c, "CUSTOMERS.IMPORT_CSV", CUSTOMER_FILE),
  ),
  write(
    "POST /v1/products/importCSV",
    {
      id: "importProductsCsv",
      summary: "Import products from a CSV file",
      ...ofFile(
        PRODUCT_FILE,
        "Of a product that is there already only the name is changed. Prices are in the unit of the currency.",
      ),
      body: CsvUpload,
    },
    (c) => importFile(c, "PRODUCTS.IMPORT_CSV", PRODUCT_FILE),
  ),
  write(
    "POST /v1/skus/importCSV",
    {
      id: "importSkusCsv",
      summary: "Import SKUs from a CSV file",
      ...ofFile(
        SKU_FILE,
        "Of a SKU that is there already only the name and the price are changed. Prices are in the unit of the currency.",
      ),
      body: CsvUpload,
    },
    (c) => importFile(c, "SKUS.IMPORT_CSV", SKU_FILE),
  ),
  write(
    "POST /v1/orders/import",
    {
      id: "importOrders",
      summary: "Import orders of the past",
      description:
        "Nothing is told of them and they earn nothing, but segments of their customers are worked out anew. Imports of a project are done one after the other.",
      ...ofList,
      body: OrderImports,
    },
    (c) =>
      enqueueList(c, "ORDERS.IMPORT", { entries: checkedEntries(OrderCreate, c.body, "source_id"), options: c.query }),
  ),
];

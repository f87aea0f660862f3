import { importOptions } from "../../../core/bulk/upload.ts";
import { PRODUCT_FILE, SKU_FILE } from "../../../flows/catalogue/import-goods.ts";
import { CUSTOMER_FILE } from "../../../flows/customers/update-customers.ts";
import {
  CAMPAIGN_VOUCHER_IMPORT,
  campaignToImport,
  VOUCHER_IMPORT,
} from "../../../flows/promotions/import-vouchers.ts";
import { checkedEntries } from "../../../http/bulk/entries.ts";
import { write } from "../../../http/route.ts";
import { enqueueFile, enqueueList } from "../../../steps/bulk/imports.ts";
import { OrderCreate } from "../../orders/orders/schema.ts";
import { OfCampaign, VoucherImport, VoucherImports } from "../../promotions/vouchers/schema.ts";
import { BULK_BYTES_MAX, Enqueued } from "../async-actions/schema.ts";
import { CsvUpload, ImportQuery, OrderImports, VoucherCsvUpload } from "./schema.ts";

const AFTERWARDS =
  "Done by an async action: its result tells which rows failed, and has the address of a CSV of them, which can be corrected and uploaded again.";

export const importRoutes = [
  write(
    "POST /v1/vouchers/importCSV",
    {
      id: "importVouchersCsv",
      summary: "Import codes from a CSV file",
      description: `Codes that are there already are updated. ${AFTERWARDS}`,
      query: ImportQuery,
      body: VoucherCsvUpload,
      upload: { isPersonal: false },
      status: 202,
      ok: Enqueued,
    },
    async ({ body: upload, ...c }) =>
      enqueueFile(c, "VOUCHERS.IMPORT_CSV", {
        upload,
        columns: VOUCHER_IMPORT.columns,
        options: importOptions(c.query, upload),
      }),
  ),
  write(
    "POST /v1/vouchers/import",
    {
      id: "importVouchers",
      summary: "Import codes",
      description: "Codes that are there already are refused. Fields that are not known are ignored.",
      query: ImportQuery,
      body: VoucherImports,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
    },
    async (c) =>
      enqueueList(c, "VOUCHERS.IMPORT", { entries: checkedEntries(VoucherImport, c.body, "code"), options: c.query }),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/importCSV",
    {
      id: "importCampaignVouchersCsv",
      summary: "Import codes of a campaign from a CSV file",
      description: `What they are worth is the campaign's. Codes that it has already are updated. ${AFTERWARDS}`,
      params: OfCampaign,
      query: ImportQuery,
      body: VoucherCsvUpload,
      upload: { isPersonal: false },
      ok: Enqueued,
    },
    async ({ body: upload, ...c }) =>
      enqueueFile(c, "CAMPAIGN.VOUCHERS_IMPORT_CSV", {
        upload,
        columns: CAMPAIGN_VOUCHER_IMPORT.columns,
        options: { ...importOptions(c.query, upload), ...(await campaignToImport(c, c.params.campaignId)) },
      }),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/import",
    {
      id: "importCampaignVouchers",
      summary: "Import codes of a campaign",
      description: "Codes that are there already are refused. What is not sent is the campaign's.",
      params: OfCampaign,
      query: ImportQuery,
      body: VoucherImports,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
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
      description: `A row with the \`source_id\` of somebody takes the place of all that was known of them. ${AFTERWARDS}`,
      query: ImportQuery,
      body: CsvUpload,
      upload: { isPersonal: true },
      status: 202,
      ok: Enqueued,
    },
    async ({ body: upload, ...c }) =>
      enqueueFile(c, "CUSTOMERS.IMPORT_CSV", {
        upload,
        columns: CUSTOMER_FILE.columns,
        options: importOptions(c.query, upload),
      }),
  ),
  write(
    "POST /v1/products/importCSV",
    {
      id: "importProductsCsv",
      summary: "Import products from a CSV file",
      description: `Of a product that is there already only the name is changed. Prices are in the unit of the currency. ${AFTERWARDS}`,
      query: ImportQuery,
      body: CsvUpload,
      upload: { isPersonal: false },
      ok: Enqueued,
    },
    async ({ body: upload, ...c }) =>
      enqueueFile(c, "PRODUCTS.IMPORT_CSV", {
        upload,
        columns: PRODUCT_FILE.columns,
        options: importOptions(c.query, upload),
      }),
  ),
  write(
    "POST /v1/skus/importCSV",
    {
      id: "importSkusCsv",
      summary: "Import SKUs from a CSV file",
      description: `Of a SKU that is there already only the name and the price are changed. Prices are in the unit of the currency. ${AFTERWARDS}`,
      query: ImportQuery,
      body: CsvUpload,
      upload: { isPersonal: false },
      ok: Enqueued,
    },
    async ({ body: upload, ...c }) =>
      enqueueFile(c, "SKUS.IMPORT_CSV", { upload, columns: SKU_FILE.columns, options: importOptions(c.query, upload) }),
  ),
  write(
    "POST /v1/orders/import",
    {
      id: "importOrders",
      summary: "Import orders of the past",
      description:
        "Nothing is told of them and they earn nothing, but segments of their customers are worked out anew. Imports of a project are done one after the other.",
      query: ImportQuery,
      body: OrderImports,
      bodyLimitBytes: BULK_BYTES_MAX,
      ok: Enqueued,
    },
    async (c) =>
      enqueueList(c, "ORDERS.IMPORT", { entries: checkedEntries(OrderCreate, c.body, "source_id"), options: c.query }),
  ),
];

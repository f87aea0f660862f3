import {
  exportsOfProject,
  openExport,
  readExport,
  removeExport,
  startExport,
  startPointsExport,
  startTransactionsExport,
} from "../../../flows/platform/exports.ts";
import { download, list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByExport,
  Export,
  ExportCreate,
  ExportDownload,
  ExportList,
  ExportQuery,
  ExportStart,
  OfCampaign,
  OfMember,
  OfMemberOfCampaign,
  OfVoucher,
} from "./schema.ts";

const started = "It is made in the background: read it until its status is `DONE`.";

export const exportRoutes = [
  write(
    "POST /v1/exports",
    { id: "createExport", summary: "Start an export", description: started, body: ExportCreate, ok: Export },
    async (c) => startExport(c, c.body.exported_object, c.body.parameters),
  ),
  read(
    "GET /v1/exports",
    { id: "listExports", summary: "List exports", query: ExportQuery, ok: ExportList },
    async (c) => list(await exportsOfProject(c, c.query), (one) => one, "exports"),
  ),
  download(
    "GET /v1/exports/{exportId}",
    {
      id: "getExport",
      summary: "Read an export, or download its file",
      description:
        "`result.url` has a `token`: with it the answer is the file itself, and no keys are needed. Without a token the " +
        "answer is the export.",
      params: ByExport,
      query: ExportDownload,
      ok: Export,
    },
    async (c) => readExport(c, c.params.exportId),
    async (c) => openExport(c, c.params.exportId, c.query.token),
  ),
  write(
    "DELETE /v1/exports/{exportId}",
    { id: "deleteExport", summary: "Delete an export and its file", params: ByExport, ok: Empty },
    async (c) => removeExport(c, c.params.exportId),
  ),
  write(
    "POST /v1/orders/export",
    { id: "exportOrders", summary: "Start an export of orders", description: started, body: ExportStart, ok: Export },
    async (c) => startExport(c, "order", c.body.parameters),
  ),
  write(
    "POST /v1/vouchers/{code}/transactions/export",
    {
      id: "exportVoucherTransactions",
      summary: "Start an export of what was moved on a card",
      description: started,
      params: OfVoucher,
      body: ExportStart,
      ok: Export,
    },
    async (c) => startTransactionsExport(c, { code: c.params.code }, c.body.parameters),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/transactions/export",
    {
      id: "exportCampaignTransactions",
      summary: "Start an export of what was moved on the cards of a campaign",
      description: started,
      params: OfCampaign,
      body: ExportStart,
      ok: Export,
    },
    async (c) => startTransactionsExport(c, { campaign: c.params.campaignId }, c.body.parameters),
  ),
  write(
    "POST /v1/loyalties/{campaignId}/transactions/export",
    {
      id: "exportLoyaltyTransactions",
      summary: "Start an export of what was moved on the cards of a loyalty campaign",
      description: started,
      params: OfCampaign,
      body: ExportStart,
      ok: Export,
    },
    async (c) => startTransactionsExport(c, { loyalty: c.params.campaignId }, c.body.parameters),
  ),
  write(
    "POST /v1/loyalties/members/{memberId}/transactions/export",
    {
      id: "exportLoyaltyCardTransactions",
      summary: "Start an export of what was moved on a loyalty card",
      description: started,
      params: OfMember,
      body: ExportStart,
      ok: Export,
    },
    async (c) => startTransactionsExport(c, c.params, c.body.parameters),
  ),
  write(
    "POST /v1/loyalties/{campaignId}/members/{memberId}/transactions/export",
    {
      id: "exportLoyaltyMemberTransactions",
      summary: "Start an export of what was moved on a loyalty card of a campaign",
      description: started,
      params: OfMemberOfCampaign,
      body: ExportStart,
      ok: Export,
    },
    async (c) => startTransactionsExport(c, c.params, c.body.parameters),
  ),
  write(
    "POST /v1/loyalties/{campaignId}/points-expiration/export",
    {
      id: "exportPointsExpiration",
      summary: "Start an export of which points expire when",
      description: started,
      params: OfCampaign,
      body: ExportStart,
      ok: Export,
    },
    async (c) => startPointsExport(c, c.params.campaignId, c.body.parameters),
  ),
];

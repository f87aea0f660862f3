import { type Ctx, commandOf } from "../../../ctx.ts";
import { adjustCardPoints } from "../../../flows/loyalty-v1/adjust-card-points.ts";
import {
  bucketsOfMember,
  membersOf,
  pendingOfCampaign,
  pendingOfMember,
  readCampaignMember,
  tiersOfMember,
} from "../../../flows/loyalty-v1/read-point-cards.ts";
import {
  activatePendingPoints,
  adjustPendingPoints,
  cancelPendingPoints,
} from "../../../flows/loyalty-v1/settle-pending-points.ts";
import { transferPoints } from "../../../flows/loyalty-v1/transfer-points.ts";
import { transactionsOfLoyalty, transactionsOfMember } from "../../../flows/promotions/list-transactions.ts";
import { publish } from "../../../flows/publish/publish.ts";
import { hot, list, read, write } from "../../../http/route.ts";
import { Empty, listOf } from "../../../http/schemas.ts";
import { loyaltyNamed } from "../../../steps/points/loyalty-campaigns.ts";
import { getCampaignMember, type Which } from "../../../steps/points/point-members.ts";
import {
  CampaignMember,
  CampaignMemberCreate,
  LedgerTransactionQuery,
  MemberTier,
  TransactionList,
} from "./member-schema.ts";
import {
  ByMember,
  ByMemberOfCampaign,
  ByPending,
  CampaignMemberQuery,
  CampaignPointsBucketList,
  CampaignPointsBucketQuery,
  MemberActivityList,
  MemberActivityQuery,
  MemberBalance,
  MemberBalanceBody,
  OfCampaign,
  PendingBalance,
  PendingBalanceBody,
  PendingList,
  PendingQuery,
  TransferBody,
} from "./schema.ts";
import { listMemberActivity, viewMemberActivity } from "./store.ts";

const TRANSACTIONS = "Newest first. Filters: `id`, `created_at`.";

async function activityOf(c: Ctx & { query: MemberActivityQuery }, which: Which) {
  const { id } = await getCampaignMember(c, await c.catalog(), which);
  const { rows, has_more } = await listMemberActivity(c.db, c.project.id, id, c.query);
  const data = rows.map(viewMemberActivity);
  const more = has_more ? { more_starting_after: data.at(-1)!.id } : {};
  return { object: "list" as const, data_ref: "data" as const, data, has_more, ...more };
}

export const loyaltyCampaignMemberRoutes = [
  read(
    "GET /v1/loyalties/members/{memberId}",
    { id: "getLoyaltyMember", summary: "Read a loyalty card", params: ByMember, ok: CampaignMember },
    async (c) => readCampaignMember(c, c.params),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/members/{memberId}",
    {
      id: "getLoyaltyMemberOfCampaign",
      summary: "Read a loyalty card of a campaign",
      params: ByMemberOfCampaign,
      ok: CampaignMember,
    },
    async (c) => readCampaignMember(c, c.params),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/members",
    {
      id: "listLoyaltyMembers",
      summary: "List the loyalty cards of a campaign",
      params: OfCampaign,
      query: CampaignMemberQuery,
      ok: listOf(CampaignMember, "vouchers"),
    },
    async (c) => list(await membersOf(c, c.params.campaignId, c.query), (one) => one, "vouchers"),
  ),
  hot(
    "POST /v1/loyalties/{campaignId}/members",
    {
      id: "createLoyaltyMember",
      summary: "Add a customer to a loyalty campaign",
      description:
        "Gives the customer the card that `voucher` names, or the next one of the campaign. Who is a member already gets the card that they have.",
      params: OfCampaign,
      body: CampaignMemberCreate,
      ok: CampaignMember,
    },
    async (c) => {
      const head = await commandOf(c);
      const { id } = loyaltyNamed(head.catalog, c.params.campaignId);
      const sent = { ...c.body, campaign: id, channel: c.body.channel ?? c.channel ?? null };
      return c.submit(publish, c.project.id, { ...head, sent, join_once: null, joins: id });
    },
  ),
  write(
    "POST /v1/loyalties/members/{memberId}/balance",
    {
      id: "adjustLoyaltyMemberBalance",
      summary: "Add points to a loyalty card, or take some away",
      params: ByMember,
      body: MemberBalanceBody,
      ok: MemberBalance,
    },
    async (c) => adjustCardPoints(c, c.params, c.body),
  ),
  write(
    "POST /v1/loyalties/{campaignId}/members/{memberId}/balance",
    {
      id: "adjustLoyaltyMemberBalanceOfCampaign",
      summary: "Add points to a loyalty card of a campaign, or take some away",
      params: ByMemberOfCampaign,
      body: MemberBalanceBody,
      ok: MemberBalance,
    },
    async (c) => adjustCardPoints(c, c.params, c.body),
  ),
  write(
    "POST /v1/loyalties/{campaignId}/members/{memberId}/transfers",
    {
      id: "transferLoyaltyPoints",
      summary: "Move points from other loyalty cards to one",
      description:
        "The path names the card that gets them, the body those that give. All of them or nothing; the points expire as the campaign of the card says that gets them.",
      params: ByMemberOfCampaign,
      body: TransferBody,
      ok: CampaignMember,
    },
    async (c) => transferPoints(c, c.params, c.body),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/members/{memberId}/points-expiration",
    {
      id: "listLoyaltyPointsExpiration",
      summary: "List which points of a loyalty card expire when",
      params: ByMemberOfCampaign,
      query: CampaignPointsBucketQuery,
      ok: CampaignPointsBucketList,
    },
    async (c) => list(await bucketsOfMember(c, c.params, c.query), (one) => one),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/pending-points",
    {
      id: "listPendingPointsOfCampaign",
      summary: "List the points that wait on the cards of a campaign",
      params: OfCampaign,
      query: PendingQuery,
      ok: PendingList,
    },
    async (c) => pendingOfCampaign(c, c.params.campaignId, c.query),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/members/{memberId}/pending-points",
    {
      id: "listPendingPointsOfCampaignMember",
      summary: "List the points that wait on a loyalty card of a campaign",
      params: ByMemberOfCampaign,
      query: PendingQuery,
      ok: PendingList,
    },
    async (c) => pendingOfMember(c, c.params, c.query),
  ),
  read(
    "GET /v1/loyalties/members/{memberId}/pending-points",
    {
      id: "listPendingPointsOfMember",
      summary: "List the points that wait on a loyalty card",
      params: ByMember,
      query: PendingQuery,
      ok: PendingList,
    },
    async (c) => pendingOfMember(c, c.params, c.query),
  ),
  write(
    "POST /v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/activate",
    {
      id: "activatePendingPoints",
      summary: "Make points available that wait",
      params: ByPending,
      ok: MemberBalance,
    },
    async (c) => activatePendingPoints(c, c.params),
  ),
  write(
    "POST /v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/cancel",
    { id: "cancelPendingPoints", summary: "Cancel points that wait", params: ByPending, ok: Empty },
    async (c) => cancelPendingPoints(c, c.params),
  ),
  write(
    "POST /v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/balance",
    {
      id: "adjustPendingPoints",
      summary: "Change how many points wait",
      params: ByPending,
      body: PendingBalanceBody,
      ok: PendingBalance,
    },
    async (c) => adjustPendingPoints(c, c.params, c.body.points),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/transactions",
    {
      id: "listLoyaltyTransactions",
      summary: "List what was moved on the loyalty cards of a campaign",
      description: "Newest first. Filters: `id`, `voucher_id`, `created_at`.",
      params: OfCampaign,
      query: LedgerTransactionQuery,
      ok: TransactionList,
    },
    async (c) => transactionsOfLoyalty(c, c.params.campaignId, c.query),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/members/{memberId}/transactions",
    {
      id: "listLoyaltyTransactionsOfCampaignMember",
      summary: "List what was moved on a loyalty card of a campaign",
      description: TRANSACTIONS,
      params: ByMemberOfCampaign,
      query: LedgerTransactionQuery,
      ok: TransactionList,
    },
    async (c) => transactionsOfMember(c, c.params, c.query),
  ),
  read(
    "GET /v1/loyalties/members/{memberId}/transactions",
    {
      id: "listLoyaltyTransactionsOfMember",
      summary: "List what was moved on a loyalty card",
      description: TRANSACTIONS,
      params: ByMember,
      query: LedgerTransactionQuery,
      ok: TransactionList,
    },
    async (c) => transactionsOfMember(c, c.params, c.query),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/members/{memberId}/activity",
    {
      id: "listLoyaltyActivityOfCampaignMember",
      summary: "List what happened to a loyalty card of a campaign",
      params: ByMemberOfCampaign,
      query: MemberActivityQuery,
      ok: MemberActivityList,
    },
    async (c) => activityOf(c, c.params),
  ),
  read(
    "GET /v1/loyalties/members/{memberId}/activity",
    {
      id: "listLoyaltyActivityOfMember",
      summary: "List what happened to a loyalty card",
      params: ByMember,
      query: MemberActivityQuery,
      ok: MemberActivityList,
    },
    async (c) => activityOf(c, c.params),
  ),
  read(
    "GET /v1/loyalties/members/{memberId}/tiers",
    { id: "listLoyaltyMemberTiers", summary: "List the tier of a member", params: ByMember, ok: listOf(MemberTier) },
    async (c) => list(await tiersOfMember(c, c.params.memberId), (one) => one),
  ),
];

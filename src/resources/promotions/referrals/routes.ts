import {
  addHolders,
  HoldersMade,
  listReferralHolders,
  ReferralHolderList,
  ReferralHolderQuery,
  removeHolder,
} from "../../../flows/promotions/referral-holders.ts";
import { listTopReferrers } from "../../../flows/promotions/top-referrers.ts";
import { read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByCampaignCode,
  ByCampaignHolder,
  ByHolder,
  ByReferralCampaign,
  ByReferralCode,
  HoldersCreate,
  TopReferrerQuery,
  TopReferrers,
} from "./schema.ts";

const ADDING =
  "Gives a referral code to friends of the one whom it was published to. Customers are created or updated; of the list all are added or none. It does not count as a referral until a friend does what the campaign waits for.";
const LISTING = "The referrer and the friends. Filters: `id`, `created_at`, `holder_role`, `customer_id`.";
const REMOVING = "Only friends can be removed, not the referrer. A referral that counted stays.";

export const referralRoutes = [
  write(
    "POST /v1/referrals/members/{memberId}/holders",
    {
      id: "addReferralCodeHolders",
      summary: "Add friends to a referral code",
      description: ADDING,
      params: ByReferralCode,
      body: HoldersCreate,
      ok: HoldersMade,
    },
    async (c) => addHolders(c, c.params, c.body),
  ),
  write(
    "POST /v1/referrals/{campaignId}/members/{memberId}/holders",
    {
      id: "addReferralCodeHoldersInCampaign",
      summary: "Add friends to a referral code of a campaign",
      description: ADDING,
      params: ByCampaignCode,
      body: HoldersCreate,
      ok: HoldersMade,
    },
    async (c) => addHolders(c, c.params, c.body),
  ),
  read(
    "GET /v1/referrals/members/{memberId}/holders",
    {
      id: "listReferralCodeHolders",
      summary: "List who holds a referral code",
      description: LISTING,
      params: ByReferralCode,
      query: ReferralHolderQuery,
      ok: ReferralHolderList,
    },
    async (c) => listReferralHolders(c, c.params, c.query),
  ),
  read(
    "GET /v1/referrals/{campaignId}/members/{memberId}/holders",
    {
      id: "listReferralCodeHoldersInCampaign",
      summary: "List who holds a referral code of a campaign",
      description: LISTING,
      params: ByCampaignCode,
      query: ReferralHolderQuery,
      ok: ReferralHolderList,
    },
    async (c) => listReferralHolders(c, c.params, c.query),
  ),
  write(
    "DELETE /v1/referrals/members/{memberId}/holders/{holderId}",
    {
      id: "removeReferralCodeHolder",
      summary: "Remove a friend from a referral code",
      description: REMOVING,
      params: ByHolder,
      ok: Empty,
    },
    async (c) => removeHolder(c, c.params, c.params.holderId),
  ),
  write(
    "DELETE /v1/referrals/{campaignId}/members/{memberId}/holders/{holderId}",
    {
      id: "removeReferralCodeHolderInCampaign",
      summary: "Remove a friend from a referral code of a campaign",
      description: REMOVING,
      params: ByCampaignHolder,
      ok: Empty,
    },
    async (c) => removeHolder(c, c.params, c.params.holderId),
  ),
  read(
    "GET /v1/referrals/{campaignId}/top-referrers",
    {
      id: "listTopReferrers",
      summary: "List who brought the most friends",
      description: "The customers whose friends counted most often for a referral campaign, over all of its codes.",
      params: ByReferralCampaign,
      query: TopReferrerQuery,
      ok: TopReferrers,
    },
    async (c) => listTopReferrers(c, c.params.campaignId, c.query.limit),
  ),
];

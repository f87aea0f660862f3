import { readGiftCardBalance, readLoyaltyOverview, readProgramOverview } from "../../../flows/platform/card-figures.ts";
import { read } from "../../../http/route.ts";
import {
  GiftCardBalance,
  GiftCardQuery,
  LoyaltyOverview,
  OfLoyaltyCampaign,
  OfProgram,
  ProgramOverview,
} from "./schema.ts";

export const cardFigureRoutes = [
  read(
    "GET /v1/gift-cards/balance",
    {
      id: "getGiftCardBalance",
      summary: "What is left on all gift cards",
      description:
        "Added up over all cards that are not deleted, of the project or of one campaign, as they are at this moment.",
      query: GiftCardQuery,
      ok: GiftCardBalance,
    },
    async (c) => readGiftCardBalance(c, c.query.campaign),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/overview",
    {
      id: "getLoyaltyOverview",
      summary: "The members of a loyalty campaign and their points",
      description: "How many members there are, and how many points were issued, spent, are left and expire soon.",
      params: OfLoyaltyCampaign,
      ok: LoyaltyOverview,
    },
    async (c) => readLoyaltyOverview(c, c.params.campaignId),
  ),
  read(
    "GET /v2/loyalties/programs/{programId}/overview",
    {
      id: "getProgramOverview",
      summary: "The members of a program and their points",
      description:
        "How many members there are, and of each wallet how many points were issued, spent, are left and expire soon.",
      params: OfProgram,
      ok: ProgramOverview,
    },
    async (c) => readProgramOverview(c, c.params.programId),
  ),
];

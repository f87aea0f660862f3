import { estimatePoints } from "../../../flows/loyalty-v1/estimate-points.ts";
import { read } from "../../../http/route.ts";
import { ByProgram, Estimation, EstimationBody } from "./schema.ts";

export const loyaltyEstimationRoutes = [
  read(
    "POST /v1/loyalties/{campaignId}/qualifications",
    {
      id: "estimateLoyaltyPoints",
      summary: "Ask how many points an order would earn",
      description: "By the rules for paid orders, in the tier that the customer is in. Nothing is written.",
      params: ByProgram,
      body: EstimationBody,
      ok: Estimation,
    },
    (c) => estimatePoints(c, c.params.campaignId, c.body),
  ),
];

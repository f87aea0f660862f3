import { adjustPoints } from "../../../flows/loyalty-v2/adjust-points.ts";
import { expirePoints, settlePendingPoints } from "../../../flows/loyalty-v2/move-points-bucket.ts";
import { write } from "../../../http/route.ts";
import { Activated, AdjustBody, Adjusted, ByBucket, ByCard, Canceled, Expired } from "./schema.ts";

const CARD = "/v2/loyalties/programs/{programId}/members/{memberId}/cards/{cardId}";

export const loyaltyPointsRoutes = [
  write(
    `POST ${CARD}/points`,
    {
      id: "adjustCardPoints",
      summary: "Credit points by hand, or take some away",
      description: "They can be spent at once. More than there are is rejected, unless the card may go below zero.",
      params: ByCard,
      body: AdjustBody,
      ok: Adjusted,
    },
    (c) => adjustPoints(c, c.params, c.body),
  ),
  write(
    `POST ${CARD}/pending-points/{bucketId}/activate`,
    {
      id: "activateCardPendingPointsBucket",
      summary: "Make points that wait available",
      params: ByBucket,
      ok: Activated,
    },
    (c) => settlePendingPoints(c, c.params, "activate"),
  ),
  write(
    `POST ${CARD}/pending-points/{bucketId}/cancel`,
    { id: "cancelCardPendingPointsBucket", summary: "Cancel points that wait", params: ByBucket, ok: Canceled },
    (c) => settlePendingPoints(c, c.params, "cancel"),
  ),
  write(
    `POST ${CARD}/expiring-points/{bucketId}/expire`,
    { id: "expireCardPointsBucket", summary: "Let points expire now", params: ByBucket, ok: Expired },
    (c) => expirePoints(c, c.params),
  ),
];

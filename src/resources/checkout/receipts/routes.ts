import { replayReceipt, showReceipt } from "../../../flows/checkout/replay-receipt.ts";
import { read } from "../../../http/route.ts";
import { ByRedemption, Receipt, ReceiptReplay } from "./schema.ts";

export const receiptRoutes = [
  read(
    "GET /v1/redemptions/{redemptionId}/receipt",
    {
      id: "getRedemptionReceipt",
      summary: "Read the receipt of a redemption",
      description:
        "What a redemption, also a failed one, was decided on: the request, the facts, the configuration, and why each redeemable came out as it did.",
      params: ByRedemption,
      ok: Receipt,
    },
    (c) => showReceipt(c, c.params.redemptionId),
  ),
  read(
    "POST /v1/redemptions/{redemptionId}/receipt/replay",
    {
      id: "replayRedemptionReceipt",
      summary: "Decide a redemption again from its receipt",
      description: "Nothing changes. The answer says whether the result is the same to the byte.",
      params: ByRedemption,
      ok: ReceiptReplay,
    },
    (c) => replayReceipt(c, c.params.redemptionId),
  ),
];

import { payWithPoints } from "../../../flows/loyalty-v2/pay-with-points.ts";
import { purchaseReward } from "../../../flows/loyalty-v2/purchase-reward.ts";
import { refundReward } from "../../../flows/loyalty-v2/refund-reward.ts";
import { write } from "../../../http/route.ts";
import {
  ByMember,
  ByPurchase,
  PaymentBody,
  PaymentMade,
  PaymentSimulated,
  PurchaseBody,
  PurchaseMade,
  PurchaseSimulated,
  RefundBody,
  RefundMade,
} from "./schema.ts";

const PROGRAM = "/v2/loyalties/programs/{programId}";
const MEMBER = `${PROGRAM}/members/{memberId}` as const;

export const loyaltySpendingRoutes = [
  write(
    `POST ${MEMBER}/rewards/purchases`,
    {
      id: "purchaseMemberReward",
      summary: "Buy a reward with points",
      description: "The first cost whose rules the member fulfils is the price. A dry run changes nothing.",
      params: ByMember,
      body: PurchaseBody,
      ok: PurchaseSimulated,
      accepted: PurchaseMade,
    },
    (c) => purchaseReward(c, c.params, c.body),
  ),
  write(
    `POST ${PROGRAM}/rewards/purchases/{rewardTransactionId}/refund`,
    {
      id: "refundRewardPurchase",
      summary: "Take back a reward and return its points",
      params: ByPurchase,
      body: RefundBody,
      ok: RefundMade,
      status: 202,
    },
    (c) => refundReward(c, c.params, c.body),
  ),
  write(
    `POST ${MEMBER}/orders/payments`,
    {
      id: "createMemberOrderPayment",
      summary: "Pay an order with points",
      description: "Pays as much as the points and the limits allow; more than is left to pay is rejected.",
      params: ByMember,
      body: PaymentBody,
      ok: PaymentSimulated,
      accepted: PaymentMade,
    },
    (c) => payWithPoints(c, c.params, c.body),
  ),
];

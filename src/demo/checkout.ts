import type { DemoRequest } from "./requests.ts";

// What was redeemed: one code, and two codes at once. Both can be rolled back.

const redeem = (source_id: string, codes: readonly string[]) => ({
  line: "POST /v1/redemptions",
  body: {
    redeemables: codes.map((id) => ({ object: "voucher", id })),
    customer: { source_id: "customer-7" },
    order: { source_id, items: [{ source_id: "tee", related_object: "product", quantity: 3 }] },
  },
});

export const checkoutRequests: readonly DemoRequest[] = [
  { ...redeem("redeemed-1", ["MEMBER3"]), as: "a redemption" },
  { ...redeem("redeemed-2", ["SUMMER5", "MEMBER3"]), as: "a redemption of two codes" },
];

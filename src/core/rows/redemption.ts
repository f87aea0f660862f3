import type { AccountSums } from "../ledger/account.ts";
import type { OrderRow } from "./order.ts";

/** What an attempt did or would have done, so that it can be shown and undone. */
export type RedemptionRow = {
  project_id: string;
  id: string;
  object: "redemption" | "redemption_rollback";
  result: "SUCCESS" | "FAILURE";
  status: "SUCCEEDED" | "FAILED" | "ROLLED_BACK";
  parent_id: string | null;
  redemption_id: string | null;
  related_object_type: "voucher" | "promotion_tier" | "redemption" | null;
  related_object_id: string | null;
  campaign_id: string | null;
  campaign_name: string | null;
  voucher_code: string | null;
  customer_id: string | null;
  tracking_id: string | null;
  order_id: string | null;
  amount: number | null;
  failure_code: string | null;
  failure_message: string | null;
  reason: string | null;
  metadata: Record<string, unknown>;
  channel: { channel_id: string; channel_type: string };
  /**
   * The order as the redemption shows it. Null: as the order is now, if there is one. Whoever changes an order first copies its
   * row into those that show it so (`was`). A view: parts of a stack show what the order was between them. False: nothing.
   */
  order_shown: Record<string, unknown> | { was: OrderRow } | false | null;
  effect: RedemptionEffect | null;
  /** What it was decided on (`core/redeem/receipt-kept.ts`): with a stack it is in the row of the whole. Null: there is none. */
  receipt: object | false | null;
  created_at: string;
};

/** What a line of the order was given by one step. */
export type LineEffect = {
  index: number;
  discount_amount: number;
  discount_quantity: number;
  quantity: number;
  amount: number;
  /** Left out where it gave no discount of 0. */
  zero_discounts?: number;
};

export type RewardKept = {
  id: string;
  assignment_id: string;
  name: string;
  type: "CAMPAIGN" | "COIN" | "MATERIAL";
  parameters: Record<string, unknown>;
  product: { id: string; object: "product" } | null;
  sku: { id: string; product_id: string; object: "sku" } | null;
  /** The tier that the card was in. */
  loyalty_tier_id: string | null;
  created_at: string;
  updated_at: string | null;
  object: "reward";
  /** The code that the customer was given, or the card that was filled up. */
  voucher: { id: string; code: string; campaign_id: string; [field: string]: unknown } | null;
};

export type RedemptionUse =
  | { redeemed_quantity: number; account: AccountSums | null }
  | { totals: { redemptions: number; order_amount: number; discount_amount: number } };

export type RedemptionEffect = {
  /** The code or the tier as it is shown with the redemption. */
  shown: Record<string, unknown> | null;
  /** Figures of use after this redemption: of a code its count and account, of a tier its totals. */
  use?: RedemptionUse;
  /** What was asked for, where there is no such code or tier. */
  asked?: { object: "voucher" | "promotion_tier"; id: string } | undefined;
  kind: "discount" | "credits" | "points" | null;
  api_key_id: string;
  /** The periods it counts in. */
  starts: { day: string; week: string; month: string };
  order_amount: number;
  discount_amount: number;
  gift_amount: number;
  /** What it took off the order as a whole, and off its lines. */
  order_discount: number;
  zero_discounts?: number;
  lines: LineEffect[];
  /** The lots that credits or points came from. */
  lots: [lot: string, amount: number][];
  /** Units that count against limits: subject, customer or nobody, name, number. */
  units: [subject: string, customer: string, name: string, units: number][];
  /** What points were spent on, and what came with it. */
  reward?: RewardKept;
  /** Of a rollback: whether the order was rolled back too. */
  rollback_order_mode?: "WITH_ORDER" | "WITHOUT_ORDER";
};

/** The effect of a redemption that changed nothing. */
export const NO_EFFECT: RedemptionEffect = {
  shown: null,
  kind: null,
  api_key_id: "",
  starts: { day: "", week: "", month: "" },
  order_amount: 0,
  discount_amount: 0,
  gift_amount: 0,
  order_discount: 0,
  lines: [],
  lots: [],
  units: [],
};

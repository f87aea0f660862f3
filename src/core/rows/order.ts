import type { OrderItem } from "../order/order.ts";
import type { OrderStatus } from "../order/schema.ts";

export type OrderRow = {
  project_id: string;
  id: string;
  source_id: string | null;
  status: OrderStatus;
  customer_id: string | null;
  referrer_id: string | null;
  amount: number | null;
  initial_amount: number | null;
  discount_amount: number;
  items_discount_amount: number;
  applied_discount_amount: number;
  items_applied_discount_amount: number;
  zero_discounts: number | null;
  applied_zero_discounts: number | null;
  items: OrderItem[];
  metadata: Record<string, unknown>;
  redemptions: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

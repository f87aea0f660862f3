// Part of the reference calculator: what is asked.

export type Formula =
  | { number: number }
  | { variable: string }
  | { operator: "+" | "-" | "*" | "/"; left: Formula; right: Formula }
  | { choose: "MIN" | "MAX"; of: Formula[] }
  | { round: "ROUND" | "FLOOR" | "CEIL"; value: Formula; places: number }
  | { if: Formula; above: Formula; so: Formula; otherwise: Formula }
  /** Metadata that nobody has: it makes the formula fail. */
  | { missing: true };

export type Named = { object: "product" | "sku" | "products_collection"; id: string; strict?: boolean };
export type Entry = Named & {
  effect?: string;
  target?: "ITEM" | "UNIT";
  skip_initially?: number;
  repeat?: number;
  price?: number;
  price_formula?: Formula;
  amount_limit?: number;
  amount_limit_formula?: Formula;
  aggregated_amount_limit?: number;
  quantity_limit?: number;
  quantity_limit_formula?: Formula;
  aggregated_quantity_limit?: number;
  product_campaign_quantity_limit?: number;
  product_in_collection_campaign_quantity_limit?: number;
};
export type Targets = { included: Entry[]; excluded: Named[]; included_all: boolean };
export type Units = { unit_type: string; unit_off?: number; unit_off_formula?: Formula; effect?: string };
export type DiscountAsked = { type: "AMOUNT" | "PERCENT" | "FIXED" | "UNIT"; effect?: string } & Partial<Units> & {
    amount_off?: number;
    amount_off_formula?: Formula;
    percent_off?: number;
    percent_off_formula?: Formula;
    fixed_amount?: number;
    fixed_amount_formula?: Formula;
    amount_limit?: number;
    aggregated_amount_limit?: number;
    units?: Units[];
  };
export type CartRequest = {
  targets: Targets;
  campaign: string | null;
  /** Units that were discounted before, of every counter of a limit over time. */
  used: number;
  /** Overrides how the project calculates percentages. */
  mode: Mode | null;
  bundle: { parts: (Named & { quantity: number })[]; limit: number } | null;
} & (
  | { discount: DiscountAsked }
  | { gift: { balance: number; credits: number | null; effect: "APPLY_TO_ORDER" | "APPLY_TO_ITEMS" } }
  | { points: { balance: number; points: number | null; exchange_ratio: number; points_ratio: number } }
);
export type Mode = "INITIAL_AMOUNT" | "DISCOUNTED_AMOUNT";
export type LineAsked = {
  product: string | null;
  sku: string | null;
  quantity: number;
  price: number | null;
  amount: number | null;
};
export type Scenario = {
  lines: LineAsked[];
  amount: number | null;
  redeemables: CartRequest[];
  settings: { mode: Mode; once: boolean; partial: boolean; skipNoEffect: boolean };
};
/** What the shop sells: products and SKUs with their prices, and the collections they are in. */
export type Shop = {
  products: Record<string, { price: number | null }>;
  skus: Record<string, { price: number | null; product: string }>;
  /** A product stands for its SKUs too. */
  collections: Record<string, string[]>;
};

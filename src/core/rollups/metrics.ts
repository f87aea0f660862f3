/** What is added up, in every rollup. */
export const SUMS = [
  "redemptions",
  "rollbacks",
  "discount",
  "gift_credits",
  "points_issued",
  "points_spent",
  "revenue",
  "orders",
  "refusals",
] as const;
export type Sum = (typeof SUMS)[number];
export type RollupSums = Record<Sum, number>;

/** What a time series can show. Different customers are counted, not added up. */
export const SERIES_METRICS = [...SUMS, "unique_customers"] as const;
export type Metric = (typeof SERIES_METRICS)[number];

export const NO_SUMS: RollupSums = Object.freeze(Object.fromEntries(SUMS.map((name) => [name, 0])) as RollupSums);

/** What figures are kept of. Codes have days only. */
export const SUBJECTS = ["project", "campaign", "tier", "code", "segment", "channel"] as const;
export type RollupSubject = (typeof SUBJECTS)[number];

/** The events that tell of redemptions, each with the field of its payload that names the row. */
export const REDEMPTION_EVENTS = {
  "customer.redemption.succeeded": "redemption_id",
  "customer.redemption.failed": "redemption_id",
  "customer.redemption.rollback.succeeded": "rollback_id",
  "customer.redemption.rollback.failed": "rollback_id",
} as const;

/** Entries of points that are issued or spent, and whether they add to it. What redemptions spend is read from these. */
export const POINT_MOVES: Readonly<Record<string, { metric: "points_issued" | "points_spent"; sign: 1 | -1 }>> = {
  opening: { metric: "points_issued", sign: 1 },
  accrual: { metric: "points_issued", sign: 1 },
  addition: { metric: "points_issued", sign: 1 },
  activation_in: { metric: "points_issued", sign: 1 },
  purchase: { metric: "points_issued", sign: 1 },
  purchase_reversal: { metric: "points_issued", sign: 1 },
  taken_back: { metric: "points_issued", sign: 1 },
  reward_spend: { metric: "points_spent", sign: -1 },
  order_spend: { metric: "points_spent", sign: -1 },
  return: { metric: "points_spent", sign: -1 },
};

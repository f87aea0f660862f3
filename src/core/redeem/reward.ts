import { Decimal } from "decimal.js";
import type { RewardParameters } from "../loyalty/campaign/reward.ts";
import { mappedPoints, type RewardMapping } from "../loyalty/campaign/shapes.ts";

/** Digits enough for every product of points, a ratio and money: what is rounded is only what is meant to be. */
const Exact = Decimal.clone({ precision: 80 });

/** What points buy: `points_ratio` points are worth `exchange_ratio` major units. */
export type Exchange = { points_ratio: number; exchange_ratio: number };

/** What so many points are worth in minor units; a part of one is dropped. 200 at 20 for 100 are 4,000. */
export const worthOf = (points: number, { points_ratio, exchange_ratio }: Exchange): number =>
  Exact.min(
    new Exact(points).times(exchange_ratio).times(100).divToInt(points_ratio),
    Number.MAX_SAFE_INTEGER,
  ).toNumber();

/** The fewest points that are worth so much. Null: no number of them is. */
export function pointsFor(amount: number, { points_ratio, exchange_ratio }: Exchange): number | null {
  const minor = new Exact(exchange_ratio).times(100);
  if (minor.isZero()) return amount === 0 ? 0 : null;
  const wanted = new Exact(amount).times(points_ratio);
  const whole = wanted.divToInt(minor);
  const points = whole.times(minor).lt(wanted) ? whole.plus(1) : whole;
  return points.gt(Number.MAX_SAFE_INTEGER) ? null : points.toNumber();
}

/** What a reward costs: so many points, or as many as the customer pays with. */
export type RewardPrice = { points: number } | { exchange: Exchange };

/**
 * The price of a reward for who is in a tier. Null: there is none, so the tier has not got the reward. A multiplier
 * multiplies the price, of paying with points the points that so much money costs.
 */
export function rewardPrice(
  parameters: RewardParameters,
  assigned: { loyalty: { points: number } } | null,
  mapping: RewardMapping | undefined,
): RewardPrice | null {
  if (mapping?.type === "NOT_AVAILABLE") return null;
  if (!("coin" in parameters)) return assigned && { points: mappedPoints(assigned.loyalty.points, mapping) };
  const { points_ratio, exchange_ratio } = parameters.coin;
  // Contract is silent: money that costs no points at all is none that can be paid with them.
  const multiplier = (mapping?.type === "MULTIPLY" && mapping.multiplier) || 1;
  return { exchange: { points_ratio: new Exact(points_ratio).times(multiplier).toNumber(), exchange_ratio } };
}

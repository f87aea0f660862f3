/** The points of an order by the rule that is typed: for each whole unit, as the server counts. All in 1/100 but the points. */
export const pointsEarned = (amount: number, { points, every }: { points: number; every: number }): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.floor(amount / every) * points);

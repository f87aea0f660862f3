/** As many of the newest deliveries of a webhook say whether it works. */
export const LOOKED_AT = 10;

/**
 * How many deliveries, the newest first, were given up or wait for another attempt. None where the newest one that was tried
 * arrived: the address answers again.
 */
export function failedIn(deliveries: readonly { status: string; attempts: number }[]): number {
  if (deliveries.find(({ attempts }) => attempts > 0)?.status === "DELIVERED") return 0;
  return deliveries.filter(({ status, attempts }) => status === "FAILED" || (status === "WAITING" && attempts > 0))
    .length;
}

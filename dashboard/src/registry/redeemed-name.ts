import type { RowOf } from "../api/op.ts";
import type { listRedemptions } from "../api/operations.gen.ts";
import type { Text } from "../text/text.ts";

type Redemption = RowOf<typeof listRedemptions>;

/** A code, the name of a promotion, or how many of them were redeemed at once. */
export function redeemedName({ voucher, promotion_tier, order, id }: Redemption, t: Text): string {
  const single = voucher?.code ?? (promotion_tier as { name?: string } | undefined)?.name;
  if (single !== undefined && single !== null) return single;
  const parts = order?.redemptions?.[id]?.stacked?.length;
  return parts === undefined ? t("redemptions.stack") : t("redemptions.stackOf", { count: parts });
}

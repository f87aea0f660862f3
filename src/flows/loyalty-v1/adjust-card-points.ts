import { ApiError } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { MemberBalance, MemberBalanceBody } from "../../resources/loyalty-v1/members/schema.ts";
import { recordPoints } from "../../steps/earning/earn-work.ts";
import { adjustMember, pointBalance } from "../../steps/earning/point-balance.ts";
import type { Which } from "../../steps/points/point-members.ts";

/** Adds points to a card by hand, or takes some away. */
export async function adjustCardPoints(c: WriteCtx, which: Which, sent: MemberBalanceBody): Promise<MemberBalance> {
  if (sent.points === 0)
    throw new ApiError("invalid_add_balance_params", { details: "Property .points must not be 0" });
  const catalog = await c.catalog();
  const { row, happened: told, redeemed, ...moved } = await adjustMember(c, catalog, which, sent);
  await recordPoints(c, catalog, { told, redeemed });
  return pointBalance(row.id, moved);
}

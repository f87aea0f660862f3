import {
  readRedemption,
  redemptionsOf,
  redemptionsOfVoucher,
  totalsOfRedemptions,
} from "../../../flows/checkout/list-redemptions.ts";
import { list, read } from "../../../http/route.ts";
import {
  ByCode,
  ByRedemption,
  Redemption,
  RedemptionList,
  RedemptionQuery,
  RedemptionTotals,
  RedemptionTotalsQuery,
  VoucherRedemptions,
  VoucherRedemptionsQuery,
} from "./schema.ts";

export const redemptionReadRoutes = [
  read(
    "GET /v1/redemptions",
    {
      id: "listRedemptions",
      summary: "List redemptions",
      description:
        "Those that succeeded and those that failed, newest first; rollbacks with `filters[object]`. Those of deleted codes and campaigns are left out.",
      query: RedemptionQuery,
      ok: RedemptionList,
    },
    async (c) => list(await redemptionsOf(c, c.query), (one) => one, "redemptions"),
  ),
  read(
    "GET /v1/redemptions/totals",
    {
      id: "sumRedemptions",
      summary: "Add up redemptions",
      description:
        "What the redemptions of a list add up to, with the filters of the list and over all of its pages. Of more than 50,000 the newest are added up. A rollback with `filters[object]` has no amounts of its own.",
      query: RedemptionTotalsQuery,
      ok: RedemptionTotals,
    },
    async (c) => totalsOfRedemptions(c, c.query),
  ),
  read(
    "GET /v1/redemptions/{redemptionId}",
    { id: "getRedemption", summary: "Read a redemption or a rollback", params: ByRedemption, ok: Redemption },
    async (c) => readRedemption(c, c.params.redemptionId),
  ),
  read(
    "GET /v1/vouchers/{code}/redemption",
    {
      id: "getVoucherRedemptions",
      summary: "List the redemptions and rollbacks of a code",
      params: ByCode,
      query: VoucherRedemptionsQuery,
      ok: VoucherRedemptions,
    },
    async (c) => redemptionsOfVoucher(c, c.params.code, c.query),
  ),
];
